"""Every rule option in every value, each time with a position that tells the values apart.

Told apart by the worked examples already: `contract_runs_suit_rule` (CR20, CR21), `adjacent_jokers` (CR11),
`allow_double_ace_run` (CR15), `max_melds_per_turn` (BR05).
"""

import random
from collections import Counter

import pytest
from positions import (
    BASIC,
    CONTRACT,
    TWO_PACKS,
    actions,
    all_cards,
    can,
    discards,
    finish,
    finish_deal,
    goes_out,
    hand,
    idle_turn,
    melds,
    play,
    position,
)

from rummy_env import Game, RuleSet
from rummy_env.errors import RulesError

# Table and deck


@pytest.mark.parametrize(("rules", "fewest", "most"), [(CONTRACT, 2, 8), (BASIC, 2, 6)])
def test_num_players(rules, fewest, most):
    for players in range(fewest, most + 1):
        assert Game(rules, num_players=players).num_players == players
    for players in (1, most + 1):
        with pytest.raises(RulesError):
            Game(rules, num_players=players)
    assert Game(rules.replace(num_players=2)).num_players == 2


@pytest.mark.parametrize(("players", "size"), [(3, 53), (4, 53), (5, 106), (8, 106)])
def test_deck_policy_auto(players, size):
    assert all_cards(Game(CONTRACT, num_players=players)).total() == size


@pytest.mark.parametrize(("decks", "jokers"), [(1, 0), (2, 1), (3, 12)])
def test_deck_policy_explicit(decks, jokers):
    rules = CONTRACT.replace(deck_policy="explicit", num_decks=decks, num_jokers=jokers)
    deck = all_cards(Game(rules, num_players=4))
    assert deck.pop("JK", 0) == jokers
    assert len(deck) == 52 and set(deck.values()) == {decks}


def test_jokers_without_contracts():
    """Basic Rummy has no joker and no action for one, unless the deck has some."""
    assert "declare" not in Game(BASIC).layout.blocks
    game = position("5H 7H JK 2C", BASIC.replace(num_jokers=2), players=2)
    play(game, "declare JK(6H)", "meld 5H 6H 7H")
    assert melds(game) == ["5H JK(6H) 7H"]
    game = position("6H 2C", BASIC.replace(num_jokers=2), players=2, melds=["5H JK(6H) 7H"])
    assert actions(game) == discards("6H 2C")


def test_deck_ranks_and_suits():
    """The lowest ranks, the first suits; the highest rank of a small deck has nothing above it."""
    rules = BASIC.replace(deck_ranks=5, deck_suits=3, hand_sizes=(4,), ace_mode="both")
    deck = all_cards(Game(rules, num_players=2))
    assert set(deck) == {rank + suit for rank in "A2345" for suit in "CDH"}

    game = position("AC 5D 2D", rules, players=2, melds=["3C 4C 5C"])
    assert actions(game) == discards("AC 5D 2D")
    game = position("2C 5D 2D", rules, players=2, melds=["3C 4C 5C"])
    assert actions(game, "lay off") == {"lay off 2C low"}


@pytest.mark.parametrize(
    ("rules", "players", "size"),
    [
        (CONTRACT.replace(deals=(5,)), 3, 12),
        (CONTRACT.replace(deals=(5,), hand_sizes=(11,)), 3, 11),
        (BASIC, 2, 10),
        (BASIC, 4, 7),
        (BASIC.replace(num_players=(2, 3), hand_sizes={2: 5, 3: 4}), 3, 4),
    ],
)
def test_hand_sizes(rules, players, size):
    game = Game(rules, num_players=players)
    assert [len(hand(game, seat)) for seat in range(players)] == [size] * players


def test_contracts():
    """A contract of one run: whoever lays it is down."""
    rules = CONTRACT.replace(contracts=((0, 1),), hand_sizes=(7,), all_at_once_deals=())
    game = position("3H 4H 5H 9C 2D KD 7S 8C", rules, deal=1)
    assert actions(game, "meld") == {"meld 3H 4H 5H"}
    play(game, "meld 3H 4H 5H")
    assert game.to_dict()["down"][0] == "this_turn"


