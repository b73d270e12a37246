"""Masked PPO by self-play on the batch engine, from a clone of a scripted player.

    python -m training.ppo --config configs/train/basic_2p.yaml --minutes 5

Every field of `Arguments` can be given in the file or on the command line. The same command goes on where an earlier
one was stopped. The folder of the run gets `checkpoint.pt`, `best.npz` (the policy that did best in its matches, which
``rummy arena`` plays), `progress.csv`, `matches.csv` and `curves.png`.
"""

import signal
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
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

from rummy_env.agents import load_agent
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
from training.rollout import Decisions, Rollout


@dataclass
class Arguments:
    """Arguments of masked PPO by self-play."""

    rules: Any = "basic_rummy"
    """Preset, YAML file or mapping of options, as `RuleSet.load` takes them."""
    num_players: int = 2
    """Seats at the table."""
    max_turns: int = 0
    """Turns of all players after which a deal is over while training; 0 for those of the rules."""
    episode: str = "deal"
    """``"deal"`` for single deals, ``"game"`` for whole games."""
    deals: Any = None
    """Contracts that are dealt, as for `SelfPlayVectorEnv`; null for all."""
    first_deals: Any = None
    """Contracts that single deals are of at first; null for the same as later."""
    first_deals_until: float = 0.3
    """Share of the training after which they give way to `deals`."""
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
    epochs: int = 1
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
    win_bonus: float = 0.0
    """What winning is paid besides its points, by the others in equal shares: going out in a deal, the whole game."""
    shaping: float = 0.0
    """Weight of the potential of the hands, as in `rummy_env.envs.shaping`, at the beginning; it falls linearly."""
    shaping_until: float = 0.4
    """Share of the training after which nothing is paid for it any more."""
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
    oracle: bool = False
    """Whether values are learned, in training only, with the cards in sight that nobody sees."""
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
    threads: int = 2
    """Threads, each of which plays its share of the games and learns from its share of every minibatch."""
    device: str = "auto"
    """``"cpu"``, ``"cuda"``, or ``"auto"`` for a GPU where there is one."""
    bf16: str = "auto"
    """Whether layers compute in bfloat16: ``"yes"``, ``"no"``, or ``"auto"`` where the processor is faster at it."""
    out: str = "runs/ppo"
    """Folder of the run."""


FREE = ("minutes", "decisions", "ladder", "ladder_deals", "out")
"""Arguments in which a run that goes on may differ from what it was."""
FRESH = 10**9
"""How far the seed of the last match is from that of the training."""


