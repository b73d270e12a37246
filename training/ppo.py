"""Masked PPO by self-play on the batch engine, from a clone of a scripted player.

    python -m training.ppo --config configs/train/basic_2p.yaml --minutes 5

Every field of `Arguments` can be given in the file or on the command line. The same command goes on where an earlier
one was stopped. The folder of the run gets `checkpoint.pt`, `best.npz` (the policy that did best in its matches, which
``rummy arena`` plays), `progress.csv`, `matches.csv` and `curves.png`.
"""

import signal
import sys
from copy import deepcopy
from dataclasses import asdict, dataclass, field
from pathlib import Path
from time import perf_counter
from types import FrameType
from typing import Any, Self

import numpy as np
import torch
from rich.console import Console
from rich.progress import Progress, TextColumn
from torch import Tensor
from torch.nn.functional import cross_entropy

from rummy_env.agents import Agent, load_agent
from rummy_env.arena import Match, run
from rummy_env.arena.report import Report
from rummy_env.errors import ArgumentError, RummyError
from rummy_env.policy import PolicyTable
from rummy_env.rules import RuleSet
from training.arguments import read_arguments
from training.folder import (
    BEST,
    TrainingError,
    draw_curves,
    load_checkpoint,
    save_checkpoint,
    write_table,
    write_whole,
)
from training.network import Network, policy_weights, to_agent
from training.renaming import suit_renamings
from training.rollout import Clock, Rollout


@dataclass
class Arguments:
    """Arguments of masked PPO by self-play."""

    rules: Any = "basic_rummy"
    """Preset, YAML file or mapping of options, as `RuleSet.load` takes them."""
    num_players: int = 2
    """Seats at the table."""
    episode: str = "deal"
    """``"deal"`` for single deals, ``"game"`` for whole games."""
    deals: Any = None
    """Contracts that are dealt, as for `SelfPlayVectorEnv`; null for all."""
    reward: str = "score"
    """``"score"`` pays hundreds of points, ``"win"`` the end of the game."""
    observation: str = "planning"
    """``"planning"`` tells the network what its cards are worth, ``"plain"`` does not."""
    seed: int = 1
    """Seed of everything."""
    minutes: float = 0.0
    """Time after which the training is over, and by which its schedules go; 0 for no such end."""
    decisions: int = 0
    """The same in decisions of the learner; a run without `minutes` is the same at any speed."""
    num_envs: int = 1024
    """Games side by side."""
    num_steps: int = 40
    """Steps of all games between two updates."""
    hidden: list[int] = field(default_factory=lambda: [256, 128])
    """Sizes of the hidden layers."""
    epochs: int = 2
    """Times that each decision is learned from."""
    minibatch: int = 1024
    """Decisions of one gradient step."""
    learning_rate: float = 7e-4
    """Step size of Adam at the beginning of PPO; it falls linearly."""
    last_learning_rate: float = 7e-5
    """Step size at the end."""
    gamma: float = 1.0
    """Discount from a decision of a seat to its next."""
    gae_lambda: float = 0.95
    """Weight of later decisions in the generalised advantage estimate."""
    clip: float = 0.2
    """How far the probability of an action may move in an update."""
    entropy: float = 0.02
    """Weight of the entropy at the beginning; it falls linearly."""
    last_entropy: float = 0.001
    """Weight of the entropy at the end."""
    value_weight: float = 0.5
    """Weight of the error of the values."""
    max_gradient: float = 0.5
    """Longest gradient; longer ones are shortened."""
    reward_scale: float = 3.0
    """What a reward of 1 counts."""
    out_bonus: float = 0.0
    """What going out is paid besides its points, by the others in equal shares; for single deals."""
    teacher: str = "cautious"
    """Scripted player that is cloned first."""
    clone_decisions: int = 3_000_000
    """Decisions of the teacher that are cloned; 0 to start from nothing."""
    clone_learning_rate: float = 1e-3
    """Step size of Adam while cloning."""
    clone_noise: float = 0.05
    """Share of decisions that are played at random while cloning, so that the teacher is seen after mistakes, too."""
    scripted: dict[str, float] = field(default_factory=lambda: {"cautious": 0.1, "planner": 0.1})
    """Share of the games in which the others are a scripted player, by its name."""
    snapshots: float = 0.1
    """Share of the games in which the others are an earlier state of the policy."""
    snapshot_every: int = 2_000_000
    """Decisions between two of these states."""
    pool: int = 10
    """Number of earlier states that are kept, the oldest go first."""
    augment: bool = False
    """Whether every minibatch is seen with its suits renamed."""
    judges: list[str] = field(default_factory=lambda: ["cautious", "planner"])
    """Who the policy plays matches against; the best in points is kept."""
    match_deals: int = 1000
    """Duplicate deals of such a match (games with ``episode="game"``)."""
    match_every: int = 2_000_000
    """Decisions between two of them, and between two checkpoints."""
    ladder: list[str] = field(default_factory=lambda: ["random", "greedy", "planner", "cautious"])
    """Who the best policy plays on fresh deals in the end."""
    ladder_deals: int = 2000
    """Duplicate deals, or games, of each of these matches; 0 for none."""
    threads: int = 1
    """Threads of PyTorch and of the engine."""
    device: str = "auto"
    """``"cpu"``, ``"cuda"``, or ``"auto"`` for a GPU where there is one."""
    bf16: str = "auto"
    """Whether layers compute in bfloat16: ``"yes"``, ``"no"``, or ``"auto"`` where the processor is faster at it."""
    out: str = "runs/ppo"
    """Folder of the run."""