def test_deals():
    """Only the named deals are played, in this order, each with its own contract and hand size."""
    game = Game(CONTRACT.replace(deals=(5, 2), max_turns_per_deal=1), num_players=3)
    assert (game.deal, len(hand(game, 0))) == (5, 12)
    idle_turn(game)
    assert (game.deal, len(hand(game, 0))) == (2, 10)
    idle_turn(game)
    assert game.over == "capped"


@pytest.mark.parametrize(("first_dealer", "dealers"), [("random", {0, 1, 2}), ("cut", {0, 1, 2}), (1, {1})])
def test_first_dealer(first_dealer, dealers):
    rules = CONTRACT.replace(first_dealer=first_dealer)
    assert {Game(rules, num_players=3, seed=seed).to_dict()["dealer"] for seed in range(30)} == dealers


def test_a_cut_that_decides_nothing_is_left_to_chance():
    one_rank = BASIC.replace(num_players=2, deck_ranks=1, num_decks=2, hand_sizes=(2,), first_dealer="cut")
    assert {Game(one_rank, seed=seed).to_dict()["dealer"] for seed in range(20)} == {0, 1}


# Draw and discard


@pytest.mark.parametrize(("pickup", "takes"), [("any", {"take top", "take 8H"}), ("top", {"take top"})])
def test_discard_pickup(pickup, takes):
    rules = CONTRACT.replace(discard_pickup=pickup)
    game = position("2D 3D", rules, down="earlier", melds=["5H 6H 7H"], phase="draw", pile="8H QC")
    assert actions(game, "take") == takes
    assert ("take" in game.layout.blocks) == (pickup == "any")


def test_discard_pickup_without_contracts():
    """The chosen card is melded or laid off at once."""
    game = position("8D 8S KS", BASIC.replace(discard_pickup="any"), melds=["5H 6H 7H"], phase="draw", pile="2C 8H QC")
    assert actions(game, "take") == {"take top", "take 8H"}
    play(game, "take 8H")
    assert actions(game) == {"meld 8D 8H 8S", "lay off 8H high"}


@pytest.mark.parametrize(("limit", "recycled", "legal"), [(None, 5, True), (0, 0, False), (1, 0, True), (1, 1, False)])
def test_max_recycles(limit, recycled, legal):
    rules = CONTRACT.replace(max_recycles=limit)
    game = position("2C 4D 6S 8H TC QD KS 3H 5D 9S", rules, phase="draw", stock="", pile="7H JC 2S", recycles=recycled)
    assert can(game, "draw stock") == legal


@pytest.mark.parametrize(
    ("value", "thrown", "nine_may_be_laid_off"),
    [("yes", "9S JK", True), ("only_last", "9S", True), ("no", "9S", False)],
)
def test_joker_discard(value, thrown, nine_may_be_laid_off):
    """Once 9S has closed the set, the joker has no place and can only be discarded."""
    game = position("9S JK", CONTRACT.replace(joker_discard=value), down="earlier", melds=["9C 9D 9H"])
    assert actions(game, "discard") == discards(thrown)
    assert can(game, "lay off 9S set") == nine_may_be_laid_off
    if nine_may_be_laid_off:
        assert goes_out(game, "lay off 9S set", "discard JK")


@pytest.mark.parametrize("value", ["yes", "only_last", "no"])
def test_a_hand_of_jokers_may_always_discard_one(value):
    rules = TWO_PACKS.replace(joker_discard=value)
    assert actions(position("JK JK", rules, down="earlier", melds=["9C 9D 9H 9S"])) == {"discard JK"}


