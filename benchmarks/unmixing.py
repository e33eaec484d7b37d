"""Un-mixing published counts: speed and memory of a large joint, all pairs of a large inbox, and the choice of a fit.

The joint has 10 columns of 5 values. Naive is NumPy's `tensordot` and `moveaxis`, axis by axis. Pairs are those of a
single party's randomised file; reading it, which includes checking it against its digest, is the yardstick. The tables
for the choice between ways of fitting are drawn here, and nothing was tuned on them: Dirichlet tables, sparse and even,
and chains in which each column depends on the one before; each is randomised at several strengths.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations, pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks._report import Line, Options, Stopwatch, faster, main
from benchmarks.scale import peak_mb, reset_peak
from understudy._core.randomness import SeededBytes
from understudy.randomize import (
    Block,
    Inbox,
    PartyColumns,
    Plan,
    Response,
    UnmixedCounts,
    apply,
    open_inbox,
    unmix,
)
from understudy.schema import Marginal, Schema
from understudy.tables import Table

Floats = npt.NDArray[np.float64]
COLUMNS, VALUES, REPEATS = 10, 5, 5
ROWS, QUICK_ROWS, WIDE = 10_000_000, 1_000_000, 20
FASTER = 3
KEEPS = (Fraction(9, 10), Fraction(3, 4), Fraction(3, 5))
ROWS_FITTED = 5_000
SEEDS, QUICK_SEEDS = 40, 8


def run(options: Options) -> list[Line]:
    fits = compare_fits(QUICK_SEEDS if options.quick else SEEDS)
    return [*large_joint(), all_pairs(QUICK_ROWS if options.quick else ROWS), *fits]


def large_joint() -> list[Line]:
    """A joint of 9.8 million cells: any matrices, and randomised response."""
    draws = np.random.default_rng(7)
    table = draws.poisson(1.0, (VALUES,) * COLUMNS).astype(np.float64)
    mixing = [0.7 * np.eye(VALUES) + 0.3 * draws.dirichlet(np.ones(VALUES), VALUES) for _ in range(COLUMNS)]
    inverses = [np.linalg.inv(one) for one in mixing]
    response = Response(VALUES, Fraction(3, 5))
    unmix(np.ones((2, 2)), [np.eye(2), Response(2, Fraction(3, 4))])  # compiles
    task = f"un-mix a joint of {COLUMNS} columns with {VALUES} values, {table.size / 1e6:.1f} million cells"
    naive, naive_mb = _best(lambda: naive_unmix(table, inverses))
    dense, dense_mb = _best(lambda: unmix(table, inverses))
    closed, _ = _best(lambda: unmix(table, [response] * COLUMNS))
    plain, _ = _best(lambda: naive_unmix(table, [response.inverse] * COLUMNS))
    worst = float(np.abs(unmix(table, inverses) - naive_unmix(table, inverses)).max())
    size = table.nbytes / 1e6
    return [
        faster(f"{task}, any matrices", dense, naive, target=FASTER, what="naive NumPy"),
        faster(f"{task}, randomised response", closed, plain, target=FASTER, what="naive NumPy"),
        Line(
            f"{task}: memory at the peak, beside the table",
            f"{dense_mb:.0f} MB, {dense_mb / size:.2g} × the table",
            f"naive NumPy: {naive_mb:.0f} MB",
            naive_mb / dense_mb,
            "no more than a copy",
            dense_mb < 1.1 * size,
        ),
        Line(f"{task}: largest difference from naive NumPy", f"{worst:.2g}"),
    ]


def naive_unmix(table: Floats, inverses: list[Floats]) -> Floats:
    """Axis by axis with what NumPy offers."""
    for axis, inverse in enumerate(inverses):
        table = np.moveaxis(np.tensordot(inverse.T, table, axes=(1, axis)), 0, axis)
    return table


def all_pairs(n: int) -> Line:
    """All pairs of 20 columns with their variances, from a file."""
    draws = np.random.default_rng(3)
    sizes = [2, 3, 4, 5] * (WIDE // 4)
    plan = _plan(sizes, Fraction(3, 4))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "party.parquet")
        source = Path(folder, "table.parquet")
        _write(source, sizes, n, draws)
        apply(source, plan, out=file, source_of_bits=SeededBytes(1))
        pairs = [Marginal.of(a, b) for a, b in combinations(range(WIDE), 2)]
        with Stopwatch() as reading:
            inbox = open_inbox([file])
        UnmixedCounts(inbox).estimates(pairs)  # loads kernels
        before = reset_peak()
        with Stopwatch() as estimating:
            UnmixedCounts(inbox).estimates(pairs)
        memory = peak_mb() - before
    return Line(
        f"all {len(pairs)} pairs of {WIDE} columns × {n:,} rows, counts and variances in one pass",
        f"{estimating.seconds:.3g} CPU s, {max(memory, 0):.0f} MB at the peak",
        f"reading the file: {reading.seconds:.3g} CPU s",
        reading.seconds / estimating.seconds,
    )


def _write(path: Path, sizes: list[int], n: int, draws: np.random.Generator) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = {
        f"x{i}": pa.DictionaryArray.from_arrays(
            pa.array(draws.integers(0, size, n, dtype=np.int8)), pa.array([str(code) for code in range(size)])
        )
        for i, size in enumerate(sizes)
    }
    pq.write_table(pa.table(columns), path)


def _plan(sizes: list[int], keep: Fraction) -> Plan:
    fields = [
        {"name": f"x{i}", "type": "string", "categories": [str(code) for code in range(size)]}
        for i, size in enumerate(sizes)
    ]
    blocks = tuple(
        Block(columns=(f"x{i}",), sizes=(size,), matrix=Response(size, keep)) for i, size in enumerate(sizes)
    )
    return Plan(party="party", schema=Schema.from_dict({"fields": fields}), blocks=blocks)


def compare_fits(n_seeds: int) -> list[Line]:
    """Unbiased, clipped, projected and most likely counts against the true ones."""
    lines = []
    for sizes, keep in product([(2, 2, 2), (3, 3, 3), (2, 3, 4, 2)], KEEPS):
        found: dict[str, list[tuple[float, float]]] = {}
        covered = []
        for true, published in tables(sizes, keep, n_seeds):
            unmixed = published.unmixed()
            covered.append(float((np.abs(unmixed.counts - true) <= 1.96 * unmixed.standard_error).mean()))
            ways = {
                "unbiased": unmixed.counts,
                "clipped": _clipped(unmixed.counts),
                "projected": published.fitted("projection"),
                "likelihood": published.fitted("likelihood"),
            }
            for way, counts in ways.items():
                found.setdefault(way, []).append((_distance(counts, true), _conditional_error(counts, true)))
        means = {way: np.mean(errors, axis=0) for way, errors in found.items()}
        text = {way: f"{way} {mean[0]:.3f}, {mean[1]:.3f}" for way, mean in means.items()}
        # ratios of negative counts are no conditionals
        held = f"{100 * np.mean(covered):.1f} % of counts in their 95 % intervals"
        text["unbiased"] = f"unbiased {means['unbiased'][0]:.3f}, {held}"
        lines.append(
            Line(
                f"fit of {' × '.join(map(str, sizes))} tables, {ROWS_FITTED:,} rows, each value kept with probability "
                f"{float(keep):g}, {3 * n_seeds} tables: distance of counts, and of conditionals of the last column",
                text["likelihood"],
                "; ".join(text[way] for way in ("projected", "clipped", "unbiased")),
                float(means["projected"][0] / means["likelihood"][0]),
                "counts nearer than projected ones",
                bool(means["likelihood"][0] < means["projected"][0]),
            )
        )
    return lines


def tables(sizes: tuple[int, ...], keep: Fraction, n_seeds: int) -> Iterator[tuple[Floats, Any]]:
    """True counts and what is published of them."""
    plan = _plan(list(sizes), keep)
    rows = np.arange(int(np.prod(sizes)))
    cells = np.array(np.unravel_index(rows, sizes)).T
    for seed, kind in product(range(n_seeds), (_sparse, _even, _chain)):
        draws = np.random.default_rng([seed, len(sizes), keep.numerator])
        true = draws.multinomial(ROWS_FITTED, kind(sizes, draws).ravel())
        codes = np.repeat(cells, true, axis=0)
        for column, size in enumerate(sizes):
            other = (codes[:, column] + draws.integers(1, size, len(codes))) % size
            kept = draws.random(len(codes)) < float(keep)
            codes[:, column] = np.where(kept, codes[:, column], other)
        inbox = Inbox([PartyColumns(plan, Table(plan.schema.domain, tuple(codes.T)))])
        [published] = UnmixedCounts(inbox).published([Marginal.of(*range(len(sizes)))])
        yield true.reshape(sizes).astype(np.float64), published


def _sparse(sizes: tuple[int, ...], draws: np.random.Generator) -> Floats:
    return draws.dirichlet(np.full(int(np.prod(sizes)), 0.3)).reshape(sizes)


def _even(sizes: tuple[int, ...], draws: np.random.Generator) -> Floats:
    return draws.dirichlet(np.full(int(np.prod(sizes)), 3.0)).reshape(sizes)


def _chain(sizes: tuple[int, ...], draws: np.random.Generator) -> Floats:
    table = draws.dirichlet(np.ones(sizes[0]))
    for before, size in pairwise(sizes):
        table = table[..., None] * draws.dirichlet(np.full(size, 0.7), before)
    return table


def _clipped(counts: Floats) -> Floats:
    positive = np.maximum(counts, 0)
    return positive * ROWS_FITTED / positive.sum()


def _distance(counts: Floats, true: Floats) -> float:
    return float(np.abs(counts - true).sum() / 2 / true.sum())


def _conditional_error(counts: Floats, true: Floats) -> float:
    """Mean distance of P(last column | the others), weighted by how often the others occur; unknown ones are even."""
    return float((np.abs(_conditional(counts) - _conditional(true)).sum(-1) / 2 * true.sum(-1)).sum() / true.sum())


def _conditional(counts: Floats) -> Floats:
    totals = counts.sum(-1, keepdims=True)
    even = np.full(counts.shape, 1 / counts.shape[-1])
    return np.divide(counts, totals, out=even, where=totals > 0)


def _best(work: Callable[[], object]) -> tuple[float, float]:
    """CPU seconds of the best of some runs, and the most memory in MB that a run took."""
    seconds, memory = [], []
    for _ in range(REPEATS):
        before = reset_peak()
        with Stopwatch() as watch:
            work()
        seconds.append(watch.seconds)
        memory.append(peak_mb() - before)
    return min(seconds), min(memory)


if __name__ == "__main__":
    main(run)
