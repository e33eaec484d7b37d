"""Range queries, asked again with pandas."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

from tests.evaluation.samples import SCHEMA, pairs, random_pair
from understudy._core.errors import OptionError
from understudy._core.randomness import streams
from understudy.evaluation import Pair, make_references, pair_of_codes
from understudy.evaluation import _ranges as module
from understudy.evaluation._ranges import measure_ranges
from understudy.evaluation._scales import scales_of
from understudy.schema import Schema
from understudy.tables import Table


def frame(table: Table) -> pd.DataFrame:
    return pd.DataFrame({i: column.astype(int) for i, column in enumerate(table.columns)})


@settings(max_examples=25)
@given(pair=pairs())
def test_errors_equal_those_of_row_by_row_answers(pair: Pair) -> None:
    absolute, relative = measure_ranges(pair, make_references(pair), queries=30, sanity=0.1)
    asked = module._draw(scales_of(pair), 30, streams(0).get("evaluate", "ranges"))
    errors, ratios = [], []
    for query in asked:
        shares = []
        for table in (frame(pair.real), frame(pair.first)):
            chosen = [table[i].isin(np.flatnonzero(kept)) for i, kept in zip(query.columns, query.kept, strict=True)]
            shares.append(pd.concat(chosen, axis=1).all(axis=1).mean())
        errors.append(abs(shares[0] - shares[1]))
        ratios.append(errors[-1] / max(shares[0], 0.1))
    assert absolute.value == pytest.approx(np.mean(errors))
    assert relative.value == pytest.approx(np.mean(ratios))


def test_intervals_are_of_places_and_subsets_are_neither_empty_nor_full() -> None:
    pair, _ = random_pair()
    scales = scales_of(pair)
    widths = []
    for query in module._draw(scales, 600, streams(3).get("x")):
        widths.append(len(query.columns))
        for i, kept in zip(query.columns, query.kept, strict=True):
            places = scales[i].places[kept]
            if scales[i].ordered:
                assert sorted(places) == list(range(min(places), max(places) + 1))
            else:
                assert 0 < kept.sum() < scales[i].size
    assert [widths.count(k) for k in (1, 2, 3)] == [200, 200, 200]


def test_wide_tables_are_answered_row_by_row_with_the_same_result(monkeypatch: pytest.MonkeyPatch) -> None:
    pair, references = random_pair()
    counted = [found.value for found in measure_ranges(pair, references, queries=60)]
    monkeypatch.setattr(module, "_BATCH_CELLS", 100)
    assert [found.value for found in measure_ranges(pair, references, queries=60)] == counted
    monkeypatch.setattr(module, "_MOST_CELLS", 10)
    assert [found.value for found in measure_ranges(pair, references, queries=60)] == counted


def test_the_same_seed_asks_the_same_and_another_does_not() -> None:
    pair, references = random_pair()
    values = [measure_ranges(pair, references, queries=50, seed=seed)[0].value for seed in (1, 1, 2)]
    assert values[0] == values[1] != values[2]


def test_the_value_lies_between_its_references_and_has_words() -> None:
    pair, references = random_pair(n_real=5000, n_synthetic=5000, strength=0.1, draws=2)
    absolute, relative = measure_ranges(pair, references)
    assert absolute.fresh_sample is not None
    assert absolute.fresh_sample < absolute.value
    assert absolute.interval is not None
    assert "points on average" in absolute.verdict
    assert "0.1 % of rows" in relative.scope
    assert absolute.details is not None
    assert absolute.details.num_rows == 1000


def test_a_table_against_itself_is_answered_exactly() -> None:
    pair, references = random_pair()
    same = pair_of_codes(SCHEMA, pair.real, [pair.real])
    assert [found.value for found in measure_ranges(same, references)] == [0, 0]


def test_nothing_to_ask_says_so() -> None:
    constant = Schema.from_dict({"fields": [{"name": "a", "categories": ["x"]}]})
    table = Table(constant.domain, (np.zeros(4, dtype=int),))
    pair = pair_of_codes(constant, table, [table])
    found = measure_ranges(pair, make_references(pair))
    assert [one.measured for one in found] == [False, False]


@pytest.mark.parametrize("options", [{"queries": 0}, {"sanity": 0.0}, {"sanity": 2.0}])
def test_options_out_of_range_are_refused(options: dict[str, float]) -> None:
    pair, references = random_pair()
    with pytest.raises(OptionError, match="queries must be at least 1"):
        measure_ranges(pair, references, **options)  # type: ignore[arg-type]
