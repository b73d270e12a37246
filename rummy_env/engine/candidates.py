"""What the rules of the moment allow between the draw and the discard, block by block.

Whether the turn can be finished afterwards is asked elsewhere (`finish`, `legal`), with one exception: while a
contract is being laid in an ordinary deal, only steps that keep it completable are candidates at all.
Candidates, like legal actions, are rows of `NUM_BLOCKS` masks over faces.
"""

from rummy_env.engine.bits import count_bits, lowest_bit
from rummy_env.engine.contract import can_meet, laid_runs, runs_agree, window_candidates
from rummy_env.engine.cover import can_lay_everything, laid_melds_may_stay
from rummy_env.engine.jit import kernel
from rummy_env.engine.melds import (
    COLUMN,
    JOKER,
    JOKER_BIT,
    jokers_fit,
    may_swap,
    remove,
    run_starts,
    run_window,
    set_starts,
    set_window,
    swappable,
    table_ends,
)
from rummy_env.engine.state import (
    BLOCK_DECLARE,
    BLOCK_DISCARD,
    BLOCK_LAYOFF_HIGH,
    BLOCK_LAYOFF_LOW,
    BLOCK_LAYOFF_SET,
    BLOCK_MELD_RUN,
    BLOCK_MELD_SET,
    BLOCK_SWAP,
    DISCARD_FORBIDDEN,
    DISCARD_REQUIRED,
    DOWN_NO,
    JOKER_DISCARD_NO,
    JOKER_DISCARD_YES,
    NONE,
    NUM_BLOCKS,
    SUITS_DISTINCT,
)


@kernel
def before_contract(rules, games, i):
    """Whether the player to move still has (part of) a contract to lay before anything else may be placed."""
    r, g = rules[0], games[i]
    return r.num_contracts > 0 and g.down[g.player] == DOWN_NO and g.laying_sets + g.laying_runs != 0


@kernel
def finishing_all_at_once(rules, games, i):
    """Whether the contract of an all-at-once deal lies and only the rest of the hand has to follow."""
    r, g = rules[0], games[i]
    return r.num_contracts > 0 and g.down[g.player] == DOWN_NO and g.laying_sets == 0 and g.laying_runs == 0


@kernel
def contract_left(rules, games, i):
    """Sets and runs of the contract that the player to move has still to lay."""
    r, g = rules[0], games[i]
    if g.laying_sets == NONE:
        return int(r.contract_sets[g.contract]), int(r.contract_runs[g.contract])
    return int(g.laying_sets), int(g.laying_runs)


@kernel
def discardable(rules, games, i):
    """Mask of the faces that the player to move may discard, as far as the card itself is concerned."""
    r, g = rules[0], games[i]
    player = int(g.player)
    faces = int(g.held[player, 0])
    jokers = int(g.hands[player, JOKER])
    size = int(g.hand_size[player])
    last_card = size == 1
    if finishing_all_at_once(rules, games, i):
        if not last_card or r.all_at_once_discard == DISCARD_FORBIDDEN or not laid_melds_may_stay(rules, games, i):
            return 0
    elif last_card and r.final_discard == DISCARD_FORBIDDEN:
        return 0
    if jokers > 0:
        nothing_else = jokers == size and g.taken == NONE and not g.played_this_turn
        if r.joker_discard == JOKER_DISCARD_YES or nothing_else or (r.joker_discard != JOKER_DISCARD_NO and last_card):
            faces |= JOKER_BIT
    if g.taken != NONE:
        faces &= ~(1 << int(g.taken))
    return faces


@kernel
def _keeps_contract(rules, games, i, window, start, by_joker, new_jokers):
    """Whether the contract can still be met after laying the base meld `window` with jokers at `by_joker`.

    `start` is the first face of a run, NONE for a set; `new_jokers` of the jokers are still in the hand.
    """
    r, g = rules[0], games[i]
    if r.all_at_once[g.contract]:
        return True
    player = int(g.player)
    sets, runs = contract_left(rules, games, i)
    laid, num_laid = laid_runs(games, i)
    if start != NONE:
        runs -= 1
        laid |= (start << 3) << (9 * num_laid)
        num_laid += 1
    else:
        sets -= 1
    naturals = window & ~by_joker
    must_hold = int(g.obliged)
    if must_hold == JOKER:
        if by_joker:
            must_hold = NONE
    elif must_hold != NONE and (naturals >> must_hold) & 1:
        must_hold = NONE
    a, b, c = remove(int(g.held[player, 0]), int(g.held[player, 1]), int(g.held[player, 2]), naturals)
    jokers = int(g.hands[player, JOKER]) - new_jokers
    return can_meet(rules, a, b, c, jokers, sets, runs, laid, num_laid, must_hold)


