"""Recorded games for the tests of the replay page, with notes on every decision."""

import numpy as np

from rummy_env import Game
from rummy_env.agents import decide, load_agent
from rummy_env.record import Record, make_record, read_records


def recorded(path, rules="contract_rummy", players=3, seed=7, agent="random", notes=False, steps=10**6) -> Record:
    """A game among agents of one name, written to `path` and read back; with notes of a made-up policy if asked."""
    game, random = Game(rules, players, seed), np.random.default_rng(seed)
    agents = [load_agent(agent) for _ in range(players)]
    noted = []
    for number, one in enumerate(agents):
        one.reset(seed + number)
    while game.over is None and len(game.history) < steps:
        legal = game.legal_actions()
        shares = random.dirichlet(np.ones(len(legal))).round(4)
        shares = {str(action): float(share) for action, share in zip(legal, shares, strict=True)}
        noted.append({"probabilities": shares, "value": round(float(random.normal()), 3)})
        game.apply(decide(agents[game.player], game))
    path.write_text(make_record(game, notes=noted if notes else None).to_json() + "\n", encoding="utf-8")
    return next(read_records(path))
