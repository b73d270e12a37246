"""A digest of seeded games, to compare the compiled engine with the same code run as plain Python.

    NUMBA_DISABLE_JIT=1 python -m tests.digest

prints a line for each table: its name, and a hash over masks, observations, actions and positions.
"""

import hashlib
import json
import random

from rummy_env import Game, RuleSet

CONTRACT = RuleSet.preset("contract_rummy")
TABLES = {
    "basic": (RuleSet.preset("basic_rummy").replace(max_turns_per_deal=40), 2, 600),
    "basic with jokers": (
        RuleSet.preset("basic_rummy").replace(num_jokers=4, adjacent_jokers=False, max_recycles=0),
        3,
        600,
    ),
    "contract": (CONTRACT.replace(num_decks=2, num_jokers=10, max_turns_per_deal=60), 3, 800),
    "all at once": (
        CONTRACT.replace(
            num_decks=2,
            num_jokers=10,
            contracts=((1, 1),),
            hand_sizes=(6,),
            all_at_once_deals=(1,),
            all_at_once_discard="optional",
            contract_runs_suit_rule="not_adjacent",
            max_turns_per_deal=20,
            n_deals=5,
        ),
        3,
        200,
    ),
    "options": (
        CONTRACT.replace(
            num_decks=3,
            num_jokers=12,
            deals=(3, 2),
            extra_melds="any",
            joker_discard="no",
            final_discard="required",
            layoff_timing="later_turn",
            min_naturals_per_meld=2,
            adjacent_jokers=False,
            allow_double_ace_run=False,
            first_dealer="cut",
            max_turns_per_deal=60,
        ),
        3,
        600,
    ),
}


def digest(rules: RuleSet, players: int, steps: int, seed: int = 2**62 + 5) -> str:
    """Hash over so many decisions of a game in which cards are placed wherever possible; it starts anew when over."""
    chance = random.Random(1)
    game = Game(rules, num_players=players, seed=seed)
    digest = hashlib.sha256()
    for _ in range(steps):
        if game.over is not None:
            seed -= 1
            game = Game(rules, num_players=players, seed=seed)
        first_discard = game.layout.blocks["discard"].offset
        legal = game.legal_actions()
        placing = [action for action in legal if 1 < action < first_discard]
        action = chance.choice(placing if placing and chance.random() < 0.8 else legal)
        digest.update(game.action_mask().tobytes())
        digest.update(game.observation(game.player).tobytes())
        digest.update(action.to_bytes(2, "little"))
        game.apply(action)
        digest.update(game.deal_rewards().tobytes())
    determinized = game.determinize(viewer=(game.player + 1) % players, seed=1)
    digest.update(json.dumps([game.to_dict(), determinized.to_dict()]).encode())
    return digest.hexdigest()


def main() -> None:
    """Print the digests."""
    for name, table in TABLES.items():
        print(f"{name}: {digest(*table)}", flush=True)


if __name__ == "__main__":
    main()
