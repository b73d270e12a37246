"""Decisions a second of the scripted players, each in all seats of the batch engine on one core.

``python -m benchmarks.players [--json] [--seconds S]``. Legal actions, view, decision and its application are all
timed. Contract Rummy is the mean over the seven contracts of the time for a decision. The search players are timed by
decision instead: milliseconds where more than one action is legal, mean and 95th percentile.
"""

import argparse
import json
from time import perf_counter

import numpy as np

from benchmarks.measure import SEED, Row, measure
from rummy_env import Game, RuleSet
from rummy_env.agents import CompiledAgent, decide, load_agent
from rummy_env.engine.compile import compile_rules
from rummy_env.engine.jit import kernel
from rummy_env.engine.legal import legal_actions
from rummy_env.engine.play import apply_action, start_game
from rummy_env.engine.policies import choose_action
from rummy_env.engine.shuffle import random_word
from rummy_env.engine.state import NUM_BLOCKS, OVER_NO, new_games

REACTIVE = ("random", "greedy", "planner", "cautious", "stock_only", "hoarder", "rusher")
SEARCH = ("rollout:worlds=128", "ismcts")
GAMES = 256
TABLES = (("basic_rummy", 2), ("contract_rummy", 4))


@kernel
def _self_play(policy, parameters, rules, games, words, streams, view, steps):
    for _ in range(steps):
        for i in range(len(games)):
            legal_actions(rules, games, i, words, i)
            action = choose_action(policy, parameters, rules, games, i, words, i, streams[i], view)
            apply_action(rules, games, i, action)
            if games[i].over != OVER_NO:
                start_game(rules, games, i, random_word(streams[i]))


def reactive(name: str, rules: RuleSet, num_players: int, seconds: float) -> Row:
    """Decisions a second of a player at one table."""
    agent = load_agent(name)
    assert isinstance(agent, CompiledAgent)
    compiled, games = compile_rules(rules, num_players), new_games(GAMES)
    words, view = np.zeros((GAMES, NUM_BLOCKS), np.int64), new_games(1)
    streams = np.random.default_rng(SEED).integers(1, 2**32, (GAMES, 4))
    for i in range(GAMES):
        start_game(compiled, games, i, i)

    def run(steps: int) -> int:
        _self_play(agent.policy.handle, agent.parameters, compiled, games, words, streams, view, steps)
        return steps * GAMES

    run(50)
    return measure(f"{rules.name}/{num_players}/{name}", run, seconds)


def over_contracts(name: str, num_players: int, seconds: float) -> Row:
    """Decisions a second of a player, for the mean of the times in single deals of the seven contracts."""
    rules = RuleSet.preset("contract_rummy")
    rows = [
        reactive(name, rules.replace(game_end="single_deal", deals=[deal]), num_players, seconds / 7)
        for deal in range(1, 8)
    ]
    mean = sum(1 / row.decisions_per_s for row in rows) / len(rows)
    total = sum(row.decisions for row in rows), sum(row.seconds for row in rows)
    return Row(f"contract_rummy/{num_players}/{name}", 1 / mean, *total)


def searching(name: str, preset: str, num_players: int, seconds: float) -> dict[str, float | str]:
    """Milliseconds of a search player for a decision between several actions."""
    agent, game, times = load_agent(name), Game(preset, num_players, SEED), []
    begin = perf_counter()
    while perf_counter() - begin < seconds or len(times) < 20:
        if game.over is not None:
            game = Game(preset, num_players, game.seed + 1)
        legal = game.legal_actions()
        action = legal[0]
        if len(legal) > 1:
            start = perf_counter()
            action = decide(agent, game)
            times.append(perf_counter() - start)
        game.apply(action)
    took = 1000 * np.array(times[1:])
    return {
        "name": f"{preset}/{num_players}/{name}",
        "mean_ms": round(float(took.mean()), 2),
        "p95_ms": round(float(np.quantile(took, 0.95)), 2),
    }


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.players", description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--seconds", type=float, default=3.0, help="time spent on each row")
    arguments = parser.parse_args()
    basic = RuleSet.preset("basic_rummy")
    rows = [reactive(name, basic, 2, arguments.seconds) for name in REACTIVE]
    rows += [over_contracts(name, 4, arguments.seconds) for name in REACTIVE]
    searches = [searching(name, *table, arguments.seconds) for name in SEARCH for table in TABLES]
    if arguments.json:
        figures = {row.name: round(row.decisions_per_s) for row in rows}
        print(json.dumps({"decisions_per_s": figures, "ms_per_decision": searches}, indent=2))
        return
    for row in rows:
        print(f"{row.name:34} {row.decisions_per_s:12,.0f} decisions/s")
    for search in searches:
        print(f"{search['name']:34} {search['mean_ms']:9.2f} ms a decision, 95th percentile {search['p95_ms']:.2f}")


if __name__ == "__main__":
    main()
