"""What makes a rule set, or a table it is asked for, impossible; each refusal names the option and the remedy."""

import dataclasses
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NoReturn

from rummy_env.cards import NUM_RANKS
from rummy_env.errors import RulesError
from rummy_env.options import ANY_VALUE, Number, option_of, plain

if TYPE_CHECKING:
    from rummy_env.rules import RuleSet

MAX_PACKS = 3
MAX_SETS = 5
MAX_RUNS = 4
MAX_MELDS = 5
MELD_SIZE = 3


def check_rules(rules: "RuleSet") -> None:
    """Refuses, with `RulesError`, options whose values are allowed one by one but impossible together."""
    _check_game_kind(rules)
    _check_game_end(rules)
    _check_deck(rules)
    _check_hand_sizes(rules)
    _check_contracts(rules)


def check_seats(rules: "RuleSet", num_players: int) -> None:
    """Refuses a number of players outside the range, and a first dealer who has no seat."""
    seats = Number(*rules.num_players)
    try:
        seats.parse(num_players)
    except ValueError:
        raise RulesError(
            f"num_players: {num_players!r} is not allowed; allowed with these rules: {seats.values}"
        ) from None
    if isinstance(rules.first_dealer, int) and rules.first_dealer >= num_players:
        _refuse(rules, "first_dealer", f"{num_players} players have no such seat", f"give 0 to {num_players - 1}")