FREE = ("minutes", "decisions", "ladder", "ladder_deals", "threads", "out")
"""Arguments in which a run that goes on may differ from what it was."""
FRESH = 10**9
"""How far the seed of the last match is from that of the training."""


class Learner:
    """The network and its optimizer, on their device.

    Attributes:
        network: What is trained.
        optimizer: Adam.
    """

    def __init__(self, args: Arguments, table: PolicyTable) -> None:
        self._args = args
        self._device = torch.device(
            ("cuda" if torch.cuda.is_available() else "cpu") if args.device == "auto" else args.device
        )
        self._bf16 = args.bf16 == "yes" or (args.bf16 == "auto" and _has_fast_bf16(self._device))
        self._renamings = suit_renamings(table) if args.augment else []
        self.network = Network(table, args.hidden).to(self._device)
        self.optimizer = self.fresh_optimizer(args.learning_rate)

    def fresh_optimizer(self, learning_rate: float) -> torch.optim.Adam:
        """An Adam that has seen nothing."""
        return torch.optim.Adam(self.network.parameters(), lr=learning_rate, eps=1e-5, fused=True)

    def _forward(self, network: Network, observations: Tensor) -> tuple[Tensor, Tensor]:
        with torch.autocast(self._device.type, torch.bfloat16, enabled=self._bf16):
            logits, values = network(observations)
        return logits, values

    def infer(self, network: Network, observations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Logits and values, float32, without gradients."""
        with torch.inference_mode():
            logits, values = self._forward(network, torch.from_numpy(observations).to(self._device))
            return logits.cpu().numpy(), values.cpu().numpy()

    def snapshot(self, weights: dict[str, Tensor]) -> Network:
        """A network with other weights."""
        network = deepcopy(self.network)
        network.load_state_dict(weights)
        return network

    def learn(self, rollout: Rollout, advantages: np.ndarray, entropy: float, cloning: bool) -> dict[str, float]:
        """Learn from a rollout, by PPO or from the labels; figures are means over the minibatches."""
        args = self._args
        known = np.flatnonzero(~np.isnan(advantages).ravel())

        def flat(array: np.ndarray) -> Tensor:
            return torch.from_numpy(array.reshape(-1, *array.shape[2:]))

        arrays = [flat(array) for array in (rollout.observations, rollout.masks, rollout.labels)]
        arrays += [flat(array) for array in (rollout.log_probs, advantages, rollout.values + advantages)]
        sums: dict[str, float] = {}
        steps = 0
        for _ in range(1 if cloning else args.epochs):
            for part in torch.from_numpy(known)[torch.randperm(len(known))].split(args.minibatch):
                batch = [array[part].to(self._device) for array in arrays]
                if self._renamings:
                    batch[:3] = self._renamed(*batch[:3])
                loss, figures = self._loss(batch, entropy, cloning)
                self.optimizer.zero_grad()
                loss.backward()
                torch.nn.utils.clip_grad_norm_(self.network.parameters(), args.max_gradient)
                self.optimizer.step()
                steps += 1
                for name, value in figures.items():
                    sums[name] = sums.get(name, 0.0) + value.item()
        return {name: value / steps for name, value in sums.items()}

    def _renamed(self, observations: Tensor, masks: Tensor, labels: Tensor) -> list[Tensor]:
        columns, actions = self._renamings[int(torch.randint(len(self._renamings), ()))]
        return [observations[:, columns], masks[:, actions], actions.argsort()[labels]]

    def _loss(self, batch: list[Tensor], entropy: float, cloning: bool) -> tuple[Tensor, dict[str, Tensor]]:
        args = self._args
        observations, masks, labels, old_log_probs, advantages, returns = batch
        logits, values = self._forward(self.network, observations)
        logits = logits.masked_fill(masks == 0, -1e9)
        value_loss = (values - returns).square().mean()
        if cloning:
            imitation = cross_entropy(logits, labels)
            agreement = (logits.argmax(1) == labels).float().mean()
            return imitation + args.value_weight * value_loss, {
                "policy_loss": imitation.detach(),
                "value_loss": value_loss.detach(),
                "agreement": agreement,
            }
        log_probs = logits.log_softmax(1)
        disorder = -(logits.softmax(1) * log_probs).sum(1).mean()
        log_ratio = log_probs.gather(1, labels[:, None])[:, 0] - old_log_probs
        ratio = log_ratio.exp()
        scaled = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
        clipped = ratio.clamp(1 - args.clip, 1 + args.clip)
        policy_loss = -torch.min(ratio * scaled, clipped * scaled).mean()
        loss = policy_loss + args.value_weight * value_loss - entropy * disorder
        return loss, {
            "policy_loss": policy_loss.detach(),
            "value_loss": value_loss.detach(),
            "entropy": disorder.detach(),
            "divergence": (ratio - 1 - log_ratio).mean().detach(),
            "clipped": ((ratio - 1).abs() > args.clip).float().mean(),
        }


def _has_fast_bf16(device: torch.device) -> bool:
    if device.type == "cuda":
        return torch.cuda.is_bf16_supported()
    return bool(getattr(torch.cpu, "_is_avx512_bf16_supported", lambda: False)())


class Training:
    """A run: where it stands, and how it goes on.

    Args:
        args: The arguments.

    Raises:
        ArgumentError: They are impossible, or the folder holds another run.
    """

    def __init__(self, args: Arguments) -> None:
        if not args.minutes and not args.decisions:
            raise ArgumentError("minutes=0, decisions=0: say how long to train")
        torch.set_num_threads(args.threads)
        torch.manual_seed(args.seed)
        self.args, self.folder = args, Path(args.out)
        self.rollout = Rollout(args)
        rules = self.rollout.env.rules.replace(name=RuleSet.load(args.rules).name)
        self.table = PolicyTable(rules, args.num_players, args.observation)
        self.learner = Learner(args, self.table)
        self.clock = Clock()
        self.active = np.zeros(self.table.observed.size, bool)
        self.cloned, self.decisions, self.iteration = 0, 0, 0
        self.best = -np.inf
        self.pool: list[dict[str, Tensor]] = []
        self.rows: list[dict[str, Any]] = []
        self.matches: list[dict[str, Any]] = []
        self._stopping = False
        self._board = _tensorboard(self.folder)
        console = Console()
        self._bar = Progress(
            *(*Progress.get_default_columns(), TextColumn("{task.fields[speed]}")),
            console=console,
            disable=not console.is_terminal,
        )
        self._task = self._bar.add_task("training", total=1.0, speed="")

    @classmethod
    def begin(cls, args: Arguments) -> Self:
        """The run of a folder, from its checkpoint if it has one."""
        training = cls(args)
        found = load_checkpoint(training.folder, asdict(args), FREE)
        if found is not None:
            training._restore(found)
            print(f"going on from {training.folder} after {training.decisions:,} decisions")
        return training

    def _restore(self, found: dict[str, Any]) -> None:
        self.learner.network.load_state_dict(found["network"])
        self.learner.optimizer.load_state_dict(found["optimizer"])
        torch.set_rng_state(found["random"])
        self.rollout.restore(bytes(found["games"].numpy()))
        self.clock.seconds = found["seconds"]
        self.active = found["active"].numpy()
        for name in ("cloned", "decisions", "iteration", "best", "pool", "rows", "matches"):
            setattr(self, name, found[name])

    def save(self) -> None:
        """Write the checkpoint."""
        content = {name: getattr(self, name) for name in ("cloned", "decisions", "iteration", "best", "pool")}
        save_checkpoint(
            self.folder,
            {
                **content,
                "arguments": asdict(self.args),
                "description": self.table.describe(),
                "policy": policy_weights(self.learner.network, self.active),
                "network": self.learner.network.state_dict(),
                "optimizer": self.learner.optimizer.state_dict(),
                "random": torch.get_rng_state(),
                "games": torch.frombuffer(bytearray(self.rollout.state()), dtype=torch.uint8),
                "active": torch.from_numpy(self.active),
                "seconds": self.clock.seconds,
                "rows": self.rows,
                "matches": self.matches,
            },
        )

    @property
    def seconds(self) -> float:
        """Seconds trained, all parts together."""
        return sum(self.clock.seconds.values())

    @property
    def progress(self) -> float:
        """Share of the training that is done, from 0 to 1."""
        shares = [0.0]
        if self.args.minutes:
            shares.append(self.seconds / (60 * self.args.minutes))
        if self.args.decisions:
            shares.append((self.cloned + self.decisions) / self.args.decisions)
        return min(max(shares), 1.0)

    def run(self) -> None:
        """Train to the end, or until interrupted.

        Raises:
            TrainingError: A figure is not finite, or the disk is full; the last checkpoint is intact.
        """
        before = signal.signal(signal.SIGINT, self._interrupt)
        self._bar.start()
        try:
            while self.cloned < self.args.clone_decisions and self.progress < 1 and not self._stopping:
                self._clone()
            if not self.pool and not self._stopping:
                self._end_cloning()
            while self.progress < 1 and not self._stopping:
                self._improve()
            if not self._stopping and (not self.matches or self.matches[-1]["decisions"] < self.decisions):
                self._play_matches()
            self.save()
            self._write_figures()
        finally:
            self._bar.stop()
            signal.signal(signal.SIGINT, before)

    def _tell(self, text: str) -> None:
        self._bar.console.print(f"{self.progress:4.0%}  {text}", highlight=False, soft_wrap=True)

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        if self._stopping:
            raise KeyboardInterrupt
        self._stopping = True
        print("\nstopping after this update; again to stop at once", file=sys.stderr)

    def _clone(self) -> None:
        for group in self.learner.optimizer.param_groups:
            group["lr"] = self.args.clone_learning_rate
        decisions = self._iterate(None, 0.0, self.rollout.player(self.args.teacher))
        self.cloned += decisions

    def _end_cloning(self) -> None:
        self.learner.optimizer = self.learner.fresh_optimizer(self.args.learning_rate)
        self._play_matches()
        self._keep_snapshot()
        self.save()

    def _keep_snapshot(self) -> None:
        state = self.learner.network.state_dict()
        self.pool = [*self.pool, {name: tensor.cpu().clone() for name, tensor in state.items()}][-self.args.pool :]

    def _improve(self) -> None:
        args, progress = self.args, self.progress
        for group in self.learner.optimizer.param_groups:
            group["lr"] = args.learning_rate + progress * (args.last_learning_rate - args.learning_rate)
        weights = self.pool[int(self.rollout.rng.integers(len(self.pool)))]
        before = self.decisions
        self.decisions += self._iterate(
            self.learner.snapshot(weights), args.entropy + progress * (args.last_entropy - args.entropy), None
        )
        if self.decisions // args.snapshot_every > before // args.snapshot_every:
            self._keep_snapshot()
        if self.decisions // args.match_every > before // args.match_every:
            self._play_matches()
            self.save()
            self._write_figures()

    def _iterate(self, snapshot: Network | None, entropy: float, teacher: Agent | None) -> int:
        """One rollout and what is learned from it; the number of decisions."""
        begin = perf_counter()
        rollout, clock = self.rollout, self.clock
        rollout.play(self.learner, snapshot, clock, teacher)
        clock("learning")
        self.active |= np.bitwise_or.reduce(rollout.observations.reshape(-1, len(self.active))) > 0
        advantages = rollout.advantages()
        figures = self.learner.learn(rollout, advantages, entropy, teacher is not None)
        clock("learning")
        broken = [name for name, value in figures.items() if not np.isfinite(value)]
        if broken or not all(bool(weight.isfinite().all()) for weight in self.learner.network.parameters()):
            raise TrainingError(
                f"update {self.iteration}: {', '.join(broken) or 'the weights'} are not finite; the last checkpoint "
                "is intact. A lower learning_rate or reward_scale, or bf16=no, may help"
            )
        self.iteration += 1
        known = ~np.isnan(advantages)
        count = int(known.sum())
        returns = (rollout.values + advantages)[known]
        row = {
            "iteration": self.iteration,
            "decisions": self.decisions if teacher else self.decisions + count,
            "cloned": self.cloned + count if teacher else self.cloned,
            "seconds": self.seconds,
            "entropy": np.nan,
            **figures,
            "explained": float(1 - np.var(advantages[known]) / np.var(returns)),
            "illegal": rollout.illegal,
            "decisions_per_s": count / (perf_counter() - begin),
            **{f"{part}_s": seconds for part, seconds in clock.seconds.items()},
        }
        self.rows.append(row)
        if self._board is not None:
            for name, value in row.items():
                self._board.add_scalar(name, value, self.iteration)
        self._bar.update(self._task, completed=self.progress, speed=f"{row['decisions_per_s']:,.0f} decisions/s")
        if self.iteration % 10 == 0:
            told = "  ".join(f"{name} {value:.3f}" for name, value in figures.items())
            self._tell(f"{row['decisions'] + row['cloned']:>11,} decisions  {row['decisions_per_s']:>7,.0f}/s  {told}")
        return count

    def _play_matches(self) -> None:
        self.clock("matches")
        agent = to_agent(self.learner.network, self.table, self.active)
        report = self.match(agent, self.args.judges, self.args.match_deals, self.args.seed)
        ahead = report.cross_table()
        own = report.match.reference
        for pair in report.pairs:
            other = pair.second if pair.first == own else pair.first
            value, low, high = ahead[own, other]
            won = pair.deals_won.value if pair.deals_won else np.nan
            won = won if pair.first == own else 1 - won
            told = {"opponent": other, "points": value, "low": low, "high": high, "won": won}
            self.matches.append({"decisions": self.decisions, "seconds": self.seconds, **told})
            self._tell(f"    against {other}: {value:+.2f} points a deal ({low:+.2f} to {high:+.2f}), {won:.1%} won")
        mean = float(np.mean([ahead[own, judge].value for judge in self.args.judges]))
        if mean > self.best:
            self.best = mean
            write_whole(self.folder / BEST, agent.save)
        self.clock("learning")

    def match(self, agent: Any, others: list[str], length: int, seed: int) -> Report:
        """A match of an agent against others, in duplicate deals or games as in training."""
        of = {"deals" if self.args.episode == "deal" else "games": length}
        reference = type(agent).__name__
        return run(
            Match([agent, *others], self.table.rules, self.args.num_players, seed=seed, reference=reference, **of)
        )

    def climb(self) -> Report | None:
        """Match of the best policy against the ladder, on deals that no choice was made by; None if there is none."""
        if not self.args.ladder_deals or not self.args.ladder:
            return None
        best = load_agent(str(self.folder / BEST))
        return self.match(best, self.args.ladder, self.args.ladder_deals, self.args.seed + FRESH)

    def _write_figures(self) -> None:
        write_table(self.folder / "progress.csv", self.rows)
        write_table(self.folder / "matches.csv", self.matches)
        draw_curves(self.folder / "curves.png", self.rows, self.matches)


def _tensorboard(folder: Path) -> Any:
    """A writer for TensorBoard, or None where it is not installed."""
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        return None
    return SummaryWriter(str(folder))


def main(args: Arguments | None = None) -> None:
    """Train as the command line says, and tell what came of it."""
    try:
        training = Training.begin(args or read_arguments(Arguments))
        training.run()
        report = training.climb() if training.progress >= 1 else None
    except (RummyError, OSError) as error:
        sys.exit(f"error: {error}")
    for table in report.tables() if report else ():
        Console().print(table)
    parts = {name: seconds / training.seconds for name, seconds in training.clock.seconds.items()}
    print(f"{training.seconds / 60:.1f} minutes: " + ", ".join(f"{share:.0%} {name}" for name, share in parts.items()))
    curves = training.folder / "curves.png"
    drawn = curves if curves.exists() else "not drawn: pip install 'rummy-env[plot]'"
    print(f"{training.rollout.illegal} illegal actions; best policy {training.folder / BEST}, curves {drawn}")


if __name__ == "__main__":
    main()
