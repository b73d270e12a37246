"""Contract Rummy by example: one narrated position per test, named by its row of the worked examples.

The last section holds fine points that the rows leave open. Four players and one pack (52 cards and a joker) unless a
test says otherwise.
"""

import pytest
from positions import (
    CONTRACT,
    TWO_PACKS,
    actions,
    can,
    cards,
    discards,
    goes_out,
    hand,
    idle_turn,
    melds,
    play,
    position,
)

from rummy_env import Game
from rummy_env.errors import RulesError

# Equipment and order


def test_cr01_five_players_need_two_packs():
    """Can one pack be dealt to five players in deal 5? No, 5 · 12 + 1 = 61 > 53: they get 106 cards, 45 left."""
    game = Game(CONTRACT.replace(deals=(5,)), num_players=5)
    assert len(game.to_dict()["stock"].split()) == 45
    with pytest.raises(RulesError):
        Game(CONTRACT.replace(deck_policy="explicit", num_decks=1, num_jokers=1), num_players=5)


def test_cr02_four_players_on_one_pack_are_cramped():
    """Stock after the upcard of deal 6? 53 - 4 · 12 - 1 = 4."""
    game = Game(CONTRACT.replace(deals=(6,)), num_players=4)
    assert len(game.to_dict()["stock"].split()) == 4


def test_cr03_the_deal_passes_left():
    """Seats 0 to 3, first dealer 2: who deals deal 3, who begins? Dealer 0, then seat 1."""
    game = Game(CONTRACT.replace(first_dealer=2, max_turns_per_deal=1), num_players=4)
    assert (game.deal, game.to_dict()["dealer"], game.player) == (1, 2, 3)
    idle_turn(game)
    idle_turn(game)
    assert (game.deal, game.to_dict()["dealer"], game.player) == (3, 0, 1)


def test_cr04_the_upcard_is_a_discard_like_any_other():
    """The first player takes the upcard 7H: may it be discarded this turn? No."""
    game = position("2C 4D 6S 8H TC QD KS 3H 5D 9S", phase="draw", turn=0, pile="7H")
    assert not can(game, "take top", "discard 7H")


# Melds


def test_cr05_a_set_has_no_suit_twice():
    """Two packs: is 5D 5D 5H a set? No, two diamonds."""
    assert not actions(position("5D 5D 5H 9C 9D 9H 2S KC QC 7S 4C", TWO_PACKS, deal=1), "meld")
    assert can(position("5C 5D 5H 9C 9D 9H 2S KC QC 7S 4C", TWO_PACKS, deal=1), "meld 5C 5D 5H")


@pytest.mark.parametrize(("run", "is_run"), [("QS KS AS", True), ("AS 2S 3S", True), ("KS AS 2S", False)])
def test_cr06_the_ace_is_high_or_low_but_no_corner(run, is_run):
    """With the set 5C 5D 5H at hand: which of these are runs?"""
    game = position(f"5C 5D 5H {run} 7D 9C JH 3D 8C", deal=2)
    assert actions(game, "meld") == ({f"meld {run}", "meld 5C 5D 5H"} if is_run else set())


def test_cr07_nothing_goes_above_the_high_ace():
    """Lay off 2H? TH? Position 14 is final; the low end is open."""
    game = position("2H TH 5C 8D", down="earlier", melds=["JH QH KH AH"])
    assert actions(game, "lay off") == {"lay off TH low"}


def test_cr08_nothing_goes_below_the_low_ace():
    """Lay off KD? 4D? Position 1 is final; the high end is open."""
    game = position("KD 4D 9C", down="earlier", melds=["AD 2D 3D"])
    assert actions(game, "lay off") == {"lay off 4D high"}


def test_cr09_a_joker_in_a_set_is_a_missing_suit():
    """Set 5D 5H JK: declare the joker as 5D? No, only 5C or 5S."""
    game = position("5D 5H JK 9C 9D 9H 2S KC QC 7S JD", deal=1)
    assert actions(game, "declare") == {"declare JK(5C)", "declare JK(5S)"}
    play(game, "declare JK(5S)", "meld 5D 5H 5S")
    assert melds(game) == ["5D 5H JK(5S)"]


