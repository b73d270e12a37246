"""Where a training run stands: its time, its figures, its matches and its best policy."""

import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from types import FrameType
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import Progress, TextColumn

from rummy_env.agents import Agent, load_agent, seat_agent
from rummy_env.arena.report import Report
from rummy_env.errors import ArgumentError
from rummy_env.rules import RuleSet
from training.arguments import check_least
from training.evaluation import play_match, results
from training.folder import LADDER, MATCHES, PROGRESS, TrainingError, draw_curves, write_table, write_whole

FRESH = 10**9
"""How far the seed of the last match is from that of the training."""
KEPT = ("decisions", "seconds", "times", "best", "rows", "matches")


@dataclass
class RunArguments:
    """What every training program is told, beside what is its own."""

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
    out: str = "runs/training"
    """Folder of the run."""

    def __post_init__(self) -> None:
        check_least(self, seed=0, match_every=1, minutes=0, decisions=0)
        if not self.judges:
            raise ArgumentError("judges=[]: name an agent or more")


class Run:
    """Where a run stands.

    Args:
        args: Its arguments.
        rules: Rules of its matches.
        best: Name of the file of its best policy.

    Attributes:
        folder: Folder of the run.
        decisions: Decisions of the learner so far, those of which is known what followed.
        seconds: Seconds up to the last update or match.
        times: Seconds of the parts of these that were told apart.
        best: Mean of the points against the judges of the best policy.
        rows: Figures of each update.
        matches: What each match has shown, as `results` says.

    Raises:
        ArgumentError: The arguments do not say when the run ends, or somebody whom the policy is to meet is not known
            or cannot play at this table.
    """

    def __init__(self, args: RunArguments, rules: RuleSet, best: str) -> None:
        if not args.minutes and not args.decisions:
            raise ArgumentError("minutes=0, decisions=0: say how long to train")
        for name in (*args.judges, *(args.ladder if args.ladder_deals else ())):
            seat_agent(name, rules, args.num_players)
        self._args, self._rules = args, rules
        self.folder, self.best_file = Path(args.out), Path(args.out) / best
        self.decisions, self.seconds, self.best = 0, 0.0, -np.inf
        self.times: dict[str, float] = {}
        self.rows: list[dict[str, Any]] = []
        self.matches: list[dict[str, Any]] = []
        self._since = perf_counter()
        self._stopping = False
        self._board: Any = None
        console = Console()
        self._bar = Progress(
            *(*Progress.get_default_columns(), TextColumn("{task.fields[speed]}")),
            console=console,
            disable=not console.is_terminal,
        )
        self._task = self._bar.add_task("training", total=1.0, speed="")

    def state(self) -> dict[str, Any]:
        """What a checkpoint has to keep."""
        return {name: getattr(self, name) for name in KEPT}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from what `state` gave."""
        for name in KEPT:
            setattr(self, name, state[name])
        self._since = perf_counter()

    @property
    def progress(self) -> float:
        """Share of the training that is done, from 0 to 1."""
        args, shares = self._args, [0.0]
        if args.minutes:
            shares.append(self.seconds / (60 * args.minutes))
        if args.decisions:
            shares.append(self.decisions / args.decisions)
        return min(max(shares), 1.0)

    @property
    def going_on(self) -> bool:
        """Whether there is more to be done: the end is not reached, and nobody has interrupted it."""
        return self.progress < 1 and not self._stopping

    def between(self, first: float, last: float) -> float:
        """What has become by now of a value that moves linearly from `first` to `last`."""
        return first + self.progress * (last - first)

    @contextmanager
    def interruptible(self) -> Iterator[None]:
        """Within, Ctrl-C ends the run after the update that it is in, and at once if it is pressed again."""
        self._since = perf_counter()
        self._board = _tensorboard(self.folder)
        before = signal.signal(signal.SIGINT, self._interrupt)
        self._bar.start()
        try:
            yield
        finally:
            self._bar.stop()
            signal.signal(signal.SIGINT, before)

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        if self._stopping:
            raise KeyboardInterrupt
        self._stopping = True
        print("\nstopping after this update; again to stop at once", file=sys.stderr)

    @contextmanager
    def timed(self, part: str) -> Iterator[None]:
        """What happens within is time of a part."""
        began = perf_counter()
        yield
        self.spend(part, perf_counter() - began)

    def spend(self, part: str, seconds: float) -> None:
        """Add to the time of a part."""
        self.times[part] = self.times.get(part, 0.0) + seconds

    def _elapsed(self) -> float:
        """Seconds since this was last asked, which are added to those of the run."""
        now = perf_counter()
        elapsed, self._since = now - self._since, now
        self.seconds += elapsed
        return elapsed

    def _tell(self, text: str) -> None:
        self._bar.console.print(f"{self.progress:4.0%}  {text}", highlight=False, soft_wrap=True)

    def note(self, decisions: int, figures: Mapping[str, float]) -> bool:
        """Take note of an update.

        Args:
            decisions: Decisions that it was made of.
            figures: What is to be written down about it.

        Returns:
            Whether it is time for a match.

        Raises:
            TrainingError: A figure is not finite.
        """
        broken = [name for name, value in figures.items() if not np.isfinite(value)]
        if broken:
            raise TrainingError(
                f"{', '.join(broken)} not finite after {self.decisions:,} decisions; the last checkpoint, if any, is "
                "intact. A lower learning_rate or reward_scale may help"
            )
        speed = decisions / self._elapsed()
        before, self.decisions = self.decisions, self.decisions + decisions
        at = {"decisions": self.decisions, "seconds": self.seconds, "decisions_per_s": speed}
        row = {**at, **figures, **{f"{part}_s": seconds for part, seconds in self.times.items()}}
        self.rows.append(row)
        if self._board is not None:
            for name, value in row.items():
                self._board.add_scalar(name, value, len(self.rows))
        self._bar.update(self._task, completed=self.progress, speed=f"{speed:,.0f} decisions/s")
        if len(self.rows) % 10 == 0:
            told = "  ".join(f"{name} {value:.3f}" for name, value in figures.items())
            self._tell(f"{self.decisions:>11,} decisions  {speed:>7,.0f}/s  {told}")
        return self.decisions // self._args.match_every > before // self._args.match_every

    def judge(self, agent: Agent, save: Callable[[Path], object]) -> None:
        """Play the matches against the judges, always the same deals, and save the policy if it is the best so far."""
        with self.timed("matches"):
            found = results(self._match(agent, self._args.judges, self._args.match_deals, self._args.seed))
        self._elapsed()
        for result in found:
            self.matches.append({"decisions": self.decisions, "seconds": self.seconds, **result})
            told = "{points:+.2f} points a deal ({low:+.2f} to {high:+.2f}), {won:.1%} won".format(**result)
            self._tell(f"    against {result['opponent']}: {told}")
        mean = float(np.mean([result["points"] for result in found]))
        if mean > self.best:
            self.best = mean
            write_whole(self.best_file, save)

    @property
    def judged(self) -> bool:
        """Whether nothing has been learned since the last match."""
        return bool(self.matches) and self.matches[-1]["decisions"] == self.decisions

    def _match(self, agent: Agent, others: list[str], length: int, seed: int) -> Report:
        args = self._args
        return play_match(agent, others, self._rules, args.num_players, episode=args.episode, length=length, seed=seed)

    def climb(self) -> Report | None:
        """Match of the best policy against the ladder, on deals that no choice was made by; None if there is none.

        What it has shown is written down, too.
        """
        args = self._args
        if not args.ladder_deals or not args.ladder:
            return None
        report = self._match(load_agent(str(self.best_file)), args.ladder, args.ladder_deals, args.seed + FRESH)
        write_table(self.folder / LADDER, results(report))
        return report

    def write_figures(self) -> None:
        """Write the tables and the curves."""
        write_table(self.folder / PROGRESS, self.rows)
        write_table(self.folder / MATCHES, self.matches)
        draw_curves(self.folder / "curves.png", self.rows, self.matches)

    def tell_end(self, illegal: int) -> None:
        """Tell what came of the run; the ladder only if it came to its end.

        Args:
            illegal: Illegal actions that the learner chose.
        """
        report = self.climb() if self.progress >= 1 else None
        for table in report.tables() if report else ():
            Console().print(table)
        speed = self.decisions / self.seconds if self.seconds else 0.0
        print(f"{self.decisions:,} decisions in {self.seconds / 60:.1f} minutes, {speed:,.0f} a second with all costs")
        if self.seconds:
            print(", ".join(f"{seconds / self.seconds:.0%} {part}" for part, seconds in self.times.items()))
        curves = self.folder / "curves.png"
        drawn = curves if curves.exists() else "not drawn: pip install 'rummy-env[plot]'"
        best = self.best_file if self.best_file.exists() else "not known before the first match"
        print(f"{illegal} illegal actions; best policy {best}, curves {drawn}")


def _tensorboard(folder: Path) -> Any:
    """A writer for TensorBoard, or None where it is not installed."""
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        return None
    return SummaryWriter(str(folder))
