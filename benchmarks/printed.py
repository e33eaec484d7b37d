"""Algorithm 2 of the correlated-release paper as printed: 10,000 counts on Adult, against a direct NumPy program.

The setting is that of the paper's experiments here: the first 35,561 rows, 14 columns of two values each, N = 16,384
cells, a quarter of the rows linked. Both give the same answers, by the same noise. The direct program is given its
queries as a matrix of N columns, which takes longer to make than ours takes for everything; that time is not counted.
Ours is given a factor for each column. Two readings of the paper and two thresholds: as many corrections as there are,
and few. Where ours is given the matrix, too, there is nothing to gain: reading it is what takes the time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from research.tasks import Setting, setting

from benchmarks._data import data_folder
from benchmarks._report import Line, Options, Stopwatch, faster, main
from understudy.answers import MENDED, AsPrinted, ProductQueries, Reading, answer_as_printed
from understudy.correlate import Links, correlated_sensitivity

Floats = npt.NDArray[np.float64]
ROWS, QUERIES, QUICK_QUERIES = 35_561, 10_000, 2_000
REPEATS = 9
FASTER = 20
NUMBERS = {"epsilon": 1.0, "rate": 0.7, "theta0": 0.6}
READINGS = {"as printed": Reading(), "mended reading (|d̂|, renormalised, γ by cell)": MENDED}
THRESHOLDS = (0.3, 0.1, 0.01, 0.001)


def run(options: Options) -> list[Line]:
    n_queries = QUICK_QUERIES if options.quick else QUERIES
    given = setting("adult_privbayes16", data_folder(), ROWS, n_queries, 0)
    with Stopwatch() as making:
        dense = given.queries.dense()
    # a copy that has not been prepared yet
    fresh = ProductQueries(given.queries.shape, given.queries.weights)
    with Stopwatch() as preparing:
        fresh.halves  # noqa: B018
    lines = [
        compared(given, dense, words, reading, threshold)
        for words, reading in READINGS.items()
        for threshold in THRESHOLDS
    ]
    lines.append(whole_matrix(given, dense))
    lines.append(
        Line(
            f"prepare {n_queries:,} counts, counted in no other line",
            f"factors: {preparing.seconds:.3g} CPU s",
            f"matrix of cells: {making.seconds:.3g} CPU s, {dense.nbytes / 1e9:.2g} GB",
            making.seconds / preparing.seconds,
        )
    )
    return [*lines, sensitivities(given, dense)]


def compared(given: Setting, dense: Floats, words: str, reading: Reading, threshold: float) -> Line:
    """Both programs in one setting."""
    histogram, shares = given.histogram, given.printed / ROWS
    ours, told = best(lambda: answered(histogram, given.queries, threshold, shares, reading))
    other, direct = best(lambda: directly(histogram, dense, threshold, shares, reading), repeats=3)
    np.testing.assert_allclose(told.answers, direct.answers, rtol=1e-7, atol=1e-9)
    task = f"{len(dense):,} counts on Adult, {words}, T = {threshold:g}: {int(told.corrected.sum()):,} corrections"
    return faster(task, ours, other, target=FASTER, what="direct NumPy")


def whole_matrix(given: Setting, dense: Floats) -> Line:
    """Ours, given the same matrix of cells as the direct program."""
    histogram, shares = given.histogram, given.printed / ROWS
    ours, _ = best(lambda: answered(histogram, dense, 0.3, shares, Reading()), repeats=3)
    other, _ = best(lambda: directly(histogram, dense, 0.3, shares, Reading()), repeats=3)
    return Line(
        f"{len(dense):,} counts on Adult, as printed, T = 0.3, ours given the matrix of cells, too, and checking it",
        f"{ours:.3g} CPU s",
        f"direct NumPy: {other:.3g} CPU s",
        other / ours,
    )


def answered(
    histogram: npt.NDArray[np.int64], queries: Any, threshold: float, shares: Floats, reading: Reading
) -> AsPrinted:
    return answer_as_printed(
        histogram, queries, threshold=threshold, sensitivities=shares, rng=np.random.default_rng(1), reading=reading,
        **NUMBERS,
    )  # fmt: skip


def directly(
    histogram: npt.NDArray[np.int64], queries: Floats, threshold: float, sensitivities: Floats, how: Reading
) -> AsPrinted:
    """Round by round, with what NumPy offers."""
    rng, n_cells = np.random.default_rng(1), len(histogram)
    rate, theta0 = NUMBERS["rate"], NUMBERS["theta0"]
    unit = NUMBERS["epsilon"] * rate * theta0 / np.log(n_cells)
    shares, x = histogram / histogram.sum(), np.full(n_cells, 1 / n_cells)
    answers, corrected = np.empty(len(queries)), np.zeros(len(queries), dtype=bool)
    for t, query in enumerate(queries):
        noisy = query @ shares + rng.laplace(0.0, sensitivities[t] / unit)
        estimate = query @ x
        off = estimate - noisy
        if (abs(off) if how.absolute else off) <= threshold:
            answers[t] = estimate
            continue
        answers[t], corrected[t] = noisy, True
        if how.by_cell:
            x = x * np.exp(-rate * theta0 * (query if off > 0 else 1 - query))
        else:
            gamma = estimate if off > 0 else 1 - estimate * rate
            x = np.where(query > 0, x * np.exp(-rate * theta0 * gamma), x)
        if how.renormalised:
            x = x / x.sum()
    return AsPrinted(answers, corrected, x)


def sensitivities(given: Setting, dense: Floats) -> Line:
    """Definition 2 for all queries: ours by kinds of row, the direct program row by row."""
    present, kinds = np.unique(given.cells, return_inverse=True)
    parts = np.ascontiguousarray(dense[:, present])
    some = min(len(parts), 500)
    ours, found = best(lambda: correlated_sensitivity(given.links, parts, kinds), repeats=3)
    other, direct = best(lambda: direct_sensitivities(given.links, parts[:some], kinds), repeats=1)
    np.testing.assert_allclose(found[:some], direct, rtol=1e-6)
    return Line(
        f"correlated sensitivity of {len(parts):,} counts, {given.links.n_links:,} links",
        f"{ours:.3g} CPU s",
        f"direct NumPy: {other * len(parts) / some:.3g} CPU s, by {some} of them",
        other * len(parts) / some / ours,
    )


def direct_sensitivities(links: Links, parts: Floats, kinds: npt.NDArray[np.int64]) -> Floats:
    """A sparse product and a maximum for each query."""
    rows = np.repeat(np.arange(links.n_rows), np.diff(links.indptr))
    degrees, found = np.abs(links.degrees), np.empty(len(parts))
    for t, part in enumerate(parts):
        own = part[kinds]
        sums = own + np.bincount(rows, weights=degrees * own[links.indices], minlength=links.n_rows)
        found[t] = np.max(sums, initial=0.0, where=own > 0)
    return found


def best(work: Callable[[], Any], repeats: int = REPEATS) -> tuple[float, Any]:
    """CPU seconds of the best of some runs, and what it gave."""
    seconds = []
    for _ in range(repeats):
        with Stopwatch() as watch:
            found = work()
        seconds.append(watch.seconds)
    return min(seconds), found


if __name__ == "__main__":
    main(run)
