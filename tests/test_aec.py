"""The PettingZoo environments: the library's own kit, protocol, rewards, copies and bad input."""

import copy
import pickle
import random
import warnings
from itertools import product

import numpy as np
import pettingzoo
import pytest
from gymnasium.utils.env_checker import data_equivalence
from pettingzoo.test import api_test, render_test, seed_test

from rummy_env import basic_rummy_v0, contract_rummy_v0
from rummy_env.envs import AEC_ENVS, register
from rummy_env.envs.docstrings import generated_tables, module_path, with_tables
from rummy_env.envs.spaces import ActionSpace
from rummy_env.errors import (
    ArgumentError,
    GameOverError,
    IllegalActionError,
    PositionError,
    ResetNeededError,
    RulesError,
    SeedError,
)
from rummy_env.game import Game
from rummy_env.rules import RuleSet

MODULES = (contract_rummy_v0, basic_rummy_v0)

ALLOWED_WARNINGS = (
    # The kit expects arrays, and exempts dictionaries with a mask only for a list of PettingZoo's own environments.
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be gymnasium.spaces.box or gymnasium.spaces.discrete",
    # A finished agent has no legal action, and the kit looks at its last observation.
    "Action mask numpy array is all zeros (no legal actions).",
)

COMBINATIONS = [
    (module, dict(kwargs, episode=episode, reward=reward, illegal_action=illegal))
    for module, tables in (
        (contract_rummy_v0, ({}, {"num_players": 3, "deals": [2, 7]}, {"rules": "contract_rummy_two_packs"})),
        (basic_rummy_v0, ({}, {"num_players": 6}, {"num_players": 3, "rules": {"ace_mode": "both"}})),
    )
    for kwargs, episode, reward, illegal in product(tables, ("game", "deal"), ("score", "win"), ("forfeit", "raise"))
]


def combination_id(value):
    return value.__name__.rpartition(".")[2] if not isinstance(value, dict) else "-".join(map(str, value.values()))


every_module = pytest.mark.parametrize("module", MODULES, ids=combination_id)
every_combination = pytest.mark.parametrize(("module", "kwargs"), COMBINATIONS, ids=combination_id)


def legal_action(env, rng):
    """A random legal action of the agent to act."""
    legal = env.infos[env.agent_selection]["action_mask"].nonzero()[0]
    return int(legal[int(rng.random() * len(legal))])


def eager_action(env, rng):
    """A random placement where there is one, so that somebody goes out soon; else a random legal action."""
    legal = env.game.legal_actions()
    idle = ("draw_stock", "take_top", "discard")
    eager = [action for action in legal if env.game.layout.decode(action).kind not in idle]
    return rng.choice(eager or legal)


def play(env, rng, steps=10**6, choose=legal_action):
    """Step `env` by `choose`, at most `steps` decisions; what every agent saw, and `env.rewards` after every step."""
    seen, rewards = [], []
    for agent, observation, reward, info in env.decisions():
        seen.append((agent, observation, reward, info))
        env.step(choose(env, rng))
        rewards.append(dict(env.rewards))
        if len(rewards) == steps:
            break
    return seen, rewards


def drain(env):
    """Step all finished agents; the last rewards they were handed."""
    final = {}
    for agent in env.agent_iter():
        observation, final[agent], terminated, truncated, _ = env.last()
        assert terminated and not truncated
        assert not observation["action_mask"].any()
        env.step(None)
    return final


def set_phase(env, wanted, rng):
    """Play on to a decision where `wanted(env.game)` holds."""
    for _ in range(20_000):
        if env.agents and not env.terminations[env.agent_selection] and wanted(env.game):
            return
        if env.agents and env.terminations[env.agent_selection]:
            env.reset()
        else:
            env.step(legal_action(env, rng))
    raise AssertionError("the wanted phase never came")