@pytest.mark.parametrize(
    ("value", "last_moves"),
    [
        ("optional", {"lay off 3D set", "discard 3D"}),
        ("required", {"discard 3D"}),
        ("forbidden", {"lay off 3D set"}),
    ],
)
@pytest.mark.parametrize("rules", [CONTRACT, BASIC])
def test_final_discard(rules, value, last_moves):
    down = "earlier" if rules is CONTRACT else "no"
    game = position("8S 3D", rules.replace(final_discard=value), down=down, melds=["5S 6S 7S", "3C 3H 3S"])
    play(game, "lay off 8S high")
    assert actions(game) == last_moves


# Contract


@pytest.mark.parametrize(("deals", "legal"), [((7,), False), ((), True)])
def test_all_at_once_deals(deals, legal):
    """Three runs and four cards over, in deal 7."""
    rules = CONTRACT.replace(all_at_once_deals=deals)
    assert can(position("3H 4H 5H 7C 8C 9C TS JS QS 2D 6D KC AH", rules, deal=7), "meld 3H 4H 5H") == legal


def test_another_deal_may_go_down_at_once():
    """Deal 1 all at once: two sets of four and a set of three are no contract, two sets of four are all of it."""
    rules = CONTRACT.replace(deals=(1,), all_at_once_deals=(1,), hand_sizes=(7,))
    assert not actions(position("3C 3D 3H 9C 9D 9H KS 5D", rules, deal=1), "meld")
    game = position("3C 3D 3H 3S 9C 9D 9H 9S", rules, deal=1)
    assert goes_out(game, "meld 3C 3D 3H", "meld 9C 9D 9H", "lay off 3S set", "lay off 9S set")


@pytest.mark.parametrize(
    ("value", "last_moves", "one_card_over"),
    [
        ("forbidden", {"lay off AS high"}, False),
        ("optional", {"lay off AS high", "discard AS"}, True),
        ("required", {"discard AS"}, True),
    ],
)
def test_all_at_once_discard(value, last_moves, one_card_over):
    """Deal 7: the last of thirteen cards that all fit; and a thirteenth card that fits nowhere."""
    rules = CONTRACT.replace(all_at_once_discard=value)
    twelve = "3H 4H 5H 6H 7C 8C 9C TC TS JS QS KS"
    game = position(f"{twelve} AS", rules, deal=7)
    play(game, "meld 3H 4H 5H", "meld 7C 8C 9C", "meld TS JS QS")
    play(game, "lay off 6H high", "lay off TC high", "lay off KS high")
    assert actions(game) == last_moves
    assert bool(actions(position(f"{twelve} 2D", rules, deal=7), "meld")) == one_card_over


@pytest.mark.parametrize(
    ("value", "one_natural", "two_naturals"), [(1, True, True), (2, False, True), (3, False, False)]
)
def test_min_naturals_per_meld(value, one_natural, two_naturals):
    """Two packs, two sets asked: eights with one natural and two jokers, or two naturals and one joker."""
    rules = TWO_PACKS.replace(min_naturals_per_meld=value)
    for cards_in_hand, legal in (
        ("8D JK JK KC KD KH 2S 4C 6H TD QS", one_natural),
        ("8D 8C JK KC KD KH 2S 4H 6H TD QS", two_naturals),
    ):
        assert bool(actions(position(cards_in_hand, rules, deal=1), "meld")) == legal


def test_min_naturals_do_not_limit_lay_offs():
    rules = TWO_PACKS.replace(min_naturals_per_meld=3)
    game = position("JK JK 2C", rules, down="earlier", melds=["9H TH JH"])
    play(game, "declare JK(QH)", "lay off QH high", "declare JK(KH)", "lay off KH high")
    assert melds(game) == ["9H TH JH JK(QH) JK(KH)"]


@pytest.mark.parametrize("value", ["none", "any"])
def test_extra_melds(value):
    """Down earlier: a further meld from the hand, also around a card from inside the pile."""
    rules = CONTRACT.replace(extra_melds=value)
    assert can(position("8C 8D 8H 2D", rules, down="earlier"), "meld 8C 8D 8H") == (value == "any")

    game = position("8C 8D 2D", rules, down="earlier", phase="draw", pile="8H QC")
    assert can(game, "take 8H") == (value == "any")
    if value == "any":
        play(game, "take 8H")
        assert actions(game) == {"meld 8C 8D 8H"}


