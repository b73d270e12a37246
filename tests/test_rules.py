"""Rule sets: presets, tables, round trips, loading, and every refusal with what its message says."""

import copy
import dataclasses
import json
import pickle
from pathlib import Path
from typing import Any

import pytest

from rummy_env import feasibility, rules
from rummy_env.engine import state
from rummy_env.errors import RulesError
from rummy_env.options import UNAVAILABLE, Choice, kind_of
from rummy_env.presets import PRESETS
from rummy_env.rules import RuleSet

CONFIGS = sorted((Path(__file__).parents[1] / "configs" / "rules").glob("*.yaml"))


def contract(**changes: Any) -> RuleSet:
    return RuleSet.preset("contract_rummy").replace(**changes)


def basic(**changes: Any) -> RuleSet:
    return RuleSet.preset("basic_rummy").replace(**changes)


def refusal(make: Any, *arguments: Any, **named: Any) -> str:
    with pytest.raises(RulesError) as caught:
        make(*arguments, **named)
    return str(caught.value)


def test_contract_rummy_has_seven_contracts_the_last_of_them_all_at_once():
    table = contract().table(4)
    assert contract().contracts == ((2, 0), (1, 1), (0, 2), (3, 0), (2, 1), (1, 2), (0, 3))
    assert contract().all_at_once_deals == (7,)
    assert (table.num_packs, table.num_jokers, table.num_cards) == (1, 1, 53)
    assert table.hand_sizes == (10, 10, 10, 10, 12, 12, 12)
    assert table.deals == (1, 2, 3, 4, 5, 6, 7)
    assert (table.num_deals, table.max_turns, table.ace_value) == (7, 200, 15)


def test_basic_rummy_is_played_to_150_points_with_one_pack_and_no_jokers():
    table = basic().table(2)
    assert (table.num_packs, table.num_jokers, table.num_cards) == (1, 0, 52)
    assert (table.hand_sizes, table.deals, table.num_deals) == ((10,), (1,), 100)
    assert (table.max_turns, table.ace_value) == (100, 1)
    assert (basic().target_score, basic().going_rummy, basic().going_rummy_multiplier) == (150, "no_earlier_play", 2)
    assert (basic().dead_deal_scoring, basic().extra_melds, basic().joker_swap_scope) == ("void", "any", "none")


def test_the_two_pack_preset_uses_two_packs_at_every_table():
    two_packs = RuleSet.preset("contract_rummy_two_packs")
    assert {(two_packs.table(n).num_packs, two_packs.table(n).num_jokers) for n in range(2, 9)} == {(2, 2)}


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_bears_its_name(name):
    assert RuleSet.preset(name).name == name
    assert RuleSet.load(name) == RuleSet.load({"preset": name}) == RuleSet.preset(name)


def test_the_default_number_of_players_stays_within_the_range():
    assert contract().default_num_players == 4
    assert basic().default_num_players == 2
    assert contract(num_players=3).default_num_players == 3
    assert contract(num_players=[5, 8]).default_num_players == 5
    assert basic(num_players=[3, 6]).default_num_players == 3


# Stock left by players, with hands of 10 and of 12; None where the cards do not suffice.
ONE_PACK = {3: (22, 16), 4: (12, 4), 5: (2, None), 6: (None, None), 7: (None, None), 8: (None, None)}
TWO_PACKS = {3: (75, 69), 4: (65, 57), 5: (55, 45), 6: (45, 33), 7: (35, 21), 8: (25, 9)}


@pytest.mark.parametrize(("packs", "stocks"), [(1, ONE_PACK), (2, TWO_PACKS)])
def test_stock_after_the_upcard_in_contract_rummy(packs, stocks):
    for players, by_hand in stocks.items():
        for hand, deals, stock in zip((10, 12), ([1, 2, 3, 4], [5, 6, 7]), by_hand, strict=True):
            played = contract(num_decks=packs, num_jokers=packs, deals=deals)
            if stock is None:
                assert f"{players} players x {hand}" in refusal(played.table, players)
            else:
                assert {played.table(players).stock_sizes[number - 1] for number in deals} == {stock}