class TestKit:
    @every_combination
    def test_api(self, module, kwargs):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            api_test(module.env(**kwargs), num_cycles=200)
        assert {str(warning.message) for warning in caught} <= set(ALLOWED_WARNINGS)

    @every_combination
    def test_seed(self, module, kwargs):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            seed_test(lambda: module.env(**kwargs), num_cycles=100)

    @every_combination
    def test_render(self, module, kwargs):
        render_test(lambda render_mode: module.env(**kwargs, render_mode=render_mode))

    @every_module
    def test_long_seed(self, module):
        seed_test(module.env, num_cycles=1000)

    def test_ansi_shows_the_table(self):
        env = contract_rummy_v0.env(render_mode="ansi")
        env.reset(seed=3)
        text = env.render()
        position = env.game.to_dict()
        assert all(hand in text for hand in position["hands"])
        assert "deal 1" in text

    def test_no_render_mode(self):
        env = contract_rummy_v0.env()
        env.reset(seed=3)
        assert env.render() is None
        env.close()
        env.close()


class TestProtocol:
    @every_module
    def test_agent_selection_follows_the_turn(self, module):
        """A turn is draw, placements, discard by one agent; then the next seat draws (P27)."""
        env = module.env()
        env.reset(seed=5)
        rng = random.Random(5)
        trace = []
        while len(trace) < 400 and not env.terminations[env.agent_selection]:
            action = legal_action(env, rng)
            kind = env.game.layout.decode(action).kind
            trace.append((env.agent_selection, env.game.phase, kind, env.game.deal))
            env.step(action)
        for (agent, _, kind, deal), (following, phase, _, next_deal) in zip(trace, trace[1:], strict=False):
            if deal != next_deal:
                assert phase == "draw"
            elif kind == "discard":
                assert phase == "draw"
                assert env.possible_agents.index(following) == (int(agent[-1]) + 1) % env.num_players
            else:
                assert (following, phase) == (agent, "play")
        assert any(kind.startswith(("draw", "take")) for _, _, kind, _ in trace)
        assert any(kind == "discard" for _, _, kind, _ in trace)

    @every_module
    def test_same_game_as_the_game_class(self, module):
        env = module.env()
        env.reset(seed=11)
        game = Game(env.rules, env.num_players, seed=11)
        rng = random.Random(11)
        for _ in range(300):
            if game.over is not None:
                break
            action = legal_action(env, rng)
            assert env.agent_selection == f"player_{game.player}"
            env.step(action)
            game.apply(action)
            assert np.array_equal(env.state(), game.state())

    @every_module
    def test_observations_of_idle_agents(self, module):
        env = module.env()
        env.reset(seed=2)
        rng = random.Random(2)
        for _ in range(200):
            acting = env.agent_selection
            for seat, agent in enumerate(env.possible_agents):
                observation = env.observe(agent)
                assert env.observation_space(agent).contains(observation)
                assert np.array_equal(observation["observation"], env.game.observation(seat))
                assert np.array_equal(observation["action_mask"], env.infos[agent]["action_mask"])
                assert observation["action_mask"].any() == (agent == acting)
            env.step(legal_action(env, rng))

    @every_module
    def test_observe_after_the_end(self, module):
        env = module.env(episode="deal")
        env.reset(seed=4)
        play(env, random.Random(4))
        for _ in range(env.num_players + 1):
            for agent in env.possible_agents:
                observation = env.observe(agent)
                assert env.observation_space(agent).contains(observation)
                assert not observation["action_mask"].any()
            assert all(not info["action_mask"].any() for info in env.infos.values())
            if env.agents:
                env.step(None)
        assert env.state_space.contains(env.state())

    @every_module
    def test_masks_are_the_callers_own(self, module):
        env = module.env()
        env.reset(seed=1)
        agent = env.agent_selection
        expected = env.game.action_mask()
        observation, _, _, _, info = env.last()
        observation["action_mask"][:] = 0
        info.pop("action_mask")[:] = 0
        assert np.array_equal(env.observe(agent)["action_mask"], expected)
        env.step(int(expected.nonzero()[0][0]))
        assert env.infos[env.agent_selection]["action_mask"].any()

    @every_module
    def test_stored_infos_never_change(self, module):
        env = module.env(episode="deal")
        env.reset(seed=8)
        rng = random.Random(8)
        stored = []
        for _, _, _, info in env.decisions():
            stored.append((info, copy.deepcopy(info)))
            env.step(legal_action(env, rng))
        for info, before in stored:
            assert data_equivalence(info, before)

    @every_module
    def test_spaces(self, module):
        env = module.env()
        env.reset(seed=0)
        for agent in env.possible_agents:
            assert env.observation_space(agent) is env.observation_space(agent)
            assert env.action_space(agent) is env.action_space(agent)
            assert env.action_space(agent).n == env.game.layout.num_actions
        assert env.state_space.contains(env.state())
        assert env.state().dtype == env.state_space.dtype

    @every_module
    def test_decisions_are_live_only(self, module):
        env = module.env(episode="deal")
        env.reset(seed=6)
        seen, rewards = play(env, random.Random(6))
        assert len(seen) == len(env.game.history)
        assert all(observation["action_mask"].any() for _, observation, _, _ in seen)
        assert set(drain(env)) == set(env.possible_agents)

    def test_numpy_actions(self):
        env = basic_rummy_v0.env()
        for kind in (np.int8, np.int32, np.int64, np.array):
            env.reset(seed=0)
            env.step(kind(env.game.legal_actions()[0]))
            assert len(env.game.history) == 1


