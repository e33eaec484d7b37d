"""What the correlated-release paper's noise gives away: exact losses, audits of its algorithm, and its own attack."""

from __future__ import annotations

from collections.abc import Mapping
from math import exp, log
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from research.tasks.leaks import epsilon_lower_bound
from understudy._core.randomness import Rng, streams
from understudy.answers import answer_as_printed, printed_round, round_epsilon
from understudy.correlate import Links, correlated_sensitivity

Floats = npt.NDArray[np.float64]
_CELLS, _ROWS, _ROUNDS = 16, 1_000, 200
_RATE, _THETA0 = 0.7, 0.6
_UNIT = round_epsilon(epsilon=1.0, n_cells=_CELLS, rate=_RATE, theta0=_THETA0)
_SCALE = 1 / _ROWS / _UNIT
_FILLED, _EMPTY = slice(8, 16), slice(2, 8)
_GRID = np.linspace(-60.0, 60.0, 240_001)
_STEP = _GRID[1] - _GRID[0]


def _cdf(z: Floats) -> Floats:
    """Of Laplace noise of scale 1."""
    return np.where(z < 0, 0.5 * np.exp(np.minimum(z, 0)), 1 - 0.5 * np.exp(-np.maximum(z, 0)))


def free_rounds(params: Mapping[str, Any], seed: int, folder: Path) -> dict[str, float]:
    """The exact `loss` of the outcome "all rounds below the threshold", in which the paper spends nothing.

    Parameters: `rounds`; `epsilon` of a round; `above`, the chance of a round to be above on the one table; `noisy`,
    whether the threshold has noise of its own, of half of `epsilon`, and each round's noise is for the other half.
    On the other table every answer is lower by the sensitivity, so that all rounds are more likely to be above.
    """
    rounds, epsilon, above = params["rounds"], params["epsilon"], params["above"]
    if not params["noisy"]:
        return {"loss": rounds * log((1 - above) / (1 - above * exp(epsilon)))}
    # in units of the sensitivity: threshold noise of scale 2/ε, noise of rounds of scale 4/ε, one cut-off
    threshold, own = 2 / epsilon, 4 / epsilon
    margin = -own * log(2 * above)  # so that a round is above with this chance if the threshold has no noise
    density = np.exp(-np.abs(_GRID) - log(2)) * _STEP
    logs = [
        _log_sum(np.log(density) + rounds * np.log(_cdf((margin - moved + threshold * _GRID) / own)))
        for moved in (0.0, 1.0)
    ]
    return {"loss": logs[0] - logs[1]}


def _log_sum(terms: Floats) -> float:
    most = terms.max()
    return float(most + np.log(np.exp(terms - most).sum()))


def wrong_quantity(params: Mapping[str, Any], seed: int, folder: Path) -> dict[str, float]:
    """The exact `loss` about a record whose value moves that of others: how far one answer moves an adversary's odds.

    The record is 1 with chance `share`; each of `others` is 1 if it is, and 1 with a chance of a half if not. Their
    `correlation` is below ϑ₀, so that Definition 2 gives 1. Noise is Laplace of scale `rows`/`epsilon`.
    """
    others, share, scale = params["others"], params["share"], params["rows"] / params["epsilon"]
    totals = np.array([1.0])
    for _ in range(others):
        totals = np.convolve(totals, [0.5, 0.5])
    outcomes = np.linspace(-30.0, others + 31.0, 2_001)
    without = np.log(sum(chance * np.exp(-np.abs(outcomes - total) / scale) for total, chance in enumerate(totals)))
    mean = share + (1 - share) / 2
    return {
        "loss": float(np.abs(-np.abs(outcomes - others - 1) / scale - without).max()),
        "correlation": float(share * (1 - mean) / np.sqrt(share * (1 - share) * mean * (1 - mean))),
    }


def tuned_queries(params: Mapping[str, Any], seed: int, folder: Path) -> dict[str, float]:
    """Row 8 of the soundness review: the ε that trials prove, as `proved`, if an analyst tunes queries to T.

    Parameters: `threshold`; `over`, the log-likelihood ratio that is the event; `trials`.
    """
    hits = []
    for cell in (0, 1):
        rng = streams(seed).get("experiments", "correlated", "tuned", str(cell))
        told = [_likelihood(cell, params["threshold"], rng) for _ in range(params["trials"])]
        hits.append(sum(value > params["over"] for value in told))
    return {"proved": epsilon_lower_bound(hits[0], hits[1], params["trials"]), "claimed": 1.0}


