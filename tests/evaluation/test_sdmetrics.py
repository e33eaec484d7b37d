"""SDMetrics' measures, against its formulas written out with pandas, and against figures of SDMetrics itself."""

from __future__ import annotations

import warnings
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from scipy.stats import ks_2samp

from tests.evaluation.samples import SCHEMA, pairs, random_pair
from understudy.evaluation import Pair, make_references, measure_sdmetrics, pair_of_codes, read_pair
from understudy.evaluation._result import MeasureResult
from understudy.evaluation._scales import scales_of
from understudy.schema import Schema
from understudy.tables import Table

NAMES = [
    "Column Shapes",
    "Column Pair Trends",
    "KSComplement",
    "TVComplement",
    "ContingencySimilarity",
    "CorrelationSimilarity",
    "RangeCoverage",
    "CategoryCoverage",
    "BoundaryAdherence",
    "CategoryAdherence",
    "MissingValueSimilarity",
]


def measured(pair: Pair) -> dict[str, MeasureResult]:
    return {found.name: found for found in measure_sdmetrics(pair, make_references(pair))}


def scores(found: MeasureResult) -> dict[tuple[str, ...], float]:
    if found.details is None:
        return {}
    rows = found.details.to_pylist()
    return {tuple(v for k, v in row.items() if k.startswith("column")): row["score"] for row in rows}


def frame(pair: Pair, table: Table) -> pd.DataFrame:
    """Middles of bins and own values for columns with bins, labels for the others, NaN for what is missing."""
    columns = {}
    for scale, labels, codes in zip(scales_of(pair), pair.labels, table.columns, strict=True):
        values = scale.middle if scale.continuous else np.where(scale.missing, None, np.array(labels, dtype=object))
        columns[scale.name] = values[codes]
    return pd.DataFrame(columns)


def continuous_scores(real: pd.Series, other: pd.Series) -> dict[str, float]:
    there = real.dropna(), other.dropna()
    if there[0].empty:
        return {}
    kept = there[1] if real.isna().any() else other
    found = {}
    if not kept.empty:
        found["BoundaryAdherence"] = float(kept.between(there[0].min(), there[0].max()).sum() / len(kept))
    if not there[1].empty:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # about the p-value, of which nothing is asked
            found["KSComplement"] = float(1 - ks_2samp(*there).statistic)
    return found


def discrete_scores(real: pd.Series, other: pd.Series) -> dict[str, float]:
    shares = [values.value_counts(normalize=True) for values in (real, other)]
    return {
        "TVComplement": float(1 - shares[0].sub(shares[1], fill_value=0).abs().sum() / 2),
        "CategoryCoverage": len(set(real) & set(other)) / len(set(real)),
        "CategoryAdherence": float(other.isin(set(real)).mean()),
    }


@settings(max_examples=25)
@given(pair=pairs())
def test_scores_of_columns_are_those_of_the_formulas(pair: Pair) -> None:
    found = {name: scores(one) for name, one in measured(pair).items()}
    assert list(found) == NAMES
    real, other = frame(pair, pair.real), frame(pair, pair.first)
    for scale in scales_of(pair):
        x, y = real[scale.name], other[scale.name]
        wanted = continuous_scores(x, y) if scale.continuous else discrete_scores(x, y)
        wanted["MissingValueSimilarity"] = 1 - abs(x.isna().mean() - y.isna().mean())
        for name, value in wanted.items():
            assert found[name][(scale.name,)] == pytest.approx(value, abs=1e-9), name


