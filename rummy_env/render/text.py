"""The table as text."""

from rummy_env.game import Game


def table_text(game: Game, viewer: int | None = None) -> str:
    """The table as lines of text, in the notation of `Game.to_dict`.

    Args:
        game: The game to show.
        viewer: Seat whose cards lie face up; None shows all hands.

    Returns:
        A line on the deal, a line for stock and discard pile, a line per meld and a line per seat.
    """
    position = game.to_dict()
    status = f"over: {position['over']}" if position["over"] else f"player_{position['player']} to {position['phase']}"
    pile = position["discard"].split()
    lines = [
        f"{game.rules.name}, deal {position['deal']}, turn {position['turn'] + 1}, {status}",
        f"stock {len(position['stock'].split())}   pile {' '.join(pile) or 'empty'}",
    ]
    lines += [f"meld {index}: {meld['cards']} (player_{meld['owner']})" for index, meld in enumerate(position["melds"])]
    for seat, hand in enumerate(position["hands"]):
        mark = ">" if seat == position["player"] and not position["over"] else " "
        shown = hand if viewer in (None, seat) else " ".join("??" for _ in hand.split())
        lines.append(f"{mark} player_{seat} {game.scores[seat]:5d}  {shown or 'no cards'}")
    return "\n".join(lines)
