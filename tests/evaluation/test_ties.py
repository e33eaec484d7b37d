"""Correlations of numbers: lost where tables of bins are nearly right."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import understudy as us
from understudy._core.randomness import streams
from understudy.evaluation import Report
from understudy.evaluation._group_means import GroupMean
from understudy.evaluation._ties import Tie, clear_ties

N = 4000
FIELD = {"type": "number", "bins": {"edges": [0, 1, 10, 10**6], "closed": "left"}}
SCHEMA = {"name": "schools", "fields": [{"name": "working", **FIELD}, {"name": "idle", **FIELD}]}


def schools(seed: int, *, inside: bool) -> pd.DataFrame:
    """Two heavy tails that go together; without `inside`, only as far as bins tell."""
    rng = np.random.default_rng(seed)
    working = np.minimum(np.exp(2 * rng.standard_normal(N)), 1e5)
    idle = working * rng.uniform(0.8, 1.2, N)
    if not inside:
        last = np.flatnonzero((working > 10) & (idle > 10))
        idle[last] = idle[rng.permutation(last)]
    return pd.DataFrame({"working": working, "idle": idle})


def compared(real: pd.DataFrame, made: pd.DataFrame) -> Report:
    return us.evaluate(real, made, SCHEMA, classifiers=False, ways=(1, 2))


def test_a_correlation_that_is_lost_inside_a_bin_is_told_and_relations_are_not_green() -> None:
    real, made = schools(1, inside=True), schools(2, inside=False)
    report = compared(real, made)
    was, became = (frame.corr().iloc[0, 1] for frame in (real, made))
    relations = report.verdicts[1]
    assert relations.tone.colour == "amber"
    assert f"`working × idle`, Pearson {was:.2f} became {became:.2f}.".replace("-", "−") in relations.sentence
    assert "rely on no correlation" in relations.advice
    ties = report.to_dict()["numbers"][0]["ties"]
    assert [(tie["measure"], tie["lost"]) for tie in ties] == [("Pearson", True), ("Spearman", False)]
    for tie, method in zip(ties, ("pearson", "spearman"), strict=True):
        for frame, side in ((real, "real"), (made, "synthetic")):
            assert tie[side] == pytest.approx(frame.corr(method).iloc[0, 1])


def test_of_another_sample_no_correlation_is_lost() -> None:
    real = schools(1, inside=True)
    relations = compared(real, real.sample(N, replace=True, random_state=3)).verdicts[1]
    assert relations.tone.colour == "green"
    assert "correlation" not in relations.sentence + relations.advice


def test_a_correlation_that_rests_on_a_row_or_two_is_chance() -> None:
    rng = np.random.default_rng(4)
    a, b = rng.random(N), rng.random(N)
    lone, other = a.copy(), b.copy()
    lone[0] = other[0] = 1000.0
    found = clear_ties({"a": lone, "b": other}, {"a": a, "b": b}, streams(0).get("test"))["a"]
    assert [(tie.measure, tie.lost) for tie in found] == [("Pearson", False)]
    assert found[0].real > 0.9


def test_missing_numbers_and_columns_without_any_are_no_correlation() -> None:
    a = np.arange(100.0)
    gaps = np.where(a % 2, a, np.nan)
    some = clear_ties({"a": a, "b": gaps}, {"a": a, "b": gaps}, streams(0).get("test"))["a"]
    assert [tie.real for tie in some] == pytest.approx([1.0, 1.0])
    nothing = np.full(100, np.nan)
    assert clear_ties({"a": a, "b": nothing}, {"a": a, "b": a}, streams(0).get("test")) == {"a": (), "b": ()}
    (gone, _) = clear_ties({"a": a, "b": a}, {"a": a, "b": np.ones(100)}, streams(0).get("test"))["a"]
    assert gone.lost
    assert gone.synthetic == 0


def test_a_correlation_that_turns_is_lost_and_a_stronger_one_is_not() -> None:
    kept = {"by_chance": 0.01, "column": "b", "measure": "Pearson"}
    assert Tie(real=0.3, synthetic=-0.3, **kept).lost
    assert not Tie(real=0.3, synthetic=0.9, **kept).lost
    assert not Tie(real=0.19, synthetic=0.0, **kept).lost


@pytest.mark.parametrize(
    ("made", "apart", "off", "lost"), [(110, 1, 1, True), (90, 1, 1, False), (110, 0.1, 1, False), (110, 1, 0.2, False)]
)
def test_only_a_group_apart_from_the_others_is_lost_by_half(made: float, apart: float, off: float, lost: bool) -> None:
    group = GroupMean("dead", "yes", real=50, synthetic=made, off=off, standard_error=0.01, apart=apart)
    assert group.lost_by_half == lost
