"""Contract Rummy for PettingZoo: `env` makes one, `raw_env` is its class and carries the description."""

from typing import Any, ClassVar

from rummy_env.envs.aec import RummyEnv
from rummy_env.render.modes import RENDER_FPS, RENDER_MODES


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

    | ids | block | meaning |
    |---|---|---|
    | 0 | `draw_stock` | draw the top of the stock |
    | 1 | `take_top` | take the top discard; it may not be discarded this turn |
    | 2-54 | `take` | take a deeper discard with all cards above it; place it next |
    | 55-106 | `declare` | announce a joker as this card; place it next |
    | 107-158 | `meld_run` | lay the run of three that starts at this card |
    | 159-210 | `meld_set` | lay the set of this card's three rank mates |
    | 211-262 | `layoff_low` | put this card below a run |
    | 263-314 | `layoff_high` | put this card above a run |
    | 315-366 | `layoff_set` | put this card onto a set |
    | 367-418 | `swap` | exchange this card for the joker that stands for it in a run |
    | 419-471 | `discard` | discard this card and end the turn |

    An action is in the mask exactly if the turn can still be finished by the rules after it; the mask of the acting
    agent is never empty. `env.game.describe(action)` and `env.game.parse(text)` translate.

    ## Observation Space
    A dictionary with the entries

    - `"observation"`: `Box(0, 1, (size,), int8)`, what the agent's seat may know: seats are counted from the viewer,
      nothing hidden is in it, and it is valid for every agent at any time.
    - `"action_mask"`: `Box(0, 1, (472,), int8)`, 1 for the legal actions; all zero for an agent that is not to
      act, and for all after the end.

    The blocks of the vector with 4 players (`ObservationLayout.for_table` has those of other tables):

    | entries | block | shape | meaning |
    |---|---|---|---|
    | 0-51 | `hand` | 1 × 52 | own hand: at least k + 1 copies |
    | 52 | `hand_jokers` | 1 | own jokers: more than k |
    | 53-105 | `top` | 53 | the top discard |
    | 106-157 | `pile` | 1 × 52 | discard pile: at least k + 1 copies |
    | 158 | `pile_jokers` | 1 | jokers in the pile: more than k |
    | 159-370 | `pile_depth` | 4 × 53 | taking this discard picks up 2, 3-4, 5-8 or more cards |
    | 371-422 | `table` | 1 × 52 | naturals in melds: at least k + 1 copies |
    | 423-474 | `swappable` | 52 | identities of jokers that a player who is down may exchange |
    | 475-526 | `fits_low` | 52 | cards that fit below a run |
    | 527-578 | `fits_high` | 52 | cards that fit above a run |
    | 579-630 | `fits_set` | 52 | cards that fit on a set |
    | 631-789 | `known` | 3 × 53 | per opponent: picked up from the pile and still held |
    | 790-948 | `discarded` | 3 × 53 | per opponent: discarded this deal |
    | 949-1107 | `refused` | 3 × 53 | per opponent: left lying as the top discard |
    | 1108-1159 | `unseen` | 1 × 52 | copies in the stock or unknown in other hands: at least k + 1 |
    | 1160 | `unseen_jokers` | 1 | jokers not seen: more than k |
    | 1161-1162 | `phase` | 2 | draw, play |
    | 1163-1166 | `to_move` | 4 | seat to move |
    | 1167-1219 | `taken` | 53 | the top discard taken this turn, banned from the discard |
    | 1220-1272 | `obliged` | 53 | the deep pick-up that must be placed next |
    | 1273-1324 | `declared` | 52 | declared jokers that are not placed yet |
    | 1325 | `freed` | 1 | a joker freed by an exchange waits for its declaration |
    | 1326-1328 | `contract_sets` | 3 | the contract asks for more than k sets |
    | 1329-1331 | `contract_runs` | 3 | the contract asks for more than k runs |
    | 1332-1334 | `sets_left` | 3 | contract being laid: more than k sets left |
    | 1335-1337 | `runs_left` | 3 | contract being laid: more than k runs left |
    | 1338 | `all_at_once` | 1 | the whole hand must go down at once |
    | 1339-1345 | `deal` | 7 | number of the contract |
    | 1346-1357 | `down` | 4 × 3 | per seat: not down, down earlier, down this turn |
    | 1358-1361 | `played_before` | 4 | per seat: has placed a card in an earlier turn |
    | 1362 | `played_this_turn` | 1 | the player to move has placed a card this turn |
    | 1363-1426 | `hand_size` | 4 × 16 | per seat: cards >= 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 18, 24 |
    | 1427-1439 | `stock_size` | 13 | stock >= 1, 2, 3, 4, 6, 8, 11, 15, 20, 30, 45, 70, 100 |
    | 1440-1487 | `score` | 3 × 2 × 8 | per opponent: own score minus theirs, theirs minus own >= 1, 10, 25, 50, 75, 100, 150, 200 |
    | 1488-1497 | `turn` | 10 | finished turns per player >= 1, 2, 3, 5, 8, 12, 18, 25, 35, 45 |
    | 1498-1501 | `dealer` | 4 | the dealer |

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
      draws one, or a mapping from each to its weight, which `set_deals` changes between episodes. None: all.
    - `reward="score"`: `"score"` or `"win"`.
    - `illegal_action="forfeit"`: `"forfeit"`, or `"raise"` for an `IllegalActionError` that changes nothing. An action
      outside the action space raises it in either case.
    - `render_mode=None`: with `"ansi"` `render` returns the table as text, with `"rgb_array"` as a picture (uint8,
      640 × 960 × 3); with `"human"` every step shows it in a window. The last two need the extra `render`.
    - `observation="plain"`: with `"planning"` the blocks above are followed by some that say exactly what the agent's
      cards are worth, as far as it can know: `ObservationLayout.for_table(rules, num_players, "planning")`.
    - `viewer=None`: seat whose hand `render` shows, the others face down; None shows all hands.
    - `record=None`: file to which every finished episode is appended, as a line that `rummy_env.record` reads.

    `reset(seed, options)`: the same seed gives the same cards through every face of this package; without a seed each
    episode's seed follows from the one before. Options: `"deal"` (number of a contract: the episode is this single
    deal), `"position"` (a position in the format of `Game.to_dict` to go on from); other keys are ignored.

    ## Version History
    - v0: initial version.
    """  # noqa: E501 -- the generated tables have lines of their own length

    metadata: ClassVar[dict[str, Any]] = {
        "name": "contract_rummy_v0",
        "render_modes": list(RENDER_MODES),
        "is_parallelizable": False,
        "render_fps": RENDER_FPS,
    }
    default_rules = "contract_rummy"


def env(**kwargs: Any) -> raw_env:
    """Make the environment; the keyword arguments are those of `raw_env`."""
    return raw_env(**kwargs)