def test_stock_after_the_upcard_in_basic_rummy():
    tables = {players: basic().table(players) for players in range(2, 7)}
    hands = {players: table.hand_sizes for players, table in tables.items()}
    stocks = {players: table.stock_sizes for players, table in tables.items()}
    assert hands == {2: (10,), 3: (7,), 4: (7,), 5: (6,), 6: (6,)}
    assert stocks == {2: (31,), 3: (30,), 4: (23,), 5: (21,), 6: (15,)}


def test_the_automatic_deck_doubles_from_five_players_up():
    decks = {n: (contract().table(n).num_packs, contract().table(n).num_jokers) for n in range(2, 9)}
    assert decks == {n: (1, 1) if n <= 4 else (2, 2) for n in range(2, 9)}
    assert contract(num_jokers=4).table(5).num_cards == 108
    assert contract(num_decks=2).table(4).num_jokers == 1


def test_an_impossible_deal_names_the_cards_and_the_remedies():
    message = refusal(contract(num_decks=1, num_jokers=1).table, 5)
    assert "deal 5 needs 62 cards (5 players x 12, an upcard, a stock of one)" in message
    assert "53 are there (1 pack of 52, 1 joker)" in message
    assert "give num_decks: 2, or hands of at most 10 cards, or fewer players" in message


def test_a_deal_needs_one_card_of_stock():
    assert basic(num_players=2, deck_ranks=11, deck_suits=2, hand_sizes=10).table(2).stock_sizes == (1,)
    message = refusal(basic(num_players=2, deck_ranks=7, deck_suits=3, hand_sizes=10).table, 2)
    assert "a deal needs 22 cards" in message
    assert "21 are there (1 pack of 21, 0 jokers)" in message


def test_remedies_that_cannot_help_are_not_offered():
    message = refusal(basic(num_players=8, deck_ranks=3, deck_suits=3, hand_sizes=4).table, 8)
    assert message.endswith("; give fewer players")


def test_contracts_that_are_not_played_need_no_cards():
    assert contract(num_decks=1, num_jokers=1, deals=[1, 4]).table(5).deals == (1, 4)


@pytest.mark.parametrize("players", [1, 9, True, 4.0, "4", None])
def test_a_table_refuses_other_numbers_of_players(players):
    message = refusal(contract().table, players)
    assert message.startswith(f"num_players: {players!r}")
    assert "2 to 8" in message


def test_the_first_dealer_needs_a_seat():
    assert contract(first_dealer=3).table(4)
    message = refusal(contract(first_dealer=4).table, 4)
    assert message.startswith("first_dealer: 4")
    assert "give 0 to 3" in message


def test_length_of_a_game():
    assert contract(deals=[1, 2, 2]).table(4).deals == (1, 2, 2)
    assert contract(deals=[1, 2, 2]).table(4).num_deals == 3
    assert contract(n_deals=20).table(4).num_deals == 20
    assert contract(game_end="single_deal").table(4).num_deals == 1
    assert basic(max_deals=7).table(2).num_deals == 7
    assert basic(game_end="n_deals", n_deals=5).table(2).num_deals == 5
    assert basic(max_turns_per_deal=30).table(2).max_turns == 30


def test_value_of_the_ace():
    assert basic(ace_mode="both").table(2).ace_value == 15
    assert basic(ace_mode="both", ace_value=11).table(2).ace_value == 11
    assert basic(ace_value=0).table(2).ace_value == 0


@pytest.mark.parametrize("source", [*PRESETS, *CONFIGS], ids=lambda source: getattr(source, "stem", source))
def test_round_trips(source):
    loaded = RuleSet.load(source)
    assert RuleSet.load(loaded) is loaded
    assert loaded.table(loaded.default_num_players).stock_sizes[0] >= 1
    for same in (
        RuleSet.load(loaded.to_dict()),
        RuleSet.load(json.loads(json.dumps(loaded.to_dict()))),
        pickle.loads(pickle.dumps(loaded)),
        copy.deepcopy(loaded),
        loaded.replace(),
    ):
        assert same == loaded
        assert hash(same) == hash(loaded)


@pytest.mark.parametrize("frozen", [contract(), contract().table(4)], ids=["rules", "table"])
def test_rules_and_tables_cannot_be_changed(frozen):
    with pytest.raises(dataclasses.FrozenInstanceError):
        frozen.hand_sizes = (3,)