def test_cr11_jokers_may_be_neighbours():
    """Two packs: is 5S JK(6S) JK(7S) 8S a run? Yes, but not with `adjacent_jokers=False`."""
    cards_in_hand = "5S 8S JK JK KC KD KH 2D 4C 9H JD"
    game = position(cards_in_hand, TWO_PACKS)
    play(game, "declare JK(6S)", "declare JK(7S)", "meld 5S 6S 7S", "meld KC KD KH", "lay off 8S high")
    assert melds(game) == ["5S JK(6S) JK(7S) 8S", "KC KD KH"]

    game = position(cards_in_hand, TWO_PACKS.replace(adjacent_jokers=False))
    assert not can(game, "declare JK(6S)", "declare JK(7S)")
    assert can(game, "declare JK(6S)", "declare JK(4S)", "meld 4S 5S 6S")


def test_cr12_one_natural_makes_a_set():
    """Two packs: is 8D JK(8C) JK(8H) a set? Yes, but not with `min_naturals_per_meld=2`."""
    cards_in_hand = "8D JK JK KC KD KH 2S 4C 6H TD QS"
    game = position(cards_in_hand, TWO_PACKS, deal=1)
    play(game, "declare JK(8C)", "declare JK(8H)", "meld 8C 8D 8H", "meld KC KD KH")
    assert melds(game) == ["JK(8C) 8D JK(8H)", "KC KD KH"]

    game = position(cards_in_hand, TWO_PACKS.replace(min_naturals_per_meld=2), deal=1)
    assert actions(game) == discards(cards_in_hand)


def test_cr13_a_slot_held_by_a_joker_is_occupied():
    """Run 9S TS JK(JS): lay off JS? QS? 8S? No, yes, yes."""
    game = position("JS QS 8S 2D", down="earlier", melds=["9S TS JK(JS)"])
    assert actions(game, "lay off") == {"lay off QS high", "lay off 8S low"}


def test_cr15_a_joker_may_be_the_second_ace_of_a_run():
    """AH to KH lie: lay off the joker as high ace? Yes, but not with `allow_double_ace_run=False`."""
    hearts = "AH 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH"
    game = position("JK 2C 5D", down="earlier", melds=[hearts])
    play(game, "declare JK(AH)", "lay off AH high")
    assert melds(game) == [hearts + " JK(AH)"]

    rules = CONTRACT.replace(allow_double_ace_run=False)
    assert actions(position("JK 2C 5D", rules, down="earlier", melds=[hearts])) == discards("JK 2C 5D")


def test_cr16_a_set_of_four_is_closed():
    """Lay off anything on 9C 9D 9H 9S? No, not even the joker."""
    game = position("JK 8C TD", down="earlier", melds=["9C 9D 9H 9S"])
    assert actions(game) == discards("JK 8C TD")


# Laying the contract


def test_cr17_longer_melds_are_laid_piece_by_piece():
    """Deal 2: a set of four and a run of five? Legal; of KD KC one is discarded, one remains."""
    game = position("7C 7D 7H 7S 2S 3S 4S 5S 6S KD KC", deal=2)
    play(game, "meld 7C 7D 7H", "meld 2S 3S 4S", "lay off 7S set", "lay off 5S high", "lay off 6S high")
    assert melds(game) == ["7C 7D 7H 7S", "2S 3S 4S 5S 6S"]
    assert actions(game) == discards("KC KD")
    play(game, "discard KD")
    assert hand(game) == ["KC"]


def test_cr19_the_contract_goes_down_in_one_turn():
    """Deal 5 asks two sets and a run: lay the two sets now and the run next turn? No."""
    assert not actions(position("7C 7D 7H JC JD JS 2S 3S 4H TH 9D KC QD", deal=5), "meld")


