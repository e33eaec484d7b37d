"""Intervals, and what numbers beside their references are said to mean."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from understudy.evaluation import (
    CLASSIFICATION,
    TABLE_DISTANCES,
    MeasureInput,
    MeasureResult,
    beside_references,
    columns_named,
    compute_measures,
    make_references,
    mean_interval,
    points,
    read_pair,
)
from understudy.evaluation._interval import t_quantile
from understudy.evaluation._rating import CLOSE, FAIR, FAR, Tone
from understudy.evaluation._verdicts import ColumnRating, _most, _told, three_verdicts
from understudy.schema import Schema


def test_quantiles_are_those_of_students_t() -> None:
    stats = pytest.importorskip("scipy.stats", reason="scipy comes with the evaluate extra")
    for freedom in (*range(1, 31), 31, 40, 99, 1000):
        assert t_quantile(freedom) == pytest.approx(stats.t.ppf(0.975, freedom), abs=5e-6)


def test_one_value_has_no_interval() -> None:
    assert mean_interval([0.3]) is None


def test_equal_values_have_an_interval_without_width() -> None:
    assert mean_interval([0.5, 0.5, 0.5]) == (0.5, 0.5)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0.004, "about what a fresh sample"),
        (0.001, "less than a fresh sample"),
        (0.0058, "little more than chance"),
        (0.012, "close to what a fresh sample"),
        (0.050, "nearer to what a fresh sample"),
        (0.100, "nearer to independent columns"),
        (0.155, "hardly better than independent columns"),
        (0.161, "no better than independent columns"),
        (0.170, "worse than independent columns"),
    ],
)
def test_every_place_between_the_references_has_its_words(value: float, said: str) -> None:
    assert said in beside_references(value, 0.004, 0.16)


def test_independent_columns_no_worse_than_a_fresh_sample_are_not_spoken_of() -> None:
    assert "unrelated" not in beside_references(0.02, 0.004, 0.004)


def test_what_looks_alike_is_not_called_worse() -> None:
    assert "no better than independent columns (0.9)" in beside_references(0.0094, 0.0034, 0.0087)


def test_independent_columns_that_chance_could_put_there_are_not_spoken_of() -> None:
    assert beside_references(0.2, 0.1, 0.14) == "A fresh sample of as many rows would show 10.0."


def test_names_of_columns_cannot_turn_a_sentence_around_or_end_their_quotes() -> None:
    assert columns_named(["a\u202eb", "c`d"]) == "`ab × c'd`"


def test_small_shares_are_shown_with_two_decimals() -> None:
    assert [points(x) for x in (0.0, 0.5, 0.001, 0.0004)] == ["0.0", "50.0", "0.1", "0.04"]


def rated(*tones: Tone) -> list[ColumnRating]:
    return [
        ColumnRating(f"column_{i}", tone, "" if tone is CLOSE else f"why {i}", is_number=True)
        for i, tone in enumerate(tones)
    ]


@pytest.mark.parametrize(
    ("tones", "said"),
    [
        ([CLOSE], "The only number is close to real."),
        ([CLOSE, CLOSE], "Both numbers are close to real."),
        ([FAR], "The only number is far from real: `column_0` (why 0)."),
        ([FAIR, CLOSE], "1 of 2 numbers is to be used with care: `column_0` (why 0). The other one is close to real."),
        (
            [CLOSE, FAIR, FAR, FAIR, CLOSE],
            "1 of 5 numbers is far from real: `column_2` (why 2). 2 are to be used with care: `column_1` (why 1); "
            "`column_3` (why 3). The other 2 are close to real.",
        ),
    ],
)
def test_all_columns_that_are_not_close_are_named_and_the_rest_is_counted(tones: list[Tone], said: str) -> None:
    assert _told(rated(*tones), "number", "numbers") == said


def test_the_worst_columns_are_named_first_and_the_others_are_counted() -> None:
    ratings = [ColumnRating(f"column_{i}", FAR, f"why {i}", is_number=True, off=i / 10) for i in range(5)]
    assert _told([*ratings, ColumnRating("fine", CLOSE)], "number", "numbers") == (
        "5 of 6 numbers are far from real: `column_4` (why 4); `column_3` (why 3); `column_2` (why 2) and 2 more. "
        "The other one is close to real."
    )


@pytest.mark.parametrize(("wrong", "said"), [(3, "of the columns named here."), (4, "named here or not: the report")])
def test_advice_does_not_pass_over_columns_that_are_not_named(wrong: int, said: str) -> None:
    rng = np.random.default_rng(5)
    field = {"type": "integer", "bins": 4, "constraints": {"minimum": 0, "maximum": 999}}
    schema = Schema.from_dict({"fields": [{"name": f"n{i}", **field} for i in range(6)]})
    real = pa.table({f"n{i}": rng.integers(0, 1000, 2000) for i in range(6)})
    made = pa.table({f"n{i}": rng.integers(0, 500 if i < wrong else 1000, 2000) for i in range(6)})
    pair = read_pair(real, made, schema)
    given = MeasureInput(pair=pair, references=make_references(pair), ways=(1,), classifiers=False)
    verdict = three_verdicts(compute_measures(given))[0]
    assert verdict.tone is FAR
    assert said in verdict.advice


@pytest.mark.parametrize(
    ("off", "tone", "said"),
    [
        (0.0, "amber", "it may hold the real rows themselves"),
        (0.009, "amber", "it may hold the real rows themselves"),
        (0.014, "green", "That is no more than chance."),
        (0.028, "green", "That is little more than chance."),
        (0.05, "green", "It has come 83 % of the way"),
    ],
)
def test_relations_closer_than_a_fresh_sample_are_not_called_good(off: float, tone: str, said: str) -> None:
    pairs = MeasureResult(
        TABLE_DISTANCES, "2-way", "?", definition="", value=off, score=1 - off, verdict="", width=2,
        fresh_sample=0.02, independent_columns=0.2, from_zero=True,
    )  # fmt: skip
    relations = three_verdicts([pairs])[1]
    assert relations.tone.colour == tone
    assert said in relations.sentence


@pytest.mark.parametrize(("fair", "said"), [(2, True), (3, False), (4, False)])
def test_most_columns_are_said_to_be_usable_only_if_most_are(fair: int, said: bool) -> None:
    ratings = [ColumnRating(str(i), FAIR if i < fair else CLOSE) for i in range(6)]
    assert ("Most columns" in _most(ratings)) == said


@pytest.mark.parametrize(
    ("fair_numbers", "fair_others", "said"),
    [
        (1, 1, "Most columns can be used as they are. "),
        (3, 1, "Most columns of categories can be used as they are, but not most numbers. "),
        (1, 3, "Most numbers can be used as they are, but not most columns of categories. "),
        (3, 3, ""),
    ],
)
def test_of_numbers_and_of_other_columns_it_is_told_apart(fair_numbers: int, fair_others: int, said: str) -> None:
    numbers = [ColumnRating(str(i), FAIR if i < fair_numbers else CLOSE, is_number=True) for i in range(4)]
    others = [ColumnRating(str(i), FAIR if i < fair_others else CLOSE) for i in range(4)]
    assert _most([*numbers, *others]) == said


def test_models_are_told_by_the_average_and_by_what_comes_least_and_most() -> None:
    def learnt(name: str, value: float) -> MeasureResult:
        return MeasureResult(
            CLASSIFICATION, name, "?", definition="", value=value, score=value, verdict="",
            fresh_sample=0.8, independent_columns=0.5,
        )  # fmt: skip

    several = three_verdicts([learnt("AUC: svm", 0.62), learnt("AUC: boosting", 0.74)])[2]
    assert (
        "come 60 % of the way from independent columns to real rows, tested on real rows: the average of 2 measures, "
        "from 40 % (AUC: svm: 0.62; 0.80 from real rows, 0.50 from independent columns) to 80 % (AUC: boosting: 0.74; "
    ) in several.sentence
    one = three_verdicts([learnt("AUC: svm", 0.62)])[2]
    assert one.sentence.endswith(
        "40 % of the way from independent columns to real rows, tested on real rows. AUC: svm: 0.62; 0.80 from real "
        "rows, 0.50 from independent columns."
    )


def test_relations_that_are_right_in_bins_say_where_numbers_are_wrong_inside() -> None:
    rng = np.random.default_rng(2)
    bins = {"type": "integer", "constraints": {"minimum": 0, "maximum": 99}, "bins": 2}
    schema = Schema.from_dict({"fields": [{"name": "a", **bins}, {"name": "b", "categories": ["x", "y"]}]})
    high = rng.random(2000) < 0.5
    told = np.where(rng.random(2000) < 0.9, high, ~high)
    kinds = np.where(told, "y", "x")
    real = pa.table({"a": np.where(high, 60, 0), "b": kinds})
    again = rng.integers(0, 2000, 2000)
    spread = pa.table({"a": np.where(high, 50, 0)[again] + rng.integers(0, 50, 2000), "b": kinds[again]})
    for made, said in ((real.take(again), "numbers are compared in bins here."), (spread, "value by value, it is far")):
        pair = read_pair(real, made, schema)
        given = MeasureInput(pair=pair, references=make_references(pair), ways=(1, 2), classifiers=False)
        relations = three_verdicts(compute_measures(given))[1]
        assert relations.tone is CLOSE
        assert said in relations.advice
