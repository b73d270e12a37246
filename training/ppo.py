"""Masked PPO by self-play on the batch engine, from a clone of a scripted player.

    python -m training.ppo --config configs/train/basic_2p.yaml --minutes 5

Every field of `Arguments` can be given in the file or on the command line. The same command goes on where an earlier
one was stopped. The folder of the run gets `checkpoint.pt`, `best.npz` (the policy that did best in its matches, which
``rummy arena`` plays), `progress.csv`, `matches.csv`, `ladder.csv` (matches of the best in the end) and `curves.png`.
"""

import sys
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from dataclasses import asdict, dataclass, field
from time import perf_counter
from typing import Any, Self

import numpy as np
import torch
from torch import Tensor

from rummy_env.errors import ArgumentError, RummyError
from rummy_env.policy import PolicyTable
from rummy_env.rules import RuleSet
from training.arguments import check_layers, check_least, read_arguments
from training.device import computes_in_bf16, find_device
from training.folder import BEST, load_checkpoint, save_checkpoint
from training.network import Network, policy_weights, to_agent
from training.renaming import suit_renamings
from training.rollout import Decisions, Rollout
from training.run import Run, RunArguments


@dataclass
class Arguments(RunArguments):
    """Arguments of masked PPO by self-play."""

    max_turns: int = 0
    """Turns of all players after which a deal is over while training; 0 for those of the rules."""
    hide: list[str] = field(default_factory=list)
    """Blocks of the observation that the network is not shown, to see what they are worth; ``["all"]`` for all."""
    first_deals: Any = None
    """Contracts that single deals are of at first; null for the same as later."""
    first_deals_until: float = 0.3
    """Share of the training after which they give way to `deals`."""
    num_envs: int = 1024
    """Games side by side."""
    num_steps: int = 40
    """Steps of all games between two updates."""
    hidden: list[int] = field(default_factory=lambda: [256, 128])
    """Sizes of the hidden layers."""
    epochs: int = 1
    """Times that each decision is learned from; those of the teacher are once."""
    minibatch: int = 1024
    """Decisions of one gradient step, all of one thread."""
    sure: float = 0.99
    """Probability of what was played above which a decision was sure: little but its value is learned from it."""
    sure_share: float = 0.25
    """Share of the sure decisions that are learned from, drawn at random; each counts for those left out, too."""
    learning_rate: float = 7e-4
    """Step size of Adam at the beginning, had the clone taken no time; it falls linearly."""
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
    """Whether every minibatch is seen with its suits renamed, though it was played with the names that it had."""
    threads: int = 2
    """Threads, each of which plays its share of the games and learns from minibatches of its own."""
    device: str = "auto"
    """``"cpu"``, ``"cuda"``, or ``"auto"`` for a GPU where there is one."""
    bf16: str = "auto"
    """Whether layers compute in bfloat16: ``"yes"``, ``"no"``, or ``"auto"`` where the processor is faster at it."""
    out: str = "runs/ppo"
    """Folder of the run."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_layers(self.hidden)
        check_least(self, num_envs=1, num_steps=1, epochs=1, minibatch=1, snapshot_every=1, pool=1, threads=1)


FREE = ("minutes", "decisions", "ladder", "ladder_deals", "out")
"""Arguments in which a run that goes on may differ from what it was."""


class Learner:
    """The network and its optimizer, on their device.

    Each thread computes the gradients of its own decisions, on a network that shares the weights and has gradients of
    its own. Each makes a step by its gradients, in turn; all were computed before the first of these steps.

    Attributes:
        network: What is trained.
        optimizer: Adam.
        threads: Threads, one for each part of the games.
    """

    def __init__(self, args: Arguments, table: PolicyTable, secrets: int) -> None:
        self._args = args
        self._device = find_device(args.device)
        self._bf16 = computes_in_bf16(args.bf16, self._device)
        renamings = suit_renamings(table, secrets) if args.augment else []
        self._renamings = [tuple(source.to(self._device) for source in each) for each in renamings]
        self.network = Network(table, args.hidden, secrets).to(self._device)
        self.forget_steps()
        self.threads = ThreadPoolExecutor(args.threads, initializer=torch.set_num_threads, initargs=(1,))
        self._networks = [self.network]
        for _ in range(1, args.threads):
            network = deepcopy(self.network)
            for weight, shared in zip(network.parameters(), self.network.parameters(), strict=True):
                weight.data = shared.data
            self._networks.append(network)

    def forget_steps(self) -> None:
        """Begin with a new Adam."""
        self.optimizer = torch.optim.Adam(self.network.parameters(), self._args.learning_rate, eps=1e-5, fused=True)

    def set_learning_rate(self, learning_rate: float) -> None:
        """Step by it from now on."""
        for group in self.optimizer.param_groups:
            group["lr"] = learning_rate

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
        args, sizes = self._args, [len(part) for part in parts]
        if not min(sizes):
            raise ArgumentError(
                f"num_envs={args.num_envs}, num_steps={args.num_steps}: too few for a decision of which is known what "
                "followed; take more"
            )
        steps = max(1, min(*sizes, round(np.mean(sizes) / args.minibatch)))
        weights = torch.cat([part.weights for part in parts])
        mean, spread = _moments(torch.cat([part.advantages for part in parts]), weights)
        _, varied = _moments(torch.cat([part.returns for part in parts]), weights)
        explained = float(1 - (spread / varied.clamp(min=1e-9)) ** 2)
        scale = weights.mean()
        for part in parts:
            part.weights = part.weights / scale
            part.advantages = (part.advantages - mean) / (spread + 1e-8)
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
        self, network: Network, batch: Decisions, renaming: tuple[Tensor, ...] | None, entropy: float, cloning: bool
    ) -> dict[str, float]:
        """Leave the gradients of a minibatch in a network."""
        if renaming is not None:
            columns, actions, hidden = renaming
            batch.observations, batch.secrets = batch.observations[:, columns], batch.secrets[:, hidden]
            batch.choices = torch.where(batch.choices < 0, -1, actions.argsort()[batch.choices])
        loss, figures = self._loss(network, batch, entropy, cloning)
        network.zero_grad()
        loss.backward()
        return {name: value.item() for name, value in figures.items()}

    def _update(self) -> None:
        for network in self._networks:
            torch.nn.utils.clip_grad_norm_(network.parameters(), self._args.max_gradient)
            for weight, found in zip(self.network.parameters(), network.parameters(), strict=True):
                weight.grad = found.grad  # shared until zero_grad drops both
            self.optimizer.step()

    def _loss(
        self, network: Network, batch: Decisions, entropy: float, cloning: bool
    ) -> tuple[Tensor, dict[str, Tensor]]:
        args, chosen, weights = self._args, batch.chosen[:, None], batch.weights
        logits, values = self._forward(network, batch.observations, batch.secrets)
        illegal = batch.choices < 0
        log_probs = logits.gather(1, batch.choices.clamp(0)).masked_fill(illegal, -1e9).log_softmax(1)
        value_loss = (weights * (values - batch.returns).square()).mean()
        if cloning:
            imitation = -(weights * log_probs.gather(1, chosen)[:, 0]).mean()
            agreement = (log_probs.argmax(1, keepdim=True) == chosen).float().mean()
            return imitation + args.value_weight * value_loss, {
                "policy_loss": imitation.detach(),
                "value_loss": value_loss.detach(),
                "agreement": agreement,
            }
        disorder = -(weights * (log_probs.exp() * log_probs).sum(1)).mean()
        log_ratio = log_probs.gather(1, chosen)[:, 0] - batch.log_probs
        ratio = log_ratio.exp()
        clipped = ratio.clamp(1 - args.clip, 1 + args.clip)
        policy_loss = -(weights * torch.min(ratio * batch.advantages, clipped * batch.advantages)).mean()
        loss = policy_loss + args.value_weight * value_loss - entropy * disorder
        return loss, {
            "policy_loss": policy_loss.detach(),
            "value_loss": value_loss.detach(),
            "entropy": disorder.detach(),
            "divergence": (weights * (ratio - 1 - log_ratio)).mean().detach(),
            "clipped": (weights * ((ratio - 1).abs() > args.clip)).mean(),
        }


def _moments(values: Tensor, weights: Tensor) -> tuple[Tensor, Tensor]:
    """Mean and standard deviation of weighted values."""
    mean = (weights * values).sum() / weights.sum()
    return mean, ((weights * (values - mean).square()).sum() / weights.sum()).sqrt()


class Training:
    """A run: its games, what learns from them, and where it stands.

    Args:
        args: The arguments.

    Attributes:
        run: Where it stands.
        rollouts: The games of each thread.

    Raises:
        ArgumentError: The arguments are impossible, or the folder holds another run.
    """

    def __init__(self, args: Arguments) -> None:
        torch.set_num_threads(1)
        torch.manual_seed(args.seed)
        self.args = args
        self.rollouts = [Rollout(args, part) for part in range(args.threads)]
        loaded = RuleSet.load(args.rules)
        rules = self.rollouts[0].rules.replace(name=loaded.name, max_turns_per_deal=loaded.max_turns_per_deal)
        self.run = Run(args, rules, BEST)
        self.table = PolicyTable(rules, args.num_players, args.observation)
        self.learner = Learner(args, self.table, self.rollouts[0].secrets.shape[-1])
        self._active = np.zeros(self.table.observed.size, bool)
        self._pool: list[dict[str, Tensor]] = []

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
        self.learner.network.load_state_dict(found["network"])
        self.learner.optimizer.load_state_dict(found["optimizer"])
        torch.set_rng_state(found["random"])
        for rollout, games in zip(self.rollouts, found["games"], strict=True):
            rollout.restore(bytes(games.numpy()))
        self._active, self._pool = found["active"].numpy(), found["pool"]
        self.run.restore(found["run"])

    def save(self) -> None:
        """Write the checkpoint."""
        content = {
            "arguments": asdict(self.args),
            "description": self.table.describe(),
            "policy": policy_weights(self.learner.network, self._active),
            "network": self.learner.network.state_dict(),
            "optimizer": self.learner.optimizer.state_dict(),
            "random": torch.get_rng_state(),
            "games": [torch.frombuffer(bytearray(one.state()), dtype=torch.uint8) for one in self.rollouts],
            "active": torch.from_numpy(self._active),
            "pool": self._pool,
            "run": self.run.state(),
        }
        save_checkpoint(self.run.folder, content)

    @property
    def illegal(self) -> int:
        """Illegal actions chosen so far."""
        return sum(rollout.illegal for rollout in self.rollouts)

    def train(self) -> None:
        """Train to the end, or until interrupted.

        Raises:
            TrainingError: A figure is not finite, or the disk is full; the last checkpoint is intact.
        """
        run, args = self.run, self.args
        with run.interruptible():
            while run.going_on and run.decisions < args.clone_decisions:
                self._clone()
            if not self._pool and run.decisions >= args.clone_decisions:
                self._end_cloning()
            while run.going_on:
                self._improve()
            if run.progress >= 1 and not run.judged:
                self._judge()
            self.save()
            run.write_figures()

    def _clone(self) -> None:
        """Learn what the teacher does."""
        self.learner.set_learning_rate(self.args.clone_learning_rate)
        if self._update(None, 0.0, self.args.teacher):
            self.save()

    def _end_cloning(self) -> None:
        self.learner.forget_steps()
        self._judge()
        self._keep_snapshot()
        self.save()

    def _improve(self) -> None:
        """Learn from playing, against earlier states and scripted players in some of the games."""
        args, run, before = self.args, self.run, self.run.decisions
        self.learner.set_learning_rate(run.between(args.learning_rate, args.last_learning_rate))
        snapshot = self.learner.snapshot(self._pool[int(torch.randint(len(self._pool), ()))])
        judging = self._update(snapshot, run.between(args.entropy, args.last_entropy), None)
        if run.decisions // args.snapshot_every > before // args.snapshot_every:
            self._keep_snapshot()
        if judging:
            self._judge()
            self.save()
            run.write_figures()

    def _keep_snapshot(self) -> None:
        state = self.learner.network.state_dict()
        self._pool = [*self._pool, {name: tensor.cpu().clone() for name, tensor in state.items()}][-self.args.pool :]

    def _judge(self) -> None:
        agent = to_agent(self.learner.network, self.table, self._active)
        self.run.judge(agent, agent.save)

    def _update(self, snapshot: Network | None, entropy: float, teacher: str | None) -> bool:
        """A rollout and what is learned from it; whether a match is due."""
        parts = self._play(snapshot, teacher)
        with self.run.timed("learning"):
            figures = self.learner.learn(parts, entropy, teacher is not None)
        if not all(bool(weight.isfinite().all()) for weight in self.learner.network.parameters()):
            figures["weights"] = np.nan
        return self.run.note(sum(rollout.known for rollout in self.rollouts), {**figures, "illegal": self.illegal})

    def _play(self, snapshot: Network | None, teacher: str | None) -> list[Decisions]:
        """A rollout of every thread."""
        args, run = self.args, self.run
        shaping = args.shaping * max(0.0, 1 - run.progress / args.shaping_until) if args.shaping_until else 0.0
        for rollout in self.rollouts:
            rollout.choose_deals(first=run.progress < args.first_deals_until)

        def play(rollout: Rollout) -> float:
            return rollout.play(self.learner, snapshot, None if teacher is None else rollout.player(teacher), shaping)

        began = perf_counter()
        inference = float(np.mean(list(self.learner.threads.map(play, self.rollouts))))
        seconds = perf_counter() - began
        run.spend("inference", inference * seconds)
        run.spend("engine", (1 - inference) * seconds)
        with run.timed("learning"):
            for rollout in self.rollouts:
                seen = rollout.observations.reshape(-1, len(self._active))
                self._active |= np.bitwise_or.reduce(seen) > 0
            return list(self.learner.threads.map(lambda rollout: rollout.decisions(teacher is None), self.rollouts))


def main(args: Arguments | None = None) -> None:
    """Train as the command line says, and tell what came of it."""
    try:
        training = Training.begin(args or read_arguments(Arguments))
        training.train()
        training.run.tell_end(training.illegal)
    except (RummyError, OSError) as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()
