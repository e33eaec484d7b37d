"""Columns that show a single value alone: what is asked once more, what it costs, and that the other rows come back."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.counting import open_counter
from understudy.numbers import fine_schema, numbers_share, resolve_numbers
from understudy.numbers._beyond import Rings, lone_spike
from understudy.privacy import LinearQueries, Neighbours, NoisyLinear, make_budget, make_noise, open_curator
from understudy.schema import Attribute, Axis, Domain, Marginal, Schema
from understudy.tables import Table, read_table

LARGEST = 100_000


def people(seed: int, n: int = 6_000) -> pd.DataFrame:
    """Eight columns, two of them with next to nothing but zeros."""
    rng = np.random.default_rng(seed)
    gains = np.clip(rng.lognormal(np.log(8_000), 1, n), 1, LARGEST - 1).astype(int)
    losses = np.clip(rng.normal(1_900, 300, n), 1, 4_500).astype(int)
    others = {f"x{i}": rng.integers(0, 1_000, n) for i in range(6)}
    return pd.DataFrame(
        {"gain": np.where(rng.random(n) < 0.92, 0, gains), "loss": np.where(rng.random(n) < 0.95, 0, losses), **others}
    )


def ranges(largest: dict[str, int]) -> Schema:
    return Schema.from_dict(
        {
            "fields": [
                {"name": name, "type": "integer", "constraints": {"minimum": 0, "maximum": most}}
                for name, most in largest.items()
            ]
        }
    )


SCHEMA = ranges({"gain": LARGEST, "loss": 5_000, **{f"x{i}": 999 for i in range(6)}})


def resolved(frame: pd.DataFrame, schema: Schema, seed: int, **options: Any) -> tuple[Any, Any]:
    counter = open_counter(read_table(frame, fine_schema(schema)))
    curator = open_curator(counter, noise=make_noise(seed=seed), **{"budget": make_budget(1, "1e-9"), **options})
    return resolve_numbers(curator, schema, share=numbers_share(schema)), curator


def figures(schema: Schema, name: str) -> tuple[float, float]:
    """Mean and deviation of what was found of a column."""
    bins = schema[name].bins
    assert bins is not None
    assert bins.shape is not None
    starts, stops, _ = bins.pieces
    middles, masses = (starts + stops) / 2, np.array(bins.shape.shares)
    mean = masses @ middles / masses.sum()
    return float(mean), float((masses @ (middles - mean) ** 2 / masses.sum()) ** 0.5)


@pytest.mark.parametrize("neighbours", list(Neighbours))
@pytest.mark.parametrize("delta", [None, "1e-9"])
@pytest.mark.parametrize("spike", [0, 3, 29])
def test_no_row_moves_the_counts_by_more_than_is_charged_for(
    neighbours: Neighbours, delta: str | None, spike: int
) -> None:
    """All neighbours of one row, exhaustively: special and missing values are in no ring."""
    domain = Domain((Attribute(name="x", size=32),))  # 30 cells, a special value and missing ones
    asked = Rings.around(spike, np.arange(30), np.ones(30)).queries(domain, Axis(0))
    weights = [*asked.by_cell.astype(np.int64).T, np.zeros(len(asked), dtype=np.int64)]  # the last one is no row
    pairs = product(weights, weights) if neighbours is Neighbours.REPLACE_ONE else product(weights, weights[-1:])
    moves = [one - other for one, other in pairs]
    norm = max(int((move**2).sum() if delta else np.abs(move).sum()) for move in moves)
    cell = LinearQueries.dense(Marginal.of(0), domain, np.eye(1, 32, dtype=np.uint32), 1)
    noises = []
    for queries in (asked, cell):
        counter = open_counter(Table(domain, (np.array([1, 2]),)))
        curator = open_curator(counter, budget=make_budget(1, delta), noise=make_noise(seed=1), neighbours=neighbours)
        noises.append(curator.ask(NoisyLinear(queries=[queries]), share=Fraction(1, 2)).noise.scale)
    assert norm * noises[1] <= noises[0] < norm * noises[1] * Fraction(1001, 1000)  # rounded up, if at all


@given(st.integers(0, 60), st.lists(st.integers(1, 500), min_size=25, max_size=80))
def test_every_cell_is_in_one_ring_and_rings_are_filled_to_the_last_row(spike: int, widths: list[int]) -> None:
    sizes = np.array(widths, dtype=np.float64)
    spike %= len(widths)
    sizes[spike] = 1
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64) - 1_000
    rings = Rings.around(spike, starts, sizes)
    assert (np.diff(rings.of) >= 0).all()
    assert np.unique(rings.of).tolist() == list(range(rings.of.max() + 1))
    assert (rings.of == rings.of[spike]).sum() == 1
    for part in (rings.inner, rings.outermost):
        assert np.bincount(rings.of, weights=part) == pytest.approx(1.0)
    counts = np.full(rings.of.max() + 1, 10.0)
    masses = rings.masses(counts, 1.0, (counts.sum(), 1e-9))
    assert masses is not None
    assert np.bincount(rings.of, weights=masses) == pytest.approx(10.0)


def test_noise_in_far_rings_is_not_taken_for_rows() -> None:
    """Of rings around 0 up to 4¹⁰ with no row in any, hardly one in a hundred columns gets some."""
    starts = np.unique(np.geomspace(1, 4**10, 400).astype(np.int64))
    starts = np.concatenate([[0], starts])
    rings = Rings.around(0, starts, np.diff(starts, append=starts[-1] + 1).astype(np.float64))
    rng, found = np.random.default_rng(3), 0
    for _ in range(2_000):
        counts = rng.normal(0, 40, rings.of.max() + 1)
        counts[0] += 5_000
        found += rings.masses(counts, 1_600.0, (5_000.0, 1_600.0)) is not None
    assert found <= 20


def test_columns_that_show_more_are_not_asked_again() -> None:
    rng = np.random.default_rng(1)
    widths, even = np.ones(1_000), np.full(1_000, 6.0)
    assert lone_spike(even, widths, 50.0) is None
    assert lone_spike(np.append(3_000.0, even[1:]), widths, 50.0) is None
    assert lone_spike(np.append(3_000.0, 0 * even[1:]), widths, 50.0) == 0
    assert lone_spike(np.append(3_000.0, 0 * even[1:20]), widths[:20], 50.0) is None  # each value has a bin of its own
    frame = pd.DataFrame({"x": rng.integers(0, 1_000, 6_000), "y": rng.integers(0, 1_000, 6_000)})
    found, curator = resolved(frame, ranges({"x": 999, "y": 999}), 1)
    assert found.share == Fraction(1, 10)
    assert "numbers, beyond a spike" not in [charge.what for charge in curator.charges]


@pytest.mark.parametrize("neighbours", list(Neighbours))
@pytest.mark.parametrize("delta", [None, "1e-9"])
def test_what_is_asked_once_more_is_charged_and_told(neighbours: Neighbours, delta: str | None) -> None:
    frame = people(0, 20_000)
    frame["loss"] = 0
    found, curator = resolved(frame, SCHEMA, 0, neighbours=neighbours, budget=make_budget(1, delta))
    told = {charge.what: charge.share for charge in curator.charges}
    assert told["numbers, beyond a spike"] == Fraction(1, 20)
    assert found.share == sum(charge.share for charge in curator.charges) == Fraction(3, 20)
    curator.part(1 - found.share, what="the method")  # all that is left, and no more


def test_few_large_values_beside_a_spike_are_drawn_where_they_lie() -> None:
    """Without the rings all of them came out next to 0: both means were off by a fifth of a deviation, in every run."""
    off: dict[str, list[float]] = {"gain": [], "loss": []}
    spreads: dict[str, list[float]] = {"gain": [], "loss": []}
    for seed in range(8):
        frame = people(seed)
        found, _ = resolved(frame, SCHEMA, seed)
        for name, errors in off.items():
            mean, deviation = figures(found.schema, name)
            errors.append(abs(mean - frame[name].mean()) / frame[name].std())
            spreads[name].append(deviation / frame[name].std())
    assert np.mean(off["gain"]) < 0.12
    assert np.mean(off["loss"]) < 0.12
    for name, ratios in spreads.items():  # one run in ten loses the farthest ring
        assert 0.5 < np.median(ratios) < 1.5, name
        assert sum(not 0.3 < ratio < 3 for ratio in ratios) <= 2, name


def test_a_spike_inside_a_range_has_rows_on_both_sides() -> None:
    """Balances of 0 but for one in ten, as often debts as savings."""
    rng = np.random.default_rng(5)
    frame = people(5).drop(columns=["gain", "loss"])
    signs = rng.choice([-1, 1], len(frame))
    frame["balance"] = np.where(rng.random(len(frame)) < 0.9, 0, signs * rng.lognormal(np.log(3_000), 0.5, len(frame)))
    frame["balance"] = frame["balance"].astype(int)
    schema = ranges({f"x{i}": 999 for i in range(6)}).to_dict()
    limits = {"minimum": -50_000, "maximum": 50_000}
    schema["fields"].append({"name": "balance", "type": "integer", "constraints": limits})
    found, _ = resolved(frame, Schema.from_dict(schema), 6)
    bins = found.schema["balance"].bins
    assert bins is not None
    assert bins.shape is not None
    starts, shares = np.array(bins.shape.starts), np.array(bins.shape.shares)
    assert shares[starts <= -256].sum() / shares.sum() == pytest.approx(0.05, abs=0.03)
    assert shares[starts >= 256].sum() / shares.sum() == pytest.approx(0.05, abs=0.03)
