"""Random play in bulk: no empty mask, every card in one place, zero-sum rewards.

    python -m tests.soak --deals 20000

plays that many deals for every preset and number of players and stops at the first game that breaks a promise.
"""

import argparse
import sys

import numpy as np

from rummy_env.engine.batch import choose, seed_stream, start_games
from rummy_env.engine.bits import count_bits
from rummy_env.engine.compile import compile_rules
from rummy_env.engine.jit import kernel
from rummy_env.engine.legal import legal_actions
from rummy_env.engine.play import apply_action, start_game
from rummy_env.engine.score import deal_rewards
from rummy_env.engine.shuffle import random_word
from rummy_env.engine.state import NUM_BLOCKS, OVER_NO, RUN, new_games
from rummy_env.rules import RuleSet

TABLES = [
    *(("basic_rummy", players) for players in range(2, 7)),
    *(("contract_rummy", players) for players in range(3, 9)),
    *(("contract_rummy_two_packs", players) for players in range(3, 9)),
]

OK, EMPTY_MASK, CARDS_LOST, NOT_ZERO_SUM = range(4)
COMPLAINTS = {
    EMPTY_MASK: "a decision has no legal action",
    CARDS_LOST: "a card is missing, or there twice",
    NOT_ZERO_SUM: "the rewards of a deal do not add up to zero",
}


@kernel
def cards_in_place(rules, games, i, counts):
    """Whether hands, stock, pile, table and jokers in the air make up the deck; `counts` (int64, 53) is scratch."""
    r, g = rules[0], games[i]
    counts[:] = 0
    for seat in range(r.num_players):
        size = 0
        for face in range(53):
            counts[face] += g.hands[seat, face]
            size += g.hands[seat, face]
        if size != g.hand_size[seat]:
            return False
    for index in range(g.stock_size):
        counts[g.stock[index]] += 1
    for index in range(g.pile_size):
        counts[g.pile[index]] += 1
    for meld in range(g.num_melds):
        key, jokers = int(g.meld_key[meld]), int(g.meld_jokers[meld])
        if g.meld_kind[meld] == RUN:
            for position in range(g.meld_low[meld], g.meld_high[meld] + 1):
                counts[52 if (jokers >> position) & 1 else 13 * key + (position - 1) % 13] += 1
        else:
            for suit in range(4):
                if (g.meld_low[meld] >> suit) & 1:
                    counts[52 if (jokers >> suit) & 1 else 13 * suit + key] += 1
    counts[52] += count_bits(int(g.declared)) + int(g.freed)
    for face in range(52):
        in_deck = (int(r.naturals) >> face) & 1
        if counts[face] != in_deck * r.num_packs:
            return False
    return counts[52] == r.num_jokers


@kernel
def play_deals(rules, games, words, rewards, streams, deals, counts):
    """Play random decisions until `deals` deals have ended; the complaint, the game it is about, and the deals."""
    done = 0
    while done < deals:
        for i in range(len(games)):
            legal_actions(rules, games, i, words, i)
            found = 0
            for block in range(NUM_BLOCKS):
                found += count_bits(words[i, block])
            if found == 0:
                return EMPTY_MASK, i, done
            before = games[i].deals_done
            apply_action(rules, games, i, choose(rules, words, i, streams[i]))
            if not cards_in_place(rules, games, i, counts):
                return CARDS_LOST, i, done
            if games[i].deals_done > before:
                done += 1
                deal_rewards(rules, games, i, rewards, i)
                total = 0.0
                for seat in range(rules[0].num_players):
                    total += rewards[i, seat]
                if abs(total) > 1e-4:
                    return NOT_ZERO_SUM, i, done
                if games[i].over != OVER_NO:
                    start_game(rules, games, i, random_word(streams[i]))
    return OK, 0, done


def soak(rules: RuleSet, players: int, deals: int, seed: int, num_games: int = 64) -> str | None:
    """None if `deals` random deals keep every promise, else what was broken."""
    compiled = compile_rules(rules, players)
    games = new_games(num_games)
    start_games(compiled, games, seed * num_games + np.arange(num_games))
    streams = np.zeros((num_games, 4), np.int64)
    for number, stream in enumerate(streams):
        seed_stream(stream, seed * num_games + number)
    words = np.zeros((num_games, NUM_BLOCKS), np.int64)
    rewards = np.zeros((num_games, players), np.float32)
    complaint, index, done = play_deals(compiled, games, words, rewards, streams, deals, np.zeros(53, np.int64))
    if complaint == OK:
        return None
    return f"{COMPLAINTS[complaint]} (game {index}, after {done} deals)"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--deals", type=int, default=20_000, help="deals per preset and number of players")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    for preset, players in TABLES:
        broken = soak(RuleSet.preset(preset), players, arguments.deals, arguments.seed)
        print(f"{preset:26} {players} players, {arguments.deals} deals: {broken or 'ok'}", flush=True)
        if broken:
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
