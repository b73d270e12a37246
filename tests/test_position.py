"""`Game.from_dict` refuses every impossible position by name; nothing but a `RummyError` ever comes of one."""

import copy
import json
import random
from typing import Any

import pytest
from played import TABLES, moments
from positions import BASIC, CONTRACT, TWO_PACKS, position

from rummy_env import Game
from rummy_env.errors import PositionError, RulesError, RummyError

# The position that most tests spoil: three players, contract 2 (a set and a run), seat 0 to move after its draw.
HAND = "5C 6C 7C 8D 8H 8S KD"
SOUND = position(
    HAND, players=3, deal=2, pile="2C AD", melds=["3H 4H 5H", "9C 9D JK(9H)"], others=["2D 2H", "QS QH JS"]
).to_dict()
DRAW = {**SOUND, "phase": "draw"}
ALL_ABOARD = position("5C 6C 7C 8D JK 8S KD", players=3, deal=2, others=["2D 2H"]).to_dict()
BASIC_SOUND = position("7C 7D 7H KS 2C", BASIC, players=3, melds=["3H 4H 5H"]).to_dict()
INTEGERS = ("deal", "dealer", "player", "turn", "recycles", "deals_done", "melds_this_turn", "num_players")


def meld(cards: str, kind: str = "run", owner: Any = 1) -> dict[str, Any]:
    return {"owner": owner, "kind": kind, "cards": cards}


def refused(changes: dict[str, Any], words: str, base: dict[str, Any] = SOUND) -> None:
    spoilt = {**copy.deepcopy(base), **changes}
    with pytest.raises((PositionError, RulesError), match=words):
        Game.from_dict(spoilt)


@pytest.mark.parametrize("base", [SOUND, DRAW, ALL_ABOARD, BASIC_SOUND])
def test_what_is_spoilt_below_was_sound(base):
    assert Game.from_dict(base).to_dict() == base


def test_what_may_be_left_out():
    """Six keys are enough; the others are those of a fresh deal."""
    fresh = Game(CONTRACT, num_players=4, seed=3).to_dict()
    keys = ("rules", "num_players", "player", "hands", "stock", "discard")
    game = Game.from_dict({key: fresh[key] for key in keys})
    assert game.to_dict() == {**fresh, "random": game.to_dict()["random"]}
    for key in set(SOUND) - set(keys):
        Game.from_dict({name: value for name, value in fresh.items() if name != key})


@pytest.mark.parametrize("key", ["rules", "num_players", "player", "hands", "stock", "discard"])
def test_a_missing_key(key):
    spoilt = {name: value for name, value in SOUND.items() if name != key}
    with pytest.raises(PositionError, match=f"lacks {key}"):
        Game.from_dict(spoilt)


def test_unknown_keys():
    refused({"hand": "2C", 5: None}, "unknown keys hand, 5")


