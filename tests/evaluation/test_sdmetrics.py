"""Under the names of SDMetrics stand the numbers of SDMetrics: the package itself is run on the same columns."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy import demo
from understudy.evaluation import (
    SDMETRICS_COLUMNS,
    MeasureInput,
    MeasureResult,
    Pair,
    compute_measures,
    make_references,
    measure_sdmetrics_columns,
    measure_sdmetrics_pairs,
    pair_of_codes,
    read_pair,
    tone_of,
)
from understudy.schema import Schema
from understudy.tables import Table

sdmetrics = pytest.importorskip("sdmetrics", reason="sdmetrics comes with the dev extra")

FIELDS: list[dict[str, Any]] = [
    {"name": "region", "categories": ["North", "South", "East"], "constraints": {"required": False}},
    {"name": "grade", "type": "integer", "categories": [3, 1, 2]},
    {"name": "smoker", "type": "boolean"},
    {"name": "job", "categories": ["nurse", "baker"], "outside": "other"},
    {
        "name": "age",
        "type": "integer",
        "constraints": {"minimum": 0, "maximum": 99, "required": False},
        "bins": 3,
        "special": [-1],
    },
    {"name": "income", "type": "number", "constraints": {"minimum": 0, "maximum": 1e6}, "bins": 4, "outside": "clip"},
    {
        "name": "born",
        "type": "date",
        "constraints": {"minimum": "1950-01-01", "maximum": "2020-12-31", "required": False},
        "bins": 5,
    },
    {
        "name": "seen",
        "type": "datetime",
        "constraints": {"minimum": "2020-01-01T00:00:00", "maximum": "2024-12-31T00:00:00"},
        "bins": 6,
    },
]
SCHEMA = Schema.from_dict({"name": "people", "fields": FIELDS})
OF_COLUMNS = (
    "KSComplement",
    "TVComplement",
    "RangeCoverage",
    "CategoryCoverage",
    "BoundaryAdherence",
    "CategoryAdherence",
    "MissingValueSimilarity",
)
NUMERICAL = ("KSComplement", "RangeCoverage", "BoundaryAdherence")
CATEGORICAL = ("TVComplement", "CategoryCoverage", "CategoryAdherence")
AVERAGES = {"Column Shapes": "ColumnShapes", "Column Pair Trends": "ColumnPairTrends"}
NEAR = 1e-5  # SDMetrics adds a millionth of a row to categories that only the synthetic table has


def measured(pair: Pair) -> dict[str, MeasureResult]:
    references = make_references(pair)
    found = [*measure_sdmetrics_columns(pair, references), *measure_sdmetrics_pairs(pair, references)]
    return {one.name: one for one in found}


def scores(found: MeasureResult) -> dict[tuple[str, ...], float]:
    rows = [] if found.details is None else found.details.to_pylist()
    return {tuple(v for k, v in row.items() if k.startswith("column")): row["score"] for row in rows}


def theirs(compute: Callable[..., Any], *given: Any, **options: Any) -> float | None:
    """What SDMetrics gives; None where it gives nothing."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            found = float(compute(*given, **options))
        except Exception:  # of many kinds: a constant column, one without values, a division by no rows
            return None
    return None if np.isnan(found) else found


def metadata_of(schema: Schema) -> dict[str, Any]:
    kinds = {"boolean": "boolean", "date": "datetime", "datetime": "datetime"}
    return {
        "columns": {
            field.name: {"sdtype": kinds.get(field.type, "numerical") if field.bins is not None else "categorical"}
            for field in schema.fields
        }
    }


def check(real: pd.DataFrame, synthetic: pd.DataFrame, schema: Schema) -> None:
    """Every number that carries a name of SDMetrics, against SDMetrics."""
    found = measured(read_pair(real, synthetic, schema))
    assert set(found) == {*OF_COLUMNS, *AVERAGES, "ContingencySimilarity", "CorrelationSimilarity"}
    binned = {field.name for field in schema.fields if field.bins is not None}
    for name in OF_COLUMNS:
        metric = getattr(sdmetrics.single_column, name)
        for column in schema.names:
            if (name in NUMERICAL and column not in binned) or (name in CATEGORICAL and column in binned):
                assert (column,) not in scores(found[name])
                continue
            wanted = theirs(metric.compute, real[column], synthetic[column])
            assert scores(found[name]).get((column,)) == (
                wanted if wanted is None else pytest.approx(wanted, abs=NEAR)
            ), (
                name,
                column,
            )
    trends = check_averages(found, real, synthetic, schema)
    for a, b in combinations(schema.names, 2):
        name = "CorrelationSimilarity" if {a, b} <= binned else "ContingencySimilarity"
        wanted = trends.get((a, b))
        assert scores(found[name]).get((a, b)) == (wanted if wanted is None else pytest.approx(wanted, abs=1e-6)), (
            a,
            b,
        )
        assert scores(found["Column Pair Trends"]).get((a, b)) == scores(found[name]).get((a, b))