def _shares(cell: int) -> Floats:
    """999 known records in the last eight cells, and one in cell 0 or 1."""
    counts = np.zeros(_CELLS)
    counts[_FILLED] = 125
    counts[-1] = 124
    counts[cell] += 1
    return counts / _ROWS


def _tuned(x: Floats, middle: Floats, threshold: float) -> Floats:
    """A query that tells cell 0 from cell 1, for which the histogram is too high by the threshold."""
    query = np.zeros(_CELLS)
    query[0] = 1
    short = threshold - (x[0] - middle[0])
    if short >= 0:
        query[_EMPTY] = min(1.0, short / x[_EMPTY].sum())
    else:
        query[_FILLED] = min(1.0, -short / (middle[_FILLED].sum() - x[_FILLED].sum()))
    return query


def _likelihood(cell: int, threshold: float, rng: Rng) -> float:
    """How much likelier cell 0 has become after the rounds, as a logarithm."""
    sides = np.stack([_shares(0), _shares(1)])
    shares, middle = sides[cell], sides.mean(axis=0)
    x, total = np.full(_CELLS, 1 / _CELLS), 0.0
    for draw in rng.laplace(0.0, _SCALE, _ROUNDS).tolist():
        query = _tuned(x, middle, threshold)
        here, there = (sides @ query).tolist()
        limit = float(query @ x) - threshold
        noisy = float(shares @ query) + draw
        seen, corrected, x = printed_round(x, query, noisy, threshold=threshold, rate=_RATE, theta0=_THETA0)
        if corrected:
            total += (abs(seen - there) - abs(seen - here)) / _SCALE
        else:
            total += log(_over((limit - here) / _SCALE) / _over((limit - there) / _SCALE))
    return total


def _over(z: float) -> float:
    """The chance that Laplace noise of scale 1 exceeds z."""
    return 1 - 0.5 * exp(z) if z < 0 else 0.5 * exp(-z)


def answers_about_nobody(params: Mapping[str, Any], seed: int, folder: Path) -> dict[str, float]:
    """Row 9 of the soundness review: the ε that trials prove by answers that are 0 exactly. Parameter: `trials`."""
    hits = []
    for matching in (0, 1):
        rows = np.array([0] * 50 + [1] * matching)
        query = np.array([[0.0, 1.0]])
        found = correlated_sensitivity(Links.of_pairs(len(rows), [0], [1], [0.9]), query, rows)
        rng = streams(seed).get("experiments", "correlated", "nobody", str(matching))
        told = [
            answer_as_printed(
                np.bincount(rows, minlength=2),
                query,
                epsilon=1.0,
                threshold=0.1,
                sensitivities=found / len(rows),
                rng=rng,
                rate=_RATE,
                theta0=_THETA0,
            ).answers[0]
            for _ in range(params["trials"])
        ]
        hits.append(sum(answer == 0 for answer in told))
    return {"proved": epsilon_lower_bound(hits[0], hits[1], params["trials"]), "claimed": 1.0}


def attack(params: Mapping[str, Any], seed: int, folder: Path) -> dict[str, float]:
    """The share of trials in which Table 1's attacker tells Zhao's value from two counts, as `success`.

    Parameters: `epsilon` of the two counts together, half each, or None for exact ones; `linked`, rows that share his
    value and stand beside him, himself included; `rows`, for a change of how many the noise is; `trials`. The
    attacker takes Count(m + linked − 1) − Count(m − 1), and says true if it is over half of what it would be.
    """
    rng = streams(seed).get("experiments", "correlated", "attack")
    truth = rng.integers(0, 2, params["trials"])
    seen = params["linked"] * truth.astype(np.float64)
    if params["epsilon"] is not None:
        scale = 2 * params["rows"] / params["epsilon"]
        seen += rng.laplace(0.0, scale, len(truth)) - rng.laplace(0.0, scale, len(truth))
    return {"success": float(((seen > params["linked"] / 2) == (truth == 1)).mean())}


def attack_limit(params: Mapping[str, Any], seed: int, folder: Path) -> dict[str, float]:
    """What no attack on ε-differential privacy exceeds if both values are as likely: e^ε/(1 + e^ε). `epsilon`."""
    return {"success": 1 / (1 + exp(-params["epsilon"]))}