@pytest.mark.parametrize("position", [None, 5, "contract_rummy", [], [("rules", "contract_rummy")], Game])
def test_what_is_no_mapping(position):
    with pytest.raises(PositionError, match="a position is a mapping"):
        Game.from_dict(position)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"rules": "no_such_rummy"}, "there is no preset"),
        ({"rules": 7}, "rules"),
        ({"rules": {"num_jokers": -1}}, "num_jokers"),
        ({"num_players": 1}, "num_players"),
        ({"num_players": 9}, "num_players"),
        ({"num_players": 4}, "4 seats"),
        ({"hands": ["5C", "6C"]}, "hands is"),
        ({"hands": "5C 6C 7C"}, "hands is"),
        ({"hands": [5, "2D 2H", "QS QH JS"]}, r"hands\[0\]: 5 is no list of cards"),
        ({"down": ["no", "no"]}, "down is"),
        ({"down": ["no", "earlier", "later"]}, "down has 'later'"),
        ({"down": ["no", "this_turn", "no"]}, r"down\[1\] is 'this_turn'"),
        ({"scores": [1, 2]}, "scores is"),
        ({"scores": [1, 2, "3"]}, "scores has '3'"),
        ({"scores": [1, 2, True]}, "scores has True"),
        ({"scores": [0, 0, 10**30]}, "scores has"),
        ({"played_before": [False]}, "played_before is"),
        ({"played_before": [False, False, "yes"]}, "played_before has 'yes'"),
        ({"played_this_turn": "yes"}, "played_this_turn is 'yes'"),
        ({"phase": "discard"}, "phase is 'discard'"),
        ({"phase": None}, "phase is None"),
        ({"over": "won"}, "over is 'won'"),
        ({"over": False}, "over is False"),
        ({"freed_joker": "JK"}, "freed_joker is 'JK'"),
        ({"freed_joker": 0}, "freed_joker is 0"),
        ({"played_before": [0, 1, 0]}, "played_before has 0"),
        ({"turn": 151}, "turn is 151; expected a whole number from 0 to 149"),
        ({"deal": 0}, "deal is 0"),
        ({"deal": 8}, "deal is 8; expected a whole number from 1 to 7"),
        ({"deals_done": 2}, "deal is 2, but after 2 finished deals it is 3"),
        ({"deals_done": 7}, "deals_done is 7; expected a whole number from 0 to 6"),
        ({"deals_done": 0, "over": "out"}, "deals_done is 0; expected a whole number from 1 to 7"),
        ({"player": 3}, "player is 3"),
        ({"dealer": -1}, "dealer is -1"),
    ],
)
def test_a_value_that_cannot_be(changes, words):
    refused(changes, words)


@pytest.mark.parametrize("key", INTEGERS)
@pytest.mark.parametrize("value", [True, None, 1.0, "1", [1], {}, -1, 2**15, 2**31, 2**63, 10**40, -(10**40)])
def test_no_whole_number_within_its_range(key, value):
    for base in (SOUND, BASIC_SOUND):
        if not (base is BASIC_SOUND and key == "deal" and value == 2**15):
            refused({key: value}, key, base)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"stock": SOUND["stock"] + " KD"}, "KD is there 2 times; the deck has 1"),
        ({"stock": SOUND["stock"] + " JK"}, "JK is there 2 times; the deck has 1"),
        ({"hands": [HAND + " KD", "2D 2H", "QS QH JS"]}, "KD is there 2 times"),
        ({"stock": " ".join(SOUND["stock"].split()[1:])}, f"52 cards are there.*missing: {SOUND['stock'].split()[0]}"),
        ({"stock": ""}, "fewer than the deck has"),
        ({"stock": "1C"}, "stock: '1C' is no card"),
        ({"stock": ["2C"]}, "stock: .* is no list of cards"),
        ({"discard": None}, "discard: None is no list of cards"),
        ({"discard": "2C,AD"}, "discard: '2C,AD' is no card"),
        ({"hands": ["", "2D 2H", "QS QH JS"], "stock": SOUND["stock"] + " " + HAND}, r"hands\[0\] is empty"),
        ({"hands": [HAND, "2D 2H", ""], "stock": SOUND["stock"] + " QS QH JS"}, r"hands\[2\] is empty"),
        ({"phase": "draw", "discard": "", "stock": SOUND["stock"] + " 2C AD"}, "discard is empty"),
    ],
)
def test_cards_that_do_not_make_a_deck(changes, words):
    refused(changes, words)


def test_cards_outside_the_deck():
    rules = CONTRACT.replace(deck_ranks=9, deals=None, contracts=((1, 0),), hand_sizes=(5,), all_at_once_deals=())
    small = position("5C 6C", rules, players=2, deal=1).to_dict()
    refused(
        {"hands": [small["hands"][0] + " TC", small["hands"][1]]}, r"hands\[0\] has TC, which is not in the deck", small
    )
    refused({"hands": [BASIC_SOUND["hands"][0] + " JK", *BASIC_SOUND["hands"][1:]]}, "JK, which is not in", BASIC_SOUND)