@kernel
def _run_allowed(rules, games, i, start):
    """Whether the suit rule lets a run from `start` join those of the contract being laid.

    In all-at-once deals the rule is judged on the finished runs.
    """
    r, g = rules[0], games[i]
    path, count = laid_runs(games, i)
    for index in range(count):
        other = (path >> (9 * index + 3)) & 63
        if r.all_at_once[g.contract]:
            if r.runs_suit_rule == SUITS_DISTINCT and start // 13 == other // 13:
                return False
        elif not runs_agree(rules, start, other):
            return False
    return True


@kernel
def _base_melds(rules, games, i, contract):
    """Masks of the runs and of the sets that may be laid now, using every declared joker."""
    r, g = rules[0], games[i]
    hand = int(g.held[g.player, 0])
    declared = int(g.declared)
    obliged = int(g.obliged)
    cards = hand | declared
    sets_left, runs_left = contract_left(rules, games, i) if contract else (1, 1)
    runs, sets = 0, 0
    starts = run_starts(cards, int(r.run_starts)) if runs_left > 0 else 0
    while starts:
        start = lowest_bit(starts)
        starts &= starts - 1
        window = run_window(start)
        if _base_meld_allowed(rules, games, i, contract, window, start, declared, 0, obliged):
            runs |= 1 << start
    left_out = set_starts(cards) if sets_left > 0 else 0
    while left_out:
        face = lowest_bit(left_out)
        left_out &= left_out - 1
        if _base_meld_allowed(rules, games, i, contract, set_window(face), NONE, declared, 0, obliged):
            sets |= 1 << face
    return runs, sets


@kernel
def _base_meld_allowed(rules, games, i, contract, window, start, by_joker, new_jokers, obliged):
    """Whether the base meld `window` may be the next placement, with jokers exactly at `by_joker`."""
    if by_joker & ~window or (by_joker and not jokers_fit(rules, window, start, by_joker, start != NONE)):
        return False
    if contract:
        if start != NONE and not _run_allowed(rules, games, i, start):
            return False
        return _keeps_contract(rules, games, i, window, start, by_joker, new_jokers)
    if obliged == JOKER:
        return by_joker != 0
    return obliged == NONE or ((window & ~by_joker) >> obliged) & 1 == 1


@kernel
def _identities_in(rules, games, i, contract, window, start, jokers, found):
    """Add to `found` the identities that jokers of the hand may take in the base meld `window`."""
    g = games[i]
    hand = int(g.held[g.player, 0])
    declared = int(g.declared)
    obliged = int(g.obliged)
    if declared & ~window or count_bits(window & ~hand & ~declared) > jokers:
        return found
    by_joker = window
    while by_joker:
        new = by_joker & ~declared
        if (
            declared & ~by_joker == 0
            and new & ~found
            and window & ~by_joker & ~hand == 0
            and count_bits(new) <= jokers
            and _base_meld_allowed(rules, games, i, contract, window, start, by_joker, count_bits(new), obliged)
        ):
            found |= new
        by_joker = (by_joker - 1) & window
    return found


@kernel
def _identities_for_melds(rules, games, i, contract):
    """Mask of the identities that a joker may be declared as, on the way to a base meld."""
    r, g = rules[0], games[i]
    player = int(g.player)
    jokers = int(g.hands[player, JOKER]) + int(g.freed)
    cards = int(g.held[player, 0]) | int(g.declared)
    sets_left, runs_left = contract_left(rules, games, i) if contract else (1, 1)
    found = 0
    starts = window_candidates(rules, cards, jokers) if runs_left > 0 else 0
    while starts:
        start = lowest_bit(starts)
        starts &= starts - 1
        found = _identities_in(rules, games, i, contract, run_window(start), start, jokers, found)
    if sets_left > 0:
        for rank in range(r.num_ranks):
            held = count_bits((cards >> rank) & COLUMN)
            if held == 0 or held + jokers < 3:
                continue
            for suit in range(4):
                window = set_window(13 * suit + rank)
                if window & ~int(r.naturals) == 0:
                    found = _identities_in(rules, games, i, contract, window, NONE, jokers, found)
    return found


