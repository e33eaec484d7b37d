"""Intervals reckon with where values may lie inside bins: any shape in declared ones, and noise in those found."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from understudy.models import CliqueTree, TreeMeasurement, TreeModel
from understudy.release import ChargeLine, PublishedModel, Statement
from understudy.release._histogram_noise import redrawn_fields, spelled_out
from understudy.schema import Schema

FINE = ChargeLine(
    what="numbers, value by value", mechanism="…", cost=None, unit="epsilon", noise="variance σ² = 100 per cell"
)


def column(bins: Any) -> Schema:
    field = {"name": "x", "type": "integer", "bins": bins, "constraints": {"minimum": 0, "maximum": 9999}}
    return Schema.from_dict({"fields": [field]})


def published(schema: Schema, counts: list[float]) -> PublishedModel:
    beliefs, n = np.array(counts) / sum(counts), int(sum(counts))
    tree = CliqueTree(sizes=(len(counts),), cliques=((0,),), parents=(-1,), beliefs=(beliefs,))
    measured = TreeMeasurement(marginal=(0,), values=np.array(counts, dtype=float), variance=1.0, interaction=False)
    model = TreeModel(schema.domain, n, tree=tree, within=(None,), measurements=(measured,))
    return PublishedModel(schema, model, Statement.example(n_rows=n, charges=(FINE,)))


def test_intervals_of_declared_bins_hold_the_figures_of_values_that_thin_out() -> None:
    """All values low in their bins, as incomes are: the even spread is off, and the interval holds the truth."""
    model = published(column({"edges": [0, 1000, 2000, 4000, 9999], "closed": "left"}), [6000, 2500, 1000, 500])
    answer = model.query("mean(x), sd(x), median(x), share(x < 500)")
    values = np.concatenate(
        [
            low + (high - low) * np.linspace(0, 1, n) ** 1.4
            for low, high, n in ((0, 1000, 6000), (1000, 2000, 2500), (2000, 4000, 1000), (4000, 9999, 500))
        ]
    )
    truths = {
        "mean(x)": values.mean(),
        "sd(x)": values.std(),
        "median(x)": np.median(values),
        "share(x < 500)": (values < 500).mean(),
    }
    for name, truth in truths.items():
        assert answer[name].low <= truth <= answer[name].high, name
        assert answer[name].high - answer[name].low < 2 * truth, "and says something all the same"


def test_bins_of_one_value_leave_nothing_open() -> None:
    schema = Schema.from_dict(
        {"fields": [{"name": "x", "type": "integer", "bins": 3, "constraints": {"minimum": 0, "maximum": 2}}]}
    )
    assert spelled_out(schema["x"]) is schema["x"]
    assert redrawn_fields(schema["x"], None) == []


def test_a_share_that_cuts_a_declared_bin_says_so() -> None:
    model = published(column(4), [400, 300, 200, 100])
    assert any("spread evenly" in note for note in model.query("share(x < 1000)").notes)
    assert not any("spread evenly" in note for note in model.query("share(x < 2500)").notes)


def tail() -> dict[str, Any]:
    """Two bins, the second a long tail of pieces that hold less and less."""
    starts = [0, 100, *(100 + np.cumsum(10 * 1.25 ** np.arange(24)).astype(int)).tolist()]
    shares = [5000.0, *(100 * 0.8 ** np.arange(25)).tolist()]
    return {"found": {"first": [0, 100], "starts": starts, "shares": shares}}


def test_what_is_too_little_to_be_seen_does_not_get_noise_of_its_own() -> None:
    """Each piece of a tail with the noise of a whole cell made intervals that say nothing."""
    mean = published(column(tail()), [5000, 500]).query("mean(x)")["mean(x)"]
    assert mean.low > 0.7 * mean.value
    assert mean.high < 1.3 * mean.value
    assert mean.high - mean.low > 0.01 * mean.value


def test_found_shapes_keep_the_share_of_every_bin() -> None:
    field = column(tail())["x"]
    for redrawn in redrawn_fields(field, 100.0):
        *_, ends = redrawn.bins.pieces
        assert ends[-1] == pytest.approx(2.0)
        assert (np.diff(ends, prepend=0.0) >= -1e-12).all()
