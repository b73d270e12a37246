"""Masked PPO of RLlib by self-play with a small league, for those who outgrow one machine.

    python -m training.rllib_ppo --config configs/train/rllib_basic_2p.yaml --minutes 5 --runners 2

The learner plays itself, earlier states of itself, and scripted players. When it beats the newest of these states in a
match, it becomes the newest. The network is that of `training.ppo`, so the folder of the run gets `best.npz`, which
``rummy arena`` plays with NumPy alone; `progress.csv`, `matches.csv`, `ladder.csv` and `curves.png`; and
`checkpoint.pt` with a folder of RLlib's, from which the same command goes on. Needs the extra ``rllib``.
"""

import random
import shutil
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Self

import numpy as np
import ray
import torch
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module import MultiRLModuleSpec, RLModuleSpec
from ray.rllib.core.rl_module.apis import ValueFunctionAPI
from ray.rllib.core.rl_module.torch import TorchRLModule

from rummy_env.agents import decide, seat_agent
from rummy_env.envs.selfplay import SelfPlayVectorEnv
from rummy_env.errors import ArgumentError, RummyError
from rummy_env.integrations.rllib import RummyMultiAgentEnv
from rummy_env.policy import PolicyAgent, PolicyTable
from rummy_env.rules import RuleSet
from training.arguments import read_arguments
from training.evaluation import play_match, results
from training.folder import BEST, load_checkpoint, save_checkpoint
from training.network import Network, to_agent
from training.run import Run, RunArguments

LEARNER = "learner"
SCRIPTED = "scripted"
"""Entry of the configuration of an environment: the share of the games of each scripted player, by its name."""


@dataclass
class Arguments(RunArguments):
    """Arguments of RLlib's PPO with a league."""

    deals: Any = None
    """Contracts that are dealt, as for the PettingZoo environments; null for all."""
    seed: int = 1
    """Seed of the networks, the environments and the matches; what RLlib samples is not repeatable."""
    minutes: float = 0.0
    """Time after which the training is over; 0 for no such end."""
    decisions: int = 0
    """The same in decisions of the learner."""
    runners: int = 0
    """Processes that play, on this machine or others of a Ray cluster; 0 to play in this one."""
    num_envs: int = 32
    """Games side by side in each of them."""
    batch: int = 8192
    """Steps of all games between two updates."""
    hidden: list[int] = field(default_factory=lambda: [256, 128])
    """Sizes of the hidden layers."""
    epochs: int = 2
    """Times that each decision is learned from."""
    minibatch: int = 512
    """Decisions of one gradient step."""
    learning_rate: float = 5e-4
    """Step size of Adam."""
    gamma: float = 1.0
    """Discount from a decision of a seat to its next."""
    gae_lambda: float = 0.95
    """Weight of later decisions in the generalised advantage estimate."""
    clip: float = 0.2
    """How far the probability of an action may move in an update."""
    entropy: float = 0.01
    """Weight of the entropy."""
    value_weight: float = 0.5
    """Weight of the error of the values."""
    max_gradient: float = 0.5
    """Longest gradient; longer ones are shortened."""
    scripted: dict[str, float] = field(default_factory=lambda: {"planner": 0.25})
    """Share of the games in which some seats are played by a scripted player, by its name."""
    league: float = 0.25
    """Share of the other games in which all seats but one are played by an earlier state of the learner."""
    pool: int = 5
    """Number of earlier states that are kept, the oldest go first."""
    match_deals: int = 300
    """Duplicate deals of such a match (games with ``episode="game"``), and of that against the newest earlier state."""
    match_every: int = 100_000
    """Decisions between two of them, and between two checkpoints."""
    threads: int = 1
    """Threads of PyTorch."""
    address: str = ""
    """Address of the Ray cluster; empty for this machine alone."""
    out: str = "runs/rllib"
    """Folder of the run."""


FREE = ("minutes", "decisions", "runners", "ladder", "ladder_deals", "threads", "address", "out")
"""Arguments in which a run that goes on may differ from what it was."""


