"""The planning blocks: what they say, that they follow from what the viewer sees, and the doors that offer them."""

import gymnasium
import numpy as np
import pytest
from played import TABLES, moments
from positions import BASIC, CONTRACT, position

from rummy_env import Game, ObservationLayout, basic_rummy_v0, contract_rummy_v0
from rummy_env.analysis import best_partition, contract_distance, contract_outs, distances_after_discard, partition_outs
from rummy_env.cards import FACE_TEXT, parse_face
from rummy_env.engine.blocks import (
    DEADWOOD_STEPS,
    DISTANCE_STEPS,
    FEWER_OUTS,
    LESS_DEADWOOD,
    MORE_DEADWOOD,
    MORE_OUTS,
    OUTS_STEPS,
)
from rummy_env.envs.selfplay import SelfPlayVectorEnv
from rummy_env.errors import ArgumentError


def planned(game: Game) -> Game:
    """The same position, with planning observations."""
    return Game.from_dict(game.to_dict(), "planning")


def blocks(game: Game, seat: int = 0) -> dict[str, np.ndarray]:
    return game.observation_layout.split(game.observation(seat))


def reached(steps: tuple[int, ...], count: int) -> list[int]:
    return [int(count >= step) for step in steps]


def without(hand: list[str], card: str) -> list[str]:
    rest = hand.copy()
    rest.remove(card)
    return rest


def marked(block: np.ndarray) -> set[str]:
    return {FACE_TEXT[face] for face in np.flatnonzero(block)}


def unseen(seen: dict[str, np.ndarray], cards: list[str]) -> int:
    """Copies of these cards that the plain blocks call unseen."""
    jokers = int(seen["unseen_jokers"].sum()) if "unseen_jokers" in seen else 0
    return sum(jokers if card == "JK" else int(seen["unseen"][:, parse_face(card)].sum()) for card in cards)


def discards(game: Game) -> list[str]:
    """Faces that may be discarded now."""
    legal = [game.layout.decode(action) for action in game.legal_actions()]
    return [str(action.face) for action in legal if action.kind == "discard"]


def assert_gain(seen: dict[str, np.ndarray], now: int, more: int) -> None:
    assert seen["outs"].tolist() == reached(OUTS_STEPS, now)
    assert seen["take_outs"].tolist() == reached(MORE_OUTS, more - now)
    assert not seen["discard_outs"].any()


def assert_discard_outs(seen: dict[str, np.ndarray], outs: dict[str, int]) -> None:
    """`outs` by discard; no other discard has an entry."""
    assert seen["outs"].tolist() == reached(OUTS_STEPS, max(outs.values(), default=0))
    for step, plane in zip(FEWER_OUTS, seen["discard_outs"], strict=True):
        assert marked(plane) == {card for card in outs if outs[card] >= max(outs.values()) - step}
    assert not seen["take_outs"].any()


@pytest.mark.parametrize("name", TABLES)
def test_they_follow_the_plain_blocks(name):
    for game in moments(name, eager=True):
        both = planned(game)
        size = game.observation_layout.size
        assert both.observation_layout.blocks[: len(game.observation_layout.blocks)] == game.observation_layout.blocks
        for seat in range(game.num_players):
            view = both.observation(seat)
            assert view.shape == (both.observation_layout.size,) and size < both.observation_layout.size
            assert set(np.unique(view)) <= {0, 1}
            assert np.array_equal(view[:size], game.observation(seat))


@pytest.mark.parametrize("eager", [False, True])
@pytest.mark.parametrize("name", TABLES)
def test_hidden_cards_are_nowhere_in_them(name, eager):
    for number, game in enumerate(moments(name, eager)):
        both = planned(game)
        for seat in range(game.num_players):
            other = both.determinize(seat, seed=number)
            assert np.array_equal(other.observation(seat), both.observation(seat))


@pytest.mark.parametrize("name", ["contract-4", "two-packs-4", "many-jokers", "small-deck"])
def test_distances_are_those_of_the_analysis(name):
    """By the functions for people, card by card."""
    told = set()
    for game in moments(name, eager=False):
        now, contract = game.to_dict(), game.rules.contracts[game.deal - 1]
        if game.deal in game.rules.all_at_once_deals or now["laying"] or now["declared"] or now["obliged"]:
            continue
        both = planned(game)
        for seat in range(game.num_players):
            seen, hand = blocks(both, seat), now["hands"][seat].split()
            if now["down"][seat] != "no":
                assert not seen["distance"].any() and not seen["discard_distance"].any()
                continue
            distance = contract_distance(hand, contract, game.rules)
            assert seen["distance"].tolist() == reached(DISTANCE_STEPS, distance)
            assert not seen["deadwood"].any() and not seen["discard_deadwood"].any()
            if seat != game.player:
                assert not seen["discard_distance"].any() and not seen["take_outs"].any()
                continue
            told.add(game.phase)
            if game.phase == "draw":
                top = now["discard"].split()[-1]
                now_helpful = contract_outs(hand, contract, game.rules)
                outs = [
                    unseen(seen, helpful)
                    for helpful in (now_helpful, contract_outs([*hand, top], contract, game.rules))
                ]
                assert_gain(seen, *outs)
                assert seen["take_distance"][0] == (top in now_helpful)
                continue
            left = {
                card: after
                for card, after in distances_after_discard(hand, contract, game.rules).items()
                if card in discards(game)
            }
            assert marked(seen["discard_distance"]) == {card for card in left if left[card] == min(left.values())}
            least = [card for card in left if left[card] == min(left.values())]
            outs = {card: unseen(seen, contract_outs(without(hand, card), contract, game.rules)) for card in least}
            assert_discard_outs(seen, outs)
    assert told == {"draw", "play"}