@kernel
def _contract_candidates(rules, games, i, words, row):
    r, g = rules[0], games[i]
    player = int(g.player)
    declared = int(g.declared)
    idle = g.laying_sets == NONE and declared == 0
    if idle and g.obliged == NONE:
        words[row, BLOCK_DISCARD] = discardable(rules, games, i)
    sets, runs = contract_left(rules, games, i)
    jokers = int(g.hands[player, JOKER])
    rest = int(g.hand_size[player]) + count_bits(declared) - 3 * (sets + runs)
    all_at_once = r.all_at_once[g.contract]
    if rest < 0 or (rest == 0 and not all_at_once and r.final_discard == DISCARD_REQUIRED):
        return
    if idle:
        if all_at_once:
            possible = can_lay_everything(rules, games, i)
        else:
            a, b, c = int(g.held[player, 0]), int(g.held[player, 1]), int(g.held[player, 2])
            possible = can_meet(rules, a, b, c, jokers, sets, runs, 0, 0, int(g.obliged))
        if not possible:
            return
    new_runs, new_sets = _base_melds(rules, games, i, True)
    words[row, BLOCK_MELD_RUN] = new_runs
    words[row, BLOCK_MELD_SET] = new_sets
    if jokers > 0:
        words[row, BLOCK_DECLARE] = _identities_for_melds(rules, games, i, True)


@kernel
def _open_candidates(rules, games, i, words, row):
    r, g = rules[0], games[i]
    player = int(g.player)
    hand = int(g.held[player, 0])
    declared = int(g.declared)
    finishing = finishing_all_at_once(rules, games, i)
    # Where everything goes down at once, the card of a deep pick-up may be placed at any time before the end.
    obliged = NONE if finishing else int(g.obliged)
    jokers = int(g.hands[player, JOKER]) + int(g.freed)
    melds_allowed = r.extra_melds and g.melds_this_turn < r.max_melds_per_turn and not finishing
    natural_obliged = obliged != NONE and obliged != JOKER

    if declared == 0 and not g.freed and obliged != JOKER:
        usable = hand & (1 << obliged) if natural_obliged else hand
        low, high, sets = table_ends(rules, games, i, False, False)
        words[row, BLOCK_LAYOFF_LOW] = usable & low
        words[row, BLOCK_LAYOFF_HIGH] = usable & high
        words[row, BLOCK_LAYOFF_SET] = usable & sets
        if r.swap_scope and may_swap(games, i):
            words[row, BLOCK_SWAP] = usable & swappable(rules, games, i, player)
        if g.obliged == NONE:
            words[row, BLOCK_DISCARD] = discardable(rules, games, i)
        if melds_allowed and obliged == NONE:
            words[row, BLOCK_MELD_RUN] = run_starts(hand, int(r.run_starts))
            words[row, BLOCK_MELD_SET] = set_starts(hand)
        elif melds_allowed:
            runs, sets = _base_melds(rules, games, i, False)
            words[row, BLOCK_MELD_RUN], words[row, BLOCK_MELD_SET] = runs, sets
    if declared != 0:
        if declared & (declared - 1) == 0 and not natural_obliged:
            low, high, sets = table_ends(rules, games, i, True, False)
            words[row, BLOCK_LAYOFF_LOW] = declared & low
            words[row, BLOCK_LAYOFF_HIGH] = declared & high
            words[row, BLOCK_LAYOFF_SET] = declared & sets
        if melds_allowed:
            runs, sets = _base_melds(rules, games, i, False)
            words[row, BLOCK_MELD_RUN], words[row, BLOCK_MELD_SET] = runs, sets
    if jokers > 0:
        identities = 0
        if declared == 0 and not natural_obliged:
            low, high, sets = table_ends(rules, games, i, True, False)
            identities = (low | high | sets) & int(r.naturals)
        if melds_allowed:
            identities |= _identities_for_melds(rules, games, i, False)
        words[row, BLOCK_DECLARE] = identities


@kernel
def candidates(rules, games, i, words, row):
    """Write the candidates of the player to move, in the play phase, into `words[row]` (int64, NUM_BLOCKS)."""
    for block in range(NUM_BLOCKS):
        words[row, block] = 0
    if before_contract(rules, games, i):
        _contract_candidates(rules, games, i, words, row)
    else:
        _open_candidates(rules, games, i, words, row)
