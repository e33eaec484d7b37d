"""Round numbers: how many rows lie at them is asked once for all of a column, and stretches of a histogram follow."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import understudy
from understudy.counting import open_counter
from understudy.numbers import fine_schema, numbers_share, resolve_numbers
from understudy.numbers._grid import Cells
from understudy.numbers._heaps import Heaps, may_have_heaps
from understudy.privacy import LinearQueries, Neighbours, NoisyLinear, make_budget, make_noise, open_curator
from understudy.schema import Attribute, Domain, Marginal, Schema
from understudy.tables import Table, read_table


def ranges(largest: dict[str, int], **more: Any) -> Schema:
    fields = [
        {"name": name, "type": "integer", "constraints": {"minimum": 0, "maximum": most}, **more}
        for name, most in largest.items()
    ]
    return Schema.from_dict({"fields": fields})


def loans(seed: int, n: int) -> pd.DataFrame:
    """Amounts that most people round, and others that nobody does."""
    rng = np.random.default_rng(seed)
    step = rng.choice([5_000, 1_000, 500, 25], n, p=[0.35, 0.4, 0.15, 0.1])
    amount = np.round(rng.gamma(2.2, 6_500, n) / step) * step
    return pd.DataFrame(
        {
            "amount": np.clip(amount, 500, 40_000).astype(int),
            "paid": np.clip(rng.lognormal(9, 1, n), 0, 1_000_000).astype(int),
        }
    )


def resolved(frame: pd.DataFrame, schema: Schema, seed: int, **options: Any) -> tuple[Any, Any]:
    counter = open_counter(read_table(frame, fine_schema(schema)))
    curator = open_curator(counter, noise=make_noise(seed=seed), **{"budget": make_budget(1, "1e-9"), **options})
    return resolve_numbers(curator, schema, share=numbers_share(schema)), curator


@pytest.mark.parametrize("neighbours", list(Neighbours))
@pytest.mark.parametrize("delta", [None, "1e-9"])
def test_no_row_moves_the_counts_by_more_than_is_charged_for(neighbours: Neighbours, delta: str | None) -> None:
    """All neighbours of one row, exhaustively: special and missing values are in none of the counts."""
    domain = Domain((Attribute(name="x", size=54),))  # 52 values, a special one and missing ones
    heaps = Heaps.among(np.arange(-1, 51), np.ones(52))
    asked = heaps.queries(domain, 0)
    assert asked.by_cell is not None
    weights = [*asked.by_cell.astype(np.int64).T, np.zeros(len(asked), dtype=np.int64)]  # the last one is no row
    assert [int(weights[code].sum()) for code in (0, 1, 2, 11, 51, 52, 53)] == [1, 1, 1, 1, 1, 0, 0]
    pairs = product(weights, weights) if neighbours is Neighbours.REPLACE_ONE else product(weights, weights[-1:])
    moves = [one - other for one, other in pairs]
    norm = max(int((move**2).sum() if delta else np.abs(move).sum()) for move in moves)
    cell = LinearQueries.dense(Marginal.of(0), domain, np.eye(1, 54, dtype=np.uint32), 1)
    noises = []
    for queries in (asked, cell):
        counter = open_counter(Table(domain, (np.array([1, 2]),)))
        curator = open_curator(counter, budget=make_budget(1, delta), noise=make_noise(seed=1), neighbours=neighbours)
        noises.append(curator.ask(NoisyLinear(queries=[queries]), share=Fraction(1, 2)).noise.scale)
    assert norm * noises[1] <= noises[0] < norm * noises[1] * Fraction(1001, 1000)  # rounded up, if at all


@pytest.mark.parametrize(("low", "high"), [(0, 100_000), (-1_000_000, 400_000), (37, 900_001), (0, 10**12)])
def test_codes_are_finer_than_cells_and_round_numbers_are_by_themselves(low: int, high: int) -> None:
    field = {"name": "x", "type": "integer", "constraints": {"minimum": low, "maximum": high}}
    made = fine_schema(Schema.from_dict({"fields": [field]}))["x"]
    assert made.bins is not None
    first, last = made.bins.grid
    cells = Cells.of_field(made)
    assert (np.diff(cells.of) >= 0).all()
    assert cells.starts.tolist() == first[np.flatnonzero(np.diff(cells.of, prepend=-1))].tolist()
    assert cells.widths.sum() == high - low + 1 == (last - first + 1).sum()
    alone = set(first[first == last].tolist())
    for start, width in zip(cells.starts.tolist(), cells.widths.astype(int).tolist(), strict=True):
        step = 10 ** (len(str(width // 10 + 1)))  # no less than a tenth of the cell
        assert all(value in alone for value in range(-(-start // step) * step, start + width, step))
    assert len(first) < 2**15


def test_days_are_not_round() -> None:
    limits = {"minimum": "1800-01-01", "maximum": "2020-12-31"}
    made = fine_schema(Schema.from_dict({"fields": [{"name": "x", "type": "date", "constraints": limits}]}))["x"]
    assert not made.cells
    assert not may_have_heaps(made)


@given(st.data())
def test_stretches_keep_their_rows_and_nothing_else_moves(data: st.DataObject) -> None:
    size = data.draw(st.integers(60, 200))
    starts = np.arange(data.draw(st.integers(-50, 50)), size)[:size]
    heaps = Heaps.among(starts, np.ones(len(starts)))
    cuts = data.draw(st.lists(st.integers(1, len(starts) - 1), max_size=12))
    stretches = np.searchsorted(sorted(set(cuts)), np.arange(len(starts)), side="right")
    per_value = np.array(data.draw(st.lists(st.integers(0, 50), min_size=20, max_size=20)), dtype=np.float64)
    masses = per_value[stretches]
    asked = heaps.rounds + len(heaps.single)
    counts = np.array(data.draw(st.lists(st.integers(-50, 5_000), min_size=asked, max_size=asked)))
    moved = heaps.moved(masses, stretches, counts.astype(np.float64), 25.0, 5.0)
    if moved is None:
        return
    assert (moved >= 0).all()
    assert np.bincount(stretches, moved) == pytest.approx(np.bincount(stretches, masses))
    alone = np.bincount(stretches)[stretches] == 1
    assert moved[alone] == pytest.approx(masses[alone])


def test_counts_without_noise_are_met() -> None:
    """Each stretch has its own density, and one value in ten has most of its rows."""
    starts = np.arange(1, 2_001)
    heaps, stretches = Heaps.among(starts, np.ones(2_000)), starts // 200
    rng = np.random.default_rng(0)
    real = np.where(starts % 10 == 0, 40.0, np.where(starts % 5 == 0, 9.0, 2.0)) * (1 + rng.random(11)[stretches])
    even = (np.bincount(stretches, real) / np.bincount(stretches))[stretches]
    counts = np.bincount(heaps.of, real)
    moved = heaps.moved(even, stretches, counts, 1.0, 1.0)
    assert moved is not None
    assert np.abs(moved - real).sum() < 0.01 * real.sum() < 0.5 * np.abs(even - real).sum()


def test_a_count_that_was_taken_as_one_with_rounder_ones_is_held_against_what_came_of_it() -> None:
    """Nobody rounds to 2,500s, which an even filling gives next to no rows; they got a tenth of all, as 1,000s did."""
    starts = np.arange(1, 15_000)
    heaps, stretches = Heaps.among(starts, np.ones(len(starts))), starts // 500
    even = np.full(len(starts), 0.1)
    real = even * 0.6
    real[starts % 1_000 == 0] += 50 * 0.4 * 2
    counts = np.bincount(heaps.of, real)
    rounded = int(heaps.of[np.flatnonzero(starts == 2_500)[0]])
    for seed in range(20):
        noisy = counts + np.random.default_rng(seed).normal(0, 40, len(counts))
        moved = heaps.moved(even, stretches, noisy, 1_600.0, 40.0)
        assert moved is not None
        assert moved[heaps.of == rounded].sum() < noisy[rounded] + 3 * 40 + 10


def test_stretches_of_next_to_nothing_keep_it() -> None:
    starts = np.arange(1, 1_001)
    heaps, stretches = Heaps.among(starts, np.ones(1_000)), starts // 100
    masses = np.where(stretches == 3, 1e-9, 10.0)
    counts = np.zeros(heaps.rounds)
    counts[-1] = masses.sum()  # as if all rows lay at the roundest values
    moved = heaps.moved(masses, stretches, counts, 1.0, 1.0)
    assert moved is not None
    assert np.bincount(stretches, moved) == pytest.approx(np.bincount(stretches, masses), rel=1e-9)


def test_0_and_the_ends_keep_what_they_hold_where_others_move() -> None:
    """0 and the ends got all rows of a stretch without round numbers: 4 % of rows at 1, where the range began."""
    starts = np.arange(-4, 3_001)
    heaps, stretches = Heaps.among(starts, np.ones(len(starts))), np.searchsorted([4, 8, 1_000], np.arange(len(starts)))
    masses = np.array([20.0, 20.0, 0.2, 0.1])[stretches]
    counts = np.zeros(heaps.rounds)
    counts[heaps.of[starts == 1_000]] = masses.sum()
    moved = heaps.moved(masses, stretches, counts, 1.0, 1.0)
    assert moved is not None
    assert moved[heaps.single].tolist() == masses[heaps.single].tolist()
    assert np.bincount(stretches, moved) == pytest.approx(np.bincount(stretches, masses))


def test_where_a_count_cannot_be_met_others_are() -> None:
    """More rows at hundreds than their stretches hold: weights drifted to their bounds, and tens were lost."""
    starts = np.arange(2_001)
    heaps, stretches = Heaps.among(starts, np.ones(2_001)), np.searchsorted([1_000, 1_040], starts)
    masses = np.array([0.5, 100.0, 0.5])[stretches]
    counts = np.bincount(heaps.of, masses)
    counts[1:] *= 4
    counts[heaps.of[100]] = counts.sum() / 2
    counts[0] = 0.0
    moved = heaps.moved(masses, stretches, counts, 100.0, 10.0)
    assert moved is not None
    assert moved[heaps.of == 0].sum() < 0.01 * moved.sum()


def test_heaps_do_not_move_the_mean_that_was_measured() -> None:
    """Heaps are the first values of stretches as a rule: means were found before rows moved there, and came out low."""
    frame, schema = loans(3, 3_000), ranges({"amount": 40_000, "paid": 1_000_000})
    moved, still = [], []
    for seed in range(16):
        moved.append(mean_in_bins(frame["amount"], resolved(frame, schema, seed)[0].schema["amount"].bins))
        with mock.patch("understudy.numbers._resolve.may_have_heaps", return_value=False):
            still.append(mean_in_bins(frame["amount"], resolved(frame, schema, seed)[0].schema["amount"].bins))
    deviation = frame["amount"].std()
    assert abs(np.mean(moved) - np.mean(still)) < 0.015 * deviation
    assert abs(np.mean(moved) - frame["amount"].mean()) < 0.04 * deviation


def mean_in_bins(values: pd.Series, bins: Any) -> float:
    """The mean of what was found, if each bin holds the real rows."""
    first, last, ends = bins.pieces
    held = np.bincount(np.searchsorted(bins.grid[0], values, side="right") - 1, minlength=bins.count)
    share = np.diff(ends, prepend=0.0) * held[np.searchsorted(bins.grid[0], first, side="right") - 1]
    return float(share @ ((first + last) / 2) / share.sum())


def test_where_nobody_rounds_hardly_anything_moves() -> None:
    """Of 300 smooth columns with the noise of counts alone, not one in a hundred is taken for rounded."""
    starts = np.arange(1, 5_001)
    heaps, stretches = Heaps.among(starts, np.ones(5_000)), starts // 500
    masses = np.exp(-stretches / 3.0) * 4
    exact = np.bincount(heaps.of, masses)
    rng = np.random.default_rng(1)
    found = [heaps.moved(masses, stretches, exact + rng.normal(0, 60, len(exact)), 3_600.0, 60.0) for _ in range(300)]
    assert sum(moved is not None for moved in found) < 3


@pytest.mark.parametrize("neighbours", list(Neighbours))
@pytest.mark.parametrize("delta", [None, "1e-9"])
def test_it_is_charged_and_told(neighbours: Neighbours, delta: str | None) -> None:
    schema = ranges({"amount": 40_000, "paid": 1_000_000})
    found, curator = resolved(loans(0, 4_000), schema, 0, neighbours=neighbours, budget=make_budget(1, delta))
    told = {charge.what: charge.share for charge in curator.charges}
    assert told["numbers, how round"] == Fraction(1, 10) / 20
    assert found.share == sum(charge.share for charge in curator.charges) == Fraction(1, 10)


def test_columns_of_few_values_and_of_dates_are_not_asked() -> None:
    limits = {"minimum": "2000-01-01", "maximum": "2020-12-31"}
    schema = ranges({"age": 99}).to_dict()
    schema["fields"].append({"name": "day", "type": "date", "constraints": limits})
    days = pd.date_range("2001-01-01", periods=2_000).astype(str)
    frame = pd.DataFrame({"age": np.arange(2_000) % 100, "day": days})
    found, curator = resolved(frame, Schema.from_dict(schema), 0)
    assert [charge.what for charge in curator.charges] == ["numbers, value by value"] * 2 + ["numbers, means"]
    assert found.share == Fraction(1, 10)


def distance(real: pd.Series, made: pd.Series) -> float:
    """Kolmogorov–Smirnov."""
    one, other = np.sort(real.to_numpy()), np.sort(made.to_numpy())
    points = np.union1d(one, other)
    shares = [np.searchsorted(values, points, side="right") / len(values) for values in (one, other)]
    return float(np.abs(shares[0] - shares[1]).max())


@pytest.mark.parametrize("wide", [1, 10])
def test_heaps_in_wide_ranges_come_out(tmp_path: Path, wide: int) -> None:
    """Values of a cell that were drawn evenly had a tenth of all rows beside 10,000, however many rows there were."""
    frame = loans(1, 12_000)
    schema = ranges({"amount": 40_000 * wide, "paid": 1_000_000 * wide})
    off = []
    for seed in range(3):
        release = understudy.publish(frame, schema=schema, epsilon=1, seed=seed, out=tmp_path / str(seed))
        made = pd.read_csv(release.synthetic)
        off.append([distance(frame[name], made[name]) for name in frame])
        for heap in (5_000, 10_000, 20_000):
            assert (made["amount"] == heap).mean() == pytest.approx((frame["amount"] == heap).mean(), abs=0.02)
        assert (made["amount"] % 500 == 0).mean() == pytest.approx((frame["amount"] % 500 == 0).mean(), abs=0.05)
        assert (made["paid"] % 1_000 == 0).mean() < 0.02
    assert np.mean(off, axis=0)[0] < 0.03
    assert np.mean(off, axis=0)[1] < 0.03


def test_intervals_know_that_heaps_are_a_guess(tmp_path: Path) -> None:
    """Of 3,000 rows stretches hide heaps; a share that begins right after one cut nothing, and was off by all of it."""
    rng = np.random.default_rng(7)
    values, kind = rng.gamma(3, 1_500, 3_000), rng.random(3_000)
    values = np.where(kind < 0.25, np.round(values / 5_000) * 5_000, values)
    values = np.where((kind >= 0.25) & (kind < 0.45), np.round(values / 1_000) * 1_000, values)
    frame = pd.DataFrame({"x": values.clip(1, 14_999).astype(int)})
    held = []
    for seed in range(8):
        understudy.publish(frame, schema=ranges({"x": 15_000}), epsilon=1, seed=seed, out=tmp_path / str(seed))
        model = understudy.load(tmp_path / str(seed) / "model.understudy")
        for point in (1_000, 2_500, 3_000, 5_000):
            for kind, meant in (("=", frame["x"] == point), (">", frame["x"] > point), ("<", frame["x"] < point)):
                answer = model.query(f"share(x{kind}{point})")
                held.append(answer.low <= meant.mean() <= answer.high)
    assert np.mean(held) >= 0.9


def test_values_inside_declared_bins_are_round_too(tmp_path: Path) -> None:
    frame = loans(2, 12_000)
    edges = {"edges": [0, 8_000, 16_000, 24_000, 50_000], "closed": "left", "inside": "auto"}
    field = {"name": "amount", "type": "integer", "constraints": {"minimum": 0, "maximum": 50_000}, "bins": edges}
    schema = Schema.from_dict({"fields": [field]})
    release = understudy.publish(frame[["amount"]], schema=schema, epsilon=1, seed=0, out=tmp_path / "release")
    made = pd.read_csv(release.synthetic)["amount"]
    assert (made % 500 == 0).mean() == pytest.approx((frame["amount"] % 500 == 0).mean(), abs=0.05)
    assert (made == 10_000).mean() == pytest.approx((frame["amount"] == 10_000).mean(), abs=0.02)