def test_a_card_twice_needs_two_packs():
    two = position("5C 5C", TWO_PACKS, players=3, deal=2).to_dict()
    refused({"hands": ["5C 5C 5C", *two["hands"][1:]]}, "5C is there 3 times; the deck has 2", two)


@pytest.mark.parametrize(
    ("melds", "words"),
    [
        ([meld("3H 5H 6H")], "is no run"),
        ([meld("5H 4H 3H")], "is no run"),
        ([meld("3H 4D 5H")], "is no run"),
        ([meld("KH AH 2H")], "is no run"),
        ([meld("9C 9D 9H")], "is no run"),
        ([meld("3H 4H 5H", "set")], "is no set"),
        ([meld("9C 9C 9H", "set")], "is no set"),
        ([meld("9C 9D 9H 9S 9C", "set")], "is no set"),
        ([meld("3H 4H")], "has 2 cards"),
        ([meld("")], "has 0 cards"),
        ([meld("3H JK 5H")], "written with its identity"),
        ([meld("3H JK() 5H")], "'' is no card"),
        ([meld("3H JK(JK) 5H")], "written with its identity"),
        ([meld("3H JK(4H 5H")], "is no card"),
        ([meld("JK(3H) JK(4H) JK(5H)")], "has 0 naturals"),
        ([meld("3H JK(4H) 5H"), meld("9C 9D JK(9H)", "set")], "JK is there 2 times"),
        ([meld("3H 4H 5H", owner=3)], "owner is 3"),
        ([meld("3H 4H 5H", owner=-1)], "owner is -1"),
        ([meld("3H 4H 5H", owner=True)], "owner is True"),
        ([meld("3H 4H 5H", owner=None)], "owner is None"),
        ([meld("3H 4H 5H", kind="group")], "kind is 'group'"),
        ([meld("3H 4H 5H", kind=["run"])], "kind is"),
        ([meld(["3H", "4H", "5H"])], "cards is"),
        ([{"owner": 1, "cards": "3H 4H 5H"}], r"melds\[0\] is"),
        ([["run", "3H 4H 5H"]], r"melds\[0\] is"),
        ([meld("3H 4H 5H"), None], r"melds\[1\] is None"),
        ({"0": meld("3H 4H 5H")}, "melds is"),
        ([meld("3H 4H 5H")] * 60, "at most"),
        (None, "melds is None"),
    ],
)
def test_what_is_no_meld(melds, words):
    refused({"melds": melds}, words)


def test_melds_that_the_rules_forbid():
    jokers = CONTRACT.replace(num_jokers=4)
    for rules, words in [
        (jokers.replace(min_naturals_per_meld=2), "has 1 naturals; the rules ask for 2"),
        (jokers.replace(adjacent_jokers=False), "no two jokers side by side"),
    ]:
        sound = position("2C 3D", jokers, melds=["JK(5H) JK(6H) 7H"]).to_dict()
        refused({"rules": rules.to_dict()}, words, sound)
    both_aces = position("2C 3D", melds=["AH 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH JK(AH)"]).to_dict()
    refused({"rules": CONTRACT.replace(allow_double_ace_run=False).to_dict()}, "no run with two aces", both_aces)
    high = position("2C 3D", melds=["QH KH AH"]).to_dict()
    refused({"rules": CONTRACT.replace(ace_mode="low").to_dict()}, "is no run", high)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"taken": "KD", "obliged": "8S"}, "taken and obliged exclude each other"),
        ({"taken": "KD KC"}, "taken is 'KD KC'; expected one card or null"),
        ({"taken": ""}, "taken is ''"),
        ({"taken": 5}, "taken: 5 is no list"),
        ({"obliged": "2S"}, "obliged is 2S, which is not in the hand"),
        ({"obliged": "JK"}, "obliged is JK, which is not in the hand"),
        ({"phase": "draw", "taken": "KD"}, "phase is 'draw', but"),
        ({"phase": "draw", "obliged": "8S"}, "phase is 'draw', but"),
        ({"phase": "draw", "played_this_turn": True}, "phase is 'draw', but"),
        ({"phase": "draw", "down": ["this_turn", "earlier", "no"]}, "phase is 'draw', but"),
        ({"laying": {"sets": 2, "runs": 0}}, "the contract asks for 1 sets and 1 runs"),
        ({"laying": {"sets": 1, "runs": -1}}, "the contract asks for"),
        ({"laying": {"sets": 1, "runs": True}}, "the contract asks for"),
        ({"laying": {"sets": 1}}, "laying is"),
        ({"laying": [1, 0]}, "laying is"),
        ({"laying": {"sets": 1, "runs": 1}}, "not half laid"),
        ({"laying": {"sets": 0, "runs": 0}}, "not half laid"),
        ({"laying": {"sets": 1, "runs": 0}}, "laying is .*, but the melds of this turn"),
        ({"laying": {"sets": 1, "runs": 0}, "down": ["earlier", "earlier", "no"]}, "has no contract to lay"),
        ({"melds_this_turn": 1}, "melds_this_turn"),
    ],
)
def test_a_turn_that_cannot_be(changes, words):
    refused(changes, words)


