"""OpenSkill ratings (the Plackett-Luce model) of agents; needs the extra ``arena``."""

from collections.abc import Iterable
from typing import Any, NamedTuple


class Rating(NamedTuple):
    """Strength of an agent and how uncertain it is; beginners have 25 and 8.3."""

    mu: float
    sigma: float


def rate(num_agents: int, results: Iterable[tuple[int, int, float]]) -> list[Rating] | None:
    """Ratings after some results, taken in one after the other; None where OpenSkill is not installed.

    Args:
        num_agents: Number of agents.
        results: First agent, second agent, and how much the first was better: only the sign counts, 0 is a draw.
    """
    try:
        from openskill.models import PlackettLuce
    except ImportError:
        return None
    model: Any = PlackettLuce()
    ratings = [model.rating() for _ in range(num_agents)]
    for first, second, difference in results:
        scores = [float(difference > 0), float(difference < 0)]
        ((ratings[first],), (ratings[second],)) = model.rate([[ratings[first]], [ratings[second]]], scores=scores)
    return [Rating(float(rating.mu), float(rating.sigma)) for rating in ratings]