class TestRewards:
    @every_combination
    def test_zero_sum_and_complete(self, module, kwargs):
        """Every step sums to zero; each agent's `last` rewards add up to its `env.rewards` (P28, P31)."""
        env = module.env(**kwargs)
        env.reset(seed=21)
        seen, rewards = play(env, random.Random(21), steps=3000)
        for step in rewards:
            assert sum(step.values()) == pytest.approx(0, abs=1e-5)
        if not any(env.terminations.values()):
            return
        total = drain(env)
        for agent, _, reward, _ in seen:
            total[agent] += reward
        for agent in env.possible_agents:
            assert total[agent] == pytest.approx(sum(step[agent] for step in rewards))

    @every_module
    def test_score_is_paid_per_deal(self, module):
        env = module.env()
        env.reset(seed=13)
        rng = random.Random(13)
        deals = 0
        for _ in env.decisions():
            before = env.game.deals_done
            env.step(legal_action(env, rng))
            ended = env.game.deals_done > before
            deals += ended
            expected = env.game.deal_rewards() if ended else np.zeros(env.num_players)
            assert list(env.rewards.values()) == pytest.approx(list(expected))
            if deals == 3:
                break
        assert deals

    @every_module
    def test_win_is_paid_once(self, module):
        env = module.env(episode="deal", reward="win")
        decided = 0
        for seed in range(6):
            env.reset(seed=seed)
            _, rewards = play(env, random.Random(seed), choose=eager_action)
            assert not any(any(step.values()) for step in rewards[:-1])
            winners = env.game.winners()
            for seat, reward in enumerate(rewards[-1].values()):
                if len(winners) == env.num_players:
                    assert reward == 0
                elif seat in winners:
                    assert reward == pytest.approx(1 / len(winners))
                else:
                    assert reward == pytest.approx(-1 / (env.num_players - len(winners)))
            decided += len(winners) < env.num_players
        assert decided

    @every_module
    def test_finished_deal_is_told_to_everybody_once(self, module):
        env = module.env()
        env.reset(seed=17)
        rng = random.Random(17)
        while env.game.deals_done == 0:
            assert not any("deal" in info for info in env.infos.values())
            env.step(legal_action(env, rng))
        summaries = [info["deal"] for info in env.infos.values()]
        assert len(summaries) == env.num_players
        assert summaries[0]["points"] == list(env.game.last_deal.points)
        assert summaries[0]["reason"] == env.game.last_deal.reason
        assert all(type(value) in (int, str, bool, list, type(None)) for value in summaries[0].values())
        told = env.agent_selection
        if not env.terminations[told]:
            env.step(legal_action(env, rng))
            assert "deal" not in env.infos[told]


