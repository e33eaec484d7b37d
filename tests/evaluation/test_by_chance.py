"""What chance makes of tables of counts: halves of a real table are not far apart, shuffled columns are."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from understudy.evaluation import MeasureResult, make_references, measure_raw_values, measure_tables, read_pair
from understudy.evaluation._by_chance import apart_by_chance, one_share_off
from understudy.evaluation._column_ratings import _rated
from understudy.evaluation._tables import total_variation
from understudy.evaluation._verdict import MARGIN
from understudy.evaluation._verdicts import Verdict, three_verdicts
from understudy.schema import Schema

_ZIPS = [f"{code:03d}" for code in range(120)]
_SCHEMA = Schema.from_dict(
    {
        "fields": [
            {"name": "zip", "categories": _ZIPS},
            {"name": "code", "categories": _ZIPS},
            {"name": "ward", "categories": list("abcde")},
            {"name": "sex", "categories": ["F", "M"]},
            {"name": "staff", "categories": list("abcde")},
        ]
    }
)


def _people(n: int, seed: int) -> pa.Table:
    """Columns of many values that have nothing to do with each other, and two that do."""
    rng = np.random.default_rng(seed)
    ward = rng.integers(5, size=n)
    staff = np.where(rng.random(n) < 0.7, ward, rng.integers(5, size=n))
    letters = np.array(list("abcde"))
    columns = {name: np.array(_ZIPS)[rng.integers(120, size=n)] for name in ("zip", "code")}
    columns |= {"ward": letters[ward], "sex": np.array(["F", "M"])[rng.integers(2, size=n)], "staff": letters[staff]}
    return pa.table({name: pa.array(values.tolist()) for name, values in columns.items()})


def _shuffled(table: pa.Table) -> pa.Table:
    rng = np.random.default_rng(9)
    return pa.table({name: table[name].take(pa.array(rng.permutation(len(table)))) for name in table.column_names})


def _judged(real: pa.Table, made: pa.Table, seed: int = 0) -> tuple[Verdict, list[MeasureResult]]:
    pair = read_pair(real, made, _SCHEMA)
    results = measure_tables(pair, make_references(pair, seed=seed))
    return three_verdicts(results)[1], results


@pytest.mark.parametrize("cells", [4, 400, 4000, 40_000])
@pytest.mark.parametrize("rows", [2000, 8000])
def test_chance_is_what_two_samples_of_one_population_differ_by(cells: int, rows: int) -> None:
    rng = np.random.default_rng(3)
    shares = rng.dirichlet(np.full(cells, 0.5))
    told, shown = [], []
    for _ in range(200):
        one, two = (rng.multinomial(n, shares) for n in (2000, rows))
        told.append(apart_by_chance(one, rows))
        shown.append(total_variation(one, two))
    assert np.mean(told) == pytest.approx(np.mean(shown), rel=0.2)


def test_counts_of_any_size_are_weighed() -> None:
    even = apart_by_chance(np.full(10, 256), 2560), apart_by_chance(np.full(10, 257), 2570)
    assert even[0] == pytest.approx(even[1], rel=0.01)
    assert apart_by_chance(np.array([0, 0]), 5) == apart_by_chance(np.array([3, 4]), 0) == 0.0


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_another_sample_of_the_population_is_not_called_far_though_its_rows_are_others(seed: int) -> None:
    verdict, results = _judged(_people(6000, 1), _people(6000, 2), seed)
    assert verdict.tone.name == "close"
    assert results[2].value > 1.5 * (results[2].fresh_sample or 0.0)  # which would have been more than chance
    assert MARGIN * (results[2].by_chance or 0.0) > results[2].value


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_relation_that_is_lost_among_tables_of_many_cells_is_found_missing(seed: int) -> None:
    real = _people(6000, 1)
    verdict, _ = _judged(real, _shuffled(real), seed)
    assert verdict.tone.name == "far"
    assert "Of what independent columns lose beyond chance, 0 % is kept." in verdict.sentence


def test_too_few_rows_to_tell_are_not_rated() -> None:
    narrow = _people(200, 1).select(["zip", "code"])
    schema = Schema.from_dict({"fields": [{"name": name, "categories": _ZIPS} for name in ("zip", "code")]})
    pair = read_pair(narrow, _people(200, 2).select(["zip", "code"]), schema)
    verdict = three_verdicts(measure_tables(pair, make_references(pair)))[1]
    assert verdict.tone.name == "unknown"
    assert "so that relations that are kept or lost do not show" in verdict.sentence
    assert "Rows are too few" in verdict.advice


def test_closeness_can_be_found_again_from_the_details() -> None:
    _, results = _judged(_people(3000, 1), _people(3000, 2))
    lines = results[1].details.to_pydict()  # type: ignore[union-attr]
    limit = MARGIN * np.array(lines["by_chance"])
    beyond = [
        np.sqrt(np.clip(np.array(lines[at]) ** 2 - limit**2, 0, None)) for at in ("distance", "independent_columns")
    ]
    assert results[1].closeness == pytest.approx(1 - beyond[0].sum() / beyond[1].sum())


def test_a_group_whose_mean_stays_where_it_was_has_lost_nothing() -> None:
    schema = Schema.from_dict(
        {
            "fields": [
                {"name": "year", "categories": ["1", "2"]},
                {"name": "given", "type": "integer", "categories": [0, 1], "categoriesOrdered": True},
            ]
        }
    )
    years = ["1"] * 400 + ["2"] * 400
    real, made = ([0] * 400 + [1] * n + [0] * (400 - n) for n in (100, 160))
    pair = read_pair(pa.table({"year": years, "given": real}), pa.table({"year": years, "given": made}), schema)
    columns = measure_raw_values(pair, make_references(pair))[0].numbers
    groups = [group for column in columns for group in column.groups if group.value == "1"]
    assert not any(group.lost for group in groups)


@pytest.mark.parametrize(("extreme", "tone"), [(1, "fair"), (40, "far")])
def test_a_deviation_that_hangs_on_a_few_rows_is_to_be_used_with_care(extreme: int, tone: str) -> None:
    schema = Schema.from_dict(
        {"fields": [{"name": "minutes", "type": "number", "constraints": {"minimum": 0, "maximum": 90_000}}]}
    )
    usual = np.random.default_rng(1).exponential(5, size=4000)
    real = np.append(usual[: 4000 - extreme], np.full(extreme, 60_000.0 / extreme))
    pair = read_pair(pa.table({"minutes": real}), pa.table({"minutes": usual[::-1]}), schema)
    [column] = measure_raw_values(pair, make_references(pair))[0].numbers
    assert column.errors["deviation"].value > 0.5
    assert _rated("deviation", column).name == tone


def _tied(n: int, seed: int, *, kept: int, pairs: int = 10) -> pa.Table:
    """Pairs of categories that all hang closely together, but for those after so many, and others that do not."""
    rng = np.random.default_rng(seed)
    letters, columns = np.array(list("abcdef")), {}
    for i in range(pairs):
        first, other = rng.integers(6, size=n), rng.integers(6, size=n)
        close = (rng.random(n) < 0.9) & (i < kept)
        columns |= {f"x{i}": letters[first], f"y{i}": letters[np.where(close, first, other)]}
    columns |= {f"z{i}": letters[rng.integers(6, size=n)] for i in range(10)}
    return pa.table({name: pa.array(values.tolist()) for name, values in columns.items()})


@pytest.mark.parametrize(("kept", "tone", "said"), [
    (10, "close", ""),
    (9, "fair", "1 of 10 pairs of columns that hang closely together loses more than half of that: `x9 × y9`."),
    (4, "far", "6 of 10 pairs of columns that hang closely together lose more than half of that: worst `"),
])  # fmt: skip
def test_one_relation_that_is_lost_among_many_keeps_a_table_from_being_called_close(
    kept: int, tone: str, said: str
) -> None:
    real = _tied(6000, 1, kept=10)
    schema = Schema.from_dict({"fields": [{"name": name, "categories": list("abcdef")} for name in real.column_names]})
    pair = read_pair(real, _tied(6000, 2, kept=kept), schema)
    verdict = three_verdicts(measure_tables(pair, make_references(pair), ways=[1, 2]))[1]
    assert verdict.tone.name == tone
    assert said in verdict.sentence
    assert bool(said) == ("closely together" in verdict.sentence)


def _sites(n: int, seed: int) -> list[str]:
    """One site in seven of all rows, and 499 that share the others."""
    rng = np.random.default_rng(seed)
    found = np.where(rng.random(n) < 0.15, 0, rng.integers(1, 500, size=n))
    return [f"{site:03d}" for site in found]


@pytest.mark.parametrize(("gone", "tone"), [(False, "close"), (True, "far")])
def test_a_frequent_value_that_is_gone_from_a_column_of_many_is_not_called_close(gone: bool, tone: str) -> None:
    schema = Schema.from_dict({"fields": [{"name": "site", "categories": [f"{site:03d}" for site in range(500)]}]})
    real = _sites(1000, 1)
    others = [site for site in real if site != "000"]
    made = [site if site != "000" else others[i % len(others)] for i, site in enumerate(real)]
    pair = read_pair(pa.table({"site": real}), pa.table({"site": made if gone else _sites(1000, 2)}), schema)
    results = measure_tables(pair, make_references(pair), ways=[1])
    verdict = three_verdicts(results)[0]
    assert verdict.tone.name == tone
    assert ("one share off by 1" in verdict.sentence) == gone
    assert results[0].value < MARGIN * (results[0].by_chance or 0.0)


def test_single_shares_of_two_samples_of_one_population_are_hardly_ever_beyond_chance() -> None:
    rng = np.random.default_rng(4)
    found = 0
    for _ in range(300):
        shares = rng.dirichlet(np.full(50, 0.5))
        one, two = (rng.multinomial(n, shares) for n in (300, 2000))
        found += one_share_off(one, two) > 0.02
    assert found <= 3
    assert one_share_off(np.array([0, 0]), np.array([1, 2])) == 0.0