def check_averages(
    found: dict[str, MeasureResult], real: pd.DataFrame, synthetic: pd.DataFrame, schema: Schema
) -> dict[tuple[str, str], float]:
    """Both averages; for each pair of columns, what SDMetrics' details say of it."""
    from sdmetrics.reports.single_table import _properties  # type: ignore[import-untyped]

    details: dict[tuple[str, str], float] = {}
    for ours, name in AVERAGES.items():
        average = getattr(_properties, name)()
        wanted = theirs(average.get_score, real.copy(), synthetic.copy(), metadata_of(schema))
        assert (found[ours].value if found[ours].measured else None) == (
            wanted if wanted is None else pytest.approx(wanted, abs=NEAR)
        ), ours
        if name == "ColumnPairTrends" and wanted is not None:
            rows = average.details.dropna(subset=["Score"])
            details = {(a, b): s for a, b, s in zip(rows["Column 1"], rows["Column 2"], rows["Score"], strict=True)}
    return details


def rows(n: int, rng: np.random.Generator, *, shift: float = 0.0) -> pd.DataFrame:
    """Columns that hang together, with missing cells, specials, values beyond the schema and other jobs."""
    base = rng.random(n) + shift
    age = np.round(base * 90)
    age[rng.random(n) < 0.1] = np.nan
    age[rng.random(n) < 0.1] = -1
    born = pd.Timestamp("1950-01-01") + pd.to_timedelta(np.floor(base * 20_000), unit="D")
    return pd.DataFrame(
        {
            "region": np.where(
                rng.random(n) < 0.1, None, np.array(["North", "South", "East"])[rng.integers(3, size=n)]
            ),
            "grade": np.array([3, 1, 2])[np.minimum((base * 2).astype(int), 2)],
            "smoker": rng.random(n) < 0.3,
            "job": np.array(["nurse", "baker", "smith", "vet"])[rng.integers(2 + round(2 + 2 * shift), size=n) % 4],
            "age": age,
            "income": np.exp(10 + 2 * base + rng.normal(size=n)),
            "born": pd.Series(born).where(rng.random(n) > 0.1).dt.as_unit("us"),
            "seen": (pd.Timestamp("2020-01-01") + pd.to_timedelta(np.floor(rng.random(n) * 1e8), unit="s")).as_unit(
                "us"
            ),
        }
    )


@pytest.mark.parametrize("seed", range(4))
def test_awkward_columns_score_as_sdmetrics_scores_them(seed: int) -> None:
    rng = np.random.default_rng(seed)
    check(rows(200, rng), rows(150 + seed, rng, shift=0.1 * seed), SCHEMA)


def test_the_demo_table_scores_as_sdmetrics_scores_it() -> None:
    schema = Schema.load(demo.schema_path())
    table = pd.read_csv(demo.table_path())
    rng = np.random.default_rng(1)
    synthetic = pd.DataFrame({name: rng.permutation(table[name].to_numpy()[:3000]) for name in table})
    check(table, synthetic, schema)


def test_constant_columns_and_columns_without_a_value_score_as_sdmetrics_scores_them() -> None:
    rng = np.random.default_rng(0)
    real, synthetic = rows(40, rng), rows(30, rng)
    real["age"], synthetic["age"] = 7.0, 8.0
    synthetic["income"] = 5.0
    real["born"] = pd.Series(pd.NaT, index=real.index, dtype="datetime64[us]")
    real["region"] = None
    synthetic["smoker"] = True
    check(real.astype({"region": object}), synthetic, SCHEMA)


@pytest.mark.slow
@given(
    real=st.lists(
        st.tuples(st.integers(-3, 3) | st.none(), st.sampled_from("abc") | st.none()), min_size=1, max_size=12
    ),
    other=st.lists(
        st.tuples(st.integers(-4, 4) | st.none(), st.sampled_from("bcd") | st.none()), min_size=1, max_size=12
    ),
)
def test_small_tables_score_as_sdmetrics_scores_them(real: list[Any], other: list[Any]) -> None:
    limits = {"minimum": -3, "maximum": 3, "required": False}
    fields = [
        {"name": "n", "type": "integer", "constraints": limits, "bins": 2},
        {"name": "c", "categories": list("abc")},
    ]
    frames = [pd.DataFrame(side, columns=["n", "c"]).astype({"n": float, "c": object}) for side in (real, other)]
    check(frames[0], frames[1], Schema.from_dict({"name": "t", "fields": fields}))


def test_numbers_inside_one_bin_are_told_apart() -> None:
    # One bin holds all of them, so codes know no difference.
    field = {"name": "n", "type": "number", "constraints": {"minimum": 0, "maximum": 100}, "bins": 1}
    real = pd.DataFrame({"n": np.arange(60) / 10})
    synthetic = pd.DataFrame({"n": 4 + np.arange(60) / 10})
    found = measured(read_pair(real, synthetic, Schema.from_dict({"fields": [field]})))
    assert found["KSComplement"].value == pytest.approx(1 / 3)


