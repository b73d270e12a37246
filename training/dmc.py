"""Deep Monte Carlo by self-play on the batch engine: the value of every action, learned from how the deals came out.

    python -m training.dmc --config configs/train/dmc_basic_2p.yaml --minutes 5

All seats play the action of the highest value, but for a few at random, and the network learns what the seat was paid
in the end. The policy is the action of the highest value; its file is that of `training.ppo`, and so is the folder of
the run, from which the same command goes on where an earlier one was stopped.
"""

import pickle
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any, Self

import numpy as np
import torch

from rummy_env.agents import CompiledAgent, seat_agent
from rummy_env.envs.selfplay import SelfPlayVectorEnv
from rummy_env.errors import ArgumentError, RummyError
from rummy_env.policy import PolicyAgent, PolicyTable
from rummy_env.rules import RuleSet
from training.arguments import check_layers, check_least, read_arguments
from training.device import computes_in_bf16, find_device
from training.folder import BEST, load_checkpoint, save_checkpoint
from training.network import Network, policy_weights, to_agent
from training.run import Run, RunArguments


@dataclass
class Arguments(RunArguments):
    """Arguments of deep Monte Carlo by self-play."""

    num_envs: int = 1024
    """Games side by side."""
    num_steps: int = 40
    """Steps of all games between two updates."""
    hidden: list[int] = field(default_factory=lambda: [256, 128])
    """Sizes of the hidden layers."""
    epochs: int = 1
    """Times that each decision is learned from."""
    minibatch: int = 512
    """Decisions of one gradient step."""
    learning_rate: float = 1e-3
    """Step size of Adam at the beginning; it falls linearly."""
    last_learning_rate: float = 1e-4
    """Step size at the end."""
    max_gradient: float = 5.0
    """Longest gradient; longer ones are shortened."""
    reward_scale: float = 3.0
    """What a reward of 1 counts."""
    explore: float = 0.1
    """Share of decisions that are played at random at the beginning; it falls linearly."""
    last_explore: float = 0.01
    """Share at the end."""
    teacher: str = "cautious"
    """Scripted player whose games are learned from first."""
    teacher_decisions: int = 500_000
    """Decisions of these games; 0 to start from nothing."""
    threads: int = 1
    """Threads of PyTorch and of the engine."""
    device: str = "auto"
    """``"cpu"``, ``"cuda"``, or ``"auto"`` for a GPU where there is one."""
    bf16: str = "auto"
    """Whether layers compute in bfloat16: ``"yes"``, ``"no"``, or ``"auto"`` where the processor is faster at it."""
    out: str = "runs/dmc"
    """Folder of the run."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_layers(self.hidden)
        check_least(self, num_envs=1, num_steps=1, epochs=1, minibatch=1, threads=1)


FREE = ("minutes", "decisions", "ladder", "ladder_deals", "out")
"""Arguments in which a run that goes on may differ from what it was."""
Choose = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""From observations, int8 ``(N, size)``, and masks, int8 ``(N, num_actions)``, to legal actions, int64 ``(N,)``."""


