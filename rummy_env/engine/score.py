"""Points of a finished deal, and the zero-sum reward they amount to."""

from rummy_env.engine.jit import kernel
from rummy_env.engine.state import (
    DEAD_LOWEST_HAND,
    DEAD_VOID,
    NONE,
    OVER_OUT,
    RUMMY_ANY,
    RUMMY_OFF,
)


@kernel
def hand_points(rules, games, i, seat):
    """Points of the cards in a hand."""
    r, g = rules[0], games[i]
    points = 0
    for face in range(53):
        if g.hands[seat, face]:
            points += int(g.hands[seat, face]) * int(r.points[face])
    return points


@kernel
def score_deal(rules, games, i, reason):
    """Write the summary of the deal that ends for `reason`, and add its points to the scores.

    With contracts the points are penalties; without, the winner is credited with what the others hold.
    """
    r, g = rules[0], games[i]
    seats = int(r.num_players)
    out = int(g.player) if reason == OVER_OUT else NONE
    rummy = 0
    if out != NONE and r.going_rummy != RUMMY_OFF and (r.going_rummy == RUMMY_ANY or not g.played_before[out]):
        rummy = 1
    factor = int(r.rummy_multiplier) if rummy else 1

    lowest, sharers, lowest_seat = 1 << 30, 0, 0
    for seat in range(seats):
        points = hand_points(rules, games, i, seat)
        g.last_hand_points[seat] = points
        if points < lowest:
            lowest, sharers, lowest_seat = points, 1, seat
        elif points == lowest:
            sharers += 1

    void = reason != OVER_OUT and r.dead_deal_scoring == DEAD_VOID
    base = lowest if reason != OVER_OUT and r.dead_deal_scoring == DEAD_LOWEST_HAND else 0
    credited = out
    if reason != OVER_OUT and r.num_contracts == 0 and sharers == 1:
        credited = lowest_seat
    total = 0
    for seat in range(seats):
        points = 0 if void else (int(g.last_hand_points[seat]) - base) * factor
        total += points
        g.last_points[seat] = points if r.num_contracts > 0 else 0
    if r.num_contracts == 0 and credited != NONE:
        g.last_points[credited] = total

    for seat in range(seats):
        g.scores[seat] += g.last_points[seat]
    g.last_reason, g.last_out, g.last_rummy = reason, out, rummy
    g.last_turns, g.last_deal, g.last_contract = g.turn, g.deal, g.contract
    g.deals_done += 1


@kernel
def deal_rewards(rules, games, i, rewards, row):
    """Write the zero-sum rewards of the last finished deal, in hundreds of points, into `rewards[row]` (float32).

    With contracts: the mean of the others' penalties minus one's own. Without: the winner gains what the losers pay.
    """
    r, g = rules[0], games[i]
    seats = int(r.num_players)
    total = 0
    for seat in range(seats):
        total += int(g.last_points[seat])
    if r.num_contracts > 0:
        for seat in range(seats):
            own = int(g.last_points[seat])
            rewards[row, seat] = ((total - own) / (seats - 1) - own) / 100.0
        return
    base = 0
    if g.last_out == NONE:
        base = int(g.last_hand_points[0])
        for seat in range(1, seats):
            base = min(base, int(g.last_hand_points[seat]))
    factor = int(r.rummy_multiplier) if g.last_rummy else 1
    for seat in range(seats):
        if total == 0:
            rewards[row, seat] = 0.0
        elif g.last_points[seat] > 0:
            rewards[row, seat] = total / 100.0
        else:
            rewards[row, seat] = -(int(g.last_hand_points[seat]) - base) * factor / 100.0


@kernel
def win_reward(rules, games, i, seat):
    """Zero-sum reward of a seat for the scores as they are: the best share +1, the others share -1, 0 if all tie."""
    r, g = rules[0], games[i]
    sign = -1 if r.num_contracts > 0 else 1
    best, sharers = sign * int(g.scores[0]), 0
    for other in range(r.num_players):
        best = max(best, sign * int(g.scores[other]))
    for other in range(r.num_players):
        if sign * int(g.scores[other]) == best:
            sharers += 1
    if sharers == r.num_players:
        return 0.0
    return 1.0 / sharers if sign * int(g.scores[seat]) == best else -1.0 / (int(r.num_players) - sharers)
