"""Masked PPO of sb3-contrib against players that stay as they are, or a copy of itself: the conventional road.

    python -m training.sb3_maskable_ppo --config configs/train/sb3_basic_2p.yaml --minutes 5

Every field of `Arguments` can be given in the file or on the command line. The folder of the run gets `best.zip` (the
model that did best in its matches, which ``rummy arena`` plays), `last.zip`, `progress.csv`, `matches.csv`,
`ladder.csv` and `curves.png`. Needs the extra ``train``.
"""

import shutil
import sys
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.utils import ConstantSchedule

from rummy_env.envs.sb3 import SeatVecEnv, make_vec_env
from rummy_env.errors import ArgumentError, RummyError
from rummy_env.integrations.sb3_agent import MaskablePPOAgent
from rummy_env.rules import RuleSet
from training.arguments import read_arguments
from training.folder import write_whole
from training.run import Run, RunArguments

BEST, LAST = "best.zip", "last.zip"
SELF = "self"
"""What an opponent is called that is a copy of the learner."""


@dataclass
class Arguments(RunArguments):
    """Arguments of MaskablePPO."""

    deals: Any = None
    """Contracts that are dealt, as for `SeatEnv`; null for all."""
    opponents: list[str] = field(default_factory=lambda: ["planner"])
    """Who plays the seats after the learner's, one for all or one for each; ``"self"`` is a copy of the learner."""
    copy_every: int = 200_000
    """Decisions after which that copy is renewed."""
    num_envs: int = 256
    """Games side by side."""
    num_steps: int = 64
    """Decisions of each game between two updates."""
    hidden: list[int] = field(default_factory=lambda: [256, 128])
    """Sizes of the hidden layers, of the policy and of the values."""
    epochs: int = 4
    """Times that each decision is learned from."""
    minibatch: int = 512
    """Decisions of one gradient step."""
    learning_rate: float = 7e-4
    """Step size of Adam at the beginning; it falls linearly."""
    last_learning_rate: float = 7e-5
    """Step size at the end."""
    gamma: float = 1.0
    """Discount from a decision of the learner to its next."""
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
    match_deals: int = 500
    """Duplicate deals of such a match (games with ``episode="game"``)."""
    match_every: int = 500_000
    """Decisions between two of them."""
    threads: int = 1
    """Threads of PyTorch and of the engine."""
    device: str = "auto"
    """``"cpu"``, ``"cuda"``, or ``"auto"`` for a GPU where there is one."""
    out: str = "runs/sb3"
    """Folder of the run."""


class Copy:
    """An opponent that plays as the learner did when it was last renewed, drawing its actions.

    Args:
        observation: Kind of observation that the learner takes.
    """

    def __init__(self, observation: str) -> None:
        self.observation = observation
        self._policy: Any = None

    def renew(self, model: MaskablePPO) -> None:
        """Play as the model plays now."""
        if self._policy is None:  # a policy that has learned cannot be copied
            self._policy = deepcopy(model.policy)
        self._policy.load_state_dict(model.policy.state_dict())

    def act(self, observation: np.ndarray, action_mask: np.ndarray, info: Mapping[str, Any]) -> int:
        """An action drawn from the policy."""
        return int(self.act_batch(observation[None], action_mask[None])[0])

    def act_batch(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        """An action drawn from the policy for each of k rows."""
        actions: np.ndarray = self._policy.predict(observations, action_masks=action_masks)[0]
        return actions


class Progress(BaseCallback):
    """Moves the schedules, counts illegal actions, writes figures, plays matches, and ends the training.

    Args:
        args: The arguments.
        run: Where the run stands.
        copy: The opponent to be renewed.

    Attributes:
        illegal: Illegal actions of the learner.
    """

    def __init__(self, args: Arguments, run: Run, copy: Copy) -> None:
        super().__init__()
        self._args, self._run, self._copy = args, run, copy
        self.illegal = 0

    def _on_step(self) -> bool:
        self.illegal += sum("illegal_action" in info for info in self.locals["infos"])
        return self._run.going_on

    def _on_rollout_start(self) -> None:
        """What was learned from the last rollout, if any, is known now."""
        args, run, told = self._args, self._run, self.logger.name_to_value
        if "train/loss" in told:
            before = run.decisions
            figures = {
                "policy_loss": told["train/policy_gradient_loss"],
                "value_loss": told["train/value_loss"],
                "entropy": -told["train/entropy_loss"],
                "divergence": told["train/approx_kl"],
                "clipped": told["train/clip_fraction"],
            }
            if run.note(self.num_timesteps - before, {name: float(value) for name, value in figures.items()}):
                self.judge()
            if run.decisions // args.copy_every > before // args.copy_every:
                self._copy.renew(self.model)
        self.model.lr_schedule = ConstantSchedule(run.between(args.learning_rate, args.last_learning_rate))
        self.model.ent_coef = run.between(args.entropy, args.last_entropy)

    def judge(self) -> None:
        """Play the matches with the model as it is now, from its file."""
        last = self._run.folder / LAST
        write_whole(last, self.model.save)
        self._run.judge(MaskablePPOAgent(last), lambda path: shutil.copyfile(last, path))
        self._run.write_figures()


def make_games(args: Arguments, copy: Copy) -> SeatVecEnv:
    """The games that the learner plays, at one seat drawn in each."""
    variant = "basic_rummy" if RuleSet.load(args.rules).contracts is None else "contract_rummy"
    names = args.opponents * (args.num_players - 1) if len(args.opponents) == 1 else args.opponents
    return make_vec_env(
        variant,
        args.num_envs,
        num_players=args.num_players,
        rules=args.rules,
        episode=args.episode,
        deals=args.deals,
        reward=args.reward,
        seat="random",
        opponents=[copy if name == SELF else name for name in names],
        num_threads=args.threads,
        observation=args.observation,
    )


class Training:
    """A run: its games, its model, and where it stands.

    Args:
        args: The arguments.

    Raises:
        ArgumentError: They are impossible, or the folder holds another run.
    """

    def __init__(self, args: Arguments) -> None:
        torch.set_num_threads(args.threads)
        copy = Copy(args.observation)
        env = make_games(args, copy)
        self.run = Run(args, env.get_attr("rules")[0].replace(name=RuleSet.load(args.rules).name), BEST)
        if self.run.best_file.exists():
            raise ArgumentError(f"{self.run.folder} holds a run: give another folder with --out")
        self.model = MaskablePPO(
            "MlpPolicy",
            env,
            learning_rate=args.learning_rate,
            n_steps=args.num_steps,
            batch_size=args.minibatch,
            n_epochs=args.epochs,
            gamma=args.gamma,
            gae_lambda=args.gae_lambda,
            clip_range=args.clip,
            ent_coef=args.entropy,
            vf_coef=args.value_weight,
            max_grad_norm=args.max_gradient,
            policy_kwargs={"net_arch": args.hidden, "activation_fn": torch.nn.ReLU},
            seed=args.seed,
            device=args.device,
        )
        copy.renew(self.model)
        self.progress = Progress(args, self.run, copy)

    def train(self) -> None:
        """Train to the end, or until interrupted.

        Raises:
            TrainingError: A figure is not finite, or the disk is full.
        """
        with self.run.interruptible():
            self.model.learn(sys.maxsize, callback=self.progress, log_interval=None)
            if not self.run.judged:
                self.progress.judge()


def main(args: Arguments | None = None) -> None:
    """Train as the command line says, and tell what came of it."""
    try:
        training = Training(args or read_arguments(Arguments))
        training.train()
        training.run.tell_end(training.progress.illegal)
    except (RummyError, OSError) as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()
