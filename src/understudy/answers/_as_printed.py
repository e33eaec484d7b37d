"""Algorithm 2 of the correlated-release paper as it is printed: kept for science, without any guarantee.

Where the paper leaves a step open, this is how it is read:

- `A_t = Q_t(x_t)` (eq. 17) asks the true histogram: asked of the published one, the data would never be read.
- The noise of a round has the round's ε₀ = ε·μ·ϑ₀/log N, the natural logarithm. Eq. 18 prints ε, but then ε₀, which
  the text has just computed, is used nowhere.
- θ_Q (eq. 22), which is not defined, is ϑ₀.
- γ is printed as a number, Q_t(x) or 1 − Q_t(x)·μ, and `{b_0, b_1, …}` as the cells that the query matches: all of
  them are multiplied by one factor. Nothing is renormalised, so mass only ever falls.
- d̂ is compared with T as printed, with its sign: a histogram that is far too low is never corrected, and the second
  form of γ is never used.
- In a round of correction the noisy answer is published, otherwise the histogram's.

`Reading` has the other readings. In all of them rounds below the threshold cost nothing, there is no limit on
corrections, and ε₀ is spent each time: no finite ε covers what is published (docs/correlated-release.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, isfinite, log
from typing import Any

import numpy as np
import numpy.typing as npt

from understudy._core.errors import OptionError
from understudy._core.randomness import Rng
from understudy.answers._product import Floats, ProductQueries, as_queries, check_weights

_BLOCK = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How the undefined steps of Algorithm 2 are read; as they are printed without options.

    >>> Reading() == Reading(absolute=False, renormalised=False, by_cell=False)
    True
    """

    absolute: bool = False
    """|d̂| is compared with the threshold, not d̂."""
    renormalised: bool = False
    """The histogram sums to 1 after each correction."""
    by_cell: bool = False
    """γ is q(b), or 1 − q(b) where the histogram is too low, for each cell b: multiplicative weights, as the paper's
    sources have them."""


AS_PRINTED = Reading()
MENDED = Reading(absolute=True, renormalised=True, by_cell=True)
"""The reading under which corrections go the right way. It is no more private."""


@dataclass(frozen=True, slots=True, eq=False)
class AsPrinted:
    """What Algorithm 2 publishes: answers as shares, which rounds corrected, and the last histogram."""

    answers: Floats
    corrected: npt.NDArray[np.bool_]
    histogram: Floats


def round_epsilon(*, epsilon: float, rate: float, theta0: float, n_cells: int) -> float:
    """The paper's budget of one round, ε₀ = ε·μ·ϑ₀/log N: a formula, not what a round costs.

    >>> round(round_epsilon(epsilon=1, rate=0.7, theta0=0.6, n_cells=16), 4)
    0.1515
    """
    return epsilon * rate * theta0 / log(n_cells)


def answer_as_printed(
    histogram: npt.NDArray[np.int64],
    queries: ProductQueries | Floats,
    *,
    epsilon: float,
    threshold: float,
    rate: float,
    theta0: float,
    sensitivities: Floats,
    rng: Rng,
    reading: Reading = AS_PRINTED,
) -> AsPrinted:
    """Answers to all queries by Algorithm 2 as printed: NOT differentially private, with any ε.

    Args:
        histogram: true counts of the cells.
        queries: a row of weights in [0, 1] for each query and a column for each cell, or queries in factors, which
            are answered much faster.
        epsilon: the paper's ε.
        threshold: T; above 0.
        rate: μ; above 0 and at most 1.
        theta0: ϑ₀; above 0 and at most 1.
        sensitivities: of each query's answer as a share: what Definition 2 gives, divided by the number of rows.
        rng: where the noise comes from.
        reading: how undefined steps are read.

    >>> from understudy._core.randomness import streams
    >>> told = answer_as_printed(
    ...     np.array([30, 10]), np.array([[0.0, 1.0]]), epsilon=1.0, threshold=0.1, rate=0.7, theta0=0.6,
    ...     sensitivities=np.array([0.0]), rng=streams(1).get("noise"),
    ... )
    >>> told.answers.tolist(), told.corrected.tolist(), told.histogram.round(3).tolist()
    ([0.25], [True], [0.5, 0.405])
    """
    counts = _checked_histogram(histogram)
    _check_numbers(epsilon=epsilon, threshold=threshold, rate=rate, theta0=theta0)
    asked = as_queries(queries, len(counts))
    scales = _checked_sensitivities(sensitivities, len(asked)) / round_epsilon(
        epsilon=epsilon, rate=rate, theta0=theta0, n_cells=len(counts)
    )
    noise = rng.laplace(0.0, scales)
    shares = counts / counts.sum()
    if isinstance(asked, ProductQueries):
        return _in_factors(shares, asked, noise, threshold, rate, theta0, reading)
    return _in_blocks(shares, asked, noise, threshold, rate, theta0, reading)


