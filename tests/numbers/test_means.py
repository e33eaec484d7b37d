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
from understudy.numbers._mean import PARTS, Distances, MeanQueries, ask_means, factors, tilted
from understudy.privacy import Neighbours, NoiseLevel, NoisyAnswers, NoisyLinear, make_budget, make_noise, open_curator
from understudy.schema import Attribute, Axis, Domain, Schema
from understudy.tables import read_table

FILLED = [np.array(held) for held in ([1.0, 0, 2, 1, 0], [0.0, 3, 0, 0, 0], [0.0, 0, 1, 1, 0], [0.0] * 5)]
DOMAIN = Domain((Attribute(name="x", size=6),))  # five cells and a code for missing values
MIDDLES = np.array([0.0, 1, 3, 10, 11])
BINS = [np.array(bin_of) for bin_of in ([0, 0, 0, 0, 0], [0, 0, 1, 1, 1], [0, 1, 2, 3, 4])]


def queries(masses: np.ndarray[Any, Any], bin_of: np.ndarray[Any, Any], deviation: float, most: int) -> MeanQueries:
    """What is asked of a column with such a histogram."""
    return MeanQueries.of(DOMAIN, Axis(0), Distances.of(MIDDLES, masses, np.ones(5), bin_of, deviation), most)


def moved(asked: MeanQueries, one: int | None, other: int | None) -> np.ndarray[Any, Any]:
    """What the sums move by if a row of one code becomes a row of the other; None is no row."""
    weights = asked.queries.by_cell.astype(np.int64)
    none = np.zeros(len(weights), dtype=np.int64)
    return (none if one is None else weights[:, one]) - (none if other is None else weights[:, other])


@pytest.mark.parametrize("masses", FILLED)
@pytest.mark.parametrize("bin_of", BINS)
@pytest.mark.parametrize("most", [PARTS, 700])
@pytest.mark.parametrize("neighbours", list(Neighbours))
@pytest.mark.parametrize("delta", [None, "1e-9"])
@pytest.mark.parametrize("deviation", [0.0, 0.4])
def test_no_row_moves_the_sums_by_more_than_is_charged_for(
    masses: np.ndarray[Any, Any],
    bin_of: np.ndarray[Any, Any],
    most: int,
    neighbours: Neighbours,
    delta: str | None,
    deviation: float,
) -> None:
    """All neighbours of one row, exhaustively; where rows come and go, both sums cost what one alone would."""
    asked, replaced = queries(masses, bin_of, deviation, most), neighbours is Neighbours.REPLACE_ONE
    codes: list[int | None] = list(range(6))
    pairs = product(codes, codes) if replaced else product(codes, [None])
    moves = [moved(asked, one, other) / most for one, other in pairs]
    norm = max(float((move**2).sum()) for move in moves) if delta else max(float(np.abs(move).sum()) for move in moves)
    if not masses.any():  # no bin can be tilted, so nothing is asked
        assert norm == 0
        return
    priced = priced_at(asked, neighbours, delta) * (PARTS / most) ** (2 if delta else 1)
    assert norm <= priced + 1e-12
    assert priced == pytest.approx(2.0 if replaced else 1.0)
    if not replaced:
        assert norm == pytest.approx(1.0)


def priced_at(asked: MeanQueries, neighbours: Neighbours, delta: str | None) -> float:
    """The sensitivity that the curator charges for."""
    schema = Schema.from_dict({"fields": [{"name": "x", "categories": [*"012345"]}]})
    table = read_table(pd.DataFrame({"x": [0]}), schema)
    curator = open_curator(open_counter(table), budget=make_budget(1, delta), neighbours=neighbours)
    curator.ask(NoisyLinear(queries=[asked.queries]), share=Fraction(1, 2))
    return float(curator.charges[-1].sensitivity)


def test_both_weights_of_a_cell_add_up_to_the_factor_unless_its_bin_is_empty() -> None:
    """A twin that asks for both ends with full weight would move by more than one: the check above sees it."""
    asked = queries(FILLED[2], BINS[1], 0.0, 700)
    assert asked.queries.by_cell.astype(np.int64).sum(axis=0).tolist() == [0, 0, 700, 700, 700, 0]