class TestIllegalActions:
    @every_module
    def test_forfeit(self, module):
        env = module.env()
        env.reset(seed=9)
        rng = random.Random(9)
        play(env, rng, steps=7)
        offender = env.agent_selection
        illegal = int(np.flatnonzero(env.game.action_mask() == 0)[0])
        env.step(illegal)
        share = 1 / (env.num_players - 1)
        assert env.rewards == {agent: -1.0 if agent == offender else share for agent in env.possible_agents}
        assert all(env.terminations.values())
        assert not any(env.truncations.values())
        for info in env.infos.values():
            assert info["illegal_action"]["agent"] == offender
            assert info["illegal_action"]["action"] == illegal
            assert info["illegal_action"]["reason"]
        assert sum(drain(env).values()) == pytest.approx(0)
        env.reset(seed=10)
        assert not any("illegal_action" in info for info in env.infos.values())
        play(env, rng, steps=500)
        assert len(env.game.history) > 10

    @every_module
    def test_raise(self, module):
        env = module.env(illegal_action="raise")
        env.reset(seed=9)
        rng = random.Random(9)
        play(env, rng, steps=7)
        before = pickle.dumps(env)
        for illegal in np.flatnonzero(env.game.action_mask() == 0):
            with pytest.raises(IllegalActionError):
                env.step(int(illegal))
        assert pickle.dumps(env) == before
        play(env, rng, steps=500)

    @every_module
    @pytest.mark.parametrize("mode", ["forfeit", "raise"])
    @pytest.mark.parametrize("action", [-1, 10**6, 1.0, "0", None, np.array([1, 2])], ids=repr)
    def test_outside_the_action_space(self, module, mode, action):
        env = module.env(illegal_action=mode)
        env.reset(seed=9)
        with pytest.raises(IllegalActionError):
            env.step(action)
        assert not env.game.history
        assert not any(env.terminations.values())

    @every_module
    def test_after_the_end(self, module):
        env = module.env(episode="deal")
        env.reset(seed=4)
        play(env, random.Random(4))
        with pytest.raises(GameOverError):
            env.step(0)
        drain(env)
        for call in (lambda: env.step(None), lambda: env.step(0), env.last):
            with pytest.raises(GameOverError, match="reset"):
                call()

    @every_module
    def test_before_the_first_reset(self, module):
        env = module.env()
        calls = (
            lambda: env.step(0),
            env.last,
            env.state,
            lambda: env.observe("player_0"),
            lambda: next(iter(env.agent_iter())),
            lambda: next(env.decisions()),
            lambda: env.game,
            lambda: env.num_agents,
        )
        for call in calls:
            with pytest.raises(ResetNeededError, match="reset"):
                call()
        assert not hasattr(env, "agents")
        with pytest.raises(AttributeError, match="no attribute 'gaem'"):
            _ = env.gaem


class TestCopies:
    @every_module
    @pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
    @pytest.mark.parametrize("phase", ["draw", "play", "melds", "over"])
    def test_identical_futures(self, module, duplicate, phase):
        """A copy in mid-game goes on exactly as the original, itself undisturbed (P39)."""
        env = module.env(episode="deal" if phase == "over" else "game")
        env.reset(seed=30)
        rng = random.Random(30)
        if phase == "over":
            play(env, rng)
        else:
            wanted = {
                "draw": lambda game: game.phase == "draw" and game.history,
                "play": lambda game: game.phase == "play",
                "melds": lambda game: game.phase == "play" and game.to_dict()["melds"],
            }[phase]
            set_phase(env, wanted, rng)
        for agent in env.possible_agents:
            env.action_space(agent).seed(7)
        other = duplicate(env)
        assert other.rules == env.rules
        for _ in range(2):
            futures = []
            for twin in (env, other):
                steps = []
                for agent in twin.agent_iter(300):
                    observation, reward, terminated, truncated, info = twin.last()
                    finished = terminated or truncated
                    action = None if finished else twin.action_space(agent).sample(observation["action_mask"])
                    twin.step(action)
                    steps.append((agent, observation, reward, terminated, info, action))
                futures.append((steps, twin.state()))
                twin.reset()
            assert data_equivalence(*futures)

    @pytest.mark.parametrize(
        ("module", "kwargs"),
        [
            (contract_rummy_v0, {"num_players": 5}),
            (contract_rummy_v0, {"rules": "contract_rummy_two_packs"}),
            (contract_rummy_v0, {"rules": {"ace_value": 20}}),
            (contract_rummy_v0, {"rules": RuleSet.preset("contract_rummy").replace(joker_value=25)}),
            (contract_rummy_v0, {"episode": "deal"}),
            (contract_rummy_v0, {"deals": [3, 5]}),
            (contract_rummy_v0, {"reward": "win"}),
            (contract_rummy_v0, {"illegal_action": "raise"}),
            (contract_rummy_v0, {"render_mode": "ansi"}),
            (basic_rummy_v0, {"num_players": 6}),
        ],
        ids=str,
    )
    @pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
    def test_every_argument_survives(self, module, kwargs, duplicate):
        """Also before the first reset (P40), and a reset changes none of them (P03)."""
        env = module.env(**kwargs)
        default = module.env()
        other = duplicate(env)
        names = ("num_players", "rules", "episode", "reward", "illegal_action", "render_mode")
        expected = {name: getattr(env, name) for name in names}
        assert expected != {name: getattr(default, name) for name in names}
        for twin in (env, other):
            for seed in (None, 5, None):
                assert {name: getattr(twin, name) for name in names} == expected
                assert twin.observation_spaces == env.observation_spaces
                assert twin.action_spaces == env.action_spaces
                twin.reset(seed=seed)
                assert twin.game.rules == expected["rules"]
        assert data_equivalence(env.observe("player_0"), other.observe("player_0"))


