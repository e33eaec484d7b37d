"""Means of numbers within groups: lost where both columns, and their table of bins, are right."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import understudy as us
from understudy.evaluation import Report

N = 4000
WEIGHT = {"name": "weight", "type": "integer", "bins": 2, "constraints": {"minimum": 0, "maximum": 1999}}
SCHEMA = {"name": "crashes", "fields": [{"name": "dead", "categories": ["no", "yes"]}, WEIGHT]}


def crashes(seed: int, *, inside: bool) -> pd.DataFrame:
    """The dead are at the low end of the first bin; without `inside`, wherever in it others are."""
    rng = np.random.default_rng(seed)
    dead = rng.random(N) < 0.05
    low = dead | (rng.random(N) < 0.8)
    weight = np.where(low, rng.integers(0, 1000, N), rng.integers(1000, 2000, N))
    if inside:
        weight = np.where(dead, rng.integers(0, 100, N), weight)
    return pd.DataFrame({"dead": np.where(dead, "yes", "no"), "weight": weight})


def compared(real: pd.DataFrame, made: pd.DataFrame) -> Report:
    return us.evaluate(real, made, SCHEMA, classifiers=False, ways=(1, 2))


def test_a_mean_that_is_lost_in_a_group_is_told_though_bins_are_right() -> None:
    real, made = crashes(1, inside=True), crashes(2, inside=False)
    report = compared(real, made)
    relations = report.verdicts[1]
    was, became = (frame.loc[frame["dead"] == "yes", "weight"] for frame in (real, made))
    assert f"`weight` where `dead` is `yes`, {was.mean():.1f} became {became.mean():.0f}." in relations.sentence
    assert "rely on no mean of a group" in relations.advice
    (group,) = report.number_columns[0].groups
    assert (group.real, group.synthetic) == pytest.approx((was.mean(), became.mean()))
    shift = made["weight"].mean() - real["weight"].mean()
    assert group.off == pytest.approx(abs(became.mean() - was.mean() - shift) / was.std(ddof=0))
    assert report.to_dict()["numbers"][0]["groups"][0]["lost"] is True


def test_of_another_sample_no_mean_is_lost() -> None:
    relations = compared(crashes(1, inside=True), crashes(2, inside=True)).verdicts[1]
    assert "mean is lost" not in relations.sentence
    assert "every mean" not in relations.advice


def test_what_all_rows_are_off_by_is_no_loss_of_a_relation() -> None:
    real = crashes(1, inside=True)
    made = real.assign(weight=np.minimum(real["weight"] + 150, 1999))
    (group,) = compared(real, made).number_columns[0].groups
    assert not group.lost


def test_a_group_of_few_rows_or_of_none_says_nothing() -> None:
    real = crashes(1, inside=True).assign(dead="no")
    real.loc[:10, "dead"] = "yes"
    (group,) = compared(real, crashes(2, inside=False)).number_columns[0].groups
    assert group.value == "no"
    assert not compared(real.head(15), real.head(15)).number_columns[0].groups


def test_a_single_row_in_a_group_without_any_is_chance() -> None:
    """The deviation of real rows that are all 0 would make any other a matter of infinitely many errors."""
    rng = np.random.default_rng(3)
    real = pd.DataFrame({"dead": np.where(rng.random(N) < 0.05, "yes", "no"), "weight": rng.random(N) < 0.01})
    real["weight"] = np.where(real["dead"] == "yes", 0, real["weight"].astype(int))
    made = real.copy()
    made.loc[made.index[made["dead"] == "yes"][0], "weight"] = 1
    (group,) = compared(real, made).number_columns[0].groups
    assert not group.lost


def test_a_strong_relation_that_is_off_by_a_factor_of_two_makes_relations_amber() -> None:
    real, made = crashes(1, inside=True), crashes(2, inside=False)
    assert compared(real, made).verdicts[1].tone.colour == "amber"
    near = crashes(2, inside=True)
    near["weight"] = np.where(near["dead"] == "yes", near["weight"] + 20, near["weight"])
    relations = compared(real, near).verdicts[1]
    assert "mean is lost" in relations.sentence
    assert relations.tone.colour == "green"
    assert "but not for every mean of a group" in relations.advice


def test_a_group_that_has_half_of_its_mean_is_told_before_one_that_is_off_by_more_deviations() -> None:
    rng = np.random.default_rng(6)
    dead = np.repeat(["no", "yes", "kept"], [3000, 500, 500])
    real = pd.DataFrame({"dead": dead, "weight": np.where(dead == "no", rng.integers(900, 1000, N), 0)})
    real.loc[dead == "yes", "weight"] = rng.integers(0, 200, 500)
    real.loc[dead == "kept", "weight"] = rng.integers(1895, 1905, 500)
    made = real.copy()
    made.loc[dead == "yes", "weight"] = made.loc[dead == "yes", "weight"] * 2 + 20
    made.loc[dead == "kept", "weight"] -= 300
    schema = {**SCHEMA, "fields": [{"name": "dead", "categories": ["no", "yes", "kept"]}, WEIGHT]}
    report = us.evaluate(real, made, schema, classifiers=False, ways=(1, 2))
    (group,) = report.number_columns[0].groups
    assert (group.value, group.lost_by_half) == ("yes", True)
    assert report.verdicts[1].tone.colour != "green"