def test_values_take_their_canonical_form():
    assert contract(num_players=4).num_players == (4, 4)
    assert contract(hand_sizes=12).hand_sizes == (12,)
    assert contract(hand_sizes=12).table(4).hand_sizes == (12,) * 7
    assert contract(hand_sizes=dict.fromkeys(range(8, 1, -1), 12)).hand_sizes[0] == (2, 12)
    assert basic(num_players=[2, 3], hand_sizes={"2": 9, "3": 8}).hand_sizes == ((2, 9), (3, 8))
    assert contract(contracts=[[2, 0]], hand_sizes=[8], all_at_once_deals=[]).contracts == ((2, 0),)


def test_changed_rules_are_called_custom_unless_named():
    assert contract(num_decks=2).name == "custom"
    assert contract(num_decks=2, name="ours").name == "ours"
    assert contract(num_decks=None).name == "contract_rummy"
    assert RuleSet.load({}).name == "custom"


def test_a_change_of_the_end_clears_what_the_old_end_needed():
    changed = basic(game_end="n_deals", n_deals=5)
    assert changed.target_score is None
    assert changed.replace(game_end="single_deal").n_deals is None


def test_there_are_configs():
    assert CONFIGS


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_a_config_says_what_it_is_and_is_called_after_its_file(path):
    assert path.read_text().startswith("# ")
    assert RuleSet.load(str(path)) == RuleSet.load(path)
    assert RuleSet.load(path).name == path.stem


def test_words_that_yaml_reads_as_booleans(tmp_path):
    path = tmp_path / "words.yaml"
    path.write_text("preset: basic_rummy\ngoing_rummy: off\njoker_discard: no\n")
    loaded = RuleSet.load(path)
    assert (loaded.going_rummy, loaded.joker_discard) == ("off", "no")
    assert contract(joker_discard=True).joker_discard == "yes"


@pytest.mark.parametrize("text", ["", "- 1\n", "contract_rummy\n"])
def test_a_file_must_hold_a_mapping(tmp_path, text):
    path = tmp_path / "rules.yaml"
    path.write_text(text)
    assert "holds no mapping" in refusal(RuleSet.load, path)


def test_files_that_cannot_be_read(tmp_path):
    missing = refusal(RuleSet.load, str(tmp_path / "missing.yaml"))
    assert "missing.yaml" in missing
    assert "contract_rummy" in missing
    assert "cannot read" in refusal(RuleSet.load, tmp_path)
    broken = tmp_path / "broken.yaml"
    broken.write_text("deals: [1, 2\n")
    assert "no valid YAML" in refusal(RuleSet.load, broken)
    broken.write_bytes(b"name: \xff\n")
    assert "cannot read" in refusal(RuleSet.load, broken)


def test_unknown_presets_and_sources():
    assert "did you mean 'basic_rummy'?" in refusal(RuleSet.load, "basic_rumy")
    assert "contract_rummy_two_packs" in refusal(RuleSet.preset, "gin")
    assert refusal(RuleSet.load, {"preset": ["basic_rummy"]}).startswith("preset: ")
    assert "is no rule set" in refusal(RuleSet.load, 7)


def test_unknown_options_get_the_nearest_name():
    for make in (lambda: contract(num_deck=2), lambda: RuleSet.load({"num_deck": 2})):
        message = refusal(make)
        assert message.startswith("num_deck: there is no such option")
        assert "did you mean 'num_decks'?" in message
    for name in (3, "self", "given"):
        assert refusal(RuleSet.load, {name: 2}).startswith(f"{name}: there is no such option")


@pytest.mark.parametrize("name", UNAVAILABLE)
def test_options_that_are_not_available_yet_keep_their_default(name):
    assert contract(**{name: UNAVAILABLE[name]}) == contract()
    assert refusal(contract, **{name: "another"}).startswith(f"{name}: 'another' is not available yet")


def test_unavailable_values_of_available_options():
    assert "'max' is not available yet; allowed: any, top" in refusal(contract, discard_pickup="max")
    assert "'later' is not available yet; allowed: none, any" in refusal(contract, extra_melds="later")
    assert "go_out_bonus: False is not available yet; leave it out, or give 0" in refusal(contract, go_out_bonus=False)


