"""What a release says of columns that noise outweighs: told by what was paid for, never by the real rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import understudy as us
from understudy.models import columns_off
from understudy.release import Statement

N = 4000
SCHEMA: dict[str, Any] = {
    "name": "visits",
    "fields": [
        {"name": "sex", "categories": ["f", "m"]},
        {"name": "code", "categories": [str(i) for i in range(100, 300)]},
        {"name": "cost", "type": "number", "constraints": {"minimum": 0, "maximum": 1_000_000}},
        {"name": "even", "type": "integer", "constraints": {"minimum": 0, "maximum": 999}},
    ],
}


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    rng = np.random.default_rng(3)
    return pd.DataFrame(
        {
            "sex": rng.choice(["f", "m"], N, p=[0.3, 0.7]),
            "code": (100 + 200 * rng.random(N) ** 3).astype(int).astype(str),
            "cost": np.minimum(rng.lognormal(7.5, 1.0, N), 1_000_000).round(2),
            "even": rng.integers(0, 1000, N),
        }
    )


def published(table: pd.DataFrame, epsilon: float, out: Path, **options: Any) -> us.Release:
    return us.publish(table, schema=SCHEMA, epsilon=epsilon, out=out, seed=5, **options)


def test_columns_that_are_noise_are_named_wherever_one_looks(table: pd.DataFrame, tmp_path: Path) -> None:
    release = published(table, 0.02, tmp_path / "release")
    noisy = release.statement.noisy_columns
    assert {"code", "cost", "even"} <= set(noisy)
    [warning] = [text for text in release.statement.warnings if "'code'" in text]
    assert "'cost'" in warning
    assert warning in (release.path / "PRIVACY.md").read_text(encoding="utf-8")
    page = (release.path / "README.md").read_text(encoding="utf-8")
    assert "first answers on single columns:" not in page
    assert f"quantiles of {', '.join(noisy)}: noise" in page or "quantiles of all columns: noise" in page
    assert Statement.from_dict(release.statement.to_dict()).noisy_columns == noisy


def test_stretches_that_noise_made_are_no_knowledge(table: pd.DataFrame, tmp_path: Path) -> None:
    """However many there are: what each holds is within its noise. One run in twenty has a single large one."""
    named: list[str] = []
    for seed in range(8):
        release = us.publish(table, schema=SCHEMA, epsilon=0.01, out=tmp_path / str(seed), seed=seed)
        named += release.statement.noisy_columns
    assert min(named.count("cost"), named.count("even")) >= 6


@pytest.mark.parametrize("method", ["auto", "privbayes", "independent"])
def test_columns_that_came_out_well_are_not(table: pd.DataFrame, tmp_path: Path, method: str) -> None:
    """Nothing stands out in an even column either, but there noise is small enough to know."""
    release = published(table, 20, tmp_path / "release", method=method)
    assert release.statement.noisy_columns == ()
    assert "noisy_columns" not in release.statement.to_dict()
    page = (release.path / "README.md").read_text(encoding="utf-8")
    assert "- first answers on single columns: shares" in page


@pytest.mark.parametrize("epsilon", [0.05, 0.5])
def test_what_is_foretold_of_a_column_is_about_what_became_of_it(
    table: pd.DataFrame, tmp_path: Path, epsilon: float
) -> None:
    release = published(table, epsilon, tmp_path / "release")
    foretold = columns_off(release.model.model)[1]
    rows = release.model.sample(seed=1)
    real, drawn = (one["code"].astype(str).value_counts(normalize=True) for one in (table, rows))
    off = real.sub(drawn, fill_value=0).abs().sum() / 2
    assert foretold is not None
    assert 0.5 * foretold < off < 2 * foretold
