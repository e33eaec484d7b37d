"""Questions about columns that are declared to be in order."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import understudy as us
from understudy._core.errors import OptionError

BOUNDS = {"constraints": {"minimum": 0, "maximum": 99}, "bins": 4}
SCHEMA = {
    "fields": [
        {"name": "low", "type": "integer", **BOUNDS},
        {"name": "high", "type": "integer", **BOUNDS},
        {"name": "sex", "categories": ["F", "M"]},
    ],
    "dependencies": [{"lower": "low", "upper": "high"}],
}


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> us.PublishedModel:
    rng = np.random.default_rng(1)
    low, high = np.sort(rng.integers(0, 100, (2, 900)), axis=0)
    out: Path = tmp_path_factory.mktemp("order") / "release"
    us.publish(
        pd.DataFrame({"low": low, "high": high, "sex": rng.choice(["F", "M"], 900)}),
        schema=SCHEMA, epsilon=1, seed=1, out=out,
    )  # fmt: skip
    return us.load(out / "model.understudy")


@pytest.mark.parametrize("question", ["sex", "mean(low)", "count()", "share(sex=F)"])
def test_conditions_that_no_row_keeps_within_one_bin_are_refused(model: us.PublishedModel, question: str) -> None:
    with pytest.raises(OptionError, match="never to be larger"):
        model.query(f"{question} | low=20, high=10")
    model.query(f"{question} | low=10, high=10")


def test_that_bins_do_not_tell_of_the_order_inside_is_said(model: us.PublishedModel) -> None:
    assert any("known bin by bin" in note for note in model.query("mean(low) | high<10").notes)
    assert not any("known bin by bin" in note for note in model.query("mean(low) | sex=F").notes)
