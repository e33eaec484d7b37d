"""Total variation over all tables: against pandas, by hand, and where memory is short."""

from __future__ import annotations

import tracemalloc
from collections import Counter
from collections.abc import Callable
from itertools import combinations
from math import comb

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.evaluation.samples import SCHEMA, pairs, random_pair, random_table
from understudy._core.errors import OptionError
from understudy._core.randomness import Streams, streams
from understudy.evaluation import (
    MeasureResult,
    Pair,
    choose_groups,
    joint_counts,
    make_references,
    measure_tables,
    pair_of_codes,
    read_pair,
    total_variation,
)
from understudy.evaluation._counts import sparse_counts
from understudy.models import Network, NetworkModel, Node
from understudy.schema import Attribute, Axis, Domain, Marginal, Schema, recode
from understudy.tables import Table


def crosstab_distance(real: Table, other: Table, columns: tuple[int, ...]) -> float:
    """The same by pandas."""
    tables = []
    for table in (real, other):
        frame = pd.DataFrame({str(a): table.columns[a].astype(int) for a in columns})
        if len(columns) == 1:
            tables.append(frame[str(columns[0])].value_counts(normalize=True))
        else:
            *rows, last = (frame[str(a)] for a in columns)
            tables.append(pd.crosstab(rows, last, normalize="all").stack())
    one, two = tables
    return float(one.sub(two, fill_value=0.0).abs().sum()) / 2


def by_columns(found: MeasureResult) -> dict[tuple[str, ...], float]:
    assert found.details is not None
    rows = found.details.to_pylist()
    return {tuple(row[key] for key in row if key.startswith("column_")): row["distance"] for row in rows}


def plain_distance(real: Table, other: Table, columns: tuple[int, ...]) -> float:
    """The same row by row: pandas takes too long over many small tables."""
    one, two = (Counter(zip(*(table.columns[a].tolist() for a in columns), strict=True)) for table in (real, other))
    return sum(abs(one[cell] / real.n - two[cell] / other.n) for cell in one | two) / 2


def check_against(distance: Callable[[Table, Table, tuple[int, ...]], float], pair: Pair) -> None:
    references = make_references(pair)
    for way, found in enumerate(measure_tables(pair, references, ways=(1, 2, 3, 4)), start=1):
        mine = by_columns(found)
        groups = list(combinations(range(len(pair.domain)), way))
        assert len(mine) == len(groups)
        for columns in groups:
            theirs = distance(pair.real, pair.first, columns)
            assert mine[tuple(pair.names[a] for a in columns)] == pytest.approx(theirs, abs=1e-12)
        assert found.value == pytest.approx(np.mean(list(mine.values())))
        assert found.worst is not None
        assert found.worst[1] == max(mine.values()) == mine[found.worst[0]]
        assert found.score == 1 - found.value


SMALL = Schema.from_dict(
    {"fields": [{"name": n, "categories": list("xyz")[:k]} for n, k in zip("abcd", (2, 3, 1, 3), strict=True)]}
)


@settings(max_examples=40)
@given(pairs(SMALL, most_rows=12))
def test_distances_are_those_of_counting_row_by_row(pair: Pair) -> None:
    check_against(plain_distance, pair)


@pytest.mark.parametrize(("n_real", "n_synthetic"), [(900, 350), (1, 3), (4, 4)])
def test_distances_are_those_of_crosstab(n_real: int, n_synthetic: int) -> None:
    check_against(crosstab_distance, random_pair(n_real, n_synthetic, schema=SMALL)[0])


def test_the_references_are_measured_in_the_same_way() -> None:
    pair, references = random_pair(700, 300)
    found = {p.name: p for p in measure_tables(pair, references)}
    for name, way in (("1-way", 1), ("2-way", 2), ("3-way", 3)):
        groups = list(combinations(range(len(pair.domain)), way))
        fresh = np.mean([plain_distance(pair.real, references.fresh_sample, g) for g in groups])
        independent = np.mean([plain_distance(pair.real, references.independent_columns, g) for g in groups])
        assert found[name].fresh_sample == pytest.approx(fresh)
        assert found[name].independent_columns == pytest.approx(independent)
    assert found["2-way"].fresh_sample < found["2-way"].value < found["2-way"].independent_columns