@pytest.mark.parametrize(("rule", "legal"), [("distinct", False), ("not_adjacent", True), ("free", True)])
def test_cr20_two_runs_of_one_suit_apart(rule, legal):
    """Deal 3: lay 3H 4H 5H and 9H TH JH? By default runs differ in suit."""
    game = position("3H 4H 5H 9H TH JH 2C 6D 8S KC QD", CONTRACT.replace(contract_runs_suit_rule=rule), deal=3)
    assert actions(game, "meld") == ({"meld 3H 4H 5H", "meld 9H TH JH"} if legal else set())


@pytest.mark.parametrize(("rule", "legal"), [("distinct", False), ("not_adjacent", False), ("free", True)])
def test_cr21_two_runs_of_one_suit_that_would_join(rule, legal):
    """Deal 3: lay 3H 4H 5H and 6H 7H 8H? They would be one run."""
    game = position("3H 4H 5H 6H 7H 8H 2C 9D TS KC QD", CONTRACT.replace(contract_runs_suit_rule=rule), deal=3)
    assert actions(game, "meld") == ({"meld 3H 4H 5H", "meld 6H 7H 8H"} if legal else set())


def test_cr23_a_joker_may_be_part_of_the_contract():
    """Deal 2: lay KC KH JK(KD) and 4S 5S 6S? Yes."""
    game = position("KC KH JK 4S 5S 6S 2D 8C TH QD 9C", deal=2)
    play(game, "declare JK(KD)", "meld KC KD KH", "meld 4S 5S 6S")
    assert melds(game) == ["KC JK(KD) KH", "4S 5S 6S"]


def test_cr24_the_contract_comes_before_any_lay_off():
    """Not down: lay off 6S on 6C 6D 6H? No."""
    game = position("6S 2C 4D 8H TC QD KS 3H 5D 9S JH", melds=["6C 6D 6H"])
    assert not actions(game, "lay off")


@pytest.mark.parametrize(("timing", "legal"), [("same_turn", True), ("later_turn", False)])
def test_cr25_laying_off_in_the_turn_of_going_down(timing, legal):
    """Down this turn: lay off 6S on another's 6C 6D 6H? Yes, but not with `layoff_timing="later_turn"`."""
    rules = CONTRACT.replace(layoff_timing=timing)
    game = position("9C 9D 9H KC KD KH 6S 2C 4D JH QS", rules, deal=1, melds=["6C 6D 6H"])
    assert can(game, "meld 9C 9D 9H", "meld KC KD KH", "lay off 6S set") == legal


# Pile and discard


def test_cr27_the_top_card_taken_stays_for_a_turn():
    """Takes the single top 7H and melds nothing: discard 7H? Not this turn, but on a later one."""
    game = position("2C 4D 6S 8H TC QD KS 3H 5D 9S", phase="draw", pile="7H")
    assert not can(game, "take top", "discard 7H")
    play(game, "take top", "discard 2C")
    for _other in range(3):
        idle_turn(game)
    assert can(game, "draw stock", "discard 7H")


def test_cr28_the_ban_is_on_the_face():
    """Two packs: holds a 7H and takes the top 7H: discard a 7H? No, copies are not told apart."""
    game = position("7H 4D 6S 8H TC QD KS 3H 5D 9S", TWO_PACKS, phase="draw", pile="7H")
    assert not can(game, "take top", "discard 7H")


def test_cr29_a_single_top_card_carries_no_duty():
    """Not down, no use for the top 7H: may it be taken? Yes."""
    assert can(position("2C 4D 6S 9H TC QD KS 3H 5D 9S", phase="draw", pile="7H"), "take top")


def test_cr30_a_card_from_inside_the_pile_for_the_contract():
    """Deal 1, not down: take 9H with KD 2S above it? Yes, both sets at once; KD may go, several cards were taken."""
    game = position("9C 9D 7S 7H 7D 3C 5D JC QC 8S", deal=1, phase="draw", pile="4C 9H KD 2S")
    play(game, "take 9H")
    assert actions(game) == {"meld 9C 9D 9H", "meld 7D 7H 7S"}
    play(game, "meld 7D 7H 7S", "meld 9C 9D 9H")
    assert actions(game) == discards("3C 5D JC QC 8S KD 2S")