@settings(max_examples=15)
@given(pair=pairs())
def test_scores_of_pairs_are_those_of_the_formulas(pair: Pair) -> None:
    found = measured(pair)
    contingency, correlation = scores(found["ContingencySimilarity"]), scores(found["CorrelationSimilarity"])
    codes = [pd.DataFrame(dict(zip(pair.names, t.columns, strict=True))).astype(int) for t in (pair.real, pair.first)]
    values = [frame(pair, table) for table in (pair.real, pair.first)]
    binned = {scale.name for scale in scales_of(pair) if scale.continuous}
    for a, b in combinations(pair.names, 2):
        if {a, b} <= binned:
            there = [table[[a, b]].dropna() for table in values]
            if any((table.nunique() < 2).any() for table in there):
                assert (a, b) not in correlation
            else:
                r, s = (float(table[a].corr(table[b])) for table in there)
                assert correlation[(a, b)] == pytest.approx(1 - abs(r - s) / 2, abs=1e-6)
        else:
            shares = [table.groupby([a, b]).size() / len(table) for table in codes]
            distance = shares[0].sub(shares[1], fill_value=0).abs().sum() / 2
            assert contingency[(a, b)] == pytest.approx(1 - distance, abs=1e-9)
    assert scores(found["Column Pair Trends"]) == correlation | contingency


def test_the_two_averages_average_their_parts() -> None:
    pair, _ = random_pair()
    found = measured(pair)
    shapes = scores(found["KSComplement"]) | scores(found["TVComplement"])
    assert scores(found["Column Shapes"]) == shapes
    assert found["Column Shapes"].value == pytest.approx(np.mean(list(shapes.values())))
    details = found["Column Shapes"].details
    assert details is not None
    assert dict(zip(details["column"].to_pylist(), details["metric"].to_pylist(), strict=True))["age"] == "KSComplement"
    assert "1 is best" in found["Column Shapes"].verdict


def test_figures_of_sdmetrics_itself() -> None:
    # What sdmetrics 0.32.0 gives for these columns, whose every value has a bin or a category of its own.
    real = pd.DataFrame({"n": [1, 2, 3, 4, 5, 6, 7, 8, None, None], "c": list("aabbbccccd")})
    synthetic = pd.DataFrame({"n": [2, 2, 3, 3, 4, 9, 9, None, 6, 5], "c": list("aaaabbbccc")})
    field = {"type": "integer", "constraints": {"minimum": 0, "maximum": 9, "required": False}, "bins": 10}
    schema = Schema.from_dict({"fields": [{"name": "n", **field}, {"name": "c", "categories": list("abcd")}]})
    found = measured(read_pair(real, synthetic, schema))
    wanted = {
        "KSComplement": 0.7777777777777778,
        "TVComplement": 0.8,
        "RangeCoverage": 0.8571428571428572,
        "CategoryCoverage": 0.75,
        "BoundaryAdherence": 0.7777777777777778,
        "CategoryAdherence": 1.0,
        "MissingValueSimilarity": 0.95,
        "ContingencySimilarity": 0.4,
    }
    assert {name: round(found[name].value, 6) for name in wanted} == {n: round(v, 6) for n, v in wanted.items()}


def test_a_table_against_itself_scores_one() -> None:
    pair, _ = random_pair()
    same = pair_of_codes(SCHEMA, pair.real, [pair.real])
    assert all(found.value == pytest.approx(1) for found in measured(same).values())


def test_references_and_interval_are_there() -> None:
    pair, references = random_pair(n_real=3000, n_synthetic=3000, draws=2)
    trends = next(one for one in measure_sdmetrics(pair, references) if one.name == "Column Pair Trends")
    assert trends.interval is not None
    assert trends.fresh_sample is not None
    assert trends.independent_columns is not None
    assert trends.independent_columns < trends.value < trends.fresh_sample
    assert trends.closeness is not None
    assert 0 < trends.closeness < 1


def test_one_row_and_tables_without_numbers_say_what_was_not_measured() -> None:
    plain = Schema.from_dict({"fields": [{"name": "a", "type": "boolean"}]})
    one = Table(plain.domain, (np.array([1]),))
    found = measured(pair_of_codes(plain, one, [one]))
    assert [name for name, prop in found.items() if not prop.measured] == [
        "Column Pair Trends",
        "KSComplement",
        "ContingencySimilarity",
        "CorrelationSimilarity",
        "RangeCoverage",
        "BoundaryAdherence",
    ]
    assert "there is no pair of columns" in found["ContingencySimilarity"].verdict