counts = st.lists(st.integers(0, 50), min_size=1, max_size=8)


@given(counts, st.data())
def test_distance_is_a_distance(one: list[int], data: st.DataObject) -> None:
    two = data.draw(st.lists(st.integers(0, 50), min_size=len(one), max_size=len(one)))
    a, b = np.array(one), np.array(two)
    if a.sum() == 0 or b.sum() == 0:
        return
    assert total_variation(a, a) == total_variation(a, 3 * a) == 0
    assert total_variation(a, b) == total_variation(b, a)
    assert 0 <= total_variation(a, b) <= 1
    assert (total_variation(a, b) == 1) == (not np.logical_and(a, b).any())
    events = [np.array(event, dtype=bool) for event in np.ndindex((2,) * len(one))]
    best = max(abs(a[e].sum() / a.sum() - b[e].sum() / b.sum()) for e in events)
    assert total_variation(a, b) == pytest.approx(best, abs=1e-12)


def test_counts_too_large_for_whole_numbers_are_compared_all_the_same() -> None:
    a, b = np.array([3, 1]) * 10**12, np.array([1, 1]) * 10**12
    assert total_variation(a, b) == pytest.approx(0.25)


def test_equal_tables_differ_nowhere_and_disjoint_ones_everywhere() -> None:
    one = Table(SMALL.domain, (np.zeros(5, int), np.zeros(5, int), np.zeros(5, int), np.zeros(5, int)))
    other = Table(SMALL.domain, (np.ones(2, int), np.ones(2, int), np.zeros(2, int), np.ones(2, int)))
    pair = pair_of_codes(SMALL, one, [one])
    assert [p.value for p in measure_tables(pair, make_references(pair))] == [0, 0, 0]
    assert measure_tables(pair, make_references(pair))[0].verdict.startswith("Single columns: no difference at all.")
    pair = pair_of_codes(SMALL, one, [other])
    assert [p.value for p in measure_tables(pair, make_references(pair))] == [0.75, 1, 1]


def test_codes_outside_the_schema_count_as_differences() -> None:
    schema = Schema.from_dict({"fields": [{"name": "a", "categories": ["x"]}]})
    pair = read_pair(pd.DataFrame({"a": ["x", "x"]}), pd.DataFrame({"a": ["x", "?", None, "x"]}), schema)
    assert measure_tables(pair, make_references(pair), ways=[1])[0].value == 0.5


def test_the_columns_are_ordered_worst_first_and_the_verdict_names_the_worst() -> None:
    pair, references = random_pair()
    found = measure_tables(pair, references, ways=[3])[0]
    assert found.details is not None
    assert found.worst is not None
    distances = found.details["distance"].to_pylist()
    assert distances == sorted(distances, reverse=True)
    assert found.details.column_names == [
        "column_1",
        "column_2",
        "column_3",
        "distance",
        "fresh_sample",
        "independent_columns",
        "by_chance",
    ]
    assert found.verdict.startswith("Three-way tables: differences of ")
    assert f"at worst, in `{' × '.join(found.worst[0])}`." in found.verdict


def test_too_many_tables_are_sampled_repeatably_and_the_scope_says_so() -> None:
    pair, references = random_pair()
    every = by_columns(measure_tables(pair, references, ways=[3])[0])
    one, two = (measure_tables(pair, references, ways=[3], max_tables=7, seed=5)[0] for _ in range(2))
    assert one.scope == "7 of 20 tables, drawn at random"
    assert by_columns(one) == by_columns(two)
    assert all(every[columns] == distance for columns, distance in by_columns(one).items())
    assert by_columns(one) != by_columns(measure_tables(pair, references, ways=[3], max_tables=7, seed=6)[0])


@given(st.integers(1, 30), st.integers(1, 4), st.integers(1, 60), st.integers(0, 9))
def test_drawn_groups_are_distinct_sorted_and_as_many_as_asked(n: int, width: int, most: int, seed: int) -> None:
    chosen = choose_groups(n, width, most, streams(seed).get("t"))
    assert len(chosen.groups) == len(set(chosen.groups)) == min(most, comb(n, width)) or width > n
    assert chosen.groups == sorted(chosen.groups)
    assert all(tuple(sorted(set(g))) == g and len(g) == width and g[-1] < n for g in chosen.groups)


