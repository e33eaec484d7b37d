"""Means that are measured by themselves: what one row moves, how often rows are looked at, how histograms follow."""

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
from understudy.numbers import fine_schema, resolve_numbers
from understudy.numbers._mean import PARTS, MeanQueries, tilted
from understudy.privacy import Neighbours, NoisyLinear, make_budget, make_noise, open_curator
from understudy.schema import Attribute, Domain, Schema
from understudy.tables import read_table

FILLED = [np.array(held) for held in ([1.0, 0, 2, 1, 0], [0.0, 3, 0, 0, 0], [0.0, 0, 1, 1, 0], [0.0] * 5)]
DOMAIN = Domain((Attribute(name="x", size=6),))  # five cells and a code for missing values
PLACES = np.array([0.0, 1, 3, 10, 11])


def moved(asked: MeanQueries, one: int | None, other: int | None) -> np.ndarray[Any, Any]:
    """What the sums move by if a row of one code becomes a row of the other; None is no row."""
    weights = asked.queries.by_cell.astype(np.int64)
    none = np.zeros(len(weights), dtype=np.int64)
    return (none if one is None else weights[:, one]) - (none if other is None else weights[:, other])


@pytest.mark.parametrize("masses", FILLED)
@pytest.mark.parametrize("neighbours", list(Neighbours))
@pytest.mark.parametrize("delta", [None, "1e-9"])
@pytest.mark.parametrize("deviation", [0.0, 0.4])
def test_no_row_moves_the_sums_by_more_than_is_charged_for(
    masses: np.ndarray[Any, Any], neighbours: Neighbours, delta: str | None, deviation: float
) -> None:
    """All neighbours of one row, exhaustively; the bound is reached, and one sum alone would have cost as much."""
    both = neighbours.cells_of_row == 1
    asked = MeanQueries.of(DOMAIN, 0, PLACES, masses, deviation, both=both)
    codes: list[int | None] = list(range(6))
    pairs = product(codes, codes) if neighbours is Neighbours.REPLACE_ONE else product(codes, [None])
    moves = [moved(asked, one, other) / PARTS for one, other in pairs]
    table = read_table(
        pd.DataFrame({"x": [0]}), Schema.from_dict({"fields": [{"name": "x", "categories": [*"012345"]}]})
    )
    curator = open_curator(open_counter(table), budget=make_budget(1, delta), neighbours=neighbours)
    curator.ask(NoisyLinear(queries=[asked.queries]), share=Fraction(1, 2))
    norm = max(float((move**2).sum()) for move in moves) if delta else max(float(np.abs(move).sum()) for move in moves)
    priced = float(curator.charges[-1].sensitivity)
    assert norm <= priced + 1e-12
    assert norm == pytest.approx(1.0) if masses.any() else norm <= 1
    assert priced == pytest.approx(1.0)


def test_weights_that_do_not_add_up_to_one_would_be_caught() -> None:
    """A twin that asks for both ends with full weight moves by more than one: the check above sees it."""
    asked = MeanQueries.of(DOMAIN, 0, PLACES, FILLED[0], 0.0, both=True)
    weights = asked.queries.by_cell.astype(np.int64)
    assert (weights[:, :5].sum(axis=0) == PARTS).all()
    broken = np.vstack([weights[0], np.full(6, PARTS)])
    assert ((broken / PARTS) ** 2).sum(axis=0).max() > 1


@given(
    st.lists(st.floats(0, 100), min_size=2, max_size=30).filter(lambda masses: sum(masses) > 0),
    st.floats(-50, 50),
)
def test_a_tilt_keeps_the_total_and_moves_the_mean_the_right_way(masses: list[float], move: float) -> None:
    held, place = np.array(masses), np.linspace(0, 1, len(masses))
    found = tilted(held, place, move, list(range(len(masses))))
    assert found.sum() == pytest.approx(held.sum(), rel=1e-6)
    assert ((found > 0) <= (held > 0)).all()
    before, after = held @ place / held.sum(), found @ place / found.sum()
    low, high = place[held > 0].min(), place[held > 0].max()
    if move and high > low:
        wanted = np.clip(before + move / held.sum(), low + 1e-3 * (high - low), high - 1e-3 * (high - low))
        assert after == pytest.approx(wanted, abs=1e-3)


def asked_of(values: list[int], n_times: int, **options: Any) -> tuple[Any, Any]:
    field = {"name": "x", "type": "integer", "constraints": {"minimum": 0, "maximum": 1000}}
    schema = Schema.from_dict({"fields": [field]})
    table = pd.DataFrame({"x": np.repeat(values, n_times)})
    counter = open_counter(read_table(table, fine_schema(schema)))
    curator = open_curator(counter, noise=make_noise(seed=2), **options)
    return resolve_numbers(curator, schema, share=Fraction(1, 10)), curator


@pytest.mark.parametrize("neighbours", list(Neighbours))
@pytest.mark.parametrize("n_times", [500, 20_000])
def test_rows_are_looked_at_twice(neighbours: Neighbours, n_times: int) -> None:
    found, curator = asked_of([1, 2, 30], n_times, budget=make_budget(1, "1e-9"), neighbours=neighbours)
    told = [charge.what for charge in curator.charges]
    assert told == ["numbers, value by value"] * 2 + ["numbers, means"]
    assert found.share == sum(charge.share for charge in curator.charges) == Fraction(1, 10)


def test_without_a_delta_there_is_one_look() -> None:
    found, curator = asked_of([1, 2, 30], 500, budget=make_budget(1))
    assert len(curator.charges) == 2
    assert found.share == Fraction(1, 10)
