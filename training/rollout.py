"""Games for self-play that go on from rollout to rollout, and what each decision in them turned out to be worth."""

import pickle
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from rummy_env.agents import Agent, CompiledAgent, seat_agent
from rummy_env.engine.blocks import PLAIN
from rummy_env.envs.selfplay import SelfPlayVectorEnv
from rummy_env.errors import ArgumentError
from training.network import Network

if TYPE_CHECKING:
    from training.ppo import Arguments, Learner

LEARNER, SNAPSHOT = -1, -2
"""Who plays a seat, if not the scripted player of that number."""


class Clock:
    """Seconds of the parts of a training.

    Attributes:
        seconds: By part.
    """

    def __init__(self) -> None:
        self.seconds = dict.fromkeys(("engine", "inference", "learning", "matches"), 0.0)
        self._part, self._since = "learning", perf_counter()

    def __call__(self, part: str) -> None:
        """From now on it is another part's time."""
        now = perf_counter()
        self.seconds[self._part] += now - self._since
        self._part, self._since = part, now


class Rollout:
    """Games that go on from rollout to rollout, and what was decided in the last one.

    Attributes:
        env: The games.
        illegal: Illegal actions chosen so far.
        observations: int8, shape ``(T, N, size)``; `masks`, `actions`, `log_probs`, `values`, `seats`, `rewards` and
            `ended` are those of `SelfPlayVectorEnv`, with the steps T before the games N.
        decides: bool, shape ``(T, N)``: where the learner had more than one legal action.
        labels: int64, shape ``(T, N)``: what is to be learned as the action: that played, or the teacher's.
    """

    def __init__(self, args: "Arguments") -> None:
        self._args = args
        self.env = SelfPlayVectorEnv(
            *(args.rules, args.num_envs, args.num_players),
            **{"episode": args.episode, "deals": args.deals, "reward": args.reward, "observation": args.observation},
            num_threads=args.threads,
            copy=False,
        )
        if args.out_bonus and args.episode != "deal":
            raise ArgumentError(f"out_bonus={args.out_bonus}: only with episode='deal'")
        self.rng = np.random.default_rng([args.seed, 1])
        self.illegal = 0
        self._scripted = [self.player(name) for name in args.scripted]
        shares = [1 - sum(args.scripted.values()) - args.snapshots, args.snapshots, *args.scripted.values()]
        if min(shares) < 0:
            raise ArgumentError(f"scripted={args.scripted} and snapshots={args.snapshots} are more than all games")
        bounds = (np.cumsum(shares) * args.num_envs).round().astype(int)
        kinds = [LEARNER, SNAPSHOT, *range(len(self._scripted))]
        self._others = np.array(kinds)[np.searchsorted(bounds, np.arange(args.num_envs), side="right")]
        self._players = np.full((args.num_envs, args.num_players), LEARNER)
        self._observed, self._info = self.env.reset(seed=args.seed)
        self._seat_players(np.arange(args.num_envs))
        steps = (args.num_steps, args.num_envs)
        size, num_actions = self.env.single_observation_space.shape[0], int(self.env.single_action_space.n)
        self.observations = np.zeros((*steps, size), np.int8)
        self.masks = np.zeros((*steps, num_actions), np.int8)
        self.actions, self.labels = np.zeros(steps, np.int64), np.zeros(steps, np.int64)
        self.log_probs, self.values = np.zeros(steps, np.float32), np.zeros(steps, np.float32)
        self.rewards = np.zeros((*steps, args.num_players), np.float32)
        self.seats = np.zeros(steps, np.int8)
        self.ended, self.decides = np.zeros(steps, bool), np.zeros(steps, bool)

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

    def _ask(self, agent: Any, rows: np.ndarray, t: int) -> np.ndarray:
        """What an agent plays at step t in some games."""
        if isinstance(agent, CompiledAgent):
            return self.env.agent_actions(agent, rows)
        if not len(rows):
            return rows
        return agent.act_batch(self.observations[t, rows], self.masks[t, rows])

    def play(self, learner: "Learner", snapshot: Network | None, clock: Clock, teacher: Agent | None) -> None:
        """Play a rollout; with a teacher it decides in all seats, and its decisions are the labels."""
        env, rows, args = self.env, np.arange(self._args.num_envs), self._args
        for t in range(args.num_steps):
            observed, mask, seat = self._observed, self._info["action_mask"], self._info["seat"]
            clock("inference")
            self.observations[t], self.masks[t], self.seats[t] = observed, mask, seat
            mover = self._players[rows, seat]
            logits, self.values[t] = learner.infer(learner.network, self.observations[t])
            frozen = np.flatnonzero(mover == SNAPSHOT) if teacher is None else rows[:0]
            if len(frozen) and snapshot is not None:
                logits[frozen] = learner.infer(snapshot, self.observations[t, frozen])[0]
            clock("engine")
            if teacher is None:
                self.actions[t], self.log_probs[t] = env.sample_actions(logits)
                for number, agent in enumerate(self._scripted):
                    asked = np.flatnonzero(mover == number)
                    self.actions[t, asked] = self._ask(agent, asked, t)
                self.labels[t] = self.actions[t]
                self.decides[t] = (mover == LEARNER) & (self.masks[t].sum(axis=1, dtype=np.int32) > 1)
            else:
                self.labels[t] = self._ask(teacher, rows, t)
                noisy = self.rng.random(args.num_envs) < args.clone_noise
                self.actions[t] = np.where(noisy, env.random_actions(), self.labels[t])
                self.decides[t] = self.masks[t].sum(axis=1, dtype=np.int32) > 1
            self.illegal += int((self.masks[t, rows, self.actions[t]] == 0).sum())
            self._observed, rewards, ended, _, self._info = env.step(self.actions[t])
            self.rewards[t], self.ended[t] = rewards, ended
            if ended.any():
                self._seat_players(np.flatnonzero(ended))
                if args.out_bonus:
                    self.rewards[t] += args.out_bonus * self._shares(ended, self._info["episode"]["out"])

    def _shares(self, ended: np.ndarray, out: np.ndarray) -> np.ndarray:
        """Zero-sum shares of the seats in a deal that ended: 1 for the one that went out, if any; shape ``(N, P)``."""
        seats = self._args.num_players
        went_out = out[:, None] == np.arange(seats)
        return np.where((ended & (out >= 0))[:, None], (seats * went_out - 1) / (seats - 1), 0)

    def advantages(self) -> np.ndarray:
        """Generalised advantages from decision to decision of a seat; NaN where nothing is known yet of what follows.

        Returns:
            float32, shape ``(T, N)``.
        """
        args, rows = self._args, np.arange(self._args.num_envs)
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
        return pickle.dumps((self.env, self._observed, self._info, self.rng, self._players, self.illegal))

    def restore(self, state: bytes) -> None:
        """Go on from what `state` gave."""
        self.env, self._observed, self._info, self.rng, self._players, self.illegal = pickle.loads(state)