def test_groups_are_drawn_from_numbers_of_them_beyond_counting() -> None:
    chosen = choose_groups(1000, 12, 50, streams(1).get("t"))
    assert len(set(chosen.groups)) == 50
    assert chosen.total > 1e26
    assert all(len(set(g)) == 12 for g in chosen.groups)


def test_every_group_is_equally_likely_to_be_drawn() -> None:
    hits = np.zeros(10)
    every = {g: i for i, g in enumerate(combinations(range(5), 2))}
    for seed in range(2000):
        for group in choose_groups(5, 2, 3, streams(seed).get("t")).groups:
            hits[every[group]] += 1
    assert np.abs(hits / 2000 - 0.3).max() < 0.05  # five standard errors


def test_widths_beyond_the_number_of_columns_are_left_out() -> None:
    pair, references = random_pair()
    assert [p.name for p in measure_tables(pair, references, ways=[6, 7, 2])] == ["2-way", "6-way"]


@pytest.mark.parametrize("options", [{"ways": []}, {"ways": [0]}, {"max_tables": 0}])
def test_impossible_options_are_refused(options: dict[str, object]) -> None:
    pair, references = random_pair()
    with pytest.raises(OptionError):
        measure_tables(pair, references, **options)  # type: ignore[arg-type]


def test_several_synthetic_tables_give_means_and_an_interval() -> None:
    pair, references = random_pair(draws=4)
    found = measure_tables(pair, references, ways=[2])[0]
    alone = []
    for synthetic in pair.synthetic:
        single = pair_of_codes(SCHEMA, pair.real, [synthetic])
        alone.append(measure_tables(single, references, ways=[2])[0])
    values = [p.value for p in alone]
    assert alone[0].interval is None
    assert found.value == pytest.approx(np.mean(values))
    half = 3.182446 * np.std(values, ddof=1) / 2
    assert found.interval == pytest.approx((np.mean(values) - half, np.mean(values) + half))


def test_tables_of_huge_domains_are_never_set_out() -> None:
    domain = Domain(tuple(Attribute(name=n, size=1300) for n in "abc"))
    rng = np.random.default_rng(0)
    tables = [Table(domain, tuple(rng.integers(0, 1300, 4000) for _ in "abc")) for _ in range(2)]
    list(joint_counts(tables, [(0, 1, 2)]))  # compiles
    tracemalloc.start()
    joint = next(joint_counts(tables, [(0, 1, 2)]))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert not joint.dense
    assert peak < 20e6  # 1300³ cells would take 17 GB
    assert total_variation(*joint.counts) == pytest.approx(crosstab_rows(*tables))


def test_many_large_tables_are_counted_in_portions() -> None:
    domain = Domain(tuple(Attribute(name=f"x{i}", size=60) for i in range(9)))
    rng = np.random.default_rng(0)
    tables = [Table(domain, tuple(rng.integers(0, 60, 20_000) for _ in range(9))) for _ in range(4)]
    groups = list(combinations(range(9), 3))
    list(joint_counts(tables, groups[:1]))
    tracemalloc.start()
    positions = [joint.position for joint in joint_counts(tables, groups)]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert sorted(positions) == list(range(84))
    assert peak < 250e6  # all at once: 84 × 216,000 cells × 4 tables × 8 bytes = 580 MB


@settings(max_examples=30)
@given(st.integers(1, 30), st.integers(0, 99), st.integers(1, 25))
def test_counts_by_keys_are_those_by_places(n: int, seed: int, width: int) -> None:
    """Sizes whose product is beyond 64 bits are numbered anew on the way."""
    rng = np.random.default_rng(seed)
    domain = Domain(tuple(Attribute(name=f"x{i}", size=1000) for i in range(width)))
    few = rng.integers(0, 1000, (4, width))
    tables = [Table(domain, tuple(few[rng.integers(0, 4, n)].T.copy())) for _ in range(2)]
    one, two = sparse_counts(tables, tuple(range(width)))
    assert one.sum() == two.sum() == n
    assert total_variation(one, two) == pytest.approx(crosstab_rows(*tables))


