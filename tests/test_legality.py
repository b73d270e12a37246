"""The slow legality checker against worked examples, against itself without short cuts, and the engine against it."""

import random
from collections import Counter
from typing import Any

import pytest

from tests.brute_force import Turn, TurnSearch, legal_actions, legal_draw_exists
from tests.constructed import construct
from tests.legality import compare_chunk
from tests.rule_variations import mixture

CONTRACT: dict[str, Any] = {
    "contracts": [[2, 0], [1, 1], [0, 2], [3, 0], [2, 1], [1, 2], [0, 3]],
    "all_at_once_deals": [7],
    "all_at_once_discard": "forbidden",
    "contract_runs_suit_rule": "distinct",
    "deck_ranks": 13,
    "deck_suits": 4,
    "ace_mode": "both",
    "discard_pickup": "any",
    "extra_melds": "none",
    "layoff_timing": "same_turn",
    "layoff_scope": "all",
    "layoff_on_sets": True,
    "layoff_requires_own_meld": False,
    "max_melds_per_turn": None,
    "final_discard": "optional",
    "joker_swap_scope": "any_run",
    "joker_discard": "yes",
    "max_recycles": None,
    "min_naturals_per_meld": 1,
    "adjacent_jokers": True,
    "allow_double_ace_run": True,
}
BASIC = CONTRACT | {
    "contracts": None,
    "all_at_once_deals": [],
    "discard_pickup": "top",
    "extra_melds": "any",
    "joker_swap_scope": "none",
    "ace_mode": "low",
}


def position(hand: str, melds: tuple[str, ...] = (), down: str = "no", **fields: Any) -> dict[str, Any]:
    """A position of seat 0 after the draw; melds belong to seat 1, or to seat 0 where they begin with "own:"."""
    table = []
    for text in melds:
        cards = text.removeprefix("own:")
        faces = [word[3:5] if word.startswith("JK") else word for word in cards.split()]
        kind = "set" if len({face[0] for face in faces}) == 1 else "run"
        table.append({"owner": 0 if cards != text else 1, "kind": kind, "cards": cards})
    return {
        "player": 0,
        "deal": 2,
        "phase": "play",
        "hands": [hand, "2C"],
        "stock": "3C",
        "discard": "4C",
        "melds": table,
        "down": [down, "earlier"],
        "taken": None,
        "obliged": None,
        "laying": None,
        "declared": [],
        "freed_joker": False,
        "played_this_turn": False,
        "melds_this_turn": 0,
        "recycles": 0,
        "over": None,
    } | fields


def ask(*arguments: Any, rules: dict[str, Any] = CONTRACT, **fields: Any) -> set[str]:
    """The legal actions as "kind face"; options of `rules` may be given among the fields of the position."""
    changes = {name: fields.pop(name) for name in list(fields) if name in rules}
    actions = legal_actions(position(*arguments, **fields), rules | changes)
    return {kind if face is None else f"{kind} {face}" for kind, face in actions}


def discards(hand: str) -> set[str]:
    return {f"discard {face}" for face in hand.split()}


def draw(hand: str, pile: str, *arguments: Any, **fields: Any) -> set[str]:
    return ask(hand, *arguments, phase="draw", discard=pile, **fields) - {"draw_stock"}


EIGHT = "2D 4S 5S 7H TC JD QH KS"


def test_runs_and_sets_of_three_start_a_contract():
    hand = "7C 7D 7H 7S 2S 3S 4S KD KC 9D 9H"
    assert ask(hand) == discards(hand) | {f"meld_set 7{suit}" for suit in "CDHS"} | {"meld_run 2S"}


def test_two_equal_cards_make_no_set():
    assert not any(action.startswith("meld") for action in ask("5D 5D 5H 2S 3S 4S 9C"))


def test_aces_at_both_ends_but_no_corner():
    assert ask("QS KS AS 9D", rules=BASIC | {"ace_mode": "both"}) >= {"meld_run QS"}
    assert ask("AS 2S 3S 9D", rules=BASIC) >= {"meld_run AS"}
    for rules in (BASIC, BASIC | {"ace_mode": "both"}):
        assert ask("KS AS 2S 9D", rules=rules) == discards("KS AS 2S 9D")
    assert ask("QS KS AS 9D", rules=BASIC) == discards("QS KS AS 9D")


def test_the_contract_must_be_complete_in_one_turn():
    hand = "7C 7D 7H 9C 9D 9H 2S 4S 5S 8C JD"
    assert ask(hand, deal=5) == discards(hand)


