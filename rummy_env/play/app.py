"""The game in the terminal; needs the extra ``play``."""

import re
from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, ItemGrid, Vertical, VerticalScroll
from textual.message import Message
from textual.widgets import Footer, Input, OptionList, Static

from rummy_env.play.moves import PersonMove
from rummy_env.play.session import Session
from rummy_env.render.text import render_text, seat_name

HELP = "Enter plays · click on cards or / to narrow"
_OWN_CARDS = re.compile(r"(\d cards?): .*")
DEALS_SHOWN = 10
"""So many of the last deals are on the score sheet."""


class Card(Static):
    """A card of the person's hand, which can be clicked on."""

    class Chosen(Message):
        """A card was clicked on."""

        def __init__(self, face: str) -> None:
            self.face = face
            super().__init__()

    def __init__(self, face: str) -> None:
        self.face = face
        red = face[1] in "DH" and face != "JK"
        super().__init__(face, classes="red" if red else "joker" if face == "JK" else "")

    def on_click(self) -> None:
        """Tell the application."""
        self.post_message(self.Chosen(self.face))


class PlayApp(App[None]):
    """A person's game at a terminal.

    Args:
        session: The game.
        path: File that the game is saved to.
    """

    CSS = """
    #left { width: 2fr; padding: 0 1; }
    #right { width: 1fr; padding: 0 1; border-left: solid $primary; }
    #public { height: auto; max-height: 40%; }
    #hand { height: auto; max-height: 6; margin: 1 0; }
    #hand Card { width: 4; content-align: center middle; background: white; color: black; }
    #hand Card.red { color: red; }
    #hand Card.joker { background: yellow; }
    #hand Card.chosen { text-style: reverse bold; }
    #moves { height: 1fr; min-height: 5; }
    #scores { height: auto; border-bottom: solid $primary; }
    #log { height: 1fr; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("h", "hint", "Hint"),
        Binding("u", "undo", "Undo"),
        Binding("p", "play_on", "Play on"),
        Binding("slash", "type", "Type cards"),
        Binding("escape", "clear", "All moves"),
        Binding("s", "save", "Save"),
        Binding("q", "quit", "Quit"),
    ]
    TITLE = "rummy"
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, session: Session, path: Path) -> None:
        super().__init__()
        self.session = session
        self.path = path
        self._shown: list[PersonMove] = []

    def compose(self) -> ComposeResult:
        """The parts of the screen."""
        with Horizontal():
            with Vertical(id="left"):
                with VerticalScroll(id="public", can_focus=False):
                    yield Static(id="table")
                yield ItemGrid(id="hand", min_column_width=5, max_column_width=5)
                yield Input(placeholder="cards or words, such as 5h 6h, or lay", id="filter", compact=True)
                yield OptionList(id="moves")
            with Vertical(id="right"):
                yield Static(id="scores")
                with VerticalScroll(id="log"):
                    yield Static(id="lines")
        yield Footer()

    async def on_mount(self) -> None:
        """Show the game."""
        self.query_one("#moves").border_title = HELP
        self.query_one("#right").styles.min_width = 4 * self.session.game.num_players + 7  # for the score sheet
        await self._show()
        self.query_one("#moves").focus()

    async def _show(self) -> None:
        session = self.session
        table = render_text(session.game, session.seat, colour=True)
        self.query_one("#table", Static).update(Text.from_ansi(_OWN_CARDS.sub(r"\1", table)))
        hand = self.query_one("#hand")
        await hand.remove_children()
        await hand.mount(*map(Card, session.game.to_dict()["hands"][session.seat].split()))
        self.query_one("#scores", Static).update(self._score_sheet())
        self.query_one("#lines", Static).update(Text("\n".join(session.log)))
        self.query_one("#log", VerticalScroll).scroll_end(animate=False)
        typed = self.query_one("#filter", Input)
        if typed.value:
            typed.value = ""  # which lists the moves, too
        self._list_moves()

    def _score_sheet(self) -> Text:
        session = self.session
        names = ["you" if seat == session.seat else f"p{seat}" for seat in range(session.game.num_players)]
        rows = [(str(deal.deal), deal.points) for deal in session.deals[-DEALS_SHOWN:]]
        lines = ["deal" + "".join(f"{name:>4}" for name in names)]
        lines += [f"{name:>4}" + "".join(f"{points:>4}" for points in row) for name, row in rows]
        lines.append(" all" + "".join(f"{score:>4}" for score in session.game.scores))
        return Text("\n".join(lines), no_wrap=True)

    def _list_moves(self) -> None:
        typed = self.query_one("#filter", Input).value
        self._shown = [move for move in self.session.moves() if move.fits(typed)]
        options = self.query_one("#moves", OptionList)
        options.clear_options()
        if self.session.game.over is not None:
            winners = " and ".join(seat_name(seat) for seat in self.session.game.winners())
            options.add_option(f"The game is over: {winners} won. Press q to leave.")
        else:
            options.add_options([Text(move.words) for move in self._shown])
        options.highlighted = 0 if options.option_count else None
        chosen = typed.upper().split()
        for card in self.query(Card):
            card.set_class(card.face in chosen, "chosen")

    def on_card_chosen(self, message: Card.Chosen) -> None:
        """Put the card among those typed, or take it out."""
        typed = self.query_one("#filter", Input)
        words = typed.value.upper().split()
        if message.face in words:
            words.remove(message.face)
        else:
            words.append(message.face)
        typed.value = " ".join(words)

    def on_input_changed(self) -> None:
        """List the moves that fit."""
        self._list_moves()

    async def on_input_submitted(self) -> None:
        """Make the move if only one fits; else go to the list."""
        if len(self._shown) == 1:
            await self._play(self._shown[0])
        self.query_one("#moves").focus()

    async def on_option_list_option_selected(self, message: OptionList.OptionSelected) -> None:
        """Make the move."""
        if self.session.game.over is None:
            await self._play(self._shown[message.option_index])

    async def _play(self, move: PersonMove) -> None:
        deals = len(self.session.deals)
        self.session.play(move)
        await self._show()
        if len(self.session.deals) > deals:
            self.notify(next(line for line in reversed(self.session.log) if line.startswith("deal ")), timeout=15)

    def action_hint(self) -> None:
        """Say what the adviser would do, and go to that move."""
        if self.session.game.over is not None:
            return
        move, words = self.session.hint()
        self.query_one("#filter", Input).value = ""
        self._list_moves()
        self.query_one("#moves", OptionList).highlighted = self._shown.index(move)
        self.notify(words, title="Hint")

    async def action_play_on(self) -> None:
        """Let the adviser draw and discard until it would take or place a card, or the deal is over."""
        if self.session.play_on():
            await self._show()
        else:
            self.notify("There is something to take or to place, or no game to play on.")

    async def action_undo(self) -> None:
        """Take back the last move and what came after it."""
        if self.session.undo():
            await self._show()
        else:
            self.notify("There is no move to take back.")

    def action_type(self) -> None:
        """Go to the field for cards."""
        self.query_one("#filter").focus()

    def action_clear(self) -> None:
        """List all moves."""
        self.query_one("#filter", Input).value = ""
        self.query_one("#moves").focus()

    def action_save(self) -> None:
        """Save the game."""
        self.session.save(self.path)
        self.notify(f"Saved; go on with: rummy play --resume {self.path}")
