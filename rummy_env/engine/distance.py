"""How far a hand is from its contract, exactly: the fewest further cards, what may be given away, what helps.

Once the melds are chosen, each joker fills one of their gaps, as long as no meld holds more jokers than it may. With at
most that many jokers in all, the choice that lacks the fewest naturals is best (`lacking`); with more of them the
candidates that it leaves are tested one by one (`min_naturals`).
"""

from rummy_env.engine.jit import kernel
from rummy_env.engine.lacking import fewest_lacking
from rummy_env.engine.melds import JOKER_BIT, remove
from rummy_env.engine.min_naturals import can_lay_with


@kernel
def needs_of_contract(rules, first, second, third, jokers, sets, runs):
    """How far a hand is from a contract: the distance, a mask of the faces it can spare, one of those it needs.

    The distance is the fewest further cards with which `sets` sets of three and `runs` runs of three that agree with
    the suit rule could be laid from the hand, whether or not such cards are left anywhere. That two jokers may not lie
    side by side (`adjacent_jokers`) is not looked at: under that rule the distance may be too small.

    Args:
        rules: `RULES` array of one.
        first: Mask of the naturals held at least once; `second` and `third` at least twice, three times.
        second: See `first`.
        third: See `first`.
        jokers: Jokers held.
        sets: Sets asked.
        runs: Runs asked.

    Returns:
        The distance, the mask over 53 faces of which one copy may be given away without raising it, and the mask over
        53 faces of which one more lowers it.
    """
    per_meld = 3 - int(rules[0].min_naturals)
    usable = min(jokers, per_meld * (sets + runs))
    lack, free, outs = fewest_lacking(rules, first, second, third, sets, runs, usable)
    distance = max(0, lack - usable)
    if lack < usable:
        free = first | JOKER_BIT
    if jokers > usable:
        free |= JOKER_BIT
    if usable > per_meld:
        distance, free, outs = _limited(rules, first, second, third, jokers, sets, runs, distance, free, outs)
    if distance == 0:
        outs = 0
    elif jokers < per_meld or can_lay_with(rules, first, second, third, jokers + 1, sets, runs, distance - 1):
        outs |= JOKER_BIT
    return distance, free if jokers > 0 else free & ~JOKER_BIT, outs


@kernel
def contract_needs(rules, first, second, third, jokers, sets, runs, needs):
    """Write `needs_of_contract` into `needs` (int64, shape (3,))."""
    needs[0], needs[1], needs[2] = needs_of_contract(rules, first, second, third, jokers, sets, runs)


@kernel
def _limited(rules, first, second, third, jokers, sets, runs, least, free, outs):
    """The needs where the limit on the jokers of one meld may bind; `least`, `free`, `outs`: those without it.

    Where the limit doesn't raise the distance, it can only take faces away from the masks.
    """
    distance = least
    while not can_lay_with(rules, first, second, third, jokers, sets, runs, distance):
        distance += 1
    if distance > least:
        free, outs = first | JOKER_BIT, int(rules[0].naturals) & ~third
    spare, faces = 0, free & first
    while faces:
        face = faces & -faces
        faces &= faces - 1
        a, b, c = remove(first, second, third, face)
        if can_lay_with(rules, a, b, c, jokers, sets, runs, distance):
            spare |= face
    if free & JOKER_BIT and can_lay_with(rules, first, second, third, jokers - 1, sets, runs, distance):
        spare |= JOKER_BIT
    helpful, faces = 0, outs if distance > 0 else 0
    while faces:
        face = faces & -faces
        faces &= faces - 1
        a, b, c = first | face, second | first & face, third | second & face
        if can_lay_with(rules, a, b, c, jokers, sets, runs, distance - 1):
            helpful |= face
    return distance, spare, helpful