def test_half_a_contract_leaves_only_its_other_half():
    fields = {"laying": {"sets": 0, "runs": 1}, "played_this_turn": True, "melds_this_turn": 1}
    assert ask("7S 2S 3S 4S KD", ("own:7C 7D 7H",), **fields) == {"meld_run 2S"}


@pytest.mark.parametrize(("rule", "first", "second"), [("distinct", 0, 0), ("not_adjacent", 1, 0), ("free", 1, 1)])
def test_two_runs_of_one_suit(rule: str, first: int, second: int):
    apart, joined = "3H 4H 5H 9H TH JH KD", "3H 4H 5H 6H 7H 8H KD"
    assert ("meld_run 3H" in ask(apart, deal=3, contract_runs_suit_rule=rule)) == bool(first)
    assert ("meld_run 6H" in ask(joined, deal=3, contract_runs_suit_rule=rule)) == bool(second)


def test_a_joker_completes_a_contract():
    hand = "KC KH JK 4S 5S 6S 2D"
    declares = {action for action in ask(hand) if action.startswith("declare")}
    assert declares == {"declare KD", "declare KS"}
    declared = ask("KC KH 4S 5S 6S 2D", declared=["JK(KD)"])
    assert declared == {"meld_set KS"}


def test_a_natural_stays_in_hand_when_its_joker_is_declared():
    assert ask("5C 6C 7C 9D", rules=BASIC, declared=["JK(6C)"]) == {"meld_run 5C"}
    search = TurnSearch(position(""), BASIC, prune=True)
    hands = [
        after.hand
        for _, after in search.moves(Turn(hand=("5C", "6C", "7C", "9D"), melds=(), down="no", declared=("6C",)))
    ]
    assert hands == [("6C", "9D")]


def test_joker_limits():
    hand = "5S 8S JK JK 9D"
    assert "declare 6S" in ask(hand, rules=BASIC | {"discard_pickup": "any"})
    assert ask("5S 4H", rules=BASIC, declared=["JK(6S)", "JK(7S)"]) == {"meld_run 5S"}
    assert "declare 6S" in ask("5S 4H JK", rules=BASIC, declared=["JK(7S)"])
    assert ask("5S 4H JK", rules=BASIC, declared=["JK(7S)"], adjacent_jokers=False) == set()
    assert ask("5S 4H JK", rules=BASIC, declared=["JK(7S)"], min_naturals_per_meld=2) == set()
    assert "layoff_high QS" in ask("4H 5H", ("9S TS JK(JS)",), "earlier", declared=["JK(QS)"])
    assert ask("4H 5H", ("9S TS JK(JS)",), "earlier", declared=["JK(QS)"], adjacent_jokers=False) == set()


def test_lay_offs_wait_for_the_contract():
    table = ("6C 6D 6H",)
    assert "layoff_set 6S" not in ask("6S 2D 9C", table)
    assert "layoff_set 6S" in ask("6S 2D 9C", table, "earlier")
    assert "layoff_set 6S" in ask("6S 2D 9C", table, "this_turn")
    assert "layoff_set 6S" not in ask("6S 2D 9C", table, "this_turn", layoff_timing="later_turn")
    assert "layoff_set 6S" not in ask("6S 2D 9C", table, "earlier", layoff_on_sets=False)
    assert "layoff_set 6S" not in ask("6S 2D 9C", table, "earlier", layoff_scope="own")


def test_ends_of_a_run():
    assert ask("2H TH 9C", ("JH QH KH AH",), "earlier") == discards("2H TH 9C") | {"layoff_low TH"}
    assert ask("KD 4D 9C", ("AD 2D 3D",), "earlier") == discards("KD 4D 9C") | {"layoff_high 4D"}
    assert ask("JS QS 8S", ("9S TS JK(JS)",), "earlier") >= {"layoff_high QS", "layoff_low 8S", "swap JS"}
    assert not {"layoff_high JS", "layoff_low JS"} & ask("JS QS 8S", ("9S TS JK(JS)",), "earlier")


def test_a_run_from_ace_to_ace():
    table = ("AH 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH",)
    assert "declare AH" in ask("JK 2C 3C", table, "earlier")
    assert "declare AH" not in ask("JK 2C 3C", table, "earlier", allow_double_ace_run=False)
    assert "layoff_high AH" not in ask("AH 2C", table, "earlier", rules=CONTRACT | {"ace_mode": "low"})


def test_the_taken_card_may_not_be_discarded():
    assert ask("7H 7H 2C", taken="7H") == {"discard 2C"}


