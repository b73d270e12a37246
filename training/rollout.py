"""Games for self-play that go on from rollout to rollout, and what each decision in them turned out to be worth."""

import pickle
from dataclasses import dataclass, fields
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from rummy_env.agents import Agent, CompiledAgent, seat_agent
from rummy_env.engine.blocks import PLAIN
from rummy_env.envs.selfplay import SelfPlayVectorEnv
from rummy_env.errors import ArgumentError
from rummy_env.observation import ObservationLayout
from rummy_env.policy import skipping_blocks
from rummy_env.rules import RuleSet
from training.network import Network

if TYPE_CHECKING:
    from training.ppo import Arguments, Learner

LEARNER, SNAPSHOT = -1, -2
"""Who plays a seat, if not the scripted player of that number."""
_GOES_ON = ("env", "_observed", "_info", "rng", "_players", "_potentials", "illegal")
"""What a rollout leaves to the next."""


@dataclass
class Decisions:
    """Decisions to learn from, k in all.

    Attributes:
        observations: int8, shape ``(k, size)``.
        secrets: int8, shape ``(k, secrets)``; see `SelfPlayVectorEnv.secrets`, empty without an oracle.
        choices: Ids of the legal actions of each, int64, shape ``(k, most)``, filled up with -1.
        chosen: Place in `choices` of what is to be learned as the action, that played or the teacher's; int64 ``(k,)``.
        log_probs: How probable it was when it was played, float32 ``(k,)``.
        advantages: How much better than expected it came out, float32 ``(k,)``.
        returns: What came of it, float32 ``(k,)``.
        weights: How many decisions each stands for, float32 ``(k,)``.
    """

    observations: Tensor
    secrets: Tensor
    choices: Tensor
    chosen: Tensor
    log_probs: Tensor
    advantages: Tensor
    returns: Tensor
    weights: Tensor

    def __len__(self) -> int:
        return len(self.chosen)

    def rows(self, rows: Tensor, device: torch.device) -> "Decisions":
        """Those of some rows, on a device."""
        return Decisions(*(getattr(self, one.name).index_select(0, rows).to(device) for one in fields(self)))


def hidden_entries(hide: list[str], rules: RuleSet, num_players: int, observation: str) -> np.ndarray:
    """Entries of some blocks of the observation, or of all.

    Raises:
        ArgumentError: There is no such block, or it leads past the hidden layers of a network.
    """
    layout = ObservationLayout.for_table(rules, num_players, observation)
    past = {block.name for blocks in skipping_blocks(layout) for block in blocks}
    names = [block.name for block in layout.blocks if block.name not in past]
    wanted = names if hide == ["all"] and not past else hide
    unknown = [name for name in wanted if name not in names]
    if unknown:
        told = f"there are {', '.join(names)}, and 'all' of a plain observation"
        raise ArgumentError(f"hide={hide}: {unknown[0]!r} cannot be hidden; {told}")
    entries = [range(block.offset, block.offset + block.size) for block in layout.blocks if block.name in wanted]
    return np.array([entry for block in entries for entry in block], np.int64)