def _in_factors(
    shares: Floats, queries: ProductQueries, noise: Floats, threshold: float, rate: float, theta0: float, how: Reading
) -> AsPrinted:
    """All rounds in a kernel: what a query asks of the rows of the histogram is kept until the next correction."""
    from understudy.answers._kernels import answer_products, printed_rounds

    rows, columns = queries.halves
    sides = rows.patterns.shape[1], columns.patterns.shape[1]
    kept, known = np.empty((len(rows.patterns), sides[1])), np.zeros(len(rows.patterns), dtype=np.bool_)
    patterns = (rows.start, rows.cells, rows.weights, rows.of_query, columns.patterns, columns.of_query)
    noisy, answers = np.empty(len(queries)), np.empty(len(queries))
    answer_products(np.ascontiguousarray(shares.reshape(sides)), *patterns, kept, known, noisy)
    noisy += noise
    x, corrected = np.full(sides, 1 / shares.size), np.zeros(len(queries), dtype=np.bool_)
    whole = (rows.predicate & columns.predicate, rows.ones, columns.ones)
    flags = (how.absolute, how.renormalised, how.by_cell)
    printed_rounds(x, *patterns, *whole, kept, noisy, threshold, rate, theta0, *flags, answers, corrected)
    return AsPrinted(answers, corrected, x.reshape(-1))


def _in_blocks(
    shares: Floats, queries: Floats, noise: Floats, threshold: float, rate: float, theta0: float, how: Reading
) -> AsPrinted:
    """Blocks of queries by matrix products, so that each is read from memory once."""
    n, n_cells = queries.shape
    x = np.full(n_cells, 1 / n_cells)
    answers, corrected, size = np.empty(n), np.zeros(n, dtype=np.bool_), 1
    for start in range(0, n, _BLOCK):
        block = queries[start : start + _BLOCK]
        check_weights(block)
        noisy = block @ shares + noise[start : start + _BLOCK]
        at = 0
        while at < len(block):
            some = slice(at, at + size)
            estimates = block[some] @ x
            off = estimates - noisy[some]
            over = np.flatnonzero((np.abs(off) if how.absolute else off) > threshold)
            hit = int(over[0]) if len(over) else len(off)
            answers[start + at : start + at + hit] = estimates[:hit]
            size = min(2 * size, _BLOCK)
            if len(over):
                size = 1  # where one was wrong, the next may be
                answers[start + at + hit], corrected[start + at + hit] = noisy[at + hit], True
                x = corrected_histogram(x, block[at + hit], estimates[hit], off[hit], rate, theta0, how)
            at += hit + bool(len(over))
    return AsPrinted(answers, corrected, x)


def corrected_histogram(
    x: Floats, query: Floats, estimate: float, off: float, rate: float, theta0: float, how: Reading
) -> Floats:
    """The histogram after a correction (eq. 20–22)."""
    if how.by_cell:
        changed = x * np.exp(-rate * theta0 * (query if off > 0 else 1 - query))
    else:
        gamma = estimate if off > 0 else 1 - estimate * rate
        changed = np.where(query > 0, x * exp(-rate * theta0 * gamma), x)
    return np.asarray(changed / changed.sum() if how.renormalised else changed)


def printed_round(
    x: Floats,
    query: Floats,
    noisy: float,
    *,
    threshold: float,
    rate: float,
    theta0: float,
    reading: Reading = AS_PRINTED,
) -> tuple[float, bool, Floats]:
    """One round for an analyst who looks at the histogram before asking: the answer, whether it corrected, and x_t.

    >>> answer, corrected, _ = printed_round(
    ...     np.array([0.5, 0.5]), np.array([0.0, 1.0]), 0.45, threshold=0.1, rate=0.7, theta0=0.6
    ... )
    >>> answer, corrected
    (0.5, False)
    """
    estimate = float(query @ x)
    off = estimate - noisy
    if (abs(off) if reading.absolute else off) > threshold:
        return noisy, True, corrected_histogram(x, query, estimate, off, rate, theta0, reading)
    return estimate, False, x


def _checked_histogram(histogram: Any) -> Floats:
    counts = np.asarray(histogram, dtype=np.float64)
    if counts.ndim != 1 or len(counts) < 2:
        raise OptionError(
            "a histogram must be one array of two cells or more, since the printed ε₀ divides by log N; got an array "
            f"of shape {counts.shape}."
        )
    if not np.isfinite(counts).all() or counts.min() < 0 or counts.sum() <= 0:
        raise OptionError("a histogram must hold counts of 0 or more, and a row at least.")
    return counts


def _check_numbers(**numbers: float) -> None:
    most = {"rate": 1.0, "theta0": 1.0}
    for name, value in numbers.items():
        if not (isfinite(value) and 0 < value <= most.get(name, value)):
            raise OptionError(f"{name} must be above 0{' and at most 1' if name in most else ''}; got {value:g}.")


def _checked_sensitivities(sensitivities: Any, n_queries: int) -> Floats:
    found = np.asarray(sensitivities, dtype=np.float64)
    if found.shape != (n_queries,):
        raise OptionError(f"sensitivities must be one for each of {n_queries:,} queries; got shape {found.shape}.")
    if not np.isfinite(found).all() or (found < 0).any():
        raise OptionError("sensitivities must be numbers of 0 or more.")
    return found
