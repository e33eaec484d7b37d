"""PrivABN's errors, by hand and beside total variation."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings

from tests.evaluation.samples import pairs, random_pair, random_table
from understudy._core.errors import OptionError
from understudy.evaluation import Pair, make_references, measure_l1_l2, measure_tables, pair_of_codes
from understudy.schema import Schema
from understudy.tables import Table


def shares(table: Table, columns: tuple[int, ...]) -> np.ndarray:
    """Row by row."""
    found = np.zeros([table.domain[a].size for a in columns])
    for row in zip(*(table.columns[a].tolist() for a in columns), strict=True):
        found[row] += 1 / table.n
    return found


@settings(max_examples=15)
@given(pairs(most_rows=10))
def test_errors_are_the_papers_formulas(pair: Pair) -> None:
    l1, l2 = measure_l1_l2(pair, make_references(pair), ways=[2])
    differences = [shares(pair.real, c) - shares(pair.first, c) for c in combinations(range(len(pair.domain)), 2)]
    assert l1.value == pytest.approx(np.mean([np.abs(d).sum() for d in differences]), abs=1e-12)
    assert l2.value == pytest.approx(np.mean([np.sqrt((d**2).sum()) for d in differences]), abs=1e-12)
    assert l1.scope == "all 15 queries"


def test_l1_is_twice_the_total_variation_distance() -> None:
    pair, references = random_pair()
    l1 = measure_l1_l2(pair, references, ways=[3])[0]
    distance = measure_tables(pair, references, ways=[3])[0]
    assert distance.fresh_sample is not None
    assert distance.independent_columns is not None
    assert (l1.value, l1.fresh_sample, l1.independent_columns) == pytest.approx(
        (2 * distance.value, 2 * distance.fresh_sample, 2 * distance.independent_columns)
    )


def test_two_hundred_random_queries_of_many_columns() -> None:
    schema = Schema.from_dict({"fields": [{"name": f"x{i}", "categories": ["x", "y"]} for i in range(16)]})
    pair = pair_of_codes(schema, random_table(schema, 300, 1), [random_table(schema, 200, 2)])
    references = make_references(pair)
    found = measure_l1_l2(pair, references, ways=(3, 7, 12, 17))
    assert [p.name for p in found] == ["L1 3-way", "L2 3-way", "L1 7-way", "L2 7-way", "L1 12-way", "L2 12-way"]
    assert found[0].scope == "200 of 560 queries, drawn at random"
    assert all(p.details is not None and p.details.num_rows == 200 for p in found)
    assert all(0 <= p.score <= 1 for p in found)
    again = measure_l1_l2(pair, references, ways=(3, 7, 12, 17))
    assert [p.value for p in again] == [p.value for p in found]


def test_disjoint_tables_have_the_largest_errors() -> None:
    schema = Schema.from_dict({"fields": [{"name": n, "categories": ["x", "y"]} for n in "ab"]})
    one, two = (Table(schema.domain, (np.full(4, code), np.full(4, code))) for code in (0, 1))
    pair = pair_of_codes(schema, one, [two])
    l1, l2 = measure_l1_l2(pair, make_references(pair), ways=[2])
    assert (l1.value, l2.value) == pytest.approx((2.0, 2**0.5))
    assert (l1.score, l2.score) == pytest.approx((0.0, 0.0), abs=1e-12)


@pytest.mark.parametrize("options", [{"ways": []}, {"ways": [0]}, {"queries": 0}])
def test_impossible_options_are_refused(options: dict[str, object]) -> None:
    pair, references = random_pair()
    with pytest.raises(OptionError):
        measure_l1_l2(pair, references, **options)  # type: ignore[arg-type]