def test_no_contract_is_laid_without_contracts():
    refused({"laying": {"sets": 1, "runs": 0}}, "has no contract to lay", BASIC_SOUND)


def test_the_melds_of_this_turn_are_the_last_ones():
    melds = [meld("3H 4H 5H", owner=0), meld("9C 9D JK(9H)", "set", owner=1)]
    refused({"melds": melds, "melds_this_turn": 1}, r"melds\[1\] belongs to another player")


@pytest.mark.parametrize(
    ("declared", "words"),
    [
        ("JK(8H)", "declared is"),
        ([None], "declared has None"),
        (["8H"], "declared has '8H'"),
        (["JK"], "declared has 'JK'"),
        (["JK()"], "declared has"),
        (["JK(8H"], "declared"),
        (["JK(8H 8C)"], "declared"),
        (["JK(1H)"], "'1H' is no card"),
        (["JK(JK)"], "declared has"),
        (["JK(8H)", "JK(8H)"], "stands there twice"),
        (["JK(8H)", "JK(8C)"], "JK is there 2 times"),
    ],
)
def test_jokers_declared_as_nothing(declared, words):
    hands = ["5C 6C 7C 8D 8S KD", *ALL_ABOARD["hands"][1:]]
    Game.from_dict({**ALL_ABOARD, "hands": hands, "declared": ["JK(8H)"]})
    refused({"hands": hands, "declared": declared}, words, ALL_ABOARD)


def test_a_turn_that_could_not_be_finished():
    """Whatever is consistent but has no legal action is refused too: the obliged king goes nowhere."""
    refused({"obliged": "KD"}, "has no legal action")


@pytest.mark.parametrize(
    ("memory", "words"),
    [
        ({"held": ["AS", "", ""]}, r"memory.held\[0\] has AS, which is not in that hand"),
        ({"held": ["5C 5C", "", ""]}, r"memory.held\[0\] has 5C"),
        ({"held": ["5C", ""]}, "held is"),
        ({"held": "5C"}, "held is"),
        ({"held": [5, "", ""]}, "memory.held"),
        ({"discarded": ["", "", "1C"]}, "memory.discarded"),
        ({"refused": [None, "", ""]}, "memory.refused"),
        ({"seen": []}, "memory is"),
        ([], "memory is"),
        (False, "memory is"),
        ("held", "memory is"),
    ],
)
def test_a_memory_that_cannot_be(memory, words):
    refused({"memory": memory}, words)