def test_cr31_no_contract_no_card_from_inside_the_pile():
    """As CR30 with 6D for 7D: take 9H? No, only one set is possible; the top 2S alone, yes."""
    game = position("9C 9D 7S 7H 6D 3C 5D JC QC 8S", deal=1, phase="draw", pile="4C 9H KD 2S")
    assert actions(game) == {"draw stock", "take top"}


def test_cr32_the_chosen_card_itself_must_be_in_the_contract():
    """As CR30: take 4C with 9H KD 2S for the two sets? No, 4C is in no meld."""
    game = position("9C 9D 7S 7H 7D 3C 5D JC QC 8S", deal=1, phase="draw", pile="4C 9H KD 2S")
    assert actions(game, "take ") == {"take top", "take 9H"}


def test_cr33_a_card_from_inside_the_pile_to_lay_off():
    """Down: take 8H from under QC for 5H 6H 7H? Yes, laid off at once; then any card may go."""
    game = position("2D 3D", down="earlier", melds=["5H 6H 7H"], phase="draw", pile="8H QC")
    play(game, "take 8H")
    assert actions(game) == {"lay off 8H high"}
    play(game, "lay off 8H high")
    assert actions(game) == discards("2D 3D QC")


def test_cr34_the_chosen_card_must_fit_at_once():
    """Down, holding 8H: take 9H from under QC for 5H 6H 7H? No, it does not fit yet."""
    game = position("8H 2D", down="earlier", melds=["5H 6H 7H"], phase="draw", pile="9H QC")
    assert actions(game) == {"draw stock", "take top"}


def test_cr35_the_top_card_may_wait():
    """As CR34 with 9H on top: take it, lay off 8H and 9H, discard 2D? Yes, out."""
    game = position("8H 2D", down="earlier", melds=["5H 6H 7H"], phase="draw", pile="QC 9H")
    assert goes_out(game, "take top", "lay off 8H high", "lay off 9H high", "discard 2D")


def test_cr36_a_lay_off_must_leave_a_card_that_may_go():
    """Took KD; both sets and 6S 5S 4S are laid: lay off 2C of 2C KD? No, only the banned KD would be left."""
    game = position("7C 7D 7H 9C 9D 9H 4S 5S 6S 2C", deal=1, phase="draw", pile="KD", melds=["7S 8S 9S", "2D 2H 2S"])
    play(game, "take top", "meld 7C 7D 7H", "meld 9C 9D 9H")
    play(game, "lay off 6S low", "lay off 5S low", "lay off 4S low")
    assert actions(game) == discards("2C")
    play(game, "discard 2C")
    assert hand(game) == ["KD"]


def test_cr37_a_card_from_the_stock_may_go():
    """As CR36 with KD from the stock: lay off 2C, discard KD? Yes, out."""
    game = position("7C 7D 7H 9C 9D 9H 4S 5S 6S 2C KD", deal=1, melds=["7S 8S 9S", "2D 2H 2S"])
    play(game, "meld 7C 7D 7H", "meld 9C 9D 9H", "lay off 6S low", "lay off 5S low", "lay off 4S low")
    assert goes_out(game, "lay off 2C set", "discard KD")


def test_cr40_a_joker_may_be_discarded_and_taken():
    """Discard the joker? Yes; the next player may take it, then may not discard it in that turn."""
    game = position("JK 2C 4D 6S 8H TC QD KS 3H 5D 9S")
    play(game, "discard JK")
    assert not can(game, "take top", "discard JK")