CHOICES = {rule.name: kind.words for rule in dataclasses.fields(RuleSet) if isinstance(kind := kind_of(rule), Choice)}


@pytest.mark.parametrize("name", CHOICES)
def test_every_word_of_a_choice_is_listed_when_another_is_given(name):
    message = refusal(contract, **{name: "zzz"})
    assert message == f"{name}: 'zzz' is not allowed; allowed: {', '.join(CHOICES[name])}"


def test_a_misspelled_word_gets_the_nearest_one():
    assert "did you mean 'optional'?" in refusal(contract, final_discard="optionl")


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("name", " ", "any text"),
        ("num_players", 1, "within 2 to 8"),
        ("num_players", [2, 9], "within 2 to 8"),
        ("num_players", [4, 3], "[fewest, most]"),
        ("num_players", [2, 3, 4], "[fewest, most]"),
        ("num_players", "4", "within 2 to 8"),
        ("num_decks", True, "1 to 3, or null (by deck_policy)"),
        ("num_decks", 4, "1 to 3"),
        ("num_decks", 2.0, "1 to 3"),
        ("num_jokers", 13, "0 to 12"),
        ("num_jokers", -1, "0 to 12"),
        ("deck_ranks", 14, "1 to 13"),
        ("deck_suits", 0, "1 to 4"),
        ("deck_suits", None, "1 to 4"),
        ("hand_sizes", "10", "a number of cards (1 to 40)"),
        ("hand_sizes", [], "a list with one for each contract"),
        ("hand_sizes", 0, "1 to 40"),
        ("hand_sizes", {9: 10}, "a mapping from players to cards"),
        ("hand_sizes", [[2, 10], [2, 11]], "a mapping from players to cards"),
        ("hand_sizes", {"two": 10}, "a mapping from players to cards"),
        ("contracts", [], "pairs [sets, runs]"),
        ("contracts", [[2]], "pairs [sets, runs]"),
        ("contracts", [2, 0], "pairs [sets, runs]"),
        ("contracts", [[1, -1]], "pairs [sets, runs]"),
        ("contracts", [[1, 0]] * 17, "up to 16"),
        ("deals", [], "a list of contract numbers, from 1"),
        ("deals", [0], "from 1"),
        ("deals", 1, "a list of contract numbers"),
        ("deals", [1] * 33, "at most 32"),
        ("all_at_once_deals", None, "a list of contract numbers"),
        ("first_dealer", True, "random, cut, or 0 to 7"),
        ("first_dealer", 8, "random, cut, or 0 to 7"),
        ("layoff_on_sets", 1, "true, false"),
        ("adjacent_jokers", "yes", "true, false"),
        ("max_recycles", -1, "0 to 1000, or null (without limit)"),
        ("min_naturals_per_meld", 0, "1 to 3"),
        ("min_naturals_per_meld", 4, "1 to 3"),
        ("max_turns_per_deal", 0, "or null (50 for each player)"),
        ("joker_value", None, "0 to 100"),
        ("going_rummy_multiplier", 0, "1 to 10"),
        ("max_deals", 0, "1 to 1000"),
    ],
)
def test_values_that_are_not_allowed(name, value, allowed):
    message = refusal(contract, **{name: value})
    assert message.startswith(f"{name}: {value!r} is not allowed")
    assert allowed in message.split("allowed: ")[1]


@pytest.mark.parametrize(
    ("name", "value", "only"),
    [
        ("deals", [1], "null"),
        ("joker_swap_scope", "any_run", "none"),
        ("all_at_once_deals", [1], "[]"),
        ("all_at_once_discard", "optional", "forbidden"),
        ("contract_runs_suit_rule", "free", "distinct"),
        ("extra_melds", "none", "any"),
    ],
)
def test_options_that_need_contracts(name, value, only):
    message = refusal(basic, **{name: value})
    assert message.startswith(f"{name}: {value!r} is not possible: it makes no sense in a game without contracts")
    assert f"give {name}: {only}" in message


@pytest.mark.parametrize(
    ("name", "value", "only"), [("layoff_requires_own_meld", True, "false"), ("max_melds_per_turn", 1, "null")]
)
def test_options_that_contracts_exclude(name, value, only):
    message = refusal(contract, **{name: value})
    assert "makes no sense in a game with contracts" in message
    assert f"give {name}: {only}" in message
    assert basic(**{name: value})


