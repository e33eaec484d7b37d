"""How many rows a column has, by what other columns have: rows beside a spike do not vanish in the noise of one."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from understudy.counting import open_counter
from understudy.numbers import fine_schema, numbers_share, resolve_numbers
from understudy.numbers._levels import Look
from understudy.numbers._totals import rows_in_range
from understudy.privacy import Neighbours, make_budget, make_noise, open_curator
from understudy.schema import Axis, Schema
from understudy.tables import read_table


def test_totals_are_as_far_off_as_they_say() -> None:
    """Of 40 columns of one table, each with its own missing rows and three levels, over 200 draws of the noise."""
    rng, sizes, variances = np.random.default_rng(5), (8, 32, 128), (30.0, 50.0, 90.0)
    missing = rng.integers(0, 50, 40)
    off, said = [], []
    for _ in range(200):
        columns = []
        for n in missing:
            exact = [np.append(np.full(size, (1000 - n) / size), n) for size in sizes]
            noisy = [
                each + rng.normal(0, variance**0.5, len(each)) for each, variance in zip(exact, variances, strict=True)
            ]
            columns.append([Look(Axis(0, 0), each, variance) for each, variance in zip(noisy, variances, strict=True)])
        found = np.array(rows_in_range(columns, [1] * 40))
        off.append(found[:, 0] - (1000 - missing))
        said.append(found[:, 1])
    assert np.mean(off) == pytest.approx(0, abs=1)
    assert np.var(off) == pytest.approx(np.mean(said), rel=0.1)


@pytest.mark.parametrize("seed", range(4))
def test_rows_spread_over_the_range_beside_a_spike_at_its_end_stay(seed: int) -> None:
    """A test that counts to 45 and stops: few rows in each of many cells, one in seventeen in all."""
    rng = np.random.default_rng(7)
    frame = pd.DataFrame({f"x{i}": rng.integers(0, 1000, 15_000) for i in range(5)})
    frame["cycles"] = np.where(rng.random(15_000) < 0.06, rng.uniform(14, 44, 15_000).round(2), 45.0)
    fields = [{"name": f"x{i}", "type": "integer", "constraints": {"minimum": 0, "maximum": 999}} for i in range(5)]
    fields.append({"name": "cycles", "type": "number", "decimals": 2, "constraints": {"minimum": 0, "maximum": 45}})
    schema = Schema.from_dict({"fields": fields})
    curator = open_curator(
        open_counter(read_table(frame, fine_schema(schema))),
        budget=make_budget(1, "1e-9"),
        noise=make_noise(seed=seed),
        neighbours=Neighbours.ADD_REMOVE,
    )
    bins = resolve_numbers(curator, schema, share=numbers_share(schema)).schema["cycles"].bins
    assert bins is not None
    assert bins.shape is not None
    shares = np.array(bins.shape.shares)
    below = shares[np.array(bins.shape.starts) < 4400].sum() / shares.sum()
    assert below == pytest.approx((frame["cycles"] < 44).mean(), abs=0.03)
