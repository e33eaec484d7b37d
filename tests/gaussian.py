"""Gaussian differential privacy in doubles, written anew: what the exact checks of whole runs compare with."""

from __future__ import annotations

from math import erfc, exp, inf, log, sqrt

FAR_ENOUGH = 1e-12  # differences of probabilities below this are lost in doubles
EPSILONS = (0.0, 0.3, 1.0, 2.5, 5.0, 10.0)


def normal(x: float) -> float:
    """Φ(x)."""
    return erfc(-x / sqrt(2)) / 2


def delta_of(mu: float, epsilon: float, here: float = 1.0, there: float = 1.0) -> float:
    """sup over events of here·P[N(μ, 1) in it] − e^ε·there·P[N(0, 1) in it], for two weights."""
    if here == 0.0 or mu == 0.0:
        return max(0.0, here - exp(epsilon) * there)
    if there == 0.0:
        return here
    threshold = epsilon + log(there / here)  # of the log-ratio of the densities
    return here * normal(mu / 2 - threshold / mu) - exp(epsilon) * there * normal(-mu / 2 - threshold / mu)


def mu_at(epsilon: float, delta: float) -> float:
    """The μ at which this ε has this δ."""
    low, high = 0.0, 1.0
    while delta_of(high, epsilon) < delta:
        high *= 2
        if high > 1e6:
            return inf
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if delta_of(middle, epsilon) >= delta else (middle, high)
    return low


def mu_squared_between(parts) -> float:
    """The largest μ² that any of a few ε needs: parts are (probability here, there, μ of what comes out with it).

    A run that makes a choice of these probabilities, and then shows Gaussian noise whose mean moves by μ deviations.
    """
    worst = 0.0
    for epsilon in EPSILONS:
        delta = sum(delta_of(mu, epsilon, here, there) for here, there, mu in parts)
        if delta > FAR_ENOUGH:
            worst = max(worst, mu_at(epsilon, delta))
    return worst**2


def gaussian_cost(here, there) -> float:
    """The μ² between two tables' transcripts (`tests/methods/test_whole_runs_exactly.py`); at most the budget's."""
    assert here.keys() == there.keys()
    parts = []
    for key, (p, cells, *_) in here.items():
        q, others, *_ = there[key]
        moved = sum((c - d) ** 2 / scale for (c, scale), (d, _) in zip(cells, others, strict=True))
        parts.append((p, q, sqrt(moved)))
    return mu_squared_between(parts)