def test_a_dead_deal_scores_hands_only_with_contracts():
    assert "give dead_deal_scoring: void or lowest_hand" in refusal(basic, dead_deal_scoring="score_hands")


def test_the_end_of_a_game_needs_its_number():
    assert "give target_score: 150" in refusal(contract, game_end="target_score")
    assert contract(game_end="target_score", target_score=300).target_score == 300
    assert "n_deals without contracts needs it" in refusal(basic, game_end="n_deals")
    assert "game_end: n_deals does not use it" in refusal(contract, target_score=100)
    assert "give game_end: n_deals" in refusal(basic, n_deals=3)


def test_weights_are_for_the_deals_that_one_is_drawn_from():
    single = {"game_end": "single_deal", "deals": [1, 2, 7]}
    rules = contract(**single, deal_weights=[1, 0.5, 0])
    assert rules.deal_weights == (1.0, 0.5, 0.0)
    assert rules.replace(game_end="n_deals").deal_weights is None
    assert rules.replace(deals=[1, 2]).deal_weights is None
    assert RuleSet.load(json.loads(json.dumps(rules.to_dict()))) == rules
    assert "give game_end: single_deal" in refusal(contract, deal_weights=[1] * 7)
    assert "makes no sense in a game without contracts" in refusal(basic, game_end="single_deal", deal_weights=[1])
    for wrong in ([1, 2], [0, 0, 0]):
        assert "there are 3 deals, of which one must be likely" in refusal(contract, **single, deal_weights=wrong)
    for wrong in (-1, float("nan"), float("inf"), True, "1"):
        assert "a list of numbers from 0" in refusal(contract, **single, deal_weights=[1, 1, wrong])


def test_an_explicit_deck_needs_both_numbers():
    assert "give num_decks" in refusal(contract, deck_policy="explicit", num_jokers=2)
    assert "give num_jokers" in refusal(contract, deck_policy="explicit", num_decks=2)


def test_joker_options_do_no_harm_without_jokers():
    assert contract(num_jokers=0, joker_discard="no", adjacent_jokers=False, min_naturals_per_meld=3).table(4)


def test_hand_sizes_fit_the_contracts_and_the_players():
    assert "3 sizes do not fit 7 contracts" in refusal(contract, hand_sizes=[10, 10, 10])
    assert "2 sizes do not fit a game without contracts" in refusal(basic, hand_sizes=[10, 7])
    assert "there is none for 5, 6 players" in refusal(basic, hand_sizes={2: 10, 3: 7, 4: 7})
    assert basic(num_players=[2, 4], hand_sizes={2: 10, 3: 7, 4: 7}).table(4).hand_sizes == (7,)


def test_numbers_of_deals_within_the_contracts():
    assert "give numbers from 1 to 7, or null" in refusal(contract, deals=[1, 8])
    assert "give numbers from 1 to 7, or []" in refusal(contract, all_at_once_deals=[8])


@pytest.mark.parametrize("asked", [[0, 0], [6, 0], [5, 1], [0, 5], [3, 3]])
def test_contracts_ask_for_one_to_five_melds_and_at_most_four_runs(asked):
    message = refusal(contract, contracts=[asked], hand_sizes=20, all_at_once_deals=[])
    assert f"contract 1 is {asked}" in message
    assert "1 to 5 melds, of these at most 5 sets and 4 runs" in message


@pytest.mark.parametrize("asked", [[5, 0], [1, 4], [0, 4], [3, 2]])
def test_the_largest_contracts(asked):
    assert contract(contracts=[asked], hand_sizes=14, all_at_once_deals=[]).table(2)


def test_a_contract_fits_into_the_hand_and_the_card_drawn():
    assert contract(contracts=[[3, 0]], hand_sizes=8, all_at_once_deals=[])
    message = refusal(contract, contracts=[[3, 0]], hand_sizes=7, all_at_once_deals=[])
    assert "contract 1, [3, 0], needs 9 cards, but a hand of 7 and the card drawn are 8" in message
    assert "deal at least 8 cards" in message
    by_players = {2: 9, 3: 9, 4: 7}
    message = refusal(contract, num_players=[2, 4], contracts=[[3, 0]], hand_sizes=by_players, all_at_once_deals=[])
    assert "a hand of 7" in message