# Laying off


@pytest.mark.parametrize(
    ("value", "lay_offs"),
    [("same_turn", {"lay off 6H high", "lay off KS high"}), ("later_turn", {"lay off 6H high"})],
)
def test_layoff_timing_with_contracts(value, lay_offs):
    """In the turn of going down only the own melds take cards."""
    rules = CONTRACT.replace(layoff_timing=value)
    game = position("9C 9D 9H 3H 4H 5H 6H KS 2C 7D QD", rules, melds=["TS JS QS"])
    play(game, "meld 3H 4H 5H", "meld 9C 9D 9H")
    assert actions(game, "lay off") == lay_offs
    play(game, "discard 2C")
    for _other in range(3):
        idle_turn(game)
    assert can(game, "draw stock", "lay off KS high")


@pytest.mark.parametrize(
    ("value", "lay_offs"),
    [("same_turn", {"lay off 8D set", "lay off 6C high"}), ("later_turn", {"lay off 8D set"})],
)
def test_layoff_timing_without_contracts(value, lay_offs):
    """A meld laid this turn takes no cards until a later turn."""
    game = position("3C 4C 5C 6C 8D KD", BASIC.replace(layoff_timing=value), melds=["8C 8H 8S"])
    play(game, "meld 3C 4C 5C")
    assert actions(game, "lay off") == lay_offs
    play(game, "discard KD")
    for _other in range(3):
        idle_turn(game)
    assert can(game, "draw stock", "lay off 6C high")


@pytest.mark.parametrize(
    ("value", "lay_offs", "six"),
    [
        ("all", {"lay off 6H high", "lay off KS high"}, ["3H 4H 5H 6H", "TS JS QS", "3H 4H 5H"]),
        ("own", {"lay off 6H high"}, ["3H 4H 5H", "TS JS QS", "3H 4H 5H 6H"]),
    ],
)
def test_layoff_scope(value, lay_offs, six):
    """Two packs: 6H goes to the first meld that takes it, of all or of the own ones."""
    table = ["3H 4H 5H", "TS JS QS", "0: 3H 4H 5H"]
    game = position("6H KS 2C 7D", TWO_PACKS.replace(layoff_scope=value), down="earlier", melds=table)
    assert actions(game, "lay off") == lay_offs
    play(game, "lay off 6H high")
    assert melds(game) == six


@pytest.mark.parametrize("rules", [CONTRACT, BASIC])
def test_layoff_on_sets(rules):
    down = "earlier" if rules is CONTRACT else "no"
    table = ["6C 6D 6H", "7S 8S 9S"]
    assert actions(position("6S 2C", rules, down=down, melds=table), "lay off") == {"lay off 6S set", "lay off 6S low"}
    game = position("6S 2C", rules.replace(layoff_on_sets=False), down=down, melds=table)
    assert actions(game, "lay off") == {"lay off 6S low"}
    assert "layoff_set" not in game.layout.blocks


def test_layoff_requires_own_meld():
    """A meld of the same turn opens the way, an earlier lay-off does not (BR04: with neither)."""
    rules = BASIC.replace(layoff_requires_own_meld=True)
    game = position("6C 9D 9H 9S", rules, melds=["3C 4C 5C"], played_before=[True] * 4)
    assert not can(game, "lay off 6C high")
    assert can(game, "meld 9D 9H 9S", "lay off 6C high")


@pytest.mark.parametrize(
    ("scope", "own", "others"), [("any_run", True, True), ("others_runs", False, True), ("none", False, False)]
)
def test_joker_swap_scope(scope, own, others):
    rules = CONTRACT.replace(joker_swap_scope=scope)
    for owner, legal in (("0: ", own), ("", others)):
        game = position("6H 2C QD", rules, down="earlier", melds=[f"{owner}5H JK(6H) 7H"])
        assert actions(game, "swap") == ({"swap 6H"} if legal else set())


# Aces and points