def test_what_noise_may_explain_is_left_out() -> None:
    """Of a difference of 1.25 deviations of its noise 36 % count, and none of a smaller one."""
    asked, masses = queries(FILLED[0], BINS[0], 0.0, PARTS), FILLED[0]
    place = float(masses @ asked.place / masses.sum())
    rows, noise = 100.0, np.hypot(place, 1 - place)

    def found(off: float, deviation: float) -> float:
        values = [rows * place + off, rows * (1 - place) - off]
        return asked.moved(values, deviation / noise, masses)

    assert found(5.0, 0.0) == pytest.approx(0.05)
    assert found(5.0, 4.0) == pytest.approx(0.36 * 0.05)
    assert found(-5.0, 6.0) == 0


def test_rows_counted_in_parts_move_the_mean_as_whole_ones_do() -> None:
    asked, masses = queries(FILLED[0], BINS[0], 0.0, PARTS), FILLED[0]
    noise = [NoiseLevel(kind="knorm", scale=Fraction(variance)) for variance in (1, 16)]
    whole = NoisyAnswers(values=np.array([30.0, 70.0]), noise=noise[0], grid=1)
    parts = NoisyAnswers(values=np.array([120.0, 280.0]), noise=noise[1], grid=1)
    assert ask_means([asked], whole, [masses]) == ask_means([asked], parts, [masses], parts=4) != [0.0]


@pytest.mark.parametrize("pure", [True, False])
def test_factors_make_the_sum_of_errors_least(pure: bool) -> None:
    """No other factors of the same cost do better."""
    widths = np.array([3.0, 1.0, 0.2])
    power = 1 if pure else 2

    def errors(each: np.ndarray[Any, Any]) -> float:
        return float((widths / each).sum() * (each**power).sum() ** (1 / power))

    found = np.array(factors(widths.tolist(), pure=pure), dtype=float)
    others = np.random.default_rng(1).uniform(0.7, 1.4, (200, 3))
    assert all(errors(found) <= errors(found * other) * (1 + 1e-5) for other in others)


def test_without_noise_the_mean_is_found_whatever_a_bin_holds() -> None:
    """The histogram has the wrong number of rows, and bins with too many; inside them rows lie higher than it has."""
    bin_of, middles = np.array([0, 0, 1, 1]), np.array([0.0, 10, 20, 40])
    rows, masses = np.array([10.0, 30, 60, 20]), np.array([50.0, 50, 40, 0.5])
    distances = Distances.of(middles, masses, np.ones(4), bin_of, 0.0)
    asked = MeanQueries.of(Domain((Attribute(name="x", size=4),)), Axis(0), distances, 512)
    weights = asked.queries.by_cell / 512
    off = asked.moved((weights @ rows).tolist(), 0.0, masses)
    after = tilted(masses, asked.place, off, [0, 1, 2, 3], bin_of)
    assert np.bincount(bin_of, weights=after) == pytest.approx(np.bincount(bin_of, weights=masses))
    means = np.bincount(bin_of, weights=masses * middles) / np.bincount(bin_of, weights=masses)
    true = rows @ (middles - means[bin_of]) / rows.sum()
    assert masses.sum() * true == pytest.approx(after @ (middles - means[bin_of]), rel=0.05)


@given(
    st.lists(st.just(0.0) | st.floats(1e-6, 100), min_size=2, max_size=30).filter(any),
    st.floats(-1, 1),
    st.integers(1, 30),
)
def test_a_tilt_keeps_every_bin_and_moves_the_mean_the_right_way(masses: list[float], move: float, size: int) -> None:
    held, place = np.array(masses), np.linspace(0, 1, len(masses))
    bin_of = np.arange(len(masses)) // size
    found = tilted(held, place, move, list(range(len(masses))), bin_of)
    assert np.bincount(bin_of, weights=found) == pytest.approx(np.bincount(bin_of, weights=held), rel=1e-6)
    assert ((found > 0) <= (held > 0)).all()
    ends = [(place[own].min(), place[own].max(), held[own].sum()) for own in filled_bins(held, bin_of)]
    low, high = (sum(mass * one[end] for *one, mass in ends) / held.sum() for end in (0, 1))
    before, after = held @ place / held.sum(), found @ place / found.sum()
    if move and high - low > 1e-6:
        wanted = np.clip(before + move, low + 1e-3 * (high - low), high - 1e-3 * (high - low))
        assert after == pytest.approx(wanted, abs=1e-3)


def filled_bins(held: np.ndarray[Any, Any], bin_of: np.ndarray[Any, Any]) -> list[np.ndarray[Any, Any]]:
    """The filled cells of each bin that has any."""
    each = [np.flatnonzero((bin_of == b) & (held > 0)) for b in range(bin_of[-1] + 1)]
    return [own for own in each if len(own)]