class Games:
    """Games that go on from update to update, and the decisions in them that are not yet paid.

    Attributes:
        env: The games.
        illegal: Illegal actions chosen so far.
    """

    def __init__(self, args: Arguments) -> None:
        self._args = args
        self.env = SelfPlayVectorEnv(
            *(args.rules, args.num_envs, args.num_players),
            **{"episode": args.episode, "deals": args.deals, "reward": args.reward, "observation": args.observation},
            num_threads=args.threads,
        )
        self.illegal = 0
        size = self.env.single_observation_space.shape[0]
        self._kind = np.dtype(
            [
                ("observation", np.int8, (size,)),
                ("action", np.int64),
                ("game", np.int64),
                ("seat", np.int8),
                ("before", np.float32),
            ]
        )
        self._rng = np.random.default_rng([args.seed, 1])
        self._observed, self._info = self.env.reset(seed=args.seed)
        self._open = np.zeros(0, self._kind)
        self._game = np.arange(args.num_envs)
        self._paid = np.zeros((args.num_envs, args.num_players), np.float32)

    def teacher(self) -> Choose:
        """What the teacher plays in these games, whatever is observed; `ArgumentError` if it is not compiled."""
        agent, rows = seat_agent(self._args.teacher, self.env.rules, self.env.num_players), np.arange(self.env.num_envs)
        if not isinstance(agent, CompiledAgent):
            raise ArgumentError(f"teacher={self._args.teacher!r}: expected a compiled player, such as 'cautious'")
        return lambda observations, masks: self.env.agent_actions(agent, rows)

    def play(self, choose: Choose, explore: float) -> tuple[np.ndarray, np.ndarray]:
        """Play `num_steps` steps.

        Args:
            choose: What is played.
            explore: Share of decisions that are played at random instead.

        Returns:
            The decisions of the games that have ended, as records with ``"observation"`` and ``"action"``, and what
            their seats were paid from there to the end, float32, in hundreds of points or as `reward` says. Decisions
            with a single legal action are left out; those of games that go on come with a later call.
        """
        rows, made = np.arange(self._args.num_envs), [self._open]
        ended_games, totals = [np.zeros(0, np.int64)], [self._paid[:0]]
        for _ in range(self._args.num_steps):
            mask, seat = self._info["action_mask"], self._info["seat"]
            exploring = self._rng.random(len(rows)) < explore
            actions = np.where(exploring, self.env.random_actions(), choose(self._observed, mask))
            self.illegal += int((mask[rows, actions] == 0).sum())
            made.append(self._records(np.flatnonzero(mask.sum(axis=1, dtype=np.int32) > 1), seat, actions))
            self._observed, rewards, ended, _, self._info = self.env.step(actions)
            self._paid += rewards
            over = np.flatnonzero(ended)
            ended_games.append(self._game[over])
            totals.append(self._paid[over])
            self._game[over] += len(rows)
            self._paid[over] = 0
        return self._settle(np.concatenate(made), np.concatenate(ended_games), np.concatenate(totals))

    def _records(self, rows: np.ndarray, seat: np.ndarray, actions: np.ndarray) -> np.ndarray:
        records = np.zeros(len(rows), self._kind)
        records["observation"], records["action"] = self._observed[rows], actions[rows]
        records["game"], records["seat"] = self._game[rows], seat[rows]
        records["before"] = self._paid[rows, seat[rows]]
        return records

    def _settle(self, made: np.ndarray, games: np.ndarray, totals: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The decisions of games that have ended and what followed; the others stay open."""
        order = games.argsort()
        games, totals = games[order], totals[order]
        paid = np.isin(made["game"], games)
        decisions, self._open = made[paid], made[~paid]
        total = totals[np.searchsorted(games, decisions["game"]), decisions["seat"]]
        return decisions, total - decisions["before"]

    def state(self) -> bytes:
        """The games, as they are now, with all that goes on from here."""
        return pickle.dumps({name: value for name, value in vars(self).items() if name != "_args"})

    def restore(self, state: bytes) -> None:
        """Go on from what `state` gave."""
        vars(self).update(pickle.loads(state))


class Training:
    """A run: its games, its network, and where it stands.

    Args:
        args: The arguments.

    Raises:
        ArgumentError: They are impossible, or the folder holds another run.
    """

    def __init__(self, args: Arguments) -> None:
        torch.set_num_threads(args.threads)
        torch.manual_seed(args.seed)
        self.args = args
        self.games = Games(args)
        rules = self.games.env.rules.replace(name=RuleSet.load(args.rules).name)
        self.table = PolicyTable(rules, args.num_players, args.observation)
        self.run = Run(args, rules, BEST)
        self._device = find_device(args.device)
        self._bf16 = computes_in_bf16(args.bf16, self._device)
        self.network = Network(self.table, args.hidden).to(self._device)
        self._optimizer = torch.optim.Adam(self.network.parameters(), lr=args.learning_rate, eps=1e-5, fused=True)
        self._active = np.zeros(self.table.observed.size, bool)
        self._teacher = self.games.teacher() if args.teacher_decisions else self._highest

    @classmethod
    def begin(cls, args: Arguments) -> Self:
        """The run of a folder, from its checkpoint if it has one."""
        training = cls(args)
        rules = training.table.describe()["rules"]
        found = load_checkpoint(training.run.folder, asdict(args), FREE, rules)
        if found is not None:
            training._restore(found)
            print(f"going on from {training.run.folder} after {training.run.decisions:,} decisions")
        return training

    def _restore(self, found: dict[str, Any]) -> None:
        self.network.load_state_dict(found["network"])
        self._optimizer.load_state_dict(found["optimizer"])
        torch.set_rng_state(found["random"])
        self.games.restore(bytes(found["games"].numpy()))
        self._active = found["active"].numpy()
        self.run.restore(found["run"])

    def save(self) -> None:
        """Write the checkpoint."""
        content = {
            "arguments": asdict(self.args),
            "description": self.table.describe(),
            "policy": policy_weights(self.network, self._active),
            "network": self.network.state_dict(),
            "optimizer": self._optimizer.state_dict(),
            "random": torch.get_rng_state(),
            "games": torch.frombuffer(bytearray(self.games.state()), dtype=torch.uint8),
            "active": torch.from_numpy(self._active),
            "run": self.run.state(),
        }
        save_checkpoint(self.run.folder, content)

    def agent(self) -> PolicyAgent:
        """The policy as it is now."""
        return to_agent(self.network, self.table, self._active)

    def train(self) -> None:
        """Train to the end, or until interrupted.

        Raises:
            TrainingError: A figure is not finite, or the disk is full; the last checkpoint is intact.
        """
        with self.run.interruptible():
            while self.run.going_on:
                if self._update():
                    self._judge()
            if self.run.judged:
                return
            if self.run.progress >= 1:
                self._judge()
            else:
                self.save()
                self.run.write_figures()

    def _judge(self) -> None:
        agent = self.agent()
        self.run.judge(agent, agent.save)
        self.save()
        self.run.write_figures()

    def _update(self) -> bool:
        """Play and learn from it; whether a match is due."""
        args, run = self.args, self.run
        for group in self._optimizer.param_groups:
            group["lr"] = run.between(args.learning_rate, args.last_learning_rate)
        explore = run.between(args.explore, args.last_explore)
        learning = self.run.decisions >= args.teacher_decisions
        choose = self._highest if learning else self._teacher
        decisions, returns = self.games.play(choose, explore)
        figures = {"value_loss": 0.0, "explained": 0.0}
        if len(decisions):
            self._active |= np.bitwise_or.reduce(decisions["observation"]) > 0
            figures = self._learn(decisions, returns)
        return run.note(len(decisions), {**figures, "explore": explore})

    def _forward(self, observations: torch.Tensor) -> torch.Tensor:
        with torch.autocast(self._device.type, torch.bfloat16, enabled=self._bf16):
            advantages, values = self.network(observations.to(self._device))
        return values[:, None] + advantages

    def _highest(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """The legal actions of the highest values."""
        with torch.inference_mode():
            values = self._forward(torch.from_numpy(observations)).cpu().numpy()
        return np.where(masks == 1, values, -np.inf).argmax(axis=1)

    def _learn(self, decisions: np.ndarray, returns: np.ndarray) -> dict[str, float]:
        """Move the values of what was played towards what followed; figures of all minibatches together."""
        args = self.args
        observations = torch.from_numpy(np.ascontiguousarray(decisions["observation"]))
        actions = torch.from_numpy(np.ascontiguousarray(decisions["action"]))
        targets = torch.from_numpy(args.reward_scale * returns)
        total = 0.0
        for _ in range(args.epochs):
            for part in torch.randperm(len(targets)).split(args.minibatch):
                chosen = actions[part, None].to(self._device)
                errors = self._forward(observations[part]).gather(1, chosen)[:, 0] - targets[part].to(self._device)
                loss = errors.square().mean()
                self._optimizer.zero_grad()
                loss.backward()
                torch.nn.utils.clip_grad_norm_(self.network.parameters(), args.max_gradient)
                self._optimizer.step()
                total += loss.item() * len(part)
        mean = total / (args.epochs * len(targets))
        return {"value_loss": mean, "explained": 1 - mean / max(float(targets.var(correction=0)), 1e-9)}


def main(args: Arguments | None = None) -> None:
    """Train as the command line says, and tell what came of it."""
    try:
        training = Training.begin(args or read_arguments(Arguments))
        training.train()
        training.run.tell_end(training.games.illegal)
    except (RummyError, OSError) as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()
