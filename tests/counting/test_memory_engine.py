"""The memory engine's own ways: plans, collapsed rows, packed bits, threads."""

import os
import subprocess
import sys
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from tests.counting.awkward import AWKWARD, make, marginals_of, repeated
from tests.naive.counting import naive_count, naive_subset_count
from understudy._core.errors import OptionError
from understudy.counting import MemoryCounter, _memory
from understudy.counting._batch import Axes, flatten
from understudy.counting._bits import Bits
from understudy.counting._joint import count_by_cover, cover
from understudy.counting._rows import Rows, collapse
from understudy.counting._tally import TablesTally
from understudy.counting._threads import n_threads
from understudy.schema import Attribute, Domain, Marginal
from understudy.tables import Table

BINARY = ["binary", "wide_binary", "one_column", "no_rows", "generalised_levels", "binary_and_general"]


def binary_marginals(table: Table) -> list[Marginal]:
    return [m for m in marginals_of(table) if m.axes and set(m.shape(table.domain)) == {2}]


def all_equal(table, marginals, tables, axes, out) -> bool:
    expected = [naive_count(table.domain, table.columns, table.n, marginal).ravel() for marginal in marginals]
    return np.array_equal(out, np.concatenate(expected))


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("name", BINARY)
def test_popcounts_equal_the_slow_twin(name, threads):
    table = AWKWARD[name]()
    marginals, axes = binary_marginals(table), Axes.of(table.domain)
    tables = flatten(marginals, axes)
    out = np.full(tables.offsets[-1], -1)
    Bits(Rows(table.columns, table.n), axes).count(np.arange(len(marginals)), tables, out, threads=threads)
    assert all_equal(table, marginals, tables, axes, out)


@pytest.mark.parametrize("zeta", [False, True])
@pytest.mark.parametrize("pretended_rows", [1, 10_000_000])
@pytest.mark.parametrize("name", BINARY)
def test_wider_tables_of_any_size_equal_the_slow_twin(name, pretended_rows, zeta):
    table = AWKWARD[name]()
    marginals, axes = binary_marginals(table), Axes.of(table.domain)
    tables = flatten(marginals, axes)
    out = np.full(tables.offsets[-1], -1)
    plan = cover(np.arange(len(marginals)), tables, axes, n_rows=pretended_rows, zeta=zeta)
    count_by_cover(plan, Rows(table.columns, table.n), tables, axes, out, threads=1)
    assert all_equal(table, marginals, tables, axes, out)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", AWKWARD)
def test_groups_grown_for_many_rows_serve_the_same_counts(name):
    table = AWKWARD[name]()
    axes = Axes.of(table.domain)
    marginals = [m for m in marginals_of(table) if m.axes]
    tables = flatten(marginals, axes)
    out = np.full(tables.offsets[-1], -1)
    plan = cover(np.arange(len(marginals)), tables, axes, n_rows=10_000_000, zeta=False)
    assert len(plan) < len(marginals)
    count_by_cover(plan, Rows(table.columns, table.n), tables, axes, out, threads=2)
    assert all_equal(table, marginals, tables, axes, out)


def test_tables_that_can_share_a_pass_do():
    counter = MemoryCounter(make(50_000, (2, 3, 4, 5)), threads=1)
    triples = [Marginal.of(*axes) for axes in combinations(range(4), 3)]
    assert "4 general: summed out of 1 wider table" in counter.explain(triples)
    permuted = [Marginal.of(0, 1, 2), Marginal.of(2, 1, 0), Marginal.of(1, 2, 0), Marginal.of(2)]
    assert "4 general: summed out of 1 wider table" in counter.explain(permuted)


def test_a_finer_level_serves_the_coarser_ones():
    counter = MemoryCounter(make(50_000, (8, 8), levels=True), threads=1)
    assert "3 general: summed out of 1 wider table" in counter.explain(
        [Marginal.of((0, 1), 1), Marginal.of(0), Marginal.of(0, 1)]
    )


def test_small_tables_are_not_summed_out_of_a_huge_one():
    counter = MemoryCounter(make(100, (300, 400, 2)), threads=1)
    assert "2 wider tables" in counter.explain([Marginal.of(0, 1), Marginal.of(0)])


def test_many_binary_columns_are_counted_by_popcounts():
    table = make(100_000, (2,) * 40)
    counter = MemoryCounter(table, threads=1)
    pairs = [Marginal.of(*pair) for pair in combinations(range(40), 2)]
    assert "780 binary: popcounts of packed words" in counter.explain(pairs)
    for marginal, counts in zip(pairs[::100], counter.count(pairs)[::100], strict=True):
        first, second = (table.columns[a].astype(np.int64) for a in marginal.attributes)
        assert np.array_equal(counts.ravel(), np.bincount(2 * first + second, minlength=4))


def test_explaining_nothing_says_so():
    assert MemoryCounter(AWKWARD["plain"]()).explain([]) == "no tables"


def test_equal_rows_collapse_once_enough_tables_were_asked(monkeypatch):
    monkeypatch.setattr(_memory, "WORTH_COLLAPSING_AFTER", 3)
    table = repeated()
    counter = MemoryCounter(table, threads=1)
    marginals = [Marginal.of(*axes) for axes in combinations(range(4), 2)]
    for _ in range(3):
        for marginal, counts in zip(marginals, counter.count(marginals), strict=True):
            assert np.array_equal(counts, naive_count(table.domain, table.columns, table.n, marginal))
    assert "weighted distinct rows" in counter.explain(marginals)


def test_rows_that_hardly_repeat_are_left_alone():
    table = make(5000, (20, 20, 20, 20))
    assert collapse(Rows(table.columns, table.n), table.domain) is None