class Table(RummyMultiAgentEnv):
    """The games of `RummyMultiAgentEnv`, in some of which scripted players sit in some seats.

    Args:
        config: That of `RummyMultiAgentEnv`, and `SCRIPTED`.
    """

    def __init__(self, config: Mapping[str, Any]) -> None:
        arguments = dict(config)
        self._shares: dict[str, float] = arguments.pop(SCRIPTED)
        super().__init__(arguments)
        table = self.env.unwrapped
        self._scripted: dict[str, Any] = {
            name: seat_agent(name, table.rules, table.num_players) for name in self._shares
        }
        self._players: dict[str, Any] = {}
        self._rng = random.Random()

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[dict[str, Any], dict[str, Any]]:
        """Start an episode, and play to the first decision that is asked for."""
        if seed is not None:
            self._rng.seed(seed)
        name = self._rng.choices([None, *self._shares], [1 - sum(self._shares.values()), *self._shares.values()])[0]
        seats = self._rng.sample(self.possible_agents, self._rng.randrange(1, len(self.possible_agents)))
        self._players = {} if name is None else dict.fromkeys(seats, self._scripted[name])
        if name is not None and hasattr(self._scripted[name], "reset"):
            self._scripted[name].reset(self._rng.getrandbits(62))
        observations, infos = super().reset(seed=seed, options=options)
        result = self._play_on((observations, {}, {"__all__": False}, {}, infos))
        return self.reset(options=options) if result[2]["__all__"] else (result[0], result[4])

    def step(self, action_dict: dict[str, Any]) -> tuple[dict[str, Any], ...]:
        """As `RummyMultiAgentEnv.step`; the scripted seats are played and not told of."""
        return self._play_on(super().step(action_dict))

    def _play_on(self, result: tuple[dict[str, Any], ...]) -> tuple[dict[str, Any], ...]:
        while not result[2]["__all__"] and self.env.agent_selection in self._players:
            agent = self.env.agent_selection
            result = super().step({agent: decide(self._players[agent], self.env.unwrapped.game)})
        return tuple({key: value for key, value in part.items() if key not in self._players} for part in result)


class MaskedNetwork(TorchRLModule, ValueFunctionAPI):
    """`Network` as a module of RLlib: the logits of illegal actions are so low that they are never drawn."""

    def setup(self) -> None:
        """Make the network, from ``"table"`` and ``"hidden"`` in the configuration."""
        table: PolicyTable = self.model_config["table"]
        self.network = Network(table, self.model_config["hidden"])
        self.register_buffer("active", torch.zeros(table.observed.size, dtype=torch.bool))

    def _forward(self, batch: dict[str, Any], **_: Any) -> dict[str, torch.Tensor]:
        seen = batch[Columns.OBS]
        logits, values = self.network(seen["observations"])
        # PPO hands the embeddings back to `compute_values`, which need not ask the network again.
        return {
            Columns.ACTION_DIST_INPUTS: logits.masked_fill(seen["action_mask"] == 0, -1e9),
            Columns.EMBEDDINGS: values,
        }

    def _forward_train(self, batch: dict[str, Any], **_: Any) -> dict[str, torch.Tensor]:
        self.active |= batch[Columns.OBS]["observations"].amax(0) > 0
        return self._forward(batch)

    def compute_values(self, batch: dict[str, Any], embeddings: torch.Tensor | None = None) -> torch.Tensor:
        """Values of the positions of a batch."""
        return self.network(batch[Columns.OBS]["observations"])[1] if embeddings is None else embeddings


def choose_module(agent: str, episode: Any, *, seats: int, league: float, pool: int, **_: Any) -> str:
    """Who plays a seat: the learner, or in a share of the episodes one of the earlier states in all seats but one."""
    rng = random.Random(episode.id_)
    if rng.random() >= league or agent == f"player_{rng.randrange(seats)}":
        return LEARNER
    return f"state_{rng.randrange(pool)}"


def configure(args: Arguments, table: PolicyTable) -> PPOConfig:
    """What RLlib is told."""
    variant = "basic_rummy" if table.rules.contracts is None else "contract_rummy"
    environment = {
        "env": f"rummy/{variant}-v0",
        **{name: getattr(args, name) for name in ("num_players", "rules", "episode", "deals", "reward", "observation")},
        "illegal_action": "raise",
        SCRIPTED: args.scripted,
    }
    names = [LEARNER, *(f"state_{number}" for number in range(args.pool))]
    module = RLModuleSpec(module_class=MaskedNetwork, model_config={"table": table, "hidden": args.hidden})
    mapping = partial(choose_module, seats=args.num_players, league=args.league, pool=args.pool)
    return (
        PPOConfig()
        # RLlib's check of an environment plays whatever the action space draws, also what is illegal.
        .environment(Table, env_config=environment, disable_env_checking=True)
        .env_runners(num_env_runners=args.runners, num_envs_per_env_runner=args.num_envs)
        .multi_agent(policies=set(names), policy_mapping_fn=mapping, policies_to_train=[LEARNER])
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs=dict.fromkeys(names, module)))
        .training(
            lr=args.learning_rate,
            gamma=args.gamma,
            lambda_=args.gae_lambda,
            clip_param=args.clip,
            entropy_coeff=args.entropy,
            vf_loss_coeff=args.value_weight,
            vf_clip_param=np.inf,
            use_kl_loss=False,
            grad_clip=args.max_gradient,
            grad_clip_by="global_norm",
            num_epochs=args.epochs,
            minibatch_size=args.minibatch,
            train_batch_size_per_learner=args.batch,
        )
        .debugging(seed=args.seed, log_level="ERROR")
    )