@pytest.mark.parametrize("moved", [0.0, 0.3, -0.3])
def test_next_to_nothing_is_left_as_it_is(moved: float) -> None:
    found = tilted(np.array([1.0, 5e-324, 1.0]), np.array([0.0, 0.5, 1.0]), moved, [0, 1, 2], np.array([0, 0, 0]))
    assert found[1] == 5e-324
    assert found @ [0.0, 0.5, 1.0] == pytest.approx(1 + 2 * moved)


def test_where_nothing_is_seen_nothing_is_asked() -> None:
    bins = {"edges": [0, 1000, 2000], "closed": "left", "inside": "auto"}
    field = {"name": "x", "type": "integer", "constraints": {"minimum": 0, "maximum": 2000}, "bins": bins}
    found, curator = asked_of([5], 1, field=field, budget=make_budget("0.001", "1e-9"))
    assert [charge.what for charge in curator.charges] == ["numbers, value by value"] * 2 + ["numbers, how round"]
    assert found.schema["x"].bins.shape.shares == (0.0, 0.0)


def test_bins_without_a_shape_do_not_bend_the_others() -> None:
    """Far out every thousandth value has some rows, too few for a shape; the first bin is even, and stays so."""
    values = np.concatenate([np.arange(1_500) * 2 // 3, 1_000 * (1 + np.arange(1_500) % 29)])
    bins = {"edges": list(range(0, 30_001, 1_000)), "closed": "left", "inside": "auto"}
    field = {"name": "x", "type": "integer", "constraints": {"minimum": 0, "maximum": 30_000}, "bins": bins}
    means = []
    for seed in range(8):
        found, _ = asked_of(values.tolist(), 1, field=field, seed=seed, budget=make_budget(1, "1e-9"))
        starts, stops, ends = found.schema["x"].bins.pieces
        inside = ends <= 1
        means.append(np.diff(ends[inside], prepend=0.0) @ (starts + stops)[inside] / 2)
    assert np.mean(means) == pytest.approx(500, abs=60)


def test_a_bin_that_is_even_leans_to_the_side_where_its_rows_are() -> None:
    """All rows lie at the beginning of wide bins, in a grid too coarse to tell."""
    values = np.repeat(5_000 * np.arange(1, 21), 1_000)
    field = {"name": "x", "type": "integer", "constraints": {"minimum": 0, "maximum": 200_000}}
    found, _ = asked_of(values.tolist(), 1, field=field, budget=make_budget(1, "1e-9"))
    bins = found.schema["x"].bins
    starts, stops, ends = bins.pieces
    rows = np.bincount(np.searchsorted(bins.grid[0], values, side="right") - 1, minlength=bins.count)
    bin_of = np.searchsorted(bins.grid[0], starts, side="right") - 1
    mean = (np.diff(ends, prepend=0.0) * rows[bin_of]) @ (starts + stops) / 2 / len(values)
    assert mean == pytest.approx(values.mean(), rel=0.02)


RANGED = {"name": "x", "type": "integer", "constraints": {"minimum": 0, "maximum": 1000}}


def asked_of(values: list[int], n_times: int, *, field: Any = RANGED, seed: int = 2, **options: Any) -> tuple[Any, Any]:
    schema = Schema.from_dict({"fields": [field]})
    table = pd.DataFrame({"x": np.repeat(values, n_times)})
    counter = open_counter(read_table(table, fine_schema(schema)))
    curator = open_curator(counter, noise=make_noise(seed=seed), **options)
    return resolve_numbers(curator, schema, share=Fraction(1, 10)), curator


@pytest.mark.parametrize("neighbours", list(Neighbours))
@pytest.mark.parametrize("n_times", [500, 20_000])
def test_rows_are_looked_at_twice(neighbours: Neighbours, n_times: int) -> None:
    found, curator = asked_of([1, 2, 30], n_times, budget=make_budget(1, "1e-9"), neighbours=neighbours)
    told = [charge.what for charge in curator.charges]
    assert told == ["numbers, value by value"] * 2 + ["numbers, how round", "numbers, means"]
    assert found.share == sum(charge.share for charge in curator.charges) == Fraction(1, 10)


def test_without_a_delta_there_is_one_look() -> None:
    found, curator = asked_of([1, 2, 30], 500, budget=make_budget(1))
    told = [charge.what for charge in curator.charges]
    assert told == ["numbers, value by value", "numbers, how round", "numbers, means"]
    assert found.share == Fraction(1, 10)