class TestReset:
    @every_module
    def test_seeds_go_on_by_themselves(self, module):
        """An unseeded reset continues from the last seed; only the first one draws on entropy."""
        envs = [module.env() for _ in range(3)]
        for env in envs[:2]:
            env.reset(seed=1)
        for _ in range(3):
            envs[0].reset()
            envs[1].reset()
            envs[2].reset()
            assert np.array_equal(envs[0].state(), envs[1].state())
            assert not np.array_equal(envs[0].state(), envs[2].state())
        seeds = set()
        for _ in range(50):
            envs[0].reset()
            seeds.add(envs[0].game.seed)
        assert len(seeds) == 50

    @every_module
    @pytest.mark.parametrize("seed", [-1, 2**63, 1.5, "1", True], ids=repr)
    def test_bad_seed(self, module, seed):
        env = module.env()
        env.reset(seed=3)
        before = env.state()
        with pytest.raises(SeedError):
            env.reset(seed=seed)
        assert np.array_equal(env.state(), before)

    @every_module
    def test_position(self, module):
        env = module.env()
        env.reset(seed=40)
        rng = random.Random(40)
        play(env, rng, steps=60)
        position = env.game.to_dict()
        other = module.env()
        other.reset(options={"position": position})
        assert other.agent_selection == env.agent_selection
        assert np.array_equal(other.state(), env.state())
        for twin in (env, other):
            play(twin, random.Random(1), steps=200)
        assert np.array_equal(other.state(), env.state())

    def test_position_of_another_table(self):
        env = contract_rummy_v0.env()
        env.reset(seed=1)
        for other in (contract_rummy_v0.env(num_players=3), contract_rummy_v0.env(rules={"ace_value": 20})):
            with pytest.raises(PositionError, match="num_players|rules"):
                other.reset(options={"position": env.game.to_dict()})

    def test_deal(self):
        env = contract_rummy_v0.env()
        for deal in (1, 4, 7):
            env.reset(seed=1, options={"deal": deal})
            assert env.game.deal == deal
            play(env, random.Random(1))
            assert env.game.deals_done == 1
        env.reset(seed=1)
        assert env.game.rules == env.rules
        with pytest.raises(RulesError):
            env.reset(options={"deal": 8})

    def test_deals(self):
        env = contract_rummy_v0.env(deals=[2, 5])
        env.reset(seed=1)
        assert env.game.deal == 2
        play(env, random.Random(1))
        assert env.game.deals_done == 2
        env = contract_rummy_v0.env(deals=[2, 5], episode="deal")
        drawn = set()
        for seed in range(20):
            env.reset(seed=seed)
            drawn.add(env.game.deal)
        assert drawn == {2, 5}


