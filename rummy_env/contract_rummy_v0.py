"""Contract Rummy for PettingZoo: `env` makes one, `raw_env` is its class and carries the description."""

from typing import Any

from rummy_env.envs.aec import RummyEnv


class raw_env(RummyEnv):  # noqa: N801 -- the name that PettingZoo prescribes
    """Contract Rummy, an AEC environment.

    ## Description
    Seven deals, each with its own contract of sets (three or four cards of a rank, all suits different) and runs (three
    or more cards of a suit in sequence, ace low or high). A player lays the whole contract of the deal at once, is then
    "down", and from then on lays off single cards on any meld of the table. Jokers stand for a card that is declared as
    they are placed, and may be exchanged out of runs for that card. A draw takes the top of the stock, the top discard
    (which may not be discarded in the same turn), or a deeper discard with all cards above it if that card is melded at
    once. The deal ends when somebody has no cards left; the cards left in the other hands are penalty points. The
    lowest total after the last deal wins.

    | Deal | Cards | Contract |
    |---|---|---|
    | 1 | 10 | 2 sets |
    | 2 | 10 | 1 set, 1 run |
    | 3 | 10 | 2 runs |
    | 4 | 10 | 3 sets |
    | 5 | 12 | 2 sets, 1 run |
    | 6 | 12 | 1 set, 2 runs |
    | 7 | 12 | 3 runs that use every card, and no discard |

    | | |
    |---|---|
    | Import | `from rummy_env import contract_rummy_v0` |
    | Creation | `pettingzoo.make("aec", "rummy/contract_rummy-v0")` or `contract_rummy_v0.env()` |
    | Agents | `player_0` … `player_{num_players - 1}` |
    | Players | 3 to 8, also 2; 4 by default |
    | Parallel API | no |
    | Manual control | no |

    ## Action Space
    `Discrete(472)` for each agent. A turn is several small actions by the same agent: a draw, any number of
    placements, the discard that ends the turn. `agent_selection` stays on the agent until its turn is over. Cards are
    numbered `13 * suit + rank`, suits C D H S, ranks A = 0 … K = 12; the joker is 52.

    | |

    An action is in the mask exactly if the turn can still be finished by the rules after it; the mask of the acting
    agent is never empty. `env.game.describe(action)` and `env.game.parse(text)` translate.

    ## Observation Space
    A dictionary with the entries

    - `"observation"`: `Box(0, 1, (size,), int8)`, what the agent's seat may know: seats are counted from the viewer,
      nothing hidden is in it, and it is valid for every agent at any time.
    - `"action_mask"`: `Box(0, 1, (472,), int8)`, 1 for the legal actions; all zero for an agent that is not to
      act, and for all after the end.

    The blocks of the vector with 4 players (`ObservationLayout.for_table` has those of other tables):

    | |

    `env.state()` is the omniscient view, for centralised training and for pictures; its space is `env.state_space`.

    ## Starting State
    A random dealer (it passes left from deal to deal), the hands of the first deal, one card turned up to start the
    discard pile, and the player on the dealer's left to draw. Up to four players use one pack and a joker, more use
    two.

    ## Rewards
    `reward="score"`: when a deal ends, in hundreds of points, an agent gets the mean of the
    others' penalties less its own: `(mean of others - own) / 100`.
    `reward="win"`: nothing until the episode ends; then the winners share +1 and the others share -1, or all get 0 if
    all tie. Both sum to zero over the agents at every step. Raw points are in the information of a finished deal.

    ## Episode End
    All agents terminate together, when the last deal (or the only one, with `episode="deal"`) has ended by somebody
    going out, by a blocked stock or by the limit of turns. Nothing truncates. An illegal action with
    `illegal_action="forfeit"` also terminates all: the offender gets -1 and the others share +1. As ever in PettingZoo,
    a finished agent is then stepped once with None.

    ## Information
    `infos[agent]` holds

    - `"action_mask"`: the mask of the observation, in an array of its own.
    - `"deal"`: only if a deal ended since the agent last acted: its summary, plain JSON (`deal`, `contract`, `reason`,
      `out`, `rummy`, `turns`, `hand_points`, `points`).
    - `"illegal_action"`: only after a forfeit: `agent`, `action` and the `reason` it is against the rules.

    ## Arguments
    - `num_players=None`: seats; None is the usual number of the rules (4 here).
    - `rules=None`: name of a preset, path of a YAML file, `RuleSet`, or mapping of options, over the preset
      `contract_rummy` unless it names another; None is `contract_rummy`.
    - `episode="game"`: `"game"` plays all deals, `"deal"` a single one.
    - `deals=None`: numbers of the contracts to be played, in order; with `episode="deal"` the list from which the seed
      draws one. None: all.
    - `reward="score"`: `"score"` or `"win"`.
    - `illegal_action="forfeit"`: `"forfeit"`, or `"raise"` for an `IllegalActionError` that changes nothing. An action
      outside the action space raises it in either case.
    - `render_mode=None`: with `"ansi"` `render` returns the table as text, all cards face up; with `"human"` it prints it,
      as does every step.

    `reset(seed, options)`: the same seed gives the same cards through every face of this package; without a seed each
    episode's seed follows from the one before. Options: `"deal"` (number of a contract: the episode is this single
    deal), `"position"` (a position in the format of `Game.to_dict` to go on from); other keys are ignored.

    ## Version History
    - v0: initial version.
    """

    metadata = {
        "name": "contract_rummy_v0",
        "render_modes": ["ansi", "human"],
        "is_parallelizable": False,
        "render_fps": 2,
    }
    default_rules = "contract_rummy"
    has_contracts = True


def env(**kwargs: Any) -> raw_env:
    """Make the environment; the keyword arguments are those of `raw_env`."""
    return raw_env(**kwargs)