@pytest.mark.parametrize(("value", "is_run"), [("both", True), ("low", False)])
def test_ace_mode(value, is_run):
    game = position("KH AH 2C", CONTRACT.replace(ace_mode=value), down="earlier", melds=["TH JH QH"])
    assert can(game, "lay off KH high", "lay off AH high") == is_run


@pytest.mark.parametrize(
    ("rules", "points"),
    [
        (BASIC, 1),
        (BASIC.replace(ace_mode="both"), 15),
        (BASIC.replace(ace_value=11), 11),
        (CONTRACT, 15),
        (CONTRACT.replace(ace_mode="low"), 15),
        (CONTRACT.replace(ace_value=20), 20),
    ],
)
def test_ace_value(rules, points):
    down = "earlier" if rules.contracts else "no"
    assert play(position("2D", rules, down=down, others=["AD"]), "discard 2D").hand_points[1] == points


@pytest.mark.parametrize("value", [15, 25])
def test_joker_value(value):
    game = position("2D", CONTRACT.replace(joker_value=value), down="earlier", others=["JK 3D"])
    assert play(game, "discard 2D").hand_points[1] == value + 3


# Scoring


@pytest.mark.parametrize(
    ("rules", "value", "points"),
    [
        (CONTRACT, "score_hands", [10, 15, 8]),
        (CONTRACT, "void", [0, 0, 0]),
        (CONTRACT, "lowest_hand", [2, 7, 0]),
        (BASIC, "void", [0, 0, 0]),
        (BASIC, "lowest_hand", [0, 0, 2 + 7]),
    ],
)
def test_dead_deal_scoring(rules, value, points):
    """A capped deal with 10, 15 and 8 points in the hands."""
    rules = rules.replace(dead_deal_scoring=value, max_turns_per_deal=9)
    game = position("KD 2C", rules, players=3, turn=8, others=["8D 7D", "8S"])
    summary = play(game, "discard 2C")
    assert (summary.reason, summary.out) == ("capped", None)
    assert (summary.hand_points, summary.points) == ([10, 15, 8], points)


def test_a_tie_for_the_lowest_hand_scores_nothing():
    rules = BASIC.replace(dead_deal_scoring="lowest_hand", max_turns_per_deal=9)
    game = position("KD 2C", rules, players=3, turn=8, others=["8D", "8S"])
    assert play(game, "discard 2C").points == [0, 0, 0]


def test_hands_are_scored_only_with_contracts():
    with pytest.raises(RulesError):
        BASIC.replace(dead_deal_scoring="score_hands")


@pytest.mark.parametrize("rules", [CONTRACT, BASIC])
def test_max_turns_per_deal(rules):
    assert rules.table(4).max_turns == 200
    assert finish_deal(Game(rules.replace(max_turns_per_deal=3), num_players=4), random.Random(0)).turns == 3


@pytest.mark.parametrize(
    ("value", "multiplier", "at_once", "after_earlier_play"),
    [("off", 2, 10, 10), ("no_earlier_play", 2, 20, 10), ("any", 2, 20, 20), ("any", 3, 30, 30)],
)
def test_going_rummy(value, multiplier, at_once, after_earlier_play):
    """Out in one turn against a king in hand, with nothing played before or with an earlier meld."""
    rules = BASIC.replace(going_rummy=value, going_rummy_multiplier=multiplier)
    for table, points in (([], at_once), (["0: 9C 9D 9H"], after_earlier_play)):
        game = position("5H 6H 7H", rules, players=2, melds=table, others=["KC"])
        assert play(game, "meld 5H 6H 7H").points == [points, 0]


@pytest.mark.parametrize(
    ("first_cards", "first_play", "rummy"),
    [("", [], True), ("4C", ["lay off 4C high"], False), ("9C 9D 9H", ["meld 9C 9D 9H"], False)],
)
def test_earlier_play_is_a_meld_or_a_lay_off_of_an_earlier_turn(first_cards, first_play, rummy):
    game = position(f"{first_cards} 5H 6H 2D", BASIC, players=2, melds=["AC 2C 3C"], others=["7H"])
    play(game, *first_play, "discard 2D")
    play(game, "draw stock", "discard 7H")
    assert play(game, "take top", "meld 5H 6H 7H").rummy == rummy