def test_deep_pick_up_for_the_contract():
    hand = "9C 9D 7S 7H 7D 3C 5D JC QC 8S"
    assert draw(hand, "4C 9H KD 2S", deal=1) == {"take_top", "take 9H"}
    assert draw(hand.replace("7D", "6D"), "4C 9H KD 2S", deal=1) == {"take_top"}


def test_deep_pick_up_of_a_player_who_is_down():
    table = ("5H 6H 7H",)
    assert draw("2D 3D", "8H QC", table, "earlier") == {"take_top", "take 8H"}
    assert draw("8H 2D", "9H QC", table, "earlier") == {"take_top"}
    assert ask("2D 3D 8H QC", table, "earlier", obliged="8H") == {"layoff_high 8H"}
    assert draw("2D 4S", "6H QC", ("5H JK(6H) 7H",), "earlier") == {"take_top", "take 6H"}


def test_a_joker_does_not_place_the_obliged_card():
    fields: dict[str, Any] = {"rules": CONTRACT | {"extra_melds": "any"}, "obliged": "8H"}
    assert "declare 8H" not in ask("8H 9H TH JK 2D", ("5H 6H 7H",), "earlier", **fields)
    assert "declare 9H" in ask("8H TH JK 2D", ("5H 6H 7H",), "earlier", **fields)


def test_only_the_banned_card_left():
    table = ("7S 8S 9S", "2D 2H 2S")
    assert ask("2C KD", table, "this_turn", taken="KD") == {"discard 2C"}
    assert ask("2C KD", table, "this_turn") == {"discard 2C", "discard KD", "layoff_set 2C"}
    assert ask("9C 4D", ("9D 9H 9S",), rules=BASIC, taken="4D") == {"discard 9C"}


def test_swap():
    table = ("5H JK(6H) 7H",)
    hand = "6H 2C QD"
    assert ask(hand, table, "earlier") == discards(hand) | {"swap 6H"}
    assert ask(hand, table, "this_turn") == discards(hand)
    assert ask(hand, table, "earlier", joker_swap_scope="none") == discards(hand)
    own = ("own:5H JK(6H) 7H",)
    assert "swap 6H" in ask(hand, own, "earlier")
    assert "swap 6H" not in ask(hand, own, "earlier", joker_swap_scope="others_runs")
    assert ask("5S 2C", ("5D 5H JK(5S)",), "earlier") == discards("5S 2C")


def test_the_freed_joker_is_declared_and_placed_at_once():
    swapped = {"freed_joker": True, "played_this_turn": True}
    assert ask("2C QD", ("5H 6H 7H",), "earlier", **swapped) == {"declare 4H", "declare 8H"}
    assert ask("2C QD", ("5H 6H 7H",), "earlier", declared=["JK(8H)"], **swapped) == {"layoff_high 8H"}


def test_a_swap_may_make_room_for_the_freed_joker():
    """Both ends of the run are jokers: only beside the natural that came in may the joker lie."""
    run = "own:JK(4H) 5H JK(6H) 7H 8H 9H TH JK(JH)"
    fields: dict[str, Any] = {"down": "earlier", "adjacent_jokers": False}
    assert draw("6D 2C", "QH JH 3D 4H KC 6H 2S", (run,), **fields) == {"take_top", "take QH", "take JH", "take 4H"}
    assert ask("6D JH", (run,), **fields) == discards("6D JH") | {"swap JH"}


def test_everything_at_once():
    hand = "3H 4H 5H 6H 7C 8C 9C TC TS JS QS KS AS"
    starts = {"meld_run " + face for face in "3H 4H 7C 8C TS JS QS".split()}
    assert ask(hand, deal=7) == discards(hand) | starts
    left_over = hand.replace("AS", "2D")
    assert ask(left_over, deal=7) == discards(left_over)
    assert "meld_run 3H" in ask(left_over, deal=7, all_at_once_discard="optional")
    assert "meld_run 3H" in ask(left_over, deal=7, all_at_once_discard="required")
    assert "meld_run 3H" not in ask(left_over, deal=7, all_at_once_discard="optional", taken="2D")
    table = ("own:3H 4H 5H", "own:7C 8C 9C", "own:TS JS QS")
    fields = {"deal": 7, "laying": {"sets": 0, "runs": 0}, "played_this_turn": True, "melds_this_turn": 3}
    assert ask("6H TC KS AS", table, **fields) == {"layoff_high 6H", "layoff_high TC", "layoff_high KS"}
    assert ask("2D", table, **fields, all_at_once_discard="optional") == {"discard 2D"}


