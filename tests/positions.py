"""Readable positions for the rule tests: the cards that matter are named, the rest of the deck is dealt around them.

Seat 0 is always the player to move. The questions asked of a position:

* ``can(game, "take top", "discard 7H")``: after playing all but the last action, is the last one legal?
* ``actions(game, "lay off")``: the texts of the legal actions that begin so.
* ``play(game, "meld 5H 6H 7H", "discard 2C")``: do it; ``goes_out(game, …)``: does it end the deal?
"""

import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

from rummy_env import Game, RuleSet
from rummy_env.cards import RANKS, SUITS

CONTRACT = RuleSet.preset("contract_rummy")
TWO_PACKS = RuleSet.preset("contract_rummy_two_packs")
BASIC = RuleSet.preset("basic_rummy")


def position(
    hand: str,
    rules: RuleSet = CONTRACT,
    *,
    players: int = 4,
    deal: int = 2,
    phase: str = "play",
    down: str = "no",
    melds: Sequence[str] = (),
    pile: str | None = None,
    stock: str | None = None,
    others: Sequence[str] = (),
    turn: int | None = None,
    **fields: Any,
) -> Game:
    """A game in which seat 0 holds `hand` and is to move.

    Args:
        hand: such as ``"6H 2C JK"``; in the phase "play" the drawn card is part of it.
        rules: the rule set.
        players: number of seats.
        deal: number of the contract; without contracts the running number of the deal.
        phase: "draw" or "play".
        down: whether seat 0 is down: "no", "earlier", "this_turn".
        melds: such as ``"5H JK(6H) 7H"``, laid by seat 1 on an earlier turn, or ``"0: 5H JK(6H) 7H"`` by seat 0.
        pile: the discard pile, bottom to top; one card that does not matter unless given.
        stock: bottom to top; all cards left over unless given. If it is given, they swell the hands not given.
        others: hands of seats 1, 2, …; those not given are dealt as many cards as there are to go round.
        turn: finished turns of the deal; the third turn of seat 0 unless given.
        **fields: further fields of the position as `Game.to_dict` names them.
    """
    table = rules.table(players)
    turn = 2 * players if turn is None else turn
    laid = [_meld(text) for text in melds]
    named = [hand, pile or "", stock or "", *others, *(_faces(meld["cards"]) for meld in laid)]
    rest = list((_deck(rules, table.num_packs, table.num_jokers) - Counter(" ".join(named).split())).elements())
    random.Random(0).shuffle(rest)

    pile = rest.pop() if pile is None else pile
    hands = [hand, *others]
    for seats_left in range(players - len(hands), 0, -1):
        if stock is None:
            size = min(table.hand_sizes[min(deal, len(table.hand_sizes)) - 1], (len(rest) - players) // seats_left)
        else:
            size = len(rest) // seats_left
        hands.append(" ".join(rest.pop() for _ in range(size)))
    if stock is None:
        stock, rest = " ".join(rest), []
    assert not rest, "every hand and the stock are given, and still cards are left over"

    owners = {meld["owner"] for meld in laid}
    has_contracts = rules.contracts is not None
    return Game.from_dict(
        {
            "rules": rules.to_dict(),
            "num_players": players,
            "deal": deal,
            "dealer": (-1 - turn) % players,
            "player": 0,
            "phase": phase,
            "turn": turn,
            "hands": hands,
            "stock": stock,
            "discard": pile,
            "melds": laid,
            "down": [down] + ["earlier" if has_contracts and seat in owners else "no" for seat in range(1, players)],
            "taken": None,
            "obliged": None,
            "laying": None,
            "declared": [],
            "freed_joker": False,
            "played_before": [down == "earlier" or 0 in owners] + [seat in owners for seat in range(1, players)],
            "played_this_turn": False,
            "melds_this_turn": 0,
            "recycles": 0,
            "scores": [0] * players,
            "over": None,
            **fields,
        }
    )


def actions(game: Game, start: str = "") -> set[str]:
    """Texts of the legal actions that begin with `start`."""
    texts = {game.layout.text(action) for action in game.legal_actions()}
    return {text for text in texts if text.startswith(start)}


def can(game: Game, *texts: str) -> bool:
    """Whether the last of `texts` is legal once the others, which must be legal, have been played. Changes nothing."""
    game = game.clone()
    play(game, *texts[:-1])
    return game.parse(texts[-1]) in game.legal_actions()


def play(game: Game, *texts: str) -> Any:
    """Play the actions in this order; returns the summary of the deal if the last of them ended it, else None."""
    summary = None
    for text in texts:
        summary = game.apply(game.parse(text))
    return summary


def goes_out(game: Game, *texts: str) -> bool:
    """Play the actions; whether seat 0 has gone out with the last of them."""
    summary = play(game, *texts)
    return summary is not None and summary.reason == "out" and summary.out == 0


def idle_turn(game: Game) -> Any:
    """Draw from the stock and discard the first card that may go; returns what the discard returned."""
    play(game, "draw stock")
    return play(game, min(actions(game, "discard")))


def finish_deal(game: Game, chance: random.Random) -> Any:
    """Play legal actions at random until the deal ends; returns its summary."""
    while True:
        summary = game.apply(chance.choice(game.legal_actions()))
        if summary is not None:
            return summary


def finish(game: Game, seed: int = 0) -> list[Any]:
    """Play legal actions at random until the game is over; returns the summaries of its deals."""
    chance = random.Random(seed)
    summaries = []
    while game.over is None:
        summaries.append(finish_deal(game, chance))
    return summaries


def hand(game: Game, seat: int = 0) -> list[str]:
    """Cards in hand, sorted as texts."""
    return cards(game.to_dict()["hands"][seat])


def melds(game: Game) -> list[str]:
    """Melds on the table in the order they were laid."""
    return [meld["cards"] for meld in game.to_dict()["melds"]]


def cards(text: str) -> list[str]:
    """The cards of a list, sorted as texts, to compare lists whose order does not matter."""
    return sorted(text.split())


def discards(text: str) -> set[str]:
    """The discards of these cards, as `actions` gives them."""
    return {f"discard {card}" for card in text.split()}


def all_cards(game: Game) -> Counter[str]:
    """Every card of the game, wherever it lies; jokers on the table count as jokers."""
    now = game.to_dict()
    places = [*now["hands"], now["stock"], now["discard"], *(_faces(meld["cards"]) for meld in now["melds"])]
    in_the_air = max(len(now["declared"]), now["freed_joker"])
    return Counter(" ".join(places).split()) + Counter(JK=in_the_air)


def _deck(rules: RuleSet, num_packs: int, num_jokers: int) -> Counter[str]:
    pack = [rank + suit for suit in SUITS[: rules.deck_suits] for rank in RANKS[: rules.deck_ranks]]
    return Counter(pack * num_packs + ["JK"] * num_jokers)


def _meld(text: str) -> dict[str, Any]:
    owner, _, laid = text.rpartition(": ")
    ranks = {card.removeprefix("JK(")[0] for card in laid.split()}
    return {"owner": int(owner or 1), "kind": "set" if len(ranks) == 1 else "run", "cards": laid}


def _faces(laid: str) -> str:
    return " ".join("JK" if card.startswith("JK") else card for card in laid.split())