def test_going_rummy_with_contracts():
    """The penalties of the losers are multiplied."""
    game = position("2D", CONTRACT.replace(going_rummy="any"), players=3, down="earlier", others=["KC", "AC"])
    summary = play(game, "discard 2D")
    assert summary.hand_points == [0, 10, 15]
    assert summary.points == [0, 20, 30]


# End of the game


@pytest.mark.parametrize(
    ("rules", "contracts"),
    [
        (CONTRACT, [1, 2, 3, 4, 5, 6, 7]),
        (CONTRACT.replace(n_deals=9), [1, 2, 3, 4, 5, 6, 7, 1, 2]),
        (CONTRACT.replace(n_deals=3, deals=(4, 6)), [4, 6, 4]),
    ],
)
def test_game_end_n_deals(rules, contracts):
    summaries = finish(Game(rules.replace(max_turns_per_deal=2), num_players=3))
    assert [summary.contract for summary in summaries] == contracts


def test_game_end_n_deals_without_contracts():
    rules = BASIC.replace(game_end="n_deals", n_deals=4, max_turns_per_deal=2)
    assert len(finish(Game(rules, num_players=3))) == 4


def test_game_end_single_deal():
    """One deal, drawn from the list by the seed."""
    rules = CONTRACT.replace(game_end="single_deal", deals=(2, 5), max_turns_per_deal=2)
    games = [finish(Game(rules, num_players=3, seed=seed)) for seed in range(20)]
    assert {len(summaries) for summaries in games} == {1}
    assert {summaries[0].contract for summaries in games} == {2, 5}


def test_deal_weights():
    """Each deal is drawn as often as its weight says, never one of weight 0; the cards stay those of the seed."""
    rules = CONTRACT.replace(game_end="single_deal", deals=(2, 5, 1, 7), deal_weights=(0, 3, 1, 0))
    games = [Game(rules, 3, seed) for seed in range(2000)]
    drawn = Counter(game.deal for game in games)
    assert set(drawn) == {1, 5}
    assert drawn[1] == pytest.approx(500, abs=80)
    for game in games[:20]:
        alone = Game(rules.replace(deals=(game.deal,)), 3, game.seed).to_dict()
        assert all(game.to_dict()[key] == alone[key] for key in ("hands", "stock", "discard", "dealer"))


@pytest.mark.parametrize("target", [100, 400])
def test_game_end_target_score_with_contracts(target):
    """Contracts cycle until somebody's penalties reach the target."""
    rules = CONTRACT.replace(game_end="target_score", target_score=target, deals=(1, 2), max_turns_per_deal=2)
    game = Game(rules, num_players=3)
    summaries = finish(game)
    before_the_last = [score - points for score, points in zip(game.scores, summaries[-1].points, strict=True)]
    assert max(before_the_last) < target <= max(game.scores)
    assert [summary.contract for summary in summaries] == [1 + number % 2 for number in range(len(summaries))]


@pytest.mark.parametrize(("target", "over"), [(100, True), (101, False)])
def test_game_end_target_score_without_contracts(target, over):
    """At 90, winning a deal worth 10."""
    rules = BASIC.replace(target_score=target)
    game = position("2D", rules, players=2, melds=["0: 9C 9D 9H"], others=["KC"], scores=[90, 95])
    play(game, "discard 2D")
    assert (game.over is not None) == over


def test_max_deals_ends_a_game_that_never_gets_there():
    assert len(finish(Game(BASIC.replace(max_turns_per_deal=1, max_deals=5), num_players=3))) == 5


def test_options_come_from_a_mapping():
    rules = RuleSet.load({"preset": "basic_rummy", "target_score": 60})
    assert rules.target_score == 60
    assert rules.replace(target_score=BASIC.target_score).ace_mode == BASIC.ace_mode