def test_cr42_the_pile_but_its_top_becomes_the_stock():
    """Empty stock, twelve cards in the pile, top 5C: eleven are shuffled, one is drawn, ten are left."""
    pile = "AC 2C 3C 4C 6C 7C 8C 9C TC JC QC 5C"
    game = position("AD 3D 5D 7D 9D JD KD 2H 4H 6H", phase="draw", stock="", pile=pile)
    before = hand(game)
    play(game, "draw stock")
    now = game.to_dict()
    assert (now["discard"], now["recycles"], len(now["stock"].split())) == ("5C", 1, 10)
    drawn = set(hand(game)) - set(before)
    assert cards(" ".join([now["stock"], *drawn])) == cards(pile.removesuffix(" 5C"))


def test_cr43_a_pile_of_one_cannot_be_recycled():
    """Empty stock, the pile is just 5C: the only draw is 5C, and it may not be discarded this turn."""
    game = position("AD 3D 5D 7D 9D JD KD 2H 4H 6H TS QS", deal=5, phase="draw", stock="", pile="5C")
    assert actions(game) == {"take top"}
    assert not can(game, "take top", "discard 5C")


# Joker exchange


def test_cr44_the_natural_for_the_joker_of_a_run():
    """Down earlier, holding 6H: free the joker of another's 5H JK(6H) 7H and lay it off as 8H? Yes."""
    game = position("6H 2C QD", down="earlier", melds=["5H JK(6H) 7H"])
    play(game, "swap 6H", "declare JK(8H)", "lay off 8H high")
    assert melds(game) == ["5H 6H 7H JK(8H)"]
    assert actions(game) == discards("2C QD")


def test_cr45_no_exchange_in_the_turn_of_going_down():
    """As CR44, but down this turn: exchange? No."""
    game = position("KC KD KH 2S 3S 4S 6H 2C QD 9C TD", deal=2, melds=["5H JK(6H) 7H"])
    play(game, "meld KC KD KH", "meld 2S 3S 4S")
    assert not can(game, "swap 6H")


def test_cr46_no_exchange_to_get_down():
    """As CR44, not down, and the joker would complete the set of kings: exchange? No."""
    game = position("KC KD 2S 3S 4S 6H 2C QD 9C TD 8S", deal=2, melds=["5H JK(6H) 7H"])
    assert not can(game, "swap 6H")


def test_cr47_a_freed_joker_is_placed_at_once():
    """As CR44: keep or discard the freed joker? Neither."""
    game = position("6H 2C QD", down="earlier", melds=["5H JK(6H) 7H"])
    play(game, "swap 6H")
    assert actions(game) == {"declare JK(4H)", "declare JK(8H)"}
    play(game, "declare JK(4H)")
    assert actions(game) == {"lay off 4H low"}


def test_cr49_a_joker_in_a_set_is_dead():
    """Down earlier, holding 5S: exchange the joker of 5D 5H JK(5S)? No."""
    assert not can(position("5S 2C QD", down="earlier", melds=["5D 5H JK(5S)"]), "swap 5S")


@pytest.mark.parametrize(("scope", "legal"), [("any_run", True), ("others_runs", False)])
def test_cr51_the_joker_of_an_own_run(scope, legal):
    """Down earlier: exchange the joker of the own run? Yes, but not with `joker_swap_scope="others_runs"`."""
    rules = CONTRACT.replace(joker_swap_scope=scope)
    assert can(position("6H 2C QD", rules, down="earlier", melds=["0: 5H JK(6H) 7H"]), "swap 6H") == legal


# Deal 7, end, score


def test_cr53_everything_at_once():
    """Deal 7: thirteen cards in three runs of 4, 4 and 5? Out, without a discard."""
    game = position("3H 4H 5H 6H 7C 8C 9C TC TS JS QS KS AS", deal=7)
    play(game, "meld 3H 4H 5H", "meld 7C 8C 9C", "meld TS JS QS", "lay off 6H high", "lay off TC high")
    assert goes_out(game, "lay off KS high", "lay off AS high")