def crosstab_rows(one: Table, two: Table) -> float:
    """The distance between whole rows, by pandas."""
    shares = []
    for table in (one, two):
        rows = pd.Series(list(zip(*(c.tolist() for c in table.columns), strict=True)))
        shares.append(rows.value_counts(normalize=True))
    return float(shares[0].sub(shares[1], fill_value=0.0).abs().sum()) / 2


def chain_model(table: Table) -> NetworkModel:
    """Each column depends on the one before it, measured without noise."""
    domain = table.domain
    network = Network(domain, (Node(0), *(Node(i, (Axis(i - 1),)) for i in range(1, len(domain)))))
    conditionals = []
    for node in network.nodes:
        joint = next(iter(joint_counts([table], [node.marginal.attributes]))).counts[0]
        shaped = joint.reshape(network.shape(node)) + 1e-9
        conditionals.append(shaped / shaped.sum(axis=-1, keepdims=True))
    return NetworkModel(network, conditionals, recode(domain, "vanilla"), (), table.n)


def test_a_model_is_asked_for_the_same_tables() -> None:
    schema = Schema.from_dict({"fields": [{"name": n, "categories": list("xyz")} for n in "abc"]})
    real = random_table(schema, 300, 1)
    model = chain_model(real)
    drawn = Table(schema.domain, tuple(next(model.sample_codes(200, streams=Streams(2)))))
    pair = pair_of_codes(schema, real, [drawn])
    found = measure_tables(pair, make_references(pair), ways=[1, 2, 3], model=model)
    for one in found:
        assert one.details is not None
        for row in one.details.to_pylist():
            columns = [schema.names.index(row[key]) for key in row if key.startswith("column_")]
            answer = model.marginal(Marginal.of(*columns), errors=False).probabilities
            shares = next(iter(joint_counts([real], [tuple(columns)]))).counts[0] / real.n
            assert row["from_model"] == pytest.approx(np.abs(shares - answer.ravel()).sum() / 2, abs=1e-12)
        assert one.from_model == pytest.approx(np.mean(one.details["from_model"].to_pylist()))
        assert "model" not in one.scope


def test_codes_that_the_model_does_not_know_count_against_it() -> None:
    schema = Schema.from_dict({"fields": [{"name": n, "categories": ["x", "y"]} for n in "ab"]})
    model = chain_model(random_table(schema, 100, 1))
    real = pd.DataFrame({"a": ["x", "y", "?", None], "b": ["x", "y", "x", "y"]})
    pair = read_pair(real, real, schema)
    found = measure_tables(pair, make_references(pair), ways=[2], model=model)[0]
    answer = model.marginal(Marginal.of(0, 1), errors=False).probabilities
    by_hand = (abs(0.25 - answer[0, 0]) + abs(0.25 - answer[1, 1]) + answer[0, 1] + answer[1, 0] + 0.5) / 2
    assert found.value == 0
    assert found.from_model == pytest.approx(by_hand)


def test_a_model_is_asked_for_a_stated_sample_of_many_tables() -> None:
    schema = Schema.from_dict({"fields": [{"name": f"x{i}", "categories": ["x", "y"]} for i in range(12)]})
    real = random_table(schema, 100, 1)
    pair = pair_of_codes(schema, real, [random_table(schema, 100, 2)])
    found = measure_tables(pair, make_references(pair), ways=[3], model=chain_model(real))[0]
    assert found.scope == "all 220 tables; the model was asked for 200 of them, drawn at random"
    assert found.details is not None
    assert found.details["from_model"].null_count == 20
    assert "the model differs by" in found.verdict
    assert "on 200 of these tables" in found.verdict


def test_a_model_of_another_table_is_refused() -> None:
    pair, references = random_pair()
    other = Schema.from_dict({"fields": [{"name": "z", "categories": ["x", "y"]}]})
    with pytest.raises(OptionError, match="other columns"):
        measure_tables(pair, references, model=chain_model(random_table(other, 10, 1)))


def test_progress_is_told_up_to_the_end() -> None:
    pair, references = random_pair()
    told: list[tuple[str, int, int]] = []
    measure_tables(pair, references, ways=[2], progress=lambda *what: told.append(what))
    assert told[-1] == ("comparing 2-way tables", 15, 15)
