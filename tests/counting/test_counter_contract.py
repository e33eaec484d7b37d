"""What every counting engine must do. One that is registered is tested here: nothing is to be added."""

from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.counting.awkward import AWKWARD, make, marginals_of
from tests.databases.loading import counted_there
from tests.naive.counting import naive_count
from tests.spark.session import shared_session
from tests.strategies import marginals
from understudy._core.errors import TableError
from understudy.counting import ENGINES, Counter, open_counter
from understudy.schema import Attribute, Domain, Marginal, Schema, recode
from understudy.tables import Table

HERE = [name for name in ENGINES if name not in ("spark", "database")]
OPENED = {
    f"{name}, {words}": partial(open_counter, engine=name, threads=threads)
    for name in HERE
    for words, threads in (("one thread", 1), ("two threads", 2))
}


def on_spark(*rows: Any, **told: Any) -> Counter:
    shared_session()
    return open_counter(*rows, engine="spark", **told)


@pytest.fixture(autouse=True, scope="module")
def _small_batches():
    """So that a pass over some hundred rows takes several."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("understudy.counting._row_batches._ROWS", 97)
        patched.setattr("understudy.tables._code_reader._MOST_ROWS", 7)
        yield


def engines_with(*marks: pytest.MarkDecorator) -> pytest.MarkDecorator:
    """All engines; those that need another program with these marks."""
    here = [pytest.param(engine, id=name) for name, engine in OPENED.items()]
    # Spark: hundreds of jobs; a part of it in few jobs is in the fast suite, tests/spark
    others = [
        pytest.param(counted_there, id="database", marks=marks),
        pytest.param(on_spark, id="spark", marks=pytest.mark.slow),
    ]
    return pytest.mark.parametrize("engine", [*here, *others])


engines = engines_with()


def assert_equal_to_naive(counter: Counter, table: Table, marginals) -> None:
    results = counter.count(marginals)
    assert len(results) == len(marginals)
    for marginal, counts in zip(marginals, results, strict=True):
        assert isinstance(counts, np.ndarray)
        assert counts.dtype == np.int64
        assert counts.shape == marginal.shape(table.domain)
        assert np.array_equal(counts, naive_count(table.domain, table.columns, table.n, marginal)), marginal


@pytest.mark.one_in(3)
@engines
@pytest.mark.parametrize("name", AWKWARD)
def test_a_batch_equals_the_slow_twin(engine, name):
    table = AWKWARD[name]()
    assert_equal_to_naive(engine(table), table, marginals_of(table))


@pytest.mark.one_in(3)
@engines
@pytest.mark.parametrize("name", AWKWARD)
def test_tables_asked_one_by_one_equal_the_slow_twin(engine, name):
    table = AWKWARD[name]()
    counter = engine(table)
    for marginal in marginals_of(table)[::5]:
        assert_equal_to_naive(counter, table, [marginal])


@engines
def test_domain_and_rows_are_those_of_the_table(engine):
    table = AWKWARD["plain"]()
    assert engine(table).domain == table.domain
    assert engine(table).n == 500


@engines
def test_no_marginals_give_no_tables(engine):
    assert engine(AWKWARD["plain"]()).count([]) == []


@engines
@pytest.mark.parametrize("times", [1, 3])
def test_the_empty_marginal_is_the_number_of_rows(engine, times):
    for counts in engine(AWKWARD["plain"]()).count([Marginal.of()] * times):
        assert counts.shape == ()
        assert counts == 500


@engines
def test_permuted_axes_give_the_transposed_table(engine):
    one, other = engine(AWKWARD["plain"]()).count([Marginal.of(0, 1, 2), Marginal.of(2, 0, 1)])
    assert np.array_equal(other, one.transpose(2, 0, 1))


@engines
def test_the_same_table_asked_twice_comes_back_as_two_arrays(engine):
    one, other = engine(AWKWARD["plain"]()).count([Marginal.of(0, 1)] * 2)
    one[:] = 0
    assert other.sum() == 500


@engines
@pytest.mark.parametrize("encoding", ["vanilla", "hierarchical", "binary", "gray"])
def test_a_recoded_counter_counts_the_recoded_rows(engine, encoding):
    table = AWKWARD["generalised_levels"]()
    recoding = recode(table.domain, encoding)
    recoded = Table(recoding.target, tuple(recoding.encode(table.columns)))
    counter = engine(table).recoded(recoding)
    assert counter.domain == recoding.target
    assert_equal_to_naive(counter, recoded, marginals_of(recoded)[:60])


@engines
@pytest.mark.parametrize("marginal", [Marginal.of(4), Marginal.of(-1), Marginal.of((0, 1)), Marginal.of((3, -1))])
def test_axes_that_do_not_exist_are_refused(engine, marginal):
    with pytest.raises(ValueError, match="a marginal names"):
        engine(AWKWARD["plain"]()).count([Marginal.of(0), marginal])


@engines
def test_a_table_too_large_for_any_machine_is_refused(engine):
    with pytest.raises(ValueError, match="cells"):
        engine(AWKWARD["wide_binary"]()).count([Marginal.of(*range(40))])


@st.composite
def tables_and_marginals(draw):
    sizes = draw(st.lists(st.sampled_from([1, 2, 2, 2, 3, 4, 7, 300]), min_size=1, max_size=8))
    table = make(draw(st.integers(0, 200)), sizes, levels=draw(st.booleans()), seed=draw(st.integers(0, 99)))
    small = marginals(table.domain, most_axes=5).filter(lambda m: m.n_cells(table.domain) <= 100_000)
    return table, draw(st.lists(small, max_size=12))


@pytest.mark.one_in(2)
@settings(max_examples=30)
@engines_with(pytest.mark.slow)
@given(drawn=tables_and_marginals())
def test_any_batch_of_any_table_equals_the_slow_twin(engine, drawn):
    table, marginals = drawn
    assert_equal_to_naive(engine(table), table, marginals)


def test_the_naive_twin_counts_what_it_should():
    domain = Domain((Attribute(name="a", size=2), Attribute(name="b", size=3)))
    counts = naive_count(domain, [np.array([0, 1, 1]), np.array([2, 0, 2])], 3, Marginal.of(1, 0))
    assert counts.tolist() == [[0, 1], [0, 0], [1, 1]]


PLACES = Schema.from_dict(
    {"fields": [{"name": name, "categories": ["x", "y", "z"]} for name in ("home", "work")] + [
        {"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 99}, "bins": 4}
    ]}
)  # fmt: skip


@engines
def test_a_source_is_counted_like_the_rows_it_holds(engine):
    homes, works, ages = "xyzzy" * 4, "yyxxz" * 4, [i * 37 % 100 for i in range(20)]
    counter = engine(pa.table({"age": ages, "home": list(homes), "work": list(works)}), PLACES)
    codes = [np.array(["xyz".index(c) for c in cells]) for cells in (homes, works)] + [np.array(ages) // 25]
    assert (counter.domain, counter.n) == (PLACES.domain, 20)
    asked = [Marginal.of(0), Marginal.of(2, 1), Marginal.of(0, 1, 2)]
    for marginal, counts in zip(asked, counter.count(asked), strict=True):
        assert np.array_equal(counts, naive_count(PLACES.domain, codes, 20, marginal))


@engines
def test_no_counter_is_given_out_for_a_source_with_faults(engine):
    with pytest.raises(TableError) as refused:
        engine(pa.table({"home": ["x", "?"], "work": ["x", "y"], "age": [100, 1]}), PLACES)
    assert [fault.partition(":")[0] for fault in refused.value.faults] == ["column 'home'", "column 'age'"]
