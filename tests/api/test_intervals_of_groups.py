"""Intervals of figures under a condition, where the pair was measured: they hold the real rows' figures."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import understudy as us

JOBS = ["farm", "shop", "office"]
SEEDS = 8
SCHEMA = {
    "name": "people",
    "fields": [
        {"name": "income", "type": "integer", "bins": "auto", "constraints": {"minimum": 0, "maximum": 200_000}},
        {"name": "job", "type": "string", "categories": JOBS},
    ],
}


def people() -> pd.DataFrame:
    """A sixth of them are farmers with small incomes, and hardly any of those with large ones."""
    rng = np.random.default_rng(77)
    job = rng.choice(3, 6000, p=[0.15, 0.35, 0.5])
    income = rng.lognormal(np.array([6.0, 7.0, 7.6])[job], 0.8).astype(int)
    return pd.DataFrame({"income": income.clip(0, 200_000), "job": np.array(JOBS)[job]})


@pytest.mark.slow
def test_intervals_of_a_small_group_hold_its_mean_and_shares() -> None:
    """Noise in cells where a group has no rows moves its figures upwards only; intervals reckon with it."""
    rows = people()
    own = rows[rows["job"] == "farm"]["income"]
    truths = {
        "mean(income)": own.mean(),
        "sum(income)": own.sum(),
        "share(income > 1000)": (own > 1000).mean(),
        "quantile(income, 0.9)": own.quantile(0.9),
    }
    held, widths = [], []
    for seed in range(SEEDS):
        answer = us.Adaptive(epsilon=0.3, seed=seed).fit(rows, SCHEMA).query(f"{', '.join(truths)} | job=farm")
        assert not any("never measured" in note for note in answer.notes)
        held += [answer[name].low <= truth <= answer[name].high for name, truth in truths.items()]
        widths.append((answer["mean(income)"].high - answer["mean(income)"].low) / own.mean())
    assert np.mean(held) >= 0.85
    assert np.median(widths) < 1, "and say something all the same"