class Training:
    """A run: RLlib's algorithm, the league, and where it stands.

    Args:
        args: The arguments.

    Attributes:
        joined: How often the learner has joined the league.

    Raises:
        ArgumentError: They are impossible, or the folder holds another run.
    """

    def __init__(self, args: Arguments) -> None:
        if sum(args.scripted.values()) > 1 or min(args.scripted.values(), default=0) < 0:
            raise ArgumentError(f"scripted={args.scripted}: expected shares of the games, at most 1 in all")
        torch.set_num_threads(args.threads)
        self.args = args
        environment = {name: getattr(args, name) for name in ("rules", "num_players", "episode", "deals")}
        rules = SelfPlayVectorEnv(**environment).rules.replace(name=RuleSet.load(args.rules).name)
        self.table = PolicyTable(rules, args.num_players, args.observation)
        self.run = Run(args, rules, BEST)
        self.algorithm = configure(args, self.table).build_algo()
        self.joined = 0
        self._network = Network(self.table, args.hidden)
        self._join()

    @classmethod
    def begin(cls, args: Arguments) -> Self:
        """The run of a folder, from its checkpoint if it has one."""
        found = load_checkpoint(Path(args.out), asdict(args), FREE)
        ray.init(address=args.address or None, include_dashboard=False, log_to_driver=False, ignore_reinit_error=True)
        training = cls(args)
        if found is not None:
            training.algorithm.restore_from_path(str((training.run.folder / found["rllib"]).resolve()))
            training.joined = found["joined"]
            training.run.restore(found["run"])
            print(f"going on from {training.run.folder} after {training.run.decisions:,} decisions")
        return training

    def save(self) -> None:
        """Write the checkpoint, and remove the one before."""
        name = f"rllib-{self.run.decisions}"
        folder = self.run.folder / name
        self.algorithm.save_to_path(str(folder.resolve()))
        content = {"arguments": asdict(self.args), "rllib": name, "joined": self.joined, "run": self.run.state()}
        save_checkpoint(self.run.folder, content)
        for old in self.run.folder.glob("rllib-*"):
            if old != folder:
                shutil.rmtree(old)

    def close(self) -> None:
        """End the processes of the algorithm."""
        self.algorithm.stop()

    def agent(self, module: str = LEARNER) -> PolicyAgent:
        """The policy of a module as it is now."""
        weights = self.algorithm.learner_group.get_weights([module])[module]
        tensors = {name: torch.as_tensor(array) for name, array in weights.items()}
        active = tensors.pop("active").numpy()
        self._network.load_state_dict({name.removeprefix("network."): tensor for name, tensor in tensors.items()})
        return to_agent(self._network, self.table, active)

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

    def _update(self) -> bool:
        """One iteration of RLlib; whether a match is due."""
        result = self.algorithm.train()
        told = result["learners"][LEARNER]
        names = {"policy_loss": "policy_loss", "value_loss": "vf_loss", "entropy": "entropy"}
        decisions = result["env_runners"]["num_module_steps_sampled"][LEARNER]
        return self.run.note(int(decisions), {name: float(told[key]) for name, key in names.items()})

    def _judge(self) -> None:
        agent = self.agent()
        self.run.judge(agent, agent.save)
        if self._beats_newest(agent):
            self._join()
        self.save()
        self.run.write_figures()

    def _beats_newest(self, agent: PolicyAgent) -> bool:
        """Whether the learner is ahead of the newest state of the league beyond doubt."""
        args, newest = self.args, (self.joined - 1) % self.args.pool
        path = self.run.folder / "newest.npz"
        self.agent(f"state_{newest}").save(path)
        match = {"episode": args.episode, "length": args.match_deals, "seed": args.seed + self.joined}
        (result,) = results(play_match(agent, [str(path)], self.table.rules, args.num_players, **match))
        return bool(result["low"] > 0)

    def _join(self) -> None:
        """The learner as it is now becomes the newest state of the league; at first it is all of them."""
        group, pool = self.algorithm.learner_group, self.args.pool
        weights = group.get_weights([LEARNER])[LEARNER]
        names = [f"state_{number}" for number in ([self.joined % pool] if self.joined else range(pool))]
        group.set_weights(dict.fromkeys(names, weights))
        self.algorithm.env_runner_group.sync_weights(
            from_worker_or_learner_group=group, policies=names, inference_only=True
        )
        self.joined += 1


def main(args: Arguments | None = None) -> None:
    """Train as the command line says, and tell what came of it."""
    try:
        training = Training.begin(args or read_arguments(Arguments))
        training.train()
        training.close()
        training.run.tell_end(illegal=0)  # one would have ended the run
    except (RummyError, OSError) as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()
