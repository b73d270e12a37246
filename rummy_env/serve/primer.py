"""Rules in a few sentences for a person who has never played."""

from rummy_env.rules import TURNS_PER_PLAYER, RuleSet


def primer(rules: RuleSet) -> list[str]:
    """What a game is about; the finer rules show in which moves are offered."""
    table = rules.table(rules.default_num_players)
    jokers = f", jokers {rules.joker_value}" if table.num_jokers else ""
    lines = [
        f"{_aim(rules)} Aces count {table.ace_value}, J Q K 10, other cards their number{jokers}.",
        "A set is three or four cards of one rank in different suits: 9C 9D 9H. A run is three or more cards of one "
        f"suit in sequence: 5H 6H 7H. {_aces(rules)} A meld is laid with three cards; further ones are laid off on it.",
        "In your turn you draw a card, from the face-down stock or from the face-up discard pile, may then lay cards "
        "on the table, and discard one.",
    ]
    if rules.contracts is None:
        lines.append("You may lay sets and runs, and lay off single cards on melds of the table, in any of your turns.")
    else:
        lines.append(
            "Each deal has a contract, such as 2 sets. It is laid all at once, and before that you can lay nothing. "
            "Whoever has laid it is down and may lay off single cards on the melds of the table."
        )
        if rules.all_at_once_deals:
            deals = " and ".join(map(str, rules.all_at_once_deals))
            lines.append(f"Contract {deals} is only laid together with the whole hand.")
    pile = "A card taken from the top of the pile is not discarded in the same turn."
    if rules.discard_pickup == "any":
        pile += " A card from deeper in the pile comes with all cards above it and must be laid at once."
    lines.append(pile)
    if table.num_jokers:
        swap = " Once you are down, a later turn may free a joker in a run by the card it stands for."
        lines.append(
            "A joker stands for any card; the star marks what it stands for."
            f"{'' if rules.joker_swap_scope == 'none' else swap}"
        )
    limit = rules.max_turns_per_deal
    turns = f"{limit} turns of all players together" if limit else f"{TURNS_PER_PLAYER} turns of each player"
    lines.append(f"A deal in which nobody goes out ends after {turns}.")
    lines.append("Every move that the rules allow is offered as a button; a click on cards leaves the moves with them.")
    return lines


def _aim(rules: RuleSet) -> str:
    if rules.contracts is None:
        end = f" The first to reach {rules.target_score} points wins." if rules.game_end == "target_score" else ""
        return f"Get rid of your cards first: you score what the others still hold.{end}"
    return "When somebody has no card left the deal ends, and the cards in your hand are penalties. The lowest wins."


def _aces(rules: RuleSet) -> str:
    return "An ace comes before 2" + (" or after K." if rules.ace_mode == "both" else ", not after K.")