def test_cr54_no_card_may_be_left_over():
    """Deal 7: lay twelve cards and discard 2D? No, but yes with `all_at_once_discard="optional"`."""
    cards_in_hand = "3H 4H 5H 6H 7C 8C 9C TC TS JS QS KS 2D"
    assert not actions(position(cards_in_hand, deal=7), "meld")

    game = position(cards_in_hand, CONTRACT.replace(all_at_once_discard="optional"), deal=7)
    play(game, "meld 3H 4H 5H", "meld 7C 8C 9C", "meld TS JS QS")
    assert goes_out(game, "lay off 6H high", "lay off TC high", "lay off KS high", "discard 2D")


def test_cr55_three_runs_are_not_enough():
    """Deal 7: three runs of three and four cards over: lay? No, every card must be in."""
    assert not actions(position("3H 4H 5H 7C 8C 9C TS JS QS 2D 6D KC AH", deal=7), "meld")


def test_cr58_out_without_a_discard():
    """Down earlier: lay off both 8S and 3D and be out? Yes; `final_discard="required"`: one of them is discarded."""
    table = ["5S 6S 7S", "3C 3H 3S"]
    assert goes_out(position("8S 3D", down="earlier", melds=table), "lay off 8S high", "lay off 3D set")

    game = position("8S 3D", CONTRACT.replace(final_discard="required"), down="earlier", melds=table)
    assert not can(game, "lay off 8S high", "lay off 3D set")
    assert goes_out(game, "lay off 8S high", "discard 3D")


@pytest.mark.parametrize(
    ("held", "penalty"),
    [
        pytest.param("KH 9C AD JK 2S", 10 + 9 + 15 + 15 + 2, id="CR59"),
        pytest.param("7C 7D 7H QC QD QH", 21 + 30, id="CR60 complete but not laid"),
    ],
)
def test_cr59_cr60_cards_in_hand_are_penalties(held, penalty):
    """Somebody goes out: what does a loser pay? Every card in hand, also those of a contract not laid."""
    summary = play(position("2D", down="earlier", deal=1, others=[held]), "discard 2D")
    assert summary.hand_points[:2] == summary.points[:2] == [0, penalty]


def test_cr61_the_lowest_total_wins_and_a_tie_is_shared():
    """Totals 212, 187, 187 after the last deal: who wins? The two at 187 share."""
    game = position("3H 4H 5H 7C 8C 9C TS JS QS KS", players=3, deal=7, others=["2C", "2D"], scores=[212, 185, 185])
    play(game, "meld 3H 4H 5H", "meld 7C 8C 9C", "meld TS JS QS", "lay off KS high")
    assert game.over == "out"
    assert game.scores == [212, 187, 187]
    assert game.winners() == [1, 2]


def test_cr62_nobody_is_spared_in_a_capped_deal():
    """The turn cap is reached and nobody is out: every player scores the hand."""
    game = position(
        "KD 2C",
        CONTRACT.replace(max_turns_per_deal=9),
        players=3,
        down="earlier",
        turn=8,
        others=["AD", "JK 3H"],
    )
    summary = play(game, "discard 2C")
    assert (summary.reason, summary.out, summary.points) == ("capped", None, [10, 15, 18])


# Fine points


def test_a_declared_joker_goes_before_the_natural():
    """With 6H in hand as well, the joker declared 6H is laid and 6H stays."""
    game = position("5H 6H 7H JK KC KD KH 2C 4D 9S JS")
    play(game, "declare JK(6H)", "meld 5H 6H 7H")
    assert melds(game) == ["5H JK(6H) 7H"]
    assert "6H" in hand(game)


def test_every_declared_joker_is_in_the_next_placement():
    """Two packs: with jokers declared as 8C and 8H only the set of both may follow, and no discard."""
    game = position("8D JK JK KC KD KH 2S 4C 6H TD QS", TWO_PACKS, deal=1)
    play(game, "declare JK(8C)", "declare JK(8H)")
    assert actions(game) == {"meld 8C 8D 8H"}


def test_a_half_laid_contract_is_finished_first():
    """After the first meld of the contract: no discard, no lay-off, only melds that complete it."""
    game = position("7C 7D 7H 8S 9S TS JS KC QD 4H 2C", melds=["6C 6D 6H"])
    play(game, "meld 7C 7D 7H")
    assert actions(game) == {"meld 8S 9S TS", "meld 9S TS JS"}


