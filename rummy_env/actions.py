"""Action ids: named blocks with offsets, and the way between ids, `Action`s and text."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from rummy_env.cards import FACE_TEXT, NUM_RANKS, RANKS, SUITS, parse_face
from rummy_env.engine.blocks import ActionBlock, action_blocks
from rummy_env.errors import IllegalActionError, NotationError
from rummy_env.rules import RuleSet

_DRAWS = ("draw_stock", "take_top")
_ENDS = ("low", "high", "set")


@dataclass(frozen=True)
class Action:
    """A primitive action: its kind (the name of its block) and the face it is about, None for the two draws."""

    kind: str
    face: str | None = None


class Block(NamedTuple):
    """Place of a block in the action space."""

    offset: int
    size: int


def run_faces(start: str) -> list[str]:
    """The three cards of the run that starts at a card: ``"QH"`` → QH KH AH."""
    rank, suit = RANKS.index(start[0]), start[1]
    return [RANKS[(rank + step) % NUM_RANKS] + suit for step in range(3)]


def set_faces(left_out: str) -> list[str]:
    """The three rank mates of a card, in suit order: ``"7S"`` → 7C 7D 7H."""
    return [left_out[0] + suit for suit in SUITS if suit != left_out[1]]


@dataclass(frozen=True)
class ActionLayout:
    """The action space of a rule set.

    Attributes:
        num_actions: size of the space; ids are 0 … num_actions - 1.
        blocks: offset and size of each block by name, in order.
    """

    num_actions: int
    blocks: dict[str, Block]
    _specs: tuple[ActionBlock, ...]

    @staticmethod
    def for_rules(rules: RuleSet, num_players: int | None = None) -> "ActionLayout":
        """Layout of `rules`; the same for every number of players unless only some of them play with jokers."""
        return _layout(rules, rules.default_num_players if num_players is None else num_players)

    def decode(self, action: int) -> Action:
        """`Action` of an id; `IllegalActionError` outside the space."""
        for name, (offset, size) in self.blocks.items():
            if offset <= action < offset + size:
                return Action(name, None if name in _DRAWS else FACE_TEXT[action - offset])
        raise IllegalActionError(f"action {action} is outside the space: expected 0 … {self.num_actions - 1}")

    def encode(self, action: Action) -> int:
        """Id of an `Action`; `IllegalActionError` if these rules have no such action."""
        block = self.blocks.get(action.kind)
        if block is None:
            raise IllegalActionError(
                f"these rules have no action {action.kind!r}; the kinds are {', '.join(self.blocks)}"
            )
        if action.kind in _DRAWS:
            return block.offset
        face = parse_face(action.face or "")
        if face >= block.size:
            raise IllegalActionError(f"{action.kind} is not about {action.face}")
        return block.offset + face

    def text(self, action: int) -> str:
        """An id in words: ``"meld 5H 6H 7H"``, ``"lay off 8H high"``, ``"declare JK(6H)"``."""
        return action_text(self.decode(action))

    def parse(self, text: str) -> int:
        """Id of such words; ``JK(7H)`` in a meld counts as 7H. `NotationError` for anything else."""
        return self.encode(_parse_action(text))

    def table(self) -> str:
        """The blocks as a Markdown table."""
        lines = ["| ids | block | meaning |", "|---|---|---|"]
        for spec in self._specs:
            offset, size = self.blocks[spec.name]
            ids = str(offset) if size == 1 else f"{offset}-{offset + size - 1}"
            lines.append(f"| {ids} | `{spec.name}` | {spec.meaning} |")
        return "\n".join(lines)


@lru_cache(maxsize=64)
def _layout(rules: RuleSet, num_players: int) -> ActionLayout:
    specs = tuple(action_blocks(rules, rules.table(num_players)))
    blocks, offset = {}, 0
    for spec in specs:
        blocks[spec.name] = Block(offset, spec.size)
        offset += spec.size
    return ActionLayout(offset, blocks, specs)


def action_text(action: Action, jokers: frozenset[str] = frozenset()) -> str:
    """An `Action` in words; cards among `jokers` are written as declared jokers, ``JK(7H)``."""
    kind, face = action.kind, action.face or ""

    def card(text: str) -> str:
        return f"JK({text})" if text in jokers else text

    if kind in _DRAWS:
        return kind.replace("_", " ")
    if kind == "declare":
        return f"declare JK({face})"
    if kind in ("meld_run", "meld_set"):
        faces = run_faces(face) if kind == "meld_run" else set_faces(face)
        return "meld " + " ".join(card(text) for text in faces)
    if kind.startswith("layoff_"):
        return f"lay off {card(face)} {kind.removeprefix('layoff_')}"
    return f"{kind} {face}"


def _parse_action(text: str) -> Action:
    if not isinstance(text, str):
        raise NotationError(f"{text!r} is no action: expected a text such as 'meld 5H 6H 7H'")
    words = re.sub(r"JK\((..)\)", r"\1", text.strip(), flags=re.IGNORECASE).split()
    verb = words[0].lower() if words else ""
    rest = words[1:]
    if verb == "lay" and rest and rest[0].lower() == "off" and len(rest) == 3 and rest[2].lower() in _ENDS:
        return Action(f"layoff_{rest[2].lower()}", FACE_TEXT[parse_face(rest[1])])
    if (verb, [word.lower() for word in rest]) in (("draw", ["stock"]), ("take", ["top"])):
        return Action(f"{verb}_{rest[0].lower()}")
    if verb in ("take", "declare", "swap", "discard") and len(rest) == 1:
        return Action(verb, FACE_TEXT[parse_face(rest[0])])
    if verb == "meld" and len(rest) == 3:
        return _parse_meld([FACE_TEXT[parse_face(word)] for word in rest])
    raise NotationError(
        f"{text!r} is no action: expected 'draw stock', 'take top', 'take 9H', 'declare JK(6H)', 'meld 5H 6H 7H', "
        "'lay off 8H low|high|set', 'swap 6H' or 'discard KD'"
    )


def _parse_meld(faces: list[str]) -> Action:
    suits = "".join(sorted({face[1] for face in faces}))
    if len({face[0] for face in faces}) == 1 and len(suits) == 3 and "JK" not in faces:
        return Action("meld_set", faces[0][0] + next(suit for suit in SUITS if suit not in suits))
    starts = [face for face in faces if face[0] != "K" and "JK" not in faces and set(run_faces(face)) == set(faces)]
    if len(suits) == 1 and starts:
        return Action("meld_run", starts[0])
    raise NotationError(f"{' '.join(faces)} is neither three suits of a rank nor three consecutive cards of a suit")
