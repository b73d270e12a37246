"""Trained policies: their file, the tables that they play at, and that they are shown what they ask for."""

import gymnasium
import numpy as np
import pytest

from rummy_env import Game, RuleSet
from rummy_env.agents import load_agent
from rummy_env.arena import Match, run
from rummy_env.errors import ArgumentError
from rummy_env.policy import PolicyAgent, PolicyTable, skipping_blocks
from tests.arena_play import SMALL
from tests.seat_play import BASIC

DEAL = RuleSet.preset("basic_rummy").replace(game_end="single_deal", name="basic_rummy")
TABLE = PolicyTable(DEAL, 2, "planning")


def policy(table=TABLE, seed=1, hidden=(16, 8)):
    """A policy with random weights; every logit depends on something."""
    rng = np.random.default_rng(seed)
    sizes = [table.observed.size, *hidden]
    shares = sum(block.size // 52 for block in skipping_blocks(table.observed)[0])
    shares += sum(block.size for block in skipping_blocks(table.observed)[1])
    layers = {f"trunk.{layer}": pair for layer, pair in enumerate(zip(sizes[1:], sizes[:-1], strict=True))}
    layers |= {"policy": (table.actions.num_actions, sizes[-1])}
    if shares:
        layers |= {"skip": (shares, sizes[-1])}
    weights = {f"{name}.weight": rng.normal(size=shape) * 0.3 for name, shape in layers.items()}
    weights |= {f"{name}.bias": rng.normal(size=shape[0]) for name, shape in layers.items()}
    return PolicyAgent(weights, table.describe())


def positions(table=TABLE, count=30, rules=None):
    """Observations and masks of some decisions."""
    game = Game(rules or table.rules, table.num_players, seed=3, observation=table.observation)
    seen, masks = [], []
    rng = np.random.default_rng(1)
    while len(seen) < count:
        seen.append(game.observation(game.player))
        masks.append(game.action_mask())
        game.apply(int(rng.choice(game.legal_actions())))
        if game.over:
            game = Game(game.rules, table.num_players, seed=len(seen), observation=table.observation)
    return np.stack(seen), np.stack(masks)


def test_file(tmp_path):
    agent = policy()
    agent.save(tmp_path / "p.npz")
    loaded = load_agent(str(tmp_path / "p.npz"))
    assert loaded.observation == "planning" and loaded.description == agent.description
    seen, masks = positions()
    assert np.allclose(loaded.logits(seen), agent.logits(seen), atol=0.1)
    actions = loaded.act_batch(seen, masks)
    assert masks[np.arange(len(masks)), actions].all()
    info = {"rules": DEAL, "num_players": 2}
    assert [loaded.act(one, mask, info) for one, mask in zip(seen, masks, strict=True)] == actions.tolist()


def test_planes_of_a_card_reach_its_discard():
    """One more entry of a card in a planning block changes the logit of discarding it, and of no other card."""
    agent = policy()
    for layer in range(2):
        agent._weights[f"trunk.{layer}.weight"][:] = 0
    seen = np.zeros((1, TABLE.observed.size), np.int8)
    before = agent.logits(seen)[0]
    blocks = {block.name: block for block in TABLE.observed.blocks}
    discards = TABLE.actions.blocks["discard"].offset
    for name in ("discard_deadwood", "discard_outs"):
        other = seen.copy()
        other[0, blocks[name].offset + 52 + 17] = 1
        assert np.flatnonzero(agent.logits(other)[0] != before).tolist() == [discards + 17]
    other = seen.copy()
    other[0, blocks["take_outs"].offset + 1] = 1
    assert np.flatnonzero(agent.logits(other)[0] != before).tolist() == [TABLE.actions.blocks["take_top"].offset]


def test_further_blocks_are_left_out():
    """Whole games have blocks about the target between those of single deals."""
    agent, rules = policy(), RuleSet.preset("basic_rummy")
    seen, masks = positions()
    whole, _ = positions(rules=rules)
    assert whole.shape[1] > seen.shape[1]
    expected = agent.act_batch(seen[:1], masks[:1])
    agent.prepare(rules, 2)
    assert np.array_equal(agent.act_batch(whole[:1], masks[:1]), expected)
    with pytest.raises(ArgumentError, match=f"expects observations of {whole.shape[1]} entries.*'planning'"):
        agent.act_batch(seen, masks)


@pytest.mark.parametrize(
    ("rules", "num_players", "told"),
    [("basic_rummy", 3, "block 'known': in training '\\(1, 52\\)"), ("contract_rummy", 2, "block 'top'")],
)
def test_another_table_is_refused(rules, num_players, told):
    agent = policy()
    with pytest.raises(ArgumentError, match=f"cannot play {rules} with {num_players} players.*{told}"):
        agent.prepare(RuleSet.preset(rules), num_players)
    with pytest.raises(ArgumentError, match=told):
        Match([agent, "random"], rules, num_players, deals=2)


def test_blocks_in_another_order_are_put_in_theirs():
    agent = policy()
    moved = TABLE.describe()
    moved["observation_blocks"] = moved["observation_blocks"][::-1]
    seen, _ = positions()
    blocks = [seen[:, block.offset : block.offset + block.size] for block in reversed(TABLE.observed.blocks)]
    other = PolicyAgent(policy()._weights, moved)
    other.prepare(DEAL, 2)
    agent.prepare(DEAL, 2)
    assert np.array_equal(other._seen(seen), np.concatenate(blocks, axis=1))
    assert agent._seen(seen) is seen


def test_another_meaning_is_refused():
    description = TABLE.describe()
    description["observation_blocks"][3][2] = "something else"
    agent = PolicyAgent(policy()._weights, description | {"version": "0.0.1"})
    with pytest.raises(ArgumentError, match=r"version 0\.0\.1 cannot play.*'table'.*something else"):
        agent.prepare(DEAL, 2)


@pytest.mark.parametrize("name", ["none.npz", "none.pt", "none.zip", "none.npz:seed=1"])
def test_no_file(name):
    with pytest.raises(ArgumentError, match=r"no such file|cannot be made"):
        load_agent(name)


def test_a_file_of_something_else(tmp_path):
    (tmp_path / "a.npz").write_text("policy")
    with pytest.raises(ArgumentError, match="cannot be read"):
        load_agent(str(tmp_path / "a.npz"))
    policy().save(tmp_path / "half.npz")
    with (tmp_path / "half.npz").open("r+b") as half:
        half.truncate(5_000)
    with pytest.raises(ArgumentError, match="cannot be read"):
        load_agent(str(tmp_path / "half.npz"))
    np.savez(tmp_path / "b.npz", weights=np.zeros(3))
    with pytest.raises(ArgumentError, match=r"cannot be read.*description"):
        load_agent(str(tmp_path / "b.npz"))
    with pytest.raises(ArgumentError, match="format 'rummy-env-policy/9'"):
        PolicyAgent({}, TABLE.describe() | {"format": "rummy-env-policy/9"})


class Watcher:
    """Plays on planning observations and keeps the sizes of those that it is given."""

    observation = "planning"

    def __init__(self):
        self.sizes = set()

    def act(self, observation, action_mask, info):
        assert info["observation"] == "planning"
        self.sizes.add(len(observation))
        return int(action_mask.argmax())


class BatchWatcher(Watcher):
    """The same, asked for many games at once."""

    def act_batch(self, observations, action_masks):
        self.sizes.add(observations.shape[1])
        return action_masks.argmax(axis=1)


@pytest.mark.parametrize("kind", [Watcher, BatchWatcher])
def test_agents_are_shown_what_they_ask_for(kind):
    """In the arena and as opponents, whatever the learner is shown."""
    whole = PolicyTable(RuleSet.preset("basic_rummy"), 2, "planning").observed.size
    watcher = kind()
    run(Match([watcher, "random"], SMALL, 2, deals=2))
    assert watcher.sizes == {TABLE.observed.size}
    for shown in ("plain", "planning"):
        watcher.sizes.clear()
        env = gymnasium.make_vec(BASIC, num_envs=4, opponents=watcher, observation=shown)
        _, info = env.reset(seed=1)
        for _ in range(10):
            _, _, _, _, info = env.step(info["action_mask"].argmax(axis=1))
        assert watcher.sizes == {whole}


def test_a_policy_plays_matches(tmp_path):
    """By its file and in two processes: no forfeits, and the same result."""
    policy().save(tmp_path / "p.npz")
    match = Match([str(tmp_path / "p.npz"), "random"], "basic_rummy", 2, deals=4, seed=2)
    report = run(match)
    assert not report.forfeits
    assert report.pairs == run(match, workers=2).pairs