def test_a_joker_is_no_substitute_for_the_card_chosen_in_the_pile():
    """As CR30 with a joker in hand: 9H itself goes down, so the joker cannot be declared as it."""
    game = position("9C 9D 7S 7H 7D 3C 5D JC QC JK", deal=1, phase="draw", pile="4C 9H KD 2S")
    play(game, "take 9H")
    assert not can(game, "declare JK(9H)")
    assert not can(game, "declare JK(9S)", "meld 9C 9D 9S")
    assert can(game, "declare JK(9S)", "meld 9D 9H 9S")


def test_the_card_chosen_in_the_pile_goes_first():
    """As CR33 with 4H in hand: it may follow 8H, not precede it."""
    game = position("4H 2D", down="earlier", melds=["5H 6H 7H"], phase="draw", pile="8H QC")
    play(game, "take 8H")
    assert actions(game) == {"lay off 8H high"}
    assert can(game, "lay off 8H high", "lay off 4H low")


def test_a_joker_from_inside_the_pile_for_the_contract():
    """Deal 1, not down: the joker chosen under KD must be in one of the two sets, natural cards do not suffice."""
    game = position("9C 9D 9H 7D 7H 7S 3C 5D JC QS", deal=1, phase="draw", pile="JK KD")
    play(game, "take JK")
    assert not can(game, "meld 9C 9D 9H", "meld 7D 7H 7S")
    assert can(game, "meld 9C 9D 9H", "declare JK(7C)", "meld 7C 7D 7H")


def test_a_joker_from_inside_the_pile():
    """Down: the joker from under QC is declared, then laid off, before anything else."""
    game = position("2D 9S", down="earlier", melds=["5H 6H 7H"], phase="draw", pile="JK QC")
    play(game, "take JK")
    assert actions(game) == {"declare JK(4H)", "declare JK(8H)"}
    play(game, "declare JK(8H)", "lay off 8H high")
    assert actions(game) == discards("2D 9S QC")


def test_the_card_chosen_in_the_pile_may_free_a_joker():
    """Down: 6H from under QC goes in by exchange."""
    game = position("2D 3D", down="earlier", melds=["5H JK(6H) 7H"], phase="draw", pile="6H QC")
    play(game, "take 6H")
    assert actions(game) == {"swap 6H"}
    play(game, "swap 6H", "declare JK(8H)", "lay off 8H high")
    assert actions(game) == discards("2D 3D QC")


def test_the_card_chosen_in_the_pile_may_extend_a_run_that_goes_down_at_once():
    """Deal 7: KS from under AS extends the spades, at any moment; from under 2D it does not help, 2D is left over."""
    twelve = "3H 4H 5H 6H 7C 8C 9C TC 9S TS JS QS"
    assert not can(position(twelve, deal=7, phase="draw", pile="2C KS 2D"), "take KS")
    game = position(twelve, deal=7, phase="draw", pile="2C KS AS")
    play(game, "take KS", "meld 3H 4H 5H", "meld 7C 8C 9C", "meld 9S TS JS")
    play(game, "lay off 6H high", "lay off TC high", "lay off QS high", "lay off KS high")
    assert goes_out(game, "lay off AS high")


def test_the_card_chosen_in_the_pile_is_not_the_one_left_over():
    """Deal 7, `all_at_once_discard="optional"`: 2D may be left over beside KS, but not when 2D itself was chosen."""
    rules = CONTRACT.replace(all_at_once_discard="optional")
    twelve = "3H 4H 5H 6H 7C 8C 9C TC 9S TS JS QS"
    assert can(position(twelve, rules, deal=7, phase="draw", pile="2C KS 2D"), "take KS")
    assert not can(position(twelve, rules, deal=7, phase="draw", pile="2C 2D KS"), "take 2D")
    game = position(twelve, rules, deal=7, phase="draw", pile="2C AS KS")
    play(game, "take AS", "meld 3H 4H 5H", "meld 7C 8C 9C", "meld 9S TS JS")
    play(game, "lay off 6H high", "lay off TC high", "lay off QS high", "lay off KS high")
    assert actions(game) == {"lay off AS high"}