class Rollout:
    """Games that go on from rollout to rollout, and what was decided in the last one.

    Args:
        args: The arguments; a thread plays ``num_envs / threads`` of the games (N).
        part: Which thread plays these.

    Attributes:
        env: The games.
        rules: Their rules, with the deals that are played in the end.
        illegal: Illegal actions chosen so far.
        observations: int8, shape ``(T, N, size)``; `secrets`, `masks`, `actions`, `log_probs`, `values`, `seats`,
            `rewards` and `ended` are those of `SelfPlayVectorEnv`, with the steps T before the games N.
        decides: bool, shape ``(T, N)``: where the learner had more than one legal action.
        known: Number of these decisions in the last rollout of which is known what followed.
        labels: int64, shape ``(T, N)``: what is to be learned as the action: that played, or the teacher's.

    Raises:
        ArgumentError: The arguments are impossible.
    """

    def __init__(self, args: "Arguments", part: int = 0) -> None:
        self._args = args
        self._num = args.num_envs // args.threads
        if args.num_envs != self._num * args.threads:
            raise ArgumentError(f"num_envs={args.num_envs}: expected a multiple of threads={args.threads}")
        if not (0 < args.sure <= 1 and 0 < args.sure_share <= 1):
            raise ArgumentError(f"sure={args.sure}, sure_share={args.sure_share}: expected more than 0, up to 1")
        if args.shaping and args.gamma != 1:
            raise ArgumentError(f"shaping={args.shaping}, gamma={args.gamma}: shaping takes gamma=1")
        rules = RuleSet.load(args.rules)
        if args.max_turns:
            rules = rules.replace(max_turns_per_deal=args.max_turns)
        self.env = SelfPlayVectorEnv(
            *(rules, self._num, args.num_players),
            **{"episode": args.episode, "deals": args.deals, "reward": args.reward, "observation": args.observation},
            copy=False,
        )
        self.rules = self.env.rules
        self.choose_deals(first=True)
        self.rng = np.random.default_rng([args.seed, 1, part])
        self._hidden = hidden_entries(args.hide, self.rules, args.num_players, args.observation)
        self.illegal = self.known = 0
        self._scripted = [self.player(name) for name in args.scripted]
        shares = [1 - sum(args.scripted.values()) - args.snapshots, args.snapshots, *args.scripted.values()]
        if min(shares) < -1e-9:
            raise ArgumentError(f"scripted={args.scripted} and snapshots={args.snapshots} are more than all games")
        bounds = (np.cumsum(shares) * self._num).round().astype(int)
        kinds = [LEARNER, SNAPSHOT, *range(len(self._scripted))]
        self._others = np.array(kinds)[np.searchsorted(bounds, np.arange(self._num), side="right")]
        self._players = np.full((self._num, args.num_players), LEARNER)
        self._observed, self._info = self.env.reset(seed=int(self.rng.integers(2**63)))
        self._potentials = args.shaping * self.env.potentials()
        self._seat_players(np.arange(self._num))
        steps = (args.num_steps, self._num)
        size, num_actions = self.env.single_observation_space.shape[0], int(self.env.single_action_space.n)
        self.observations = np.zeros((*steps, size), np.int8)
        self.secrets = np.zeros((*steps, self.env.secrets().shape[1] if args.oracle else 0), np.int8)
        self.masks = np.zeros((*steps, num_actions), np.int8)
        self.actions, self.labels = np.zeros(steps, np.int64), np.zeros(steps, np.int64)
        self.log_probs, self.values = np.zeros(steps, np.float32), np.zeros(steps, np.float32)
        # Where no network is asked they are of an earlier step: no choice is made by them.
        self._logits = np.zeros((self._num, num_actions), np.float32)
        self.rewards = np.zeros((*steps, args.num_players), np.float32)
        self.seats = np.zeros(steps, np.int8)
        self.ended, self.decides = np.zeros(steps, bool), np.zeros(steps, bool)

    def choose_deals(self, first: bool) -> None:
        """Deal the first contracts from now on, or those that follow them."""
        if self._args.first_deals is not None:
            played, weights = self.rules.played_contracts, self.rules.deal_weights
            later = dict(zip(played, weights, strict=True)) if weights else played
            self.env.set_deals(self._args.first_deals if first else later)

    def _seat_players(self, rows: np.ndarray) -> None:
        """Draw who sits where in games that begin: the learner somewhere, in some seats the others of that game."""
        seats = self._args.num_players
        order = self.rng.random((len(rows), seats)).argsort(axis=1)
        learners = self.rng.integers(1, seats, len(rows), endpoint=False)[:, None]
        self._players[rows] = np.where(order < learners, LEARNER, self._others[rows][:, None])

    def player(self, name: str) -> Agent:
        """The agent of a name, or of the file of a policy, ready to play in these games.

        Raises:
            ArgumentError: There is none, it can only be asked game by game, or it takes another kind of observation.
        """
        agent: Any = seat_agent(name, self.env.rules, self.env.num_players)
        if isinstance(agent, CompiledAgent):
            return agent
        if hasattr(agent, "reset") or not hasattr(agent, "act_batch"):
            raise ArgumentError(f"{name!r} can only be asked game by game: too slow to train against")
        if getattr(agent, "observation", PLAIN) != self._args.observation:
            raise ArgumentError(f"{name!r} takes other observations than observation={self._args.observation!r}")
        return agent

    def play(self, learner: "Learner", snapshot: Network | None, teacher: Agent | None, shaping: float = 0.0) -> float:
        """Play a rollout.

        Args:
            learner: What decides, and what values the positions.
            snapshot: The earlier state that plays some seats.
            teacher: With one it decides in all seats, and its decisions are the labels.
            shaping: Weight of the potential of the hands, differences of which are paid besides the rewards.

        Returns:
            Share of the time that was spent in the networks.
        """
        self._inferring, began = 0.0, perf_counter()
        for t in range(self._args.num_steps):
            self.observations[t], self.masks[t] = self._observed, self._info["action_mask"]
            self.observations[t][:, self._hidden] = 0
            self.seats[t] = self._info["seat"]
            if self._args.oracle:
                self.secrets[t] = self.env.secrets()
            if teacher is None:
                self._decide(t, learner, snapshot)
            else:
                self._copy(t, learner, teacher)
            self._step(t, shaping)
        return self._inferring / (perf_counter() - began)

    def _infer(self, learner: "Learner", network: Network, t: int, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Logits and values of step t in some games."""
        if not len(rows):
            return np.zeros((0, self.masks.shape[-1]), np.float32), np.zeros(0, np.float32)
        began = perf_counter()
        found = learner.infer(network, self.observations[t, rows], self.secrets[t, rows])
        self._inferring += perf_counter() - began
        return found

    def _decide(self, t: int, learner: "Learner", snapshot: Network | None) -> None:
        """Play as whoever sits there; nobody computes where there is but one legal action."""
        rows = np.arange(self._num)
        mover = self._players[rows, self.seats[t]]
        free = self.masks[t].sum(axis=1, dtype=np.int32) > 1
        self.decides[t] = free & (mover == LEARNER)
        own = np.flatnonzero(self.decides[t])
        self._logits[own], self.values[t, own] = self._infer(learner, learner.network, t, own)
        frozen = np.flatnonzero(free & (mover == SNAPSHOT))
        if len(frozen):
            assert snapshot is not None
            self._logits[frozen], _ = self._infer(learner, snapshot, t, frozen)
        self.actions[t], self.log_probs[t] = self.env.sample_actions(self._logits)
        for number, agent in enumerate(self._scripted):
            asked = np.flatnonzero(mover == number)
            self.actions[t, asked] = self._ask(agent, asked)
        self.labels[t] = self.actions[t]

    def _copy(self, t: int, learner: "Learner", teacher: Agent) -> None:
        """Play as the teacher, now and then at random."""
        rows = np.arange(self._num)
        self.decides[t] = self.masks[t].sum(axis=1, dtype=np.int32) > 1
        own = np.flatnonzero(self.decides[t])
        _, self.values[t, own] = self._infer(learner, learner.network, t, own)
        self.labels[t] = self._ask(teacher, rows)
        noisy = self.rng.random(self._num) < self._args.clone_noise
        self.actions[t] = np.where(noisy, self.env.random_actions(), self.labels[t])

    def _ask(self, agent: Any, rows: np.ndarray) -> np.ndarray:
        """What an agent plays now in some games."""
        if isinstance(agent, CompiledAgent):
            return self.env.agent_actions(agent, rows)
        if not len(rows):
            return rows
        return agent.act_batch(self._observed[rows], self._info["action_mask"][rows])

    def _step(self, t: int, shaping: float) -> None:
        self.illegal += int((self.masks[t, np.arange(self._num), self.actions[t]] == 0).sum())
        self._observed, rewards, ended, _, self._info = self.env.step(self.actions[t])
        self.rewards[t], self.ended[t] = rewards, ended
        if shaping:
            potentials = shaping * self.env.potentials()
            self.rewards[t] += np.where(ended[:, None], 0, self._args.gamma * potentials) - self._potentials
            self._potentials = potentials
        if ended.any():
            self._seat_players(np.flatnonzero(ended))
            if self._args.win_bonus:
                self.rewards[t] += self._args.win_bonus * self._shares(ended)

    def _shares(self, ended: np.ndarray) -> np.ndarray:
        """Zero-sum shares of the seats in episodes that ended: 1 for a single winner, if any; shape ``(N, P)``."""
        seats, episode = self._args.num_players, self._info["episode"]
        won = episode["out"][:, None] == np.arange(seats) if self._args.episode == "deal" else episode["winners"]
        won = won & ended[:, None]
        winners = won.sum(axis=1, keepdims=True)
        return np.where(winners > 0, (seats * won / np.maximum(winners, 1) - 1) / (seats - 1), 0)

    def decisions(self, thin: bool) -> Decisions:
        """The decisions of the rollout of which is known what followed; if thinned, of the sure ones a share only."""
        args, advantages = self._args, self.advantages()
        known = np.flatnonzero(~np.isnan(advantages).ravel())
        self.known = len(known)
        sure = self.log_probs.ravel()[known] > np.log(args.sure)
        share = np.where(sure & thin, args.sure_share, 1.0)
        kept = self.rng.random(len(known)) < share
        known, weights = known[kept], (1 / share[kept]).astype(np.float32)
        masks = self.masks.reshape(-1, self.masks.shape[-1])[known].view(bool)
        counts = masks.sum(axis=1)
        ends = counts.cumsum()
        rows, actions = masks.nonzero()
        choices = np.full((len(known), counts.max(initial=1)), -1)
        choices[rows, np.arange(len(rows)) - (ends - counts)[rows]] = actions
        chosen = (choices == self.labels.ravel()[known, None]).argmax(axis=1)
        advantage = advantages.ravel()[known]
        seen, secret = (array.reshape(self.values.size, -1)[known] for array in (self.observations, self.secrets))
        arrays = (
            *(seen, secret, choices, chosen),
            *(self.log_probs.ravel()[known], advantage, self.values.ravel()[known] + advantage, weights),
        )
        return Decisions(*(torch.from_numpy(array) for array in arrays))

    def advantages(self) -> np.ndarray:
        """Generalised advantages from decision to decision of a seat; NaN where nothing is known yet of what follows.

        Returns:
            float32, shape ``(T, N)``.
        """
        args, rows = self._args, np.arange(self._num)
        result = np.full(self.values.shape, np.nan, np.float32)
        paid, next_value, next_advantage = (np.zeros(self.rewards.shape[1:], np.float32) for _ in range(3))
        known = np.zeros(self.rewards.shape[1:], bool)
        for t in reversed(range(args.num_steps)):
            for array in (paid, next_value, next_advantage):
                array[self.ended[t]] = 0
            known[self.ended[t]] = True
            paid += args.reward_scale * self.rewards[t]
            own = (rows, self.seats[t])
            delta = paid[own] + args.gamma * next_value[own] - self.values[t]
            advantage = delta + args.gamma * args.gae_lambda * next_advantage[own]
            here = self.decides[t]
            result[t] = np.where(known[own] & here, advantage, np.nan)
            mine = (rows[here], self.seats[t, here])
            next_advantage[mine] = np.where(known[mine], advantage[here], 0)
            paid[mine], next_value[mine], known[mine] = 0, self.values[t, here], True
        return result

    def state(self) -> bytes:
        """The games, as they are now, with all that goes on from here."""
        # One pickle, so that observations and masks stay the buffers of the environment.
        return pickle.dumps([getattr(self, name) for name in _GOES_ON])

    def restore(self, state: bytes) -> None:
        """Go on from what `state` gave."""
        for name, value in zip(_GOES_ON, pickle.loads(state), strict=True):
            setattr(self, name, value)