def test_a_required_discard_needs_a_card_of_its_own():
    sizes = {"contracts": [[3, 0]], "hand_sizes": 8}
    message = refusal(contract, final_discard="required", all_at_once_deals=[], **sizes)
    assert "needs 9 cards and a card for the discard" in message
    assert "deal at least 9 cards" in message
    assert contract(final_discard="required", all_at_once_deals=[1], **sizes)
    assert "at least 9 cards" in refusal(contract, all_at_once_discard="required", all_at_once_deals=[1], **sizes)


def test_without_contracts_a_hand_holds_a_meld():
    assert basic(hand_sizes=2)
    assert "deal at least 2 cards" in refusal(basic, hand_sizes=1)
    assert "deal at least 3 cards" in refusal(basic, hand_sizes=2, final_discard="required")


def test_a_whole_hand_fits_into_its_contract():
    sets = {"contracts": [[3, 0]], "all_at_once_deals": [1]}
    assert contract(hand_sizes=11, **sets)
    message = refusal(contract, hand_sizes=12, **sets)
    assert message.startswith("all_at_once_deals: [1]")
    assert "takes at most 12 cards, but a whole hand has 13 to lay" in message
    assert contract(hand_sizes=12, all_at_once_discard="optional", **sets)
    assert "at most 9 cards" in refusal(contract, hand_sizes=11, layoff_on_sets=False, **sets)
    run = {"contracts": [[0, 1]], "all_at_once_deals": [1]}
    assert contract(hand_sizes=13, **run)
    assert "at most 13 cards" in refusal(contract, hand_sizes=13, ace_mode="low", **run)


def test_small_decks_that_hold_no_set_or_no_run():
    small = {"hand_sizes": 6, "contracts": [[1, 1]], "all_at_once_deals": []}
    assert contract(deck_ranks=5, **small).table(2)
    assert "asks for sets, which take three suits" in refusal(contract, deck_suits=2, **small)
    assert "asks for runs, which take three ranks" in refusal(contract, deck_ranks=2, **small)
    assert "neither a set nor a run" in refusal(basic, deck_ranks=2, deck_suits=2)


def test_contracts_that_are_not_played_need_no_suits():
    assert contract(deck_suits=2, deals=[3], num_decks=2).table(2)


def test_runs_of_a_contract_need_suits():
    sizes = {"contracts": [[0, 3]], "all_at_once_deals": [], "hand_sizes": 10, "num_decks": 3}
    message = refusal(contract, deck_suits=2, **sizes)
    assert "asks for 3 runs, but deck_suits: 2 leaves room for 2" in message
    assert "contract_runs_suit_rule: free" in message
    assert contract(deck_suits=2, contract_runs_suit_rule="free", **sizes)
    apart = {"deck_suits": 1, "contract_runs_suit_rule": "not_adjacent"}
    assert contract(**apart, **sizes)
    assert "leaves room for 2" in refusal(contract, **apart, deck_ranks=10, **sizes)


def test_every_option_has_a_sentence_its_values_and_its_default():
    listed = {line.name: line for line in RuleSet.options()}
    assert list(listed) == [rule.name for rule in dataclasses.fields(RuleSet)]
    assert all(line.help.endswith(".") and line.values for line in listed.values())
    assert listed["final_discard"].values == "optional, required, forbidden"
    assert listed["hand_sizes"].default == [10, 10, 10, 10, 12, 12, 12]
    json.dumps([dataclasses.asdict(line) for line in listed.values()])


def test_available_and_unavailable_options_are_apart():
    assert not {rule.name for rule in dataclasses.fields(RuleSet)} & set(UNAVAILABLE)


def test_limits_are_those_of_the_engine():
    assert rules.MAX_PLAYERS == state.MAX_PLAYERS
    assert rules.MAX_JOKERS == state.MAX_WILDS
    assert rules.MAX_CONTRACTS == state.MAX_CONTRACTS
    assert rules.MAX_DEALS == state.MAX_DEALS
    assert feasibility.MAX_PACKS == state.MAX_PACKS
    assert feasibility.MAX_SETS == state.MAX_CONTRACT_SETS
    assert feasibility.MAX_RUNS == state.MAX_CONTRACT_RUNS
