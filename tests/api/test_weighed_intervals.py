"""Intervals where rows are weighed: counted in parts, told in rows, as wide as where rows are dropped."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import understudy as us
from understudy.models import TreeMeasurement, WeightedRows
from understudy.models._rows_errors import redrawn_weights
from understudy.numbers import expected_schema
from understudy.privacy import PrivacyTerms, PrivacyUnit, make_budget
from understudy.schema import Schema

ASKED = ["mean(spent)", "median(spent)", "quantile(spent, 0.9)", "share(spent > 2000)", "share(ward=a)", "sd(spent)"]
SEEDS = 4
INCOMES = {"name": "spent", "type": "integer", "bins": "auto", "constraints": {"minimum": 0, "maximum": 99_999}}
SCHEMA = {
    "name": "visits",
    "fieldsMatch": "subset",
    "fields": [INCOMES, {"name": "ward", "type": "string", "categories": ["a", "b", "c"]}],
}


@pytest.fixture(scope="module")
def visits() -> pd.DataFrame:
    """Some 1.5 visits a person, 3 at most but for a few."""
    rng = np.random.default_rng(11)
    spent = rng.lognormal(7, 1, 6000).astype(int).clip(0, 99_999)
    ward = rng.choice(["a", "b", "c"], 6000, p=[0.2, 0.3, 0.5])
    return pd.DataFrame({"person": rng.integers(0, 4000, 6000), "spent": spent, "ward": ward})


@pytest.fixture(scope="module")
def answers(visits: pd.DataFrame) -> dict[str, list[list[Any]]]:
    """For either way to keep to the bound, the figures of some rehearsals."""
    return {bounding: [figures(visits, bounding, seed) for seed in range(SEEDS)] for bounding in ("drop", "weigh")}


def figures(visits: pd.DataFrame, bounding: str, seed: int) -> list[Any]:
    made = us.Adaptive(epsilon=2, seed=seed, unit="person", max_rows=3, bounding=bounding).fit(visits, SCHEMA)
    return [made.query(question).figures[0] for question in ASKED]


@pytest.mark.slow
def test_intervals_are_as_wide_as_where_rows_are_dropped(answers: dict[str, list[list[Any]]]) -> None:
    dropped, weighed = (
        np.median([[one.high - one.low for one in found] for found in answers[bounding]], axis=0)
        for bounding in ("drop", "weigh")
    )
    assert (weighed > dropped / 2).all(), dict(zip(ASKED, weighed / dropped, strict=True))
    assert (weighed < dropped * 2).all(), dict(zip(ASKED, weighed / dropped, strict=True))


@pytest.mark.slow
def test_intervals_hold_the_figures_of_weighed_rows(visits: pd.DataFrame, answers: dict[str, list[list[Any]]]) -> None:
    weights = (3 / visits.groupby("person")["person"].transform("size")).clip(upper=1).to_numpy()
    spent, order = visits["spent"].to_numpy(), visits["spent"].argsort()
    up_to, mean = np.cumsum(weights[order]) / weights.sum(), np.average(spent, weights=weights)
    truths = [
        mean,
        *(spent[order][np.searchsorted(up_to, level)] for level in (0.5, 0.9)),
        np.average(spent > 2000, weights=weights),
        np.average(visits["ward"] == "a", weights=weights),
        np.sqrt(np.average((spent - mean) ** 2, weights=weights)),
    ]
    held = [
        [one.low <= truth <= one.high for one, truth in zip(found, truths, strict=True)] for found in answers["weigh"]
    ]
    assert np.mean(held) >= 0.8, dict(zip(ASKED, np.mean(held, axis=0), strict=True))


def test_weights_of_rows_are_redrawn_in_rows() -> None:
    """The other kind of model, which some tables of many columns have."""
    rows = WeightedRows((2,), np.array([[0, 1]], dtype=np.uint16), np.array([0.25, 0.75]))
    noisy = TreeMeasurement(marginal=(0,), values=np.array([24.0, 76.0]), variance=4.0, interaction=False)
    spreads = []
    for n in (100, 6000):
        found = redrawn_weights(rows, (noisy,), n)
        assert found is not None
        spreads.append(np.std([weights[0] for weights in found.weights]))
    assert spreads[0] == pytest.approx(spreads[1])


def test_as_many_bins_are_expected_as_where_rows_are_dropped() -> None:
    sizes = [
        expected_schema(
            Schema.from_dict({"fields": [INCOMES]}),
            2000,
            PrivacyTerms(budget=make_budget(1, "1e-9"), unit=PrivacyUnit("one", 2, "person", bounding)),  # type: ignore[arg-type]
        )["spent"].size
        for bounding in ("drop", "weigh")
    ]
    assert sizes[0] == sizes[1] > 2
