"""What the tests of the arena share: agents that play, agents that fail, and a slow arena to compare with."""

from time import sleep
from zlib import crc32

import numpy as np

from rummy_env import Game
from rummy_env.agents import RandomAgent
from rummy_env.arena.schedule import unit_seed

SMALL = {"preset": "basic_rummy", "hand_sizes": 4, "target_score": 40, "max_turns_per_deal": 40}
SHORT = {"preset": "contract_rummy", "max_turns_per_deal": 60}


class Chance:
    """The random agent as one written in Python, with a state of its own in every seat."""

    def __init__(self):
        self.random = RandomAgent()

    def reset(self, seed):
        self.random.reset(seed)

    def act(self, observation, action_mask, info):
        return self.random.act(observation, action_mask, info)


class Mixed:
    """Plays as if by chance, but always the same in the same situation."""

    def __init__(self, salt=0):
        self.salt = salt

    def act(self, observation, action_mask, info):
        legal = action_mask.nonzero()[0]
        return int(legal[crc32(observation.tobytes(), self.salt) % len(legal)])


class Highest:
    """The legal action of the highest id."""

    def act(self, observation, action_mask, info):
        return len(action_mask) - 1 - int(action_mask[::-1].argmax())


class Raises(Highest):
    """Raises in the third turn of a deal."""

    def act(self, observation, action_mask, info):
        if info["view"].state["turn"][0] >= 2:
            raise KeyError("no [bold]idea")
        return super().act(observation, action_mask, info)


class Cheats(Highest):
    """Draws from the stock, and then again."""

    def act(self, observation, action_mask, info):
        return 0


class Nonsense(Highest):
    """Answers with something that is no action."""

    def act(self, observation, action_mask, info):
        return "draw stock"


class Slow(Highest):
    """Thinks for 20 ms about every action."""

    def act(self, observation, action_mask, info):
        sleep(0.02)
        return super().act(observation, action_mask, info)


class BatchFails:
    """Fails where a meld is possible, and then for all games that it is asked for at once."""

    def act(self, observation, action_mask, info):
        raise AssertionError("is asked for batches")

    def act_batch(self, observations, action_masks):
        if action_masks[:, 2:106].any():
            raise ValueError("a meld")
        return action_masks.argmax(axis=1)


def slow_match(rules, num_players, agents, seed, units):
    """Points, decided deals won, deals, decided deals and games won of agent 0 against agent 1, unit by unit.

    Shares with the arena the seed of a unit only; the agents must be deterministic and without a state.
    """
    seatings = [[seat != alone for seat in range(num_players)] for alone in range(num_players)]
    if num_players > 2:
        seatings += [[seat == alone for seat in range(num_players)] for alone in range(num_players)]
    return np.array(
        [
            sum(
                np.array(_slow_game(rules(unit), num_players, agents, seating, unit_seed(seed, unit)))
                for seating in seatings
            )
            for unit in range(units)
        ]
    )


def _slow_game(rules, num_players, agents, seating, seed):
    game = Game(rules, num_players, seed)
    seating = [int(side) for side in seating]
    lone_side = 0 if seating.count(0) == 1 else 1
    points = won = decided = deals = 0
    while game.over is None:
        seat = game.player
        info = {"rules": game.rules, "num_players": num_players, "seat": seat, "view": game.view(seat)}
        deal = game.apply(agents[seating[seat]].act(game.observation(seat), game.action_mask(), info))
        if deal is not None:
            deals += 1
            reward = float(game.deal_rewards()[seating.index(lone_side)]) * 100
            points += reward if lone_side == 0 else -reward
            if deal.out is not None:
                decided += 1
                won += seating[deal.out] == 0
    winners = game.winners()
    games_won = sum(seating[seat] == 0 for seat in winners) / len(winners)
    return points, won, deals, decided, games_won, games_won if lone_side == 0 else 0.0


def slow_counts(rules, agents, seeds):
    """What the counts of behaviour are for two agents over whole games between them in both seatings."""
    names = (
        *("decisions", "stock", "top", "deep", "swaps", "melded", "meld_turns", "deals", "out", "beaten", "caught"),
        *("blocked", "capped", "turns"),
    )
    counts = [dict.fromkeys(names, 0) for _ in agents]
    kinds = {"draw_stock": "stock", "take_top": "top", "take": "deep", "swap": "swaps"}
    for seed in seeds:
        for seating in ([0, 1], [1, 0]):
            game, melded = Game(rules, 2, seed), {}
            while game.over is None:
                seat = game.player
                info = {"rules": game.rules, "num_players": 2, "seat": seat, "view": game.view(seat)}
                action = agents[seating[seat]].act(game.observation(seat), game.action_mask(), info)
                kind = game.layout.decode(action).kind
                mine = counts[seating[seat]]
                mine["decisions"] += 1
                if kind in kinds:
                    mine[kinds[kind]] += 1
                if kind.startswith("meld"):
                    melded.setdefault(seat, game.to_dict()["turn"] // 2 + 1)
                deal = game.apply(action)
                if deal is None:
                    continue
                for each in (0, 1):
                    mine = counts[seating[each]]
                    mine["deals"] += 1
                    mine["turns"] += deal.turns
                    mine["melded"] += each in melded
                    mine["meld_turns"] += melded.get(each, 0)
                    mine[("out" if deal.out == each else "beaten") if deal.reason == "out" else deal.reason] += 1
                    if deal.out == 1 - each:
                        mine["caught"] += deal.hand_points[each]
                melded = {}
    return counts