def test_the_two_averages_average_their_parts() -> None:
    rng = np.random.default_rng(0)
    found = measured(read_pair(rows(200, rng), rows(200, rng), SCHEMA))
    shapes = scores(found["KSComplement"]) | scores(found["TVComplement"])
    assert scores(found["Column Shapes"]) == shapes
    assert found["Column Shapes"].value == pytest.approx(np.mean(list(shapes.values())))
    details = found["Column Shapes"].details
    assert details is not None
    assert dict(zip(details["column"].to_pylist(), details["metric"].to_pylist(), strict=True))["age"] == "KSComplement"
    assert "1 is best" in found["Column Shapes"].verdict


def test_a_table_against_itself_scores_one() -> None:
    table = rows(100, np.random.default_rng(0))
    assert all(found.value == pytest.approx(1) for found in measured(read_pair(table, table, SCHEMA)).values())


def test_references_and_interval_are_there() -> None:
    rng = np.random.default_rng(0)
    real, *synthetic = (rows(3000, rng) for _ in range(3))
    for table in synthetic:
        mixed = rng.random(3000) < 0.5
        table.loc[mixed, "grade"] = rng.permutation(table["grade"][mixed])
    trends = measured(read_pair(real, synthetic, SCHEMA))["Column Pair Trends"]
    assert trends.interval is not None
    assert trends.fresh_sample is not None
    assert trends.independent_columns is not None
    assert trends.independent_columns < trends.value < trends.fresh_sample
    assert trends.closeness is not None
    assert 0 < trends.closeness < 1


def test_the_references_are_the_rows_that_every_other_measure_sees() -> None:
    fields = [{"name": "c", "categories": list("abcdef")}]
    real = pd.DataFrame({"c": list("abcdef") * 5})
    pair = read_pair(real, real, Schema.from_dict({"fields": fields}))
    references = make_references(pair, seed=3)
    shares = [np.bincount(t.columns[0], minlength=6) / t.n for t in (pair.real, references.fresh_sample)]
    one = next(one for one in measure_sdmetrics_columns(pair, references) if one.name == "TVComplement")
    assert one.fresh_sample == pytest.approx(1 - np.abs(shares[0] - shares[1]).sum() / 2)


def test_tables_without_numbers_say_what_was_not_measured() -> None:
    plain = Schema.from_dict({"fields": [{"name": "a", "type": "boolean"}]})
    one = pd.DataFrame({"a": [True]})
    found = measured(read_pair(one, one, plain))
    assert [name for name, result in found.items() if not result.measured] == [
        "KSComplement",
        "RangeCoverage",
        "BoundaryAdherence",
        "Column Pair Trends",
        "ContingencySimilarity",
        "CorrelationSimilarity",
    ]
    assert "there is no pair of columns" in found["ContingencySimilarity"].verdict


def test_a_pair_of_codes_has_no_values_and_is_given_no_such_names() -> None:
    plain = Schema.from_dict({"fields": [{"name": "a", "type": "boolean"}]})
    table = Table(plain.domain, (np.array([1, 0]),))
    pair = pair_of_codes(plain, table, [table])
    assert compute_measures(MeasureInput(pair=pair, references=make_references(pair)), [SDMETRICS_COLUMNS]) == []


@pytest.mark.parametrize("constant", [("real",), ("synthetic",), ("real", "synthetic")])
def test_moments_that_are_all_the_same_score_as_sdmetrics_scores_them(constant: tuple[str, ...]) -> None:
    """Such large numbers cannot be cut into ten parts between one and the same end."""
    rng = np.random.default_rng(0)
    frames = {"real": rows(40, rng), "synthetic": rows(30, rng)}
    for side in constant:
        frames[side]["seen"] = frames[side]["seen"].iloc[0]
    check(frames["real"], frames["synthetic"], SCHEMA)


def cut(largest: float, *, related: bool = True) -> Pair:
    """Two samples of the same people; in one, the highest pay is so large."""
    rng = np.random.default_rng(4)
    fields = [{"name": "sex", "categories": ["F", "M"]}, {"name": "pay", "type": "number", "bins": 4,
               "constraints": {"minimum": 0, "maximum": 10**6}}]  # fmt: skip
    sides = []
    for top in (1000.0, largest):
        sex = rng.integers(0, 2, 4000)
        pay = rng.uniform(0, 400, 4000) + 400 * (sex if related or not sides else rng.permutation(sex))
        sides.append(pd.DataFrame({"sex": np.array(["F", "M"])[sex], "pay": np.append(pay[:-1], top)}))
    return read_pair(*sides, Schema.from_dict({"fields": fields}))


def test_what_only_the_cuts_of_sdmetrics_make_of_two_tables_is_not_rated() -> None:
    for name in ("ContingencySimilarity", "Column Pair Trends"):
        found = measured(cut(100_000))[name]
        assert found.value < 0.7
        assert tone_of(found).name == "unknown"
        assert re.search(r"cut alike, these tables would show 0\.9\d\d, so it is not rated\.", found.verdict)
        same = measured(cut(1000))[name]
        assert tone_of(same).name == "close"
        assert "cut alike" not in same.verdict
        assert tone_of(measured(cut(1000, related=False))[name]).name == "far"
