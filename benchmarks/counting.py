"""Counting in memory, against NumPy's `ravel_multi_index` and `bincount` on the same columns of bytes.

NumPy's time for all tables is that of a spread-out few of them, times the number of tables. Both run on one core;
compilation is not counted. We share passes over the rows between tables: "one call a table" shows what is left
without that. The last line compares wall clocks, so it wants an otherwise idle machine.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np

from benchmarks._numpy import numpy_pass
from benchmarks._report import Line, Options, faster, main
from understudy.counting import MemoryCounter
from understudy.schema import Attribute, Domain, Marginal
from understudy.tables import Table

MIXED = (2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 20, 2, 3)
ROWS, QUICK_ROWS = 10_000_000, 1_000_000
FASTER, FASTER_BINARY, FASTER_THREADS = 3, 20, 1.7
NUMPY_TABLES, REPEATS = 8, 3
NUMPY = "NumPy"


def run(options: Options) -> list[Line]:
    n = QUICK_ROWS if options.quick else ROWS
    table = make_table(n, MIXED)
    lines = [all_triples(table, "2 to 20 values", FASTER), one_by_one(table), two_threads(table)]
    del table
    lines.insert(2, all_triples(make_table(n, (2,) * 16), "binary", FASTER_BINARY))
    lines.insert(3, wide_pairs(make_table(n // 10, (2,) * 100)))
    return lines


def make_table(n: int, sizes: Sequence[int], *, seed: int = 3) -> Table:
    """Independent columns, each with a random distribution of its own."""
    rng = np.random.default_rng(seed)
    columns = []
    for size in sizes:
        edges = np.cumsum(rng.dirichlet(np.full(size, 2.0)))[:-1].astype(np.float32)
        columns.append(np.searchsorted(edges, rng.random(n, dtype=np.float32)).astype(np.uint8))
    domain = Domain(tuple(Attribute(name=f"x{i}", size=size) for i, size in enumerate(sizes)))
    return Table(domain, tuple(columns))


def all_triples(table: Table, what: str, target: float) -> Line:
    """All 3-way tables in one batch."""
    marginals = _all(table, 3)
    ours = _best(lambda: MemoryCounter(table, threads=1).count(marginals))
    return faster(
        f"all {len(marginals)} 3-way tables, {_shape(table)}, {what}",
        ours,
        _numpy_seconds(table, marginals),
        target=target,
        what=NUMPY,
    )


def one_by_one(table: Table) -> Line:
    """3-way tables with a call each, so that none shares a pass with another."""
    marginals = _spread(_all(table, 3))
    counter = MemoryCounter(table, threads=1)
    ours = _best(lambda: [counter.count([marginal]) for marginal in marginals])
    task = f"{len(marginals)} 3-way tables, {_shape(table)}, one call a table"
    return faster(task, ours, _numpy_seconds(table, marginals), target=FASTER, what=NUMPY)


def wide_pairs(table: Table) -> Line:
    """All pairs of many binary columns, packing the columns included."""
    marginals = _all(table, 2)
    ours = _best(lambda: MemoryCounter(table, threads=1).count(marginals))
    task = f"all {len(marginals):,} 2-way tables, {_shape(table)}, binary"
    return faster(task, ours, _numpy_seconds(table, marginals), target=FASTER_BINARY, what=NUMPY)


def two_threads(table: Table) -> Line:
    """The same batch on one thread and on two, by the wall clock."""
    marginals = _all(table, 3)
    one, two = (
        _best(lambda threads=threads: MemoryCounter(table, threads=threads).count(marginals), clock=time.perf_counter)
        for threads in (1, 2)
    )
    task = f"all {len(marginals)} 3-way tables, {_shape(table)}, two threads"
    return faster(task, two, one, target=FASTER_THREADS, what="one thread", unit="s")


def _all(table: Table, width: int) -> list[Marginal]:
    return [Marginal.of(*axes) for axes in combinations(range(len(table.domain)), width)]


def _spread(marginals: Sequence[Marginal]) -> Sequence[Marginal]:
    """A few of the marginals, evenly spread."""
    return marginals[:: max(1, len(marginals) // NUMPY_TABLES)][:NUMPY_TABLES]


def _numpy_seconds(table: Table, marginals: Sequence[Marginal]) -> float:
    """CPU seconds NumPy would take for all, from a few; and a check that those few agree."""
    few = _spread(marginals)
    counts = MemoryCounter(table, threads=1).count(marginals)
    step = max(1, len(marginals) // NUMPY_TABLES)
    seconds = 0.0
    for marginal, ours in zip(few, counts[::step], strict=False):
        columns, shape = [table.columns[a] for a in marginal.attributes], marginal.shape(table.domain)
        if not np.array_equal(numpy_pass(columns, shape), ours.ravel()):
            raise AssertionError(f"our counts differ from NumPy's for {marginal}")
        seconds += _best(lambda columns=columns, shape=shape: numpy_pass(columns, shape))
    return seconds / len(few) * len(marginals)


def _best(work: Callable[[], object], *, clock: Callable[[], float] = time.process_time) -> float:
    """Seconds of the fastest of a few runs, after one that compiles."""
    work()
    seconds = []
    for _ in range(REPEATS):
        start = clock()
        work()
        seconds.append(clock() - start)
    return min(seconds)


def _shape(table: Table) -> str:
    return f"{table.n:,} × {len(table.domain)}"


if __name__ == "__main__":
    main(run)
