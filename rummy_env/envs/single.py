"""The single-agent face: one seat of a game as a Gymnasium environment, the other seats played inside."""

from collections.abc import Mapping
from operator import index
from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box

from rummy_env.envs.arguments import Deals, check_choice, check_render_mode
from rummy_env.envs.seat_games import SeatGames
from rummy_env.envs.spaces import ActionSpace
from rummy_env.errors import GameOverError, IllegalActionError, ResetNeededError
from rummy_env.game import Game, check_seed
from rummy_env.render.modes import RENDER_FPS, RENDER_MODES, Renderer
from rummy_env.rules import RuleSet

VIEWERS = (None, "learner")


class SeatEnv(gymnasium.Env[np.ndarray, np.int64]):
    """One seat of a game of rummy, from a decision of its own to the next.

    ``gymnasium.make("rummy/ContractRummy-v0")``, ``gymnasium.make("rummy/BasicRummy-v0")`` after ``import rummy_env``.

    **Transition.** A turn is several small decisions (a draw, placements, a discard). Each is a step; the step that
    ends the turn also plays the turns of all others. Rewards of everything in between are summed, so a deal that an
    opponent ends is paid with the learner's last decision before. What is paid before the learner's first decision
    comes with its first reward.

    **Observation.** ``Box(0, 1, (size,), int8)``, what the seat may know; `ObservationLayout` names its parts.
    **Action.** ``Discrete(n)``; `ActionLayout` names them.

    **Reward.** `reward="score"`: at the end of each deal, zero-sum over the seats, in hundreds of points.
    ``"win"``: at the end of the episode, the winners share +1 and the others share -1, 0 if all tie.

    **End.** The episode terminates with the last deal, and never truncates. An action outside the mask forfeits it:
    terminated, reward -1. With `illegal_action="raise"` it raises `IllegalActionError` instead and nothing changes.

    **Information.** ``"action_mask"`` (int8, always), ``"seat"`` (of the learner, after `reset` and at the end),
    ``"deals"`` (list of summaries of the deals that have ended since the last decision, if any), and at the end
    ``"scores"`` (int32, per seat), ``"winners"`` (list of seats) or, after a forfeit, ``"illegal_action"`` (its id).

    **Seeding.** ``reset(seed=s)`` plays the game ``Game(rules, num_players, s)``; without a seed, `np_random` draws
    it. ``options={"position": …}`` goes on from a position as `Game.to_dict` gives it; other options are ignored.

    Args:
        variant: Preset of the environment, ``"contract_rummy"`` or ``"basic_rummy"``.
        render_mode: ``"ansi"``: `render` returns the table as text; ``"rgb_array"``: as a picture, uint8 of shape
            ``(640, 960, 3)``; ``"human"``: every step shows it in a window. The last two need the extra ``render``.
        viewer: ``"learner"``: only the learner's hand is shown; None: all hands are.
        num_players: Seats; None is the usual number of the rules.
        rules: Name of a preset, path of a YAML file, `RuleSet`, or mapping of options over the preset `variant`.
        episode: ``"game"`` for all deals, ``"deal"`` for a single one.
        deals: Numbers of the contracts to be played, in order; with `episode="deal"` the list to draw from, or a
            mapping from each to its weight.
        reward: ``"score"`` or ``"win"``.
        illegal_action: ``"forfeit"`` or ``"raise"``.
        observation: ``"plain"``, or ``"planning"``: after the same blocks some more that say what the cards are worth.
        seat: Seat of the learner, or ``"random"`` for one drawn in each episode.
        opponents: Name of an agent, an `Agent`, or a list with one of these for each other seat, beginning with the
            one that plays after the learner. See `rummy_env.agents` for names and the protocol.
        record: File to which every finished episode is appended, as a line that `rummy_env.record` reads. The games
            are the same, but slower: every opponent is asked from Python. Pictures then show the last moves too.

    Raises:
        ArgumentError: An argument is none of its choices.
        RulesError: The rules, the deals or the number of players don't fit together.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 -- as Gymnasium declares it
        "render_modes": list(RENDER_MODES),
        "render_fps": RENDER_FPS,
    }

    def __init__(
        self,
        variant: str = "contract_rummy",
        render_mode: str | None = None,
        viewer: str | None = None,
        **arguments: Any,
    ) -> None:
        self.render_mode = check_render_mode(render_mode, (None, *RENDER_MODES))
        self.viewer = check_choice("viewer", viewer, VIEWERS)
        self._renderer = Renderer(variant, self.metadata["render_fps"])
        self._table = SeatGames(1, variant, **arguments)
        self._row = np.zeros(1, np.int64)
        self._started = False
        self.observation_space = Box(0, 1, (self._table.observations.shape[1],), np.int8)
        self.action_space = ActionSpace(self._table.masks.shape[1])

    @property
    def rules(self) -> RuleSet:
        """The rules in force, with what `episode` and `deals` make of them."""
        return self._table.rules

    @property
    def num_players(self) -> int:
        """Seats at the table."""
        return self._table.num_players

    @property
    def seat(self) -> int:
        """Seat of the learner in this episode."""
        self._need_start()
        return self._table.seat(0)

    @property
    def game(self) -> Game:
        """A copy of the game as it stands, all cards included; after a forfeit as before the illegal action."""
        self._need_start()
        return self._table.game(0)

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Start an episode, and play to the learner's first decision.

        Raises:
            SeedError: `seed` is no whole number from 0 to 2**63 - 1.
            PositionError: ``options["position"]`` is impossible here, or leaves the learner nothing to decide.
        """
        super().reset(seed=None if seed is None else check_seed(seed))
        self._table.start(self._row, [self.np_random], [seed], (options or {}).get("position"))
        self._started = True
        info = {"action_mask": self._table.masks[0].copy(), "seat": self._table.seat(0), **self._table.take_news(0)}
        self._show()
        return self._table.observations[0].copy(), info

    def step(self, action: int | np.integer) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Take the learner's decision, and play to its next one.

        Returns:
            Observation, reward, terminated, False, information; the arrays are fresh.

        Raises:
            IllegalActionError: `action` is outside the action space or, with ``illegal_action="raise"``, the mask.
            GameOverError: The episode is over.
            ResetNeededError: There was no `reset` yet.
        """
        self._need_start()
        table = self._table
        if table.over[0]:
            raise GameOverError("the episode is over: call reset() for the next one")
        table.play(self._row, np.array([self._checked(action)], np.int64))
        terminated = bool(table.over[0])
        info = {"action_mask": table.masks[0].copy(), **table.take_news(0)}
        self._show()
        return table.observations[0].copy(), float(table.take_rewards(self._row)[0]), terminated, False, info

    def set_deals(self, deals: Deals) -> None:
        """Draw the deals of later episodes from others of `deals`, or with other weights: a curriculum.

        Args:
            deals: Numbers of contracts, equally likely, or a mapping from numbers to weights; of those that the
                environment was made with, the others are not played.

        Raises:
            ArgumentError: A number is none of them, or an episode is no single deal of a game with contracts.
            RulesError: The weights are no numbers from 0, or all 0.
        """
        self._table.set_deals(deals)

    def _checked(self, action: Any) -> int:
        try:
            checked = index(action)
        except TypeError:
            checked = -1
        num_actions = self._table.masks.shape[1]
        if not 0 <= checked < num_actions:
            raise IllegalActionError(f"{action!r} is no action: expected a whole number, 0 … {num_actions - 1}")
        return checked

    def _need_start(self) -> None:
        if not self._started:
            raise ResetNeededError("there is no game before the first reset(): call reset() on the environment")

    def action_masks(self) -> np.ndarray:
        """The legal actions: bool, shape ``(n,)``, a fresh array; where sb3-contrib looks for them."""
        self._need_start()
        return self._table.masks[0].astype(np.bool_)

    def potential(self) -> float:
        """Minus what the learner's hand still costs, in cards, and 0 in an episode that is over; see `shaping`."""
        self._need_start()
        return float(self._table.potentials()[0])

    def render(self) -> str | np.ndarray | None:
        """The table as `render_mode` says; None where it is in the window, or nowhere.

        Raises:
            MissingExtraError: The mode needs pygame, which is not installed.
        """
        if self.render_mode is None:
            return None
        return self._renderer.render(
            self.render_mode, self.game, self.seat if self.viewer else None, self._table.moves(0)
        )

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def close(self) -> None:
        """Close the window, if there is one."""
        self._renderer.close()
