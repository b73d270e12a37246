"""Golden play-throughs: what an environment id does never changes; other behaviour needs another version.

A file in `goldens/` for each registered id holds hashes over every agent, action, observation, mask and reward of
some seeded games. ``python -m tests.test_goldens`` writes the missing files, ``--overwrite`` all of them: right only
as long as no release has carried the version.
"""

import hashlib
import json
import random
import sys
from importlib import import_module
from pathlib import Path

import pytest

from rummy_env.envs import AEC_ENVS
from tests.aec_play import drain, eager_action, legal_action

FOLDER = Path(__file__).parent / "goldens"

GAMES = {
    "rummy/contract_rummy-v0": (
        {},
        {"num_players": 3, "reward": "win"},
        {"num_players": 6, "rules": "contract_rummy_two_packs"},
        {"episode": "deal", "deals": [7]},
    ),
    "rummy/basic_rummy-v0": ({}, {"num_players": 6, "reward": "win"}, {"num_players": 3, "episode": "deal"}),
}
MAX_DECISIONS = 20_000


def golden_file(env_id):
    """Where the play-throughs of an id are kept."""
    return FOLDER / f"{env_id.replace('/', '-')}.json"


def play_through(env, seed):
    """Play one episode, half eagerly, half at random; its outcome, its first actions in words and its hash."""
    rng = random.Random(seed)
    digest, words = hashlib.sha256(), []
    env.reset(seed=seed)
    for decisions, (agent, observation, reward, info) in enumerate(env.decisions()):
        action = (eager_action if rng.random() < 0.5 else legal_action)(env, rng)
        digest.update(f"{agent} {action} {reward:.4f} {info.get('deal')}".encode())
        digest.update(observation["observation"].tobytes() + observation["action_mask"].tobytes())
        if decisions < 12:
            words.append(f"{agent}: {env.game.describe(action)}")
        env.step(action)
        if decisions == MAX_DECISIONS:
            break
    scores = env.game.scores
    digest.update(str(scores).encode() + env.state().tobytes())
    if env.terminations[env.agent_selection]:
        digest.update(str({agent: f"{reward:.4f}" for agent, reward in drain(env).items()}).encode())
    return {
        "seed": seed,
        "decisions": len(env.game.history),
        "deals": env.game.deals_done,
        "scores": scores,
        "begins": words,
        "sha256": digest.hexdigest(),
    }


def play_throughs(env_id):
    """All play-throughs of an id."""
    module = import_module(AEC_ENVS[env_id])
    return [{"kwargs": kwargs, **play_through(module.env(**kwargs), seed)} for seed, kwargs in enumerate(GAMES[env_id])]


def test_every_id_has_a_golden_file():
    assert {path.name for path in FOLDER.glob("*.json")} == {golden_file(env_id).name for env_id in AEC_ENVS}


@pytest.mark.parametrize("env_id", AEC_ENVS)
def test_play_throughs(env_id):
    golden = json.loads(golden_file(env_id).read_text("utf-8"))
    assert play_throughs(env_id) == golden, f"{env_id} behaves otherwise than before: it needs another version"


def main():
    """Write the golden files."""
    FOLDER.mkdir(exist_ok=True)
    for env_id in AEC_ENVS:
        path = golden_file(env_id)
        if "--overwrite" in sys.argv or not path.exists():
            path.write_text(json.dumps(play_throughs(env_id), indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