@pytest.mark.parametrize(
    "stream",
    [
        {"seed": 0, "stream": [0, 0, 0]},
        {"seed": 0, "stream": [1]},
        {"seed": 0, "stream": [0, 0, 0, 0, 1]},
        {"seed": 0, "stream": 1},
        {"seed": 0, "stream": "1234"},
        {"seed": 0, "stream": None},
        {"seed": 0, "stream": [0, 0, 0, 2**63]},
        {"seed": 0, "stream": [0, 0, 0, 2**32]},
        {"seed": 0, "stream": [0, 0, 0, -1]},
        {"seed": 0, "stream": [0, 0, 0, 1.5]},
        {"seed": 0, "stream": [0, 0, 0, "1"]},
        {"seed": 0, "stream": [0, 0, 0, True]},
        {"seed": 0, "stream": [0, 0, 0, float("nan")]},
        {"seed": -1, "stream": [0, 0, 0, 1]},
        {"seed": 2**63, "stream": [0, 0, 0, 1]},
        {"seed": "7", "stream": [0, 0, 0, 1]},
        {"seed": None, "stream": [0, 0, 0, 1]},
        {"stream": [0, 0, 0, 1]},
        {"seed": 0},
        [0, 0, 0, 1],
        "random",
        False,
    ],
)
def test_a_random_stream_that_cannot_be(stream):
    refused({"random": stream}, "random is")


# Anything at all

JUNK = (
    None, True, False, 0, -1, 1, 3, 10**6, 2**40, 10**30, 1.5, float("nan"), float("inf"), "", "JK", "5H", "JK(5H)",
    "5H 6H 7H", "XX", "JK(", "JK()", "no", "earlier", "this_turn", "draw", "out", "run", [], {}, [None], [0], ["5H"],
    ["JK(5H)"], [[]], {"sets": 1, "runs": 0}, {"seed": 1, "stream": [1, 2, 3, 4]}, b"5H", (1, 2), {1: 2}, [True] * 4,
)  # fmt: skip


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths to everything inside a position but its rules."""
    found = [path] if path else []
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else []
    for key in keys:
        if path or key != "rules":
            found += places(value[key], (*path, key))
    return found


def spoil(position: dict[str, Any], chance: random.Random) -> None:
    """Replace, remove or repeat something, or move a card."""
    *path, last = chance.choice(places(position))
    holder = position
    for key in path:
        holder = holder[key]
    value = holder[last]
    if isinstance(value, str) and " " in value and chance.random() < 0.5:
        cards = value.split()
        cards[chance.randrange(len(cards))] = chance.choice(("5H", "JK", "JK(5H)", "", "?", cards[0]))
        holder[last] = " ".join(cards)
    elif isinstance(value, list) and value and chance.random() < 0.5:
        value.append(chance.choice(value)) if chance.random() < 0.5 else value.pop()
    elif isinstance(holder, dict) and chance.random() < 0.1:
        del holder[last]
    else:
        holder[last] = copy.deepcopy(chance.choice(JUNK))


def sound_positions() -> list[dict[str, Any]]:
    names = ("basic-2", "contract-3", "many-jokers", "extra-melds", "small-deck", "all-at-once")
    return [game.to_dict() for name in names for game in moments(name, eager=True)]


def test_a_spoilt_position_is_a_game_or_refused():
    """Nothing else than a `RummyError` comes out, and what is let in can be played on."""
    sound = sound_positions()
    chance = random.Random(1)
    let_in = 0
    for number in range(600):
        spoilt = copy.deepcopy(sound[number % len(sound)])
        for _ in range(chance.choice((1, 1, 1, 2, 3))):
            spoil(spoilt, chance)
        try:
            game = Game.from_dict(spoilt)
        except RummyError:
            continue
        except Exception as error:
            raise AssertionError(f"{type(error).__name__}: {error} for {spoilt}") from error
        let_in += 1
        again = game.to_dict()
        assert json.loads(json.dumps(again)) == again
        assert Game.from_dict(again).to_dict() == again
        for _ in range(8):
            if game.over is None:
                game.apply(chance.choice(game.legal_actions()))
    assert 20 < let_in < 300


@pytest.mark.parametrize("name", TABLES)
def test_every_played_position_is_sound(name):
    for eager in (False, True):
        for game in moments(name, eager):
            now = game.to_dict()
            assert Game.from_dict(json.loads(json.dumps(now))).to_dict() == now