def test_rows_whose_sample_repeats_but_which_as_a_whole_do_not_are_left_alone():
    # Every 3rd row is the same one, which is all that a sample of every 3rd row sees.
    rows = np.arange(3 * 4096)
    columns = [rows * (rows % 3 > 0) for _ in range(2)]
    domain = Domain(tuple(Attribute(name=f"a{i}", size=100_000) for i in range(2)))
    table = Table(domain, tuple(columns))
    assert collapse(Rows(table.columns, table.n), table.domain) is None


def test_collapsed_rows_stand_for_all_rows():
    table = repeated()
    rows = collapse(Rows(table.columns, table.n), table.domain)
    assert rows is not None
    assert rows.n <= 40
    assert int(rows.weights.sum()) == table.n
    original = sorted(zip(*(c.tolist() for c in table.columns), strict=True))
    again = sorted(zip(*(np.repeat(c, rows.weights).tolist() for c in rows.columns), strict=True))
    assert again == original


def test_one_and_two_threads_give_equal_counts_on_many_rows():
    table = make(300_000, (2, 3, 8, 20, 2, 2, 300))
    marginals = [Marginal.of(*axes) for axes in combinations(range(7), 3)]
    one = MemoryCounter(table, threads=1).count(marginals)
    two = MemoryCounter(table, threads=2).count(marginals)
    assert all(np.array_equal(a, b) for a, b in zip(one, two, strict=True))
    assert all(int(a.sum()) == table.n for a in one)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n", [255, 256, 300, 600])
def test_counts_that_outgrow_the_narrow_type_are_right_however_rows_are_split(monkeypatch, n, weighted):
    """As from 2^32 rows on, but with 8 bits for 32."""
    monkeypatch.setattr("understudy.counting._joint._NARROW", np.uint8)
    monkeypatch.setattr("understudy.counting._joint._ROWS_WORTH_SPLITTING", 1)
    monkeypatch.setattr("understudy.counting._joint._THREADS_NS", -1.0)
    domain = Domain((Attribute(name="a", size=3), Attribute(name="b", size=3)))
    columns, weights = (np.zeros(n, dtype=np.uint8),) * 2, np.full(n, 1, dtype=np.uint32) if weighted else None
    asked = [Marginal.of(0, 1)]
    for threads in (1, 2, 3):
        counter = MemoryCounter(Table(domain, columns), weights=weights, threads=threads)
        assert counter.count(asked)[0][0, 0] == n
    tally = TablesTally(asked, Axes.of(domain), n_rows=n, weighted=weighted, threads=1)
    for part in (slice(0, 100), slice(100, n)):
        some = None if weights is None else weights[part]
        tally.add(Rows(tuple(column[part] for column in columns), len(columns[0][part]), some))
    assert tally.finish()[0][0, 0] == n


def test_subset_counts_are_rows_with_all_ones():
    table = make(200, (2,) * 4)
    bits = Bits(Rows(table.columns, table.n), Axes.of(table.domain))
    column, depth = np.array([0, 0, 1, 3, 2]), np.array([0, 1, 2, 3, 1])
    counts = bits._popcounts(0, bits.words.shape[1], column, depth, 3)
    expected = [naive_subset_count(table.columns, table.n, s) for s in ((0,), (0, 1), (0, 1, 3), (2,))]
    assert counts[1:].tolist() == expected


def test_the_number_of_threads_comes_from_the_caller_then_the_environment(monkeypatch):
    monkeypatch.setenv("UNDERSTUDY_THREADS", "3")
    assert (n_threads(None), n_threads(2)) == (3, 2)
    monkeypatch.delenv("UNDERSTUDY_THREADS")
    assert 1 <= n_threads(None) <= 16


@pytest.mark.parametrize("text", ["0", "-2", "many"])
def test_an_impossible_number_of_threads_is_refused(monkeypatch, text):
    monkeypatch.setenv("UNDERSTUDY_THREADS", text)
    with pytest.raises(OptionError, match="Got"):
        n_threads(None)


CHECK = """
import sys
sys.path.insert(0, {root!r})
import numpy as np
from tests.counting.awkward import AWKWARD, make, marginals_of
from tests.naive.counting import naive_count
from understudy.counting import MemoryCounter, _memory, _plan
np.seterr(over="ignore")  # uncompiled, counting bits multiplies beyond 64 bits on purpose
_memory.WORTH_COLLAPSING_AFTER = 1
for name in ("one_value_column", "generalised_levels", "binary_and_general", "many_equal_rows", "wide_binary"):
    table = AWKWARD[name]()
    marginals = marginals_of(table, most_cells=500)[::4]
    counter = MemoryCounter(table, threads=2)
    for by_bits in (0.0, float("inf")):
        _plan._predict_bits = lambda *asked, packed, ns=by_bits: ns
        for marginal, counts in zip(marginals, counter.count(marginals), strict=True):
            assert np.array_equal(counts, naive_count(table.domain, table.columns, table.n, marginal)), (name, marginal)
print("equal")
"""


# the second compiles every kernel anew; without the compiler, an index too large is an error as well
@pytest.mark.parametrize("setting", ["NUMBA_DISABLE_JIT", pytest.param("NUMBA_BOUNDSCHECK", marks=pytest.mark.slow)])
def test_kernels_also_run_uncompiled_and_with_bounds_checked(setting, tmp_path):
    code = CHECK.format(root=str(Path(__file__).parents[2]))
    # A cache of its own: code compiled with other settings must not be found in the usual one, nor left there.
    environment = {**os.environ, setting: "1", "NUMBA_CACHE_DIR": str(tmp_path)}
    result = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert result.stdout == "equal\n", result.stderr