class Learner:
    """The network and its optimizer, on their device.

    Each thread computes the gradients of its own decisions, on a network that shares the weights and has gradients of
    its own; an update goes by their mean.

    Attributes:
        network: What is trained.
        optimizer: Adam.
        threads: Threads, one for each part of the games.
    """

    def __init__(self, args: Arguments, table: PolicyTable, secrets: int) -> None:
        self._args = args
        self._device = torch.device(
            ("cuda" if torch.cuda.is_available() else "cpu") if args.device == "auto" else args.device
        )
        self._bf16 = args.bf16 == "yes" or (args.bf16 == "auto" and _has_fast_bf16(self._device))
        self._renamings = suit_renamings(table) if args.augment else []
        self.network = Network(table, args.hidden, secrets).to(self._device)
        self.optimizer = self.fresh_optimizer(args.learning_rate)
        self.threads = ThreadPoolExecutor(args.threads, initializer=torch.set_num_threads, initargs=(1,))
        self._networks = [self.network]
        for _ in range(1, args.threads):
            network = deepcopy(self.network)
            for weight, shared in zip(network.parameters(), self.network.parameters(), strict=True):
                weight.data = shared.data
            self._networks.append(network)

    def fresh_optimizer(self, learning_rate: float) -> torch.optim.Adam:
        """An Adam that has seen nothing."""
        return torch.optim.Adam(self.network.parameters(), lr=learning_rate, eps=1e-5, fused=True)

    def _forward(self, network: Network, observations: Tensor, secrets: Tensor) -> tuple[Tensor, Tensor]:
        with torch.autocast(self._device.type, torch.bfloat16, enabled=self._bf16):
            logits, values = network(observations, secrets)
        return logits, values

    def infer(self, network: Network, *inputs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Logits and values, float32, without gradients; for observations and secrets."""
        with torch.inference_mode():
            logits, values = self._forward(network, *(torch.from_numpy(array).to(self._device) for array in inputs))
            return logits.cpu().numpy(), values.cpu().numpy()

    def snapshot(self, weights: dict[str, Tensor]) -> Network:
        """A network with other weights."""
        network = deepcopy(self.network)
        network.load_state_dict(weights)
        return network

    def learn(self, parts: list[Decisions], entropy: float, cloning: bool) -> dict[str, float]:
        """Learn from the decisions of all threads, by PPO or from the labels; figures are means over minibatches."""
        args, steps = self._args, max(1, round(sum(map(len, parts)) / self._args.minibatch))
        advantages = torch.cat([part.advantages for part in parts])
        explained = float(1 - advantages.var() / torch.cat([part.returns for part in parts]).var())
        for part in parts:
            part.advantages = (part.advantages - advantages.mean()) / (advantages.std() + 1e-8)
        figures: list[dict[str, float]] = []
        for _ in range(1 if cloning else args.epochs):
            orders = [torch.randperm(len(part)).tensor_split(steps) for part in parts]
            for rows in zip(*orders, strict=True):
                renaming = self._renamings[int(torch.randint(len(self._renamings), ()))] if self._renamings else None

                def work(network: Network, part: Decisions, rows: Tensor, renaming: Any = renaming) -> dict[str, float]:
                    return self._gradients(network, part.rows(rows, self._device), renaming, entropy, cloning)

                figures += self.threads.map(work, self._networks, parts, rows)
                self._update()
        means = {name: float(np.mean([each[name] for each in figures])) for name in figures[0]}
        return {**means, "explained": explained}

    def _gradients(
        self, network: Network, batch: Decisions, renaming: tuple[Tensor, Tensor] | None, entropy: float, cloning: bool
    ) -> dict[str, float]:
        """Leave the gradients of a minibatch in a network."""
        if renaming is not None:
            columns, actions = renaming
            batch.observations = batch.observations[:, columns]
            batch.choices = torch.where(batch.choices < 0, -1, actions.argsort()[batch.choices])
        loss, figures = self._loss(network, batch, entropy, cloning)
        network.zero_grad()
        loss.backward()
        return {name: value.item() for name, value in figures.items()}

    def _update(self) -> None:
        weights = [list(network.parameters()) for network in self._networks]
        for first, *others in zip(*weights, strict=True):
            assert first.grad is not None
            for other in others:
                first.grad += other.grad
            first.grad /= len(self._networks)
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), self._args.max_gradient)
        self.optimizer.step()

    def _loss(
        self, network: Network, batch: Decisions, entropy: float, cloning: bool
    ) -> tuple[Tensor, dict[str, Tensor]]:
        args, chosen = self._args, batch.chosen[:, None]
        logits, values = self._forward(network, batch.observations, batch.secrets)
        illegal = batch.choices < 0
        log_probs = logits.gather(1, batch.choices.clamp(0)).masked_fill(illegal, -1e9).log_softmax(1)
        value_loss = (values - batch.returns).square().mean()
        if cloning:
            imitation = -log_probs.gather(1, chosen).mean()
            agreement = (log_probs.argmax(1, keepdim=True) == chosen).float().mean()
            return imitation + args.value_weight * value_loss, {
                "policy_loss": imitation.detach(),
                "value_loss": value_loss.detach(),
                "agreement": agreement,
            }
        disorder = -(log_probs.exp() * log_probs).sum(1).mean()
        log_ratio = log_probs.gather(1, chosen)[:, 0] - batch.log_probs
        ratio = log_ratio.exp()
        clipped = ratio.clamp(1 - args.clip, 1 + args.clip)
        policy_loss = -torch.min(ratio * batch.advantages, clipped * batch.advantages).mean()
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
        torch.set_num_threads(1)
        torch.manual_seed(args.seed)
        self.args, self.folder = args, Path(args.out)
        self.rollouts = [Rollout(args, part) for part in range(args.threads)]
        loaded = RuleSet.load(args.rules)
        rules = self.rollouts[0].env.rules.replace(name=loaded.name, max_turns_per_deal=loaded.max_turns_per_deal)
        self.table = PolicyTable(rules, args.num_players, args.observation)
        self.learner = Learner(args, self.table, self.rollouts[0].secrets.shape[-1])
        self.times = dict.fromkeys(("engine", "inference", "learning", "matches"), 0.0)
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
        for rollout, games in zip(self.rollouts, found["games"], strict=True):
            rollout.restore(bytes(games.numpy()))
        self.active = found["active"].numpy()
        for name in ("cloned", "decisions", "iteration", "best", "times", "pool", "rows", "matches"):
            setattr(self, name, found[name])

    def save(self) -> None:
        """Write the checkpoint."""
        content = {name: getattr(self, name) for name in ("cloned", "decisions", "iteration", "best", "times", "pool")}
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
                "games": [torch.frombuffer(bytearray(one.state()), dtype=torch.uint8) for one in self.rollouts],
                "active": torch.from_numpy(self.active),
                "rows": self.rows,
                "matches": self.matches,
            },
        )

    @property
    def seconds(self) -> float:
        """Seconds trained, all parts together."""
        return sum(self.times.values())

    @property
    def illegal(self) -> int:
        """Illegal actions chosen so far."""
        return sum(rollout.illegal for rollout in self.rollouts)

    @contextmanager
    def _timed(self, part: str) -> Iterator[None]:
        began = perf_counter()
        yield
        self.times[part] += perf_counter() - began

    @property
    def progress(self) -> float:
        """Share of the training that is done, from 0 to 1."""
        shares = [0.0]
        if self.args.minutes:
            shares.append(self.seconds / (60 * self.args.minutes))
        if self.args.decisions:
            shares.append((self.cloned + self.decisions) / self.args.decisions)
        return min(max(shares), 1.0)

    def _between(self, first: float, last: float) -> float:
        """What falls linearly over the training, now."""
        return first + self.progress * (last - first)

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
        self.cloned += self._iterate(None, 0.0, self.args.teacher)

    def _end_cloning(self) -> None:
        self.learner.optimizer = self.learner.fresh_optimizer(self.args.learning_rate)
        self._play_matches()
        self._keep_snapshot()
        self.save()

    def _keep_snapshot(self) -> None:
        state = self.learner.network.state_dict()
        self.pool = [*self.pool, {name: tensor.cpu().clone() for name, tensor in state.items()}][-self.args.pool :]

    def _improve(self) -> None:
        args = self.args
        for group in self.learner.optimizer.param_groups:
            group["lr"] = self._between(args.learning_rate, args.last_learning_rate)
        weights = self.pool[int(torch.randint(len(self.pool), ()))]
        before = self.decisions
        entropy = self._between(args.entropy, args.last_entropy)
        self.decisions += self._iterate(self.learner.snapshot(weights), entropy, None)
        if self.decisions // args.snapshot_every > before // args.snapshot_every:
            self._keep_snapshot()
        if self.decisions // args.match_every > before // args.match_every:
            self._play_matches()
            self.save()
            self._write_figures()

    def _iterate(self, snapshot: Network | None, entropy: float, teacher: str | None) -> int:
        """One rollout and what is learned from it; the number of decisions."""
        before = self.seconds
        parts = self._play(snapshot, teacher)
        with self._timed("learning"):
            figures = self.learner.learn(parts, entropy, teacher is not None)
        broken = [name for name, value in figures.items() if not np.isfinite(value)]
        if broken or not all(bool(weight.isfinite().all()) for weight in self.learner.network.parameters()):
            raise TrainingError(
                f"update {self.iteration}: {', '.join(broken) or 'the weights'} are not finite; the last checkpoint "
                "is intact. A lower learning_rate or reward_scale, or bf16=no, may help"
            )
        self.iteration += 1
        count = sum(map(len, parts))
        row = {
            "iteration": self.iteration,
            "decisions": self.decisions if teacher else self.decisions + count,
            "cloned": self.cloned + count if teacher else self.cloned,
            "seconds": self.seconds,
            "entropy": np.nan,
            **figures,
            "illegal": self.illegal,
            "decisions_per_s": count / (self.seconds - before),
            **{f"{part}_s": seconds for part, seconds in self.times.items()},
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

    def _play(self, snapshot: Network | None, teacher: str | None) -> list[Decisions]:
        """A rollout of every thread."""
        args = self.args
        shaping = args.shaping * max(0.0, 1 - self.progress / args.shaping_until)
        if args.first_deals is not None:
            first = self.progress < args.first_deals_until
            for rollout in self.rollouts:
                later = args.deals or rollout.env.rules.played_contracts
                rollout.env.set_deals(args.first_deals if first else later)

        def play(rollout: Rollout) -> float:
            return rollout.play(self.learner, snapshot, None if teacher is None else rollout.player(teacher), shaping)

        began = perf_counter()
        inference = float(np.mean(list(self.learner.threads.map(play, self.rollouts))))
        seconds = perf_counter() - began
        self.times["inference"] += inference * seconds
        self.times["engine"] += (1 - inference) * seconds
        with self._timed("learning"):
            for rollout in self.rollouts:
                seen = rollout.observations.reshape(-1, len(self.active))
                self.active |= np.bitwise_or.reduce(seen) > 0
            return list(self.learner.threads.map(Rollout.decisions, self.rollouts))

    def _play_matches(self) -> None:
        with self._timed("matches"):
            self._judge()

    def _judge(self) -> None:
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
    parts = {name: seconds / training.seconds for name, seconds in training.times.items()}
    print(f"{training.seconds / 60:.1f} minutes: " + ", ".join(f"{share:.0%} {name}" for name, share in parts.items()))
    curves = training.folder / "curves.png"
    drawn = curves if curves.exists() else "not drawn: pip install 'rummy-env[plot]'"
    print(f"{training.illegal} illegal actions; best policy {training.folder / BEST}, curves {drawn}")


if __name__ == "__main__":
    main()
