"""Positions of seeded play, for tests of promises that hold in every position.

* ``TABLES``: rule sets and numbers of players, by name.
* ``choose(game, chance, eager)``: a random legal action; an eager player would rather place cards.
* ``moments(name, eager)``: clones of a game at its first moments of every kind.
"""

import random
from collections import Counter
from functools import cache

from positions import BASIC, CONTRACT, TWO_PACKS

from rummy_env import Game

JOKERS = CONTRACT.replace(num_decks=2, num_jokers=8, deals=(1, 2, 3))
TABLES = {
    "basic-2": (BASIC, 2),
    "basic-3": (BASIC, 3),
    "basic-4": (BASIC, 4),
    "contract-3": (CONTRACT, 3),
    "contract-4": (CONTRACT, 4),
    "two-packs-4": (TWO_PACKS, 4),
    "many-jokers": (JOKERS, 3),
    "basic-jokers": (BASIC.replace(num_jokers=2, adjacent_jokers=False, max_melds_per_turn=1), 3),
    "extra-melds": (JOKERS.replace(extra_melds="any", joker_discard="no", final_discard="required"), 3),
    "late-lay-offs": (JOKERS.replace(layoff_timing="later_turn", joker_swap_scope="others_runs", max_recycles=2), 4),
    "all-at-once": (
        JOKERS.replace(
            deals=None,
            n_deals=4,
            contracts=((1, 1),),
            hand_sizes=(6,),
            all_at_once_deals=(1,),
            all_at_once_discard="optional",
            max_turns_per_deal=20,
        ),
        3,
    ),
    "small-deck": (
        CONTRACT.replace(deck_ranks=7, contracts=((1, 0), (0, 1)), hand_sizes=(5,), n_deals=9, all_at_once_deals=()),
        2,
    ),
}

_PLACEMENTS = ("take", "declare", "meld_run", "meld_set", "layoff_low", "layoff_high", "layoff_set", "swap")


def choose(game: Game, chance: random.Random, eager: bool) -> int:
    """A legal action; an eager player takes nine times of ten one that puts cards on the table, if there is one."""
    legal = game.legal_actions()
    if eager and chance.random() < 0.9:
        placing = [action for action in legal if game.layout.decode(action).kind in _PLACEMENTS]
        return chance.choice(placing or legal)
    return chance.choice(legal)


def moment(game: Game) -> str:
    """What kind of moment it is; the more special kinds first."""
    state = game._games[0]
    kinds = {
        "draw": game.phase == "draw",
        "freed": bool(state.freed),
        "declared": bool(state.declared),
        "obliged": state.obliged >= 0,
        "laying": state.laying_sets >= 0,
        "taken": state.taken >= 0,
        "down": bool(state.down[game.player]),
        "play": True,
    }
    return next(kind for kind, present in kinds.items() if present)


@cache
def moments(name: str, eager: bool, seed: int = 1, steps: int = 400, each: int = 2) -> tuple[Game, ...]:
    """A game of ``TABLES[name]`` at the first `each` moments of every kind and a few more; clone before playing."""
    rules, players = TABLES[name]
    game = Game(rules, num_players=players, seed=seed)
    chance = random.Random(seed)
    seen: Counter[str] = Counter()
    found = []
    for step in range(steps):
        if game.over is not None:
            break
        kind = moment(game)
        seen[kind] += 1
        if seen[kind] <= each or step % 100 == 99:
            found.append(game.clone())
        game.apply(choose(game, chance, eager))
    return tuple(found)