def check_stock(rules: "RuleSet", num_players: int, number: int, hand: int, num_packs: int, num_jokers: int) -> None:
    """Refuses the deal of contract `number` where no upcard and no card of stock would be left."""
    pack = rules.deck_ranks * rules.deck_suits
    needed, there = num_players * hand + 2, num_packs * pack + num_jokers
    if needed <= there:
        return
    remedies = ["fewer players"]
    if there - 2 >= num_players:
        remedies.insert(0, f"hands of at most {(there - 2) // num_players} cards")
    enough = -(-(needed - num_jokers) // pack)
    if enough <= MAX_PACKS:
        remedies.insert(0, f"num_decks: {enough}")
    deal = f"deal {number}" if rules.contracts else "a deal"
    deck = f"{_count(num_packs, 'pack')} of {pack}, {_count(num_jokers, 'joker')}"
    _refuse(
        rules,
        "hand_sizes",
        f"{deal} needs {needed} cards ({num_players} players x {hand}, an upcard, a stock of one), "
        f"but {there} are there ({deck})",
        f"give {', or '.join(remedies)}",
    )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")


def _refuse(rules: "RuleSet", name: str, problem: str, remedy: str) -> NoReturn:
    raise RulesError(f"{name}: {plain(getattr(rules, name))!r} is not possible: {problem}; {remedy}")


def _check_game_kind(rules: "RuleSet") -> None:
    """Refuses options that do nothing in games with contracts, or in games without."""
    kind = "with" if rules.contracts else "without"
    for rule in dataclasses.fields(rules):
        only = option_of(rule).with_contracts if rules.contracts else option_of(rule).without_contracts
        if only is not ANY_VALUE and getattr(rules, rule.name) != only:
            only_text = "null" if only is None else str(plain(only)).lower()
            _refuse(
                rules,
                rule.name,
                f"it makes no sense in a game {kind} contracts",
                f"give {rule.name}: {only_text}, or change contracts",
            )
    if not rules.contracts and rules.dead_deal_scoring == "score_hands":
        _refuse(
            rules,
            "dead_deal_scoring",
            "only games with contracts score the hand held",
            "give dead_deal_scoring: void or lowest_hand",
        )


def _check_game_end(rules: "RuleSet") -> None:
    if rules.game_end == "target_score" and rules.target_score is None:
        _refuse(rules, "target_score", "game_end: target_score needs it", "give target_score: 150, or another game_end")
    if rules.game_end == "n_deals" and rules.n_deals is None and not rules.contracts:
        _refuse(rules, "n_deals", "game_end: n_deals without contracts needs it", "give n_deals, or another game_end")
    for name in ("target_score", "n_deals"):
        if rules.game_end != name and getattr(rules, name) is not None:
            _refuse(
                rules, name, f"game_end: {rules.game_end} does not use it", f"leave it out, or give game_end: {name}"
            )
    if rules.deal_weights is None:
        return
    if rules.game_end != "single_deal":
        _refuse(
            rules,
            "deal_weights",
            f"game_end: {rules.game_end} plays all deals",
            "leave it out, or give game_end: single_deal",
        )
    if len(rules.deal_weights) != len(rules.played_contracts) or not any(rules.deal_weights):
        _refuse(
            rules,
            "deal_weights",
            f"there are {len(rules.played_contracts)} deals, of which one must be likely",
            "give one number for each, not all 0",
        )


def _check_deck(rules: "RuleSet") -> None:
    for name in ("num_decks", "num_jokers"):
        if rules.deck_policy == "explicit" and getattr(rules, name) is None:
            _refuse(rules, name, "deck_policy: explicit needs a number", f"give {name}, or deck_policy: auto")
    if rules.deck_suits < MELD_SIZE and rules.deck_ranks < MELD_SIZE:
        _refuse(
            rules,
            "deck_ranks",
            f"with deck_suits: {rules.deck_suits} there can be neither a set nor a run",
            f"give at least {MELD_SIZE} ranks or suits",
        )


def _check_hand_sizes(rules: "RuleSet") -> None:
    sizes: tuple[Any, ...] = rules.hand_sizes
    if isinstance(sizes[0], tuple):
        fewest, most = rules.num_players
        missing = sorted({*range(fewest, most + 1)} - {players for players, _ in sizes})
        if missing:
            text = ", ".join(map(str, missing))
            _refuse(rules, "hand_sizes", f"there is none for {text} players", "add it, or narrow num_players")
    elif len(sizes) not in (1, len(rules.contracts or (None,))):
        wanted = f"{len(rules.contracts)} contracts" if rules.contracts else "a game without contracts"
        _refuse(
            rules,
            "hand_sizes",
            f"{len(sizes)} sizes do not fit {wanted}",
            "give a single number" + (", or one for each contract" if rules.contracts else ""),
        )


def _check_contracts(rules: "RuleSet") -> None:
    for name in ("deals", "all_at_once_deals"):
        numbers: tuple[int, ...] = getattr(rules, name) or ()
        if rules.contracts and max(numbers, default=1) > len(rules.contracts):
            _refuse(
                rules,
                name,
                f"there are {len(rules.contracts)} contracts",
                f"give numbers from 1 to {len(rules.contracts)}" + (", or []" if name != "deals" else ", or null"),
            )
    for number, (sets, runs) in enumerate(rules.contracts or (), start=1):
        if not 1 <= sets + runs <= MAX_MELDS or sets > MAX_SETS or runs > MAX_RUNS:
            _refuse(
                rules,
                "contracts",
                f"contract {number} is [{sets}, {runs}]",
                f"ask for 1 to {MAX_MELDS} melds, of these at most {MAX_SETS} sets and {MAX_RUNS} runs",
            )
    for number in sorted(set(rules.played_contracts)):
        for hand in sorted(set(_hands_dealt(rules, number))):
            _check_size(rules, number, hand)
        if rules.contracts:
            _check_suits_and_ranks(rules, number, *rules.contracts[number - 1])


def _hands_dealt(rules: "RuleSet", number: int) -> Iterator[int]:
    """Hand sizes of that contract at every table."""
    fewest, most = rules.num_players
    return (rules.hand_sizes_for(players)[number - 1] for players in range(fewest, most + 1))


def _check_size(rules: "RuleSet", number: int, hand: int) -> None:
    """Refuses a contract larger than the hand with the card drawn, or too small for a hand that must fit into it."""
    sets, runs = rules.contracts[number - 1] if rules.contracts else (0, 1)
    what = f"contract {number}, [{sets}, {runs}]," if rules.contracts else "a meld"
    all_at_once = number in rules.all_at_once_deals
    discard = rules.all_at_once_discard if all_at_once else rules.final_discard
    needed, room = MELD_SIZE * (sets + runs), hand + 1 - (discard == "required")
    kept = " and a card for the discard" if discard == "required" else ""
    if needed > room:
        _refuse(
            rules,
            "hand_sizes",
            f"{what} needs {needed} cards{kept}, but a hand of {hand} and the card drawn are {hand + 1}",
            f"deal at least {hand + needed - room} cards" + (" or ask for fewer melds" if rules.contracts else ""),
        )
    largest_set = min(rules.deck_suits, MELD_SIZE + rules.layoff_on_sets)
    at_most, to_place = sets * largest_set + runs * _run_positions(rules), hand + (discard == "forbidden")
    if all_at_once and to_place > at_most:
        _refuse(
            rules,
            "all_at_once_deals",
            f"{what} takes at most {at_most} cards, but a whole hand has {to_place} to lay",
            f"leave {number} out, or deal fewer cards",
        )


def _check_suits_and_ranks(rules: "RuleSet", number: int, sets: int, runs: int) -> None:
    what = f"contract {number}, [{sets}, {runs}],"
    if sets and rules.deck_suits < MELD_SIZE:
        _refuse(
            rules,
            "deck_suits",
            f"{what} asks for sets, which take three suits",
            f"give at least {MELD_SIZE}, or ask for runs only",
        )
    if runs and rules.deck_ranks < MELD_SIZE:
        _refuse(
            rules,
            "deck_ranks",
            f"{what} asks for runs, which take three ranks",
            f"give at least {MELD_SIZE}, or ask for sets only",
        )
    # Runs that must not join leave a gap of one position between them.
    runs_per_suit = {"distinct": 1, "not_adjacent": (_run_positions(rules) + 1) // (MELD_SIZE + 1), "free": runs}
    possible = rules.deck_suits * runs_per_suit[rules.contract_runs_suit_rule]
    if runs > possible:
        _refuse(
            rules,
            "contract_runs_suit_rule",
            f"{what} asks for {runs} runs, but deck_suits: {rules.deck_suits} leaves room for {possible}",
            "give contract_runs_suit_rule: free, more suits, or ask for fewer runs",
        )


def _run_positions(rules: "RuleSet") -> int:
    """Cards in the longest run."""
    return rules.deck_ranks + (rules.deck_ranks == NUM_RANKS and rules.ace_mode == "both")