def test_finished_runs_are_what_must_stay_apart_at_once():
    hand = "3H 4H 5H 6H 6H 7H 8H TC JC QC 2D 3D 4D"
    rules = CONTRACT | {"contracts": [[0, 4]], "all_at_once_deals": [1], "contract_runs_suit_rule": "not_adjacent"}
    assert "meld_run 6H" in ask(hand, deal=1, rules=rules)
    assert "meld_run 6H" not in ask(hand.replace("6H 6H", "6H KD"), deal=1, rules=rules)


def test_the_last_card():
    table = ("5S 6S 7S", "3C 3H 3S")
    both = {"layoff_high 8S", "layoff_set 3D"}
    assert ask("8S 3D", table, "earlier") == both | discards("8S 3D")
    assert ask("8S", table, "earlier", final_discard="required") == {"discard 8S"}
    assert ask("8S", table, "earlier", final_discard="forbidden") == {"layoff_high 8S"}
    assert ask("8S KD", table, "earlier", final_discard="forbidden") == discards("8S KD")
    assert "meld_run 5H" not in ask("5H 6H 7H", rules=BASIC, final_discard="required")
    assert "meld_run 5H" in ask("5H 6H 7H 2C", rules=BASIC, final_discard="required")


def test_discarding_a_joker():
    assert ask("JK 2C") == discards("JK 2C")
    for option in ("no", "only_last"):
        assert ask("JK 2C", joker_discard=option) == {"discard 2C"}
        assert ask("JK JK", joker_discard=option) == {"discard JK"}
        assert ask("JK JK", rules=BASIC, joker_discard=option, played_this_turn=True) == set()
    assert "discard JK" in ask("JK", (), "earlier", joker_discard="only_last", played_this_turn=True)


def test_basic_options():
    table = ("3C 4C 5C",)
    assert ask("6C 7C 9D", table, rules=BASIC) == discards("6C 7C 9D") | {"layoff_high 6C"}
    assert "layoff_high 6C" not in ask("6C 9D", table, rules=BASIC, layoff_requires_own_meld=True)
    assert "layoff_high 6C" in ask("6C 9D", (*table, "own:8C 8D 8H"), rules=BASIC, layoff_requires_own_meld=True)
    later = {"layoff_timing": "later_turn", "melds_this_turn": 1}
    assert "layoff_high 6C" not in ask("6C 9D", ("own:3C 4C 5C",), rules=BASIC, **later)
    assert "meld_run 6C" in ask("6C 7C 8C 9D", table, rules=BASIC, melds_this_turn=1)
    assert "meld_run 6C" not in ask("6C 7C 8C 9D", table, rules=BASIC, melds_this_turn=1, max_melds_per_turn=1)


def test_draws_from_a_dry_stock():
    assert ask(EIGHT, phase="draw", stock="", discard="2C 9H") >= {"draw_stock", "take_top"}
    assert ask(EIGHT, phase="draw", stock="", discard="9H") == {"take_top"}
    assert "draw_stock" not in ask(EIGHT, phase="draw", stock="", discard="2C 9H", max_recycles=1, recycles=1)
    blocked = position("7H", (), "earlier", phase="draw", stock="", discard="7H")
    assert not legal_draw_exists(blocked, CONTRACT)
    assert legal_draw_exists(blocked | {"stock": "2C"}, CONTRACT)


def test_short_cuts_of_the_checker_change_no_answer():
    """Without them every identity of a joker and every hopeless lay-down is tried, so decks and hands are small."""
    rng = random.Random(8)
    kinds: Counter[str] = Counter()
    compared = 0
    while compared < 300:
        rules, num_players = mixture(rng)
        if max(rules.table(num_players).hand_sizes) > 7 or rules.deck_ranks * rules.deck_suits > 24:
            continue
        place, options = construct(rules, num_players, rng), rules.to_dict()
        actions = legal_actions(place, options)
        assert actions == legal_actions(place, options, prune=False), place
        kinds.update({kind for kind, _ in actions})
        compared += 1
    assert {"take", "declare", "meld_run", "meld_set", "layoff_low", "swap"} <= set(kinds)


@pytest.mark.parametrize("seed", range(4))
def test_engine_and_checker_agree(seed: int):
    """`python -m tests.check_legality` does this for as many positions as wanted."""
    for number in range(seed, 240, 16):
        counts, differing = compare_chunk(number, seed)
        assert counts["positions"] > 0
        assert not differing, f"{differing[0]}\n{differing[0].position}"