@pytest.mark.parametrize("name", ["basic-2", "basic-4", "basic-jokers"])
def test_deadwood_is_that_of_the_analysis(name):
    told = set()
    for game in moments(name, eager=False):
        now = game.to_dict()
        if now["declared"]:
            continue
        both, seat = planned(game), game.player
        seen, hand = blocks(both, seat), now["hands"][seat].split()

        def deadwood(cards: list[str], game: Game = game) -> int:
            return best_partition(cards, game.rules).deadwood

        assert seen["deadwood"].tolist() == reached(DEADWOOD_STEPS, deadwood(hand))
        told.add(game.phase)
        if game.phase == "draw":
            top = now["discard"].split()[-1]
            least = min(deadwood(without([*hand, top], card)) for card in set(hand) - {top})
            assert seen["take_deadwood"].tolist() == reached(LESS_DEADWOOD, deadwood(hand) - least)
            assert_gain(seen, *(unseen(seen, partition_outs(held, game.rules)) for held in (hand, [*hand, top])))
            continue
        after = {card: deadwood(without(hand, card)) for card in discards(game)}
        least = min(after.values())
        for card, left in after.items():
            planes = seen["discard_deadwood"][:, parse_face(card)].tolist()
            assert planes == [int(left - least <= more) for more in MORE_DEADWOOD]
        near = [card for card, left in after.items() if left - least <= MORE_DEADWOOD[-1]]
        assert_discard_outs(
            seen, {card: unseen(seen, partition_outs(without(hand, card), game.rules)) for card in near}
        )
    assert told == {"draw", "play"}


def test_a_player_who_is_down():
    """5H and 6H fit on 2H 3H 4H one after the other; only the next card counts. The joker fits somewhere."""
    game = planned(position("5H 9C KD JK", down="earlier", melds=["2H 3H 4H"]))
    seen = blocks(game)
    assert seen["deadwood"].tolist() == reached(DEADWOOD_STEPS, 19)
    assert marked(seen["discard_deadwood"][0]) == {"KD"} and marked(seen["discard_deadwood"][1]) == {"KD", "9C"}
    assert not seen["distance"].any() and not seen["discard_outs"].any()
    game = planned(position("9C KD", down="earlier", melds=["2H 3H 4H"], phase="draw", pile="5H"))
    assert blocks(game)["take_deadwood"].tolist() == [1, 1, 1, 1]
    game = planned(position("9C 8D", down="earlier", melds=["2H 3H 4H"], phase="draw", pile="QS"))
    assert blocks(game)["take_deadwood"].tolist() == [0, 0, 0, 0]


def test_where_everything_goes_down_at_once():
    hand = "3C 4C 5C 6C 7D 8D 9D TD JH QH KH AH 2S"
    seen = blocks(planned(position(hand, deal=7)))
    assert seen["distance"].tolist() == reached(DISTANCE_STEPS, 1)
    assert marked(seen["discard_distance"]) == {"2S"}


@pytest.mark.parametrize(("rules", "players"), [(BASIC, 2), (CONTRACT, 4)])
def test_the_layout(rules, players):
    layout = ObservationLayout.for_table(rules, players, "planning")
    assert {block.name for block in layout.blocks} > {"deadwood", "discard_outs", "take_outs"}
    assert sum(block.size for block in layout.blocks) == layout.size
    with pytest.raises(ArgumentError, match="observation='grand' is not known: choose 'plain' or 'planning'"):
        ObservationLayout.for_table(rules, players, "grand")


# Doors


def test_aec():
    for module in (basic_rummy_v0, contract_rummy_v0):
        env = module.env(observation="planning")
        env.reset(seed=3)
        layout = ObservationLayout.for_table(env.rules, env.num_players, "planning")
        for agent, observation, _, _ in env.decisions():
            assert observation["observation"].shape == (layout.size,)
            assert env.observation_space(agent).contains(observation)
            if env.game.decisions > 30:
                break
            env.step(env.game.legal_actions()[0])
        env.reset(seed=3, options={"position": env.game.to_dict()})
        assert env.observe("player_1")["observation"].shape == (layout.size,)


@pytest.mark.parametrize("env_id", ["rummy/ContractRummy-v0", "rummy/BasicRummy-v0"])
def test_gymnasium(env_id):
    single = gymnasium.make(env_id, observation="planning")
    batch = gymnasium.make_vec(env_id, num_envs=2, observation="planning")
    observation, _ = single.reset(seed=5)
    observations, _ = batch.reset(seed=5)
    game = single.unwrapped.game
    assert single.observation_space.contains(observation)
    assert np.array_equal(observation, observations[0])
    assert np.array_equal(observation, game.observation(0))
    assert game.observation_layout.size == observation.size
    single.close()
    batch.close()


def test_self_play():
    env = SelfPlayVectorEnv("basic_rummy", num_envs=3, observation="planning")
    observations, info = env.reset(seed=5)
    for _ in range(30):
        for row in range(3):
            assert np.array_equal(observations[row], env.game(row).observation(info["seat"][row]))
        observations, *_, info = env.step(env.random_actions())
    env.close()


@pytest.mark.parametrize(
    "make",
    [
        lambda **arguments: Game("basic_rummy", **arguments),
        basic_rummy_v0.env,
        lambda **arguments: gymnasium.make_vec("rummy/BasicRummy-v0", num_envs=2, **arguments),
        lambda **arguments: SelfPlayVectorEnv("basic_rummy", **arguments),
    ],
)
def test_kinds_that_are_none(make):
    with pytest.raises(ArgumentError, match="observation="):
        make(observation="grand")
