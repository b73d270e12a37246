"""The errors a user of this package can meet, all under one base class."""


class RummyError(Exception):
    """Base of every error that this package raises on purpose."""


class RulesError(RummyError, ValueError):
    """A rule set, or the table it was asked for, is impossible; names the field, the value and the remedy."""


class PositionError(RummyError, ValueError):
    """A position handed to `Game.from_dict` cannot arise; says which part of it and why."""


class IllegalActionError(RummyError, ValueError):
    """An action that the rules do not allow now, or that is no action at all; the state is unchanged."""


class GameOverError(IllegalActionError):
    """An action after the last deal has ended."""


class ArgumentError(RummyError, ValueError):
    """An argument of an environment that is not one of its choices; names it, the value and the choices."""


class RenderModeError(ArgumentError, TypeError):
    """A render mode that an environment lacks; a `TypeError` too, so that libraries that only try one go on without."""


class ResetNeededError(RummyError, AttributeError):
    """An environment was used before its first `reset`, where there is no game yet."""


class NotationError(RummyError, ValueError):
    """A text that names no card, no meld or no action."""


class SeedError(RummyError, TypeError):
    """A seed that is not a whole number from 0 to 2**63 - 1."""


class RecordError(RummyError, ValueError):
    """A game record that is damaged, edited or from another version; names the line."""


class MissingExtraError(RummyError, ImportError):
    """A library that comes with one of this package's extras is not installed; names the extra."""


class MessageError(RummyError, ValueError):
    """A message to the server of `rummy serve` that it does not obey.

    Attributes:
        code: The kind of error, for programs: ``"malformed"``, ``"too_large"``, ``"no_table"``, ``"unknown_table"``,
            ``"full"``, ``"bad_table"``, ``"stale"``, ``"illegal_move"``, ``"game_over"`` or ``"agent_failed"``.
    """

    def __init__(self, code: str, text: str) -> None:
        self.code = code
        super().__init__(text)