def test_the_ban_outlives_the_lay_off_of_one_copy():
    """Two packs: holds 7H, takes 7H, lays one off: the other is still banned."""
    game = position("7H 2C", TWO_PACKS, down="earlier", melds=["8H 9H TH"], phase="draw", pile="7H")
    play(game, "take top", "lay off 7H low")
    assert actions(game) == discards("2C")


def test_jokers_are_exchanged_one_after_the_other():
    """Two packs: 6H and 6S free one joker each; the second waits until the first lies."""
    table = ["5H JK(6H) 7H", "5S JK(6S) 7S"]
    game = position("6H 6S 2C", TWO_PACKS, down="earlier", melds=table)
    play(game, "swap 6H")
    assert not actions(game, "swap")
    play(game, "declare JK(8S)", "lay off 8S high", "swap 6S", "declare JK(4H)", "lay off 4H low")
    assert melds(game) == ["JK(4H) 5H 6H 7H", "5S 6S 7S JK(8S)"]


def test_an_exchange_takes_the_first_joker_that_stands_for_the_card():
    """Two packs: both runs hold a joker as 6H; the first meld gives its joker."""
    table = ["4H 5H JK(6H)", "5H JK(6H) 7H"]
    game = position("6H 2C", TWO_PACKS, down="earlier", melds=table)
    play(game, "swap 6H", "declare JK(3H)", "lay off 3H low")
    assert melds(game) == ["JK(3H) 4H 5H 6H", "5H JK(6H) 7H"]


def test_runs_that_go_down_at_once_are_judged_when_finished():
    """Two packs, deal 7, `not_adjacent`: 3H-5H and 6H-8H may lie because a second 6H makes the first 3H-6H."""
    rules = TWO_PACKS.replace(contract_runs_suit_rule="not_adjacent")
    others = "9S TS JS QS KS AS"
    assert not actions(position(f"3H 4H 5H 6H 7H 8H {others} 8S", rules, deal=7), "meld")
    game = position(f"3H 4H 5H 6H 6H 7H 8H {others}", rules, deal=7)
    play(game, "meld 3H 4H 5H", "meld 6H 7H 8H", "meld 9S TS JS")
    play(game, "lay off QS high", "lay off KS high", "lay off AS high")
    assert goes_out(game, "lay off 6H high")


def test_an_exchange_may_make_room_for_its_own_joker():
    """`adjacent_jokers=no`: both ends of the run are jokers, so only the exchange opens a place for the freed one."""
    rules = CONTRACT.replace(num_jokers=2, adjacent_jokers=False)
    table = ["JK(4H) 5H 6H JK(7H)"]
    before = position("2C 3D", rules, phase="draw", down="earlier", melds=table, pile="7H QC")
    assert can(before, "take 7H")
    game = position("7H 2C 3D", rules, down="earlier", melds=table)
    play(game, "swap 7H", "declare JK(8H)", "lay off 8H high")
    assert melds(game) == ["JK(4H) 5H 6H 7H JK(8H)"]


def test_a_last_discard_leaves_no_joined_runs_where_everything_goes_down_at_once():
    """Two packs, deal 7, `not_adjacent`: 5H-7H and 8H-TH would join, so the second 8H extends the first instead."""
    rules = TWO_PACKS.replace(contract_runs_suit_rule="not_adjacent", all_at_once_discard="optional")
    hand = "5H 6H 7H 8H 9H TH 9S TS JS QS KS AS 8H"
    game = position(hand, rules, deal=7)
    play(game, "meld 5H 6H 7H", "meld 8H 9H TH", "meld 9S TS JS")
    play(game, "lay off QS high", "lay off KS high", "lay off AS high")
    assert not can(game, "discard 8H")
    assert goes_out(game, "lay off 8H high")
