"""Basic Rummy for PettingZoo: `env` makes one, `raw_env` is its class and carries the description."""

from typing import Any, ClassVar

from rummy_env.envs.aec import RummyEnv
from rummy_env.render.modes import RENDER_FPS, RENDER_MODES


class raw_env(RummyEnv):  # noqa: N801 -- the name that PettingZoo prescribes
    """Basic Rummy, an AEC environment.

    ## Description
    A pack of 52 cards without jokers. In a turn a player draws the top of the stock or the top discard (which may not
    be discarded in the same turn), lays as many melds and lays off as many cards on any meld of the table as wanted,
    and discards one card. Melds are sets (three or four cards of a rank) and runs (three or more cards of a suit in
    sequence, ace low). The deal ends when somebody has no cards left; that player scores the points of the cards in all
    other hands, double if the whole hand went in a single turn ("going rummy"). The first to reach 150 points wins.

    | | |
    |---|---|
    | Import | `from rummy_env import basic_rummy_v0` |
    | Creation | `pettingzoo.make("aec", "rummy/basic_rummy-v0")` or `basic_rummy_v0.env()` |
    | Agents | `player_0` … `player_{num_players - 1}` |
    | Players | 2 to 6; 2 by default |
    | Parallel API | no |
    | Manual control | no |

    ## Action Space
    `Discrete(314)` for each agent. A turn is several small actions by the same agent: a draw, any number of
    placements, the discard that ends the turn. `agent_selection` stays on the agent until its turn is over. Cards are
    numbered `13 * suit + rank`, suits C D H S, ranks A = 0 … K = 12.

    | ids | block | meaning |
    |---|---|---|
    | 0 | `draw_stock` | draw the top of the stock |
    | 1 | `take_top` | take the top discard; it may not be discarded this turn |
    | 2-53 | `meld_run` | lay the run of three that starts at this card |
    | 54-105 | `meld_set` | lay the set of this card's three rank mates |
    | 106-157 | `layoff_low` | put this card below a run |
    | 158-209 | `layoff_high` | put this card above a run |
    | 210-261 | `layoff_set` | put this card onto a set |
    | 262-313 | `discard` | discard this card and end the turn |

    An action is in the mask exactly if the turn can still be finished by the rules after it; the mask of the acting
    agent is never empty. `env.game.describe(action)` and `env.game.parse(text)` translate.

    ## Observation Space
    A dictionary with the entries

    - `"observation"`: `Box(0, 1, (size,), int8)`, what the agent's seat may know: seats are counted from the viewer,
      nothing hidden is in it, and it is valid for every agent at any time.
    - `"action_mask"`: `Box(0, 1, (314,), int8)`, 1 for the legal actions; all zero for an agent that is not to
      act, and for all after the end.

    The blocks of the vector with 2 players (`ObservationLayout.for_table` has those of other tables):

    | entries | block | shape | meaning |
    |---|---|---|---|
    | 0-51 | `hand` | 1 × 52 | own hand: at least k + 1 copies |
    | 52-103 | `top` | 52 | the top discard |
    | 104-155 | `pile` | 1 × 52 | discard pile: at least k + 1 copies |
    | 156-207 | `table` | 1 × 52 | naturals in melds: at least k + 1 copies |
    | 208-259 | `fits_low` | 52 | cards that fit below a run |
    | 260-311 | `fits_high` | 52 | cards that fit above a run |
    | 312-363 | `fits_set` | 52 | cards that fit on a set |
    | 364-415 | `known` | 1 × 52 | per opponent: picked up from the pile and still held |
    | 416-467 | `discarded` | 1 × 52 | per opponent: discarded this deal |
    | 468-519 | `refused` | 1 × 52 | per opponent: left lying as the top discard |
    | 520-571 | `unseen` | 1 × 52 | copies in the stock or unknown in other hands: at least k + 1 |
    | 572-573 | `phase` | 2 | draw, play |
    | 574-575 | `to_move` | 2 | seat to move |
    | 576-627 | `taken` | 52 | the top discard taken this turn, banned from the discard |
    | 628-629 | `played_before` | 2 | per seat: has placed a card in an earlier turn |
    | 630 | `played_this_turn` | 1 | the player to move has placed a card this turn |
    | 631-662 | `hand_size` | 2 × 16 | per seat: cards >= 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 18, 24 |
    | 663-675 | `stock_size` | 13 | stock >= 1, 2, 3, 4, 6, 8, 11, 15, 20, 30, 45, 70, 100 |
    | 676-691 | `score` | 1 × 2 × 8 | per opponent: own score minus theirs, theirs minus own >= 1, 10, 25, 50, 75, 100, 150, 200 |
    | 692-707 | `target` | 2 × 8 | per seat: score >= k + 1 eighths of the target |
    | 708-717 | `turn` | 10 | finished turns per player >= 1, 2, 3, 5, 8, 12, 18, 25, 35, 45 |
    | 718-719 | `dealer` | 2 | the dealer |

    `env.state()` is the omniscient view, for centralised training and for pictures; its space is `env.state_space`.

    ## Starting State
    A random dealer (it passes left from deal to deal), hands of ten cards (two players), seven (three or four) or six
    (five or six), one card turned up to start the discard pile, and the player on the dealer's left to draw.

    ## Rewards
    `reward="score"`: when a deal ends, in hundreds of points, the winner gets the points of the cards in all other
    hands and each of the others loses those of the own hand, doubled after going rummy, divided by 100.
    `reward="win"`: nothing until the episode ends; then the winners share +1 and the others share -1, or all get 0 if
    all tie. Both sum to zero over the agents at every step. Raw points are in the information of a finished deal.

    ## Episode End
    All agents terminate together, when somebody has reached the target (or the only deal, with `episode="deal"`, has
    ended by somebody going out, by a blocked stock or by the limit of turns). Nothing truncates. An illegal action with
    `illegal_action="forfeit"` also terminates all: the offender gets -1 and the others share +1. As ever in PettingZoo,
    a finished agent is then stepped once with None.

    ## Information
    `infos[agent]` holds

    - `"action_mask"`: the mask of the observation, in an array of its own.
    - `"deal"`: only if a deal ended since the agent last acted: its summary, plain JSON (`deal`, `contract`, `reason`,
      `out`, `rummy`, `turns`, `hand_points`, `points`).
    - `"illegal_action"`: only after a forfeit: `agent`, `action` and the `reason` it is against the rules.

    ## Arguments
    - `num_players=None`: seats; None is the usual number of the rules (2 here).
    - `rules=None`: name of a preset, path of a YAML file, `RuleSet`, or mapping of options, over the preset
      `basic_rummy` unless it names another; None is `basic_rummy`.
    - `episode="game"`: `"game"` plays all deals, `"deal"` a single one.
    - `deals=None`: only for games with contracts, which this is not.
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
    episode's seed follows from the one before. Options: `"deal"` (only for games with contracts), `"position"` (a
    position in the format of `Game.to_dict` to go on from); other keys are ignored.

    ## Version History
    - v0: initial version.
    """  # noqa: E501 -- the generated tables have lines of their own length

    metadata: ClassVar[dict[str, Any]] = {
        "name": "basic_rummy_v0",
        "render_modes": list(RENDER_MODES),
        "is_parallelizable": False,
        "render_fps": RENDER_FPS,
    }
    default_rules = "basic_rummy"


def env(**kwargs: Any) -> raw_env:
    """Make the environment; the keyword arguments are those of `raw_env`."""
    return raw_env(**kwargs)
