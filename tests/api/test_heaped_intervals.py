"""Where people round, a value that noise hid may hold many rows: intervals reckon with it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

import understudy as us

FIELDS = [
    {"name": "age", "type": "number", "decimals": 1, "constraints": {"minimum": 0, "maximum": 110}},
    {"name": "sex", "categories": ["F", "M"]},
]


def test_intervals_of_single_values_reach_what_noise_hides_of_heaps(tmp_path: Path) -> None:
    """Nine in ten ages are whole years, fewer of them from year to year: the first stand out, and later ones do not."""
    rng = np.random.default_rng(11)
    years = np.minimum(rng.geometric(0.06, 12_000) - 1, 60)
    ages = np.where(rng.random(12_000) < 0.9, years, years + rng.integers(0, 10, 12_000) / 10).round(1)
    table = pd.DataFrame({"age": ages, "sex": rng.choice(["F", "M"], 12_000)})
    held, asked = 0, 0
    for seed in range(3):
        us.publish(table, schema={"fields": FIELDS}, epsilon="1/2", seed=seed, out=tmp_path / str(seed))
        model = us.load(tmp_path / str(seed) / "model.understudy")
        for age in range(8, 20, 2):
            answer = model.query(f"share(age={age})")
            held += answer.low <= (ages == age).mean() <= answer.high
            asked += 1
    assert held >= 0.8 * asked