class TestArguments:
    @pytest.mark.parametrize(
        ("kwargs", "error", "told"),
        [
            ({"episode": "match"}, ArgumentError, "episode='match'.*'game' or 'deal'"),
            ({"reward": "points"}, ArgumentError, "reward='points'.*'score' or 'win'"),
            ({"illegal_action": "ignore"}, ArgumentError, "illegal_action='ignore'.*'forfeit' or 'raise'"),
            ({"render_mode": "rgb_array"}, ArgumentError, "render_mode='rgb_array'.*None or 'ansi'"),
            ({"rules": "canasta"}, RulesError, "canasta.*contract_rummy"),
            ({"rules": {"ace_valu": 20}}, RulesError, "ace_valu"),
            ({"rules": 7}, RulesError, "rules"),
            ({"num_players": 1}, RulesError, "num_players"),
            ({"num_players": 9}, RulesError, "num_players"),
            ({"num_players": "four"}, RulesError, "num_players"),
            ({"deals": [0]}, RulesError, "deals"),
            ({"deals": [8]}, RulesError, "deals"),
            ({"deals": []}, RulesError, "deals"),
            ({"deals": 3}, RulesError, "deals"),
            ({"rules": "basic_rummy"}, ArgumentError, "with contracts"),
            ({"players": 4}, TypeError, "players"),
        ],
        ids=str,
    )
    def test_bad_arguments(self, kwargs, error, told):
        with pytest.raises(error, match=told):
            contract_rummy_v0.env(**kwargs)

    def test_contracts_belong_to_contract_rummy(self):
        with pytest.raises(ArgumentError, match="without contracts"):
            basic_rummy_v0.env(rules="contract_rummy")
        with pytest.raises(RulesError, match="deals"):
            basic_rummy_v0.env(deals=[1])

    def test_rules_from_a_file(self, tmp_path):
        path = tmp_path / "rules.yaml"
        path.write_text("preset: contract_rummy\nace_value: 20\n")
        for rules in (path, str(path), {"ace_value": 20}, RuleSet.preset("contract_rummy").replace(ace_value=20)):
            assert contract_rummy_v0.env(rules=rules).rules.ace_value == 20


class TestRegistry:
    @pytest.mark.skipif(not hasattr(pettingzoo, "make"), reason="this PettingZoo has no registry")
    @pytest.mark.parametrize("env_id", AEC_ENVS)
    def test_make(self, env_id):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            register()
            env = pettingzoo.make("aec", env_id, num_players=3, reward="win")
        assert env_id == f"rummy/{env.metadata['name'].replace('_v', '-v')}"
        assert (env.num_players, env.reward) == (3, "win")

    def test_without_a_registry(self, monkeypatch):
        monkeypatch.delattr(pettingzoo, "aec_registry", raising=False)
        register()


class TestActionSpace:
    def test_masked_samples_are_uniform_and_seeded(self):
        space, twin = ActionSpace(10, seed=1), ActionSpace(10, seed=1)
        mask = np.zeros(10, np.int8)
        mask[[2, 3, 9]] = 1
        draws = [space.sample(mask) for _ in range(3000)]
        assert draws == [twin.sample(mask) for _ in range(3000)]
        counts = np.bincount(draws, minlength=10)
        assert set(np.flatnonzero(counts)) == {2, 3, 9}
        assert counts[[2, 3, 9]].min() > 900

    def test_the_rest_is_discrete(self):
        space = ActionSpace(10, seed=1)
        assert space.sample(np.zeros(10, np.int8)) == 0
        assert space.contains(space.sample())
        assert space.sample(probability=np.eye(10)[4]) == 4
        with pytest.raises(AssertionError):
            space.sample(np.ones(10, bool))
        with pytest.raises(AssertionError):
            space.sample(np.ones(9, np.int8))


class TestDocstrings:
    HEADINGS = (
        "Description",
        "Action Space",
        "Observation Space",
        "Starting State",
        "Rewards",
        "Episode End",
        "Information",
        "Arguments",
        "Version History",
    )

    @every_module
    def test_headings(self, module):
        found = [line.strip()[3:] for line in module.raw_env.__doc__.splitlines() if line.strip().startswith("## ")]
        assert tuple(found) == self.HEADINGS

    @every_module
    def test_tables_are_the_generated_ones(self, module):
        """Rewritten by ``python -m rummy_env.envs.docstrings``."""
        source = module_path(module).read_text("utf-8")
        assert with_tables(source, generated_tables(module)) == source

    def test_missing_table(self):
        with pytest.raises(ValueError, match="Action Space"):
            with_tables("no table here", {"Action Space": "|a|"})
