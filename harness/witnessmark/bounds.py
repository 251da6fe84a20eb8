"""What a number of trials says about a rate: exact one-sided binomial bounds."""

from __future__ import annotations

import math
from functools import lru_cache

__all__ = ["upper_bound"]


@lru_cache(maxsize=1024)
def upper_bound(events: int, trials: int, *, confidence: float = 0.95) -> float:
    """Return the largest rate that ``events`` in ``trials`` does not refute (Clopper-Pearson, one-sided).

    0 of 20 gives 0.139: twenty clean trials leave room for a rate of 13.9 %.

    Args:
        events: how often it happened, 0 to ``trials``.
        trials: independent trials; 0 says nothing, so the bound is 1.
        confidence: between 0 and 1.

    Raises:
        ValueError: ``events`` is not within 0 and ``trials``.
    """
    if not 0 <= events <= trials:
        raise ValueError(f"events: got {events}, wanted 0 to {trials}")
    if events == trials:
        return 1.0
    low, high = events / trials, 1.0
    while high - low > 1e-12:
        middle = (low + high) / 2
        if _at_most(events, trials, middle) > 1.0 - confidence:
            low = middle
        else:
            high = middle
    return high


def _at_most(events: int, trials: int, rate: float) -> float:
    """Return the probability of at most ``events`` in ``trials`` at ``rate``."""
    return sum(math.comb(trials, k) * rate**k * (1.0 - rate) ** (trials - k) for k in range(events + 1))
