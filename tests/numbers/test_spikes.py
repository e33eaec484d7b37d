"""0 and the ends of a range that a histogram lost among their neighbours, and that have counts to themselves."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import understudy
from understudy.numbers import _resolve
from understudy.numbers._spikes import clearly, with_spikes

Floats = npt.NDArray[np.float64]


@given(st.data())
def test_all_rows_are_kept_and_no_cell_has_less_than_none(data: st.DataObject) -> None:
    amounts = st.floats(0, 1_000)
    masses = np.array(data.draw(st.lists(amounts, min_size=2, max_size=70)))
    cells = np.array(sorted(data.draw(st.sets(st.integers(0, len(masses) - 1), min_size=1, max_size=3))))
    rows = np.array(data.draw(st.lists(st.floats(-500, 3_000), min_size=len(cells), max_size=len(cells))))
    least = np.array(data.draw(st.lists(amounts, min_size=len(cells), max_size=len(cells))))
    found = with_spikes(masses, cells, rows, least)
    assert (found >= 0).all()
    assert found.sum() == pytest.approx(masses.sum(), abs=1e-6)
    assert (found[cells] >= masses[cells]).all()
    assert (found[cells] <= np.maximum(rows, masses[cells]) + 1e-6).all()
    assert (found[cells] == masses[cells])[rows - masses[cells] < least].all()
    assert (found[cells] == masses[cells])[least > masses.sum() / 2 + 1e-6].all()


def test_rows_are_taken_from_the_smallest_part_around_that_has_them() -> None:
    masses = np.repeat([10.0, 20.0, 30.0, 40.0], 4)
    assert with_spikes(masses, np.array([0]), np.array([40.0]), np.array([1.0]))[4:].tolist() == masses[4:].tolist()
    farther = with_spikes(masses, np.array([0]), np.array([100.0]), np.array([1.0]))
    assert farther[0] == pytest.approx(100.0)
    assert farther[1:].tolist() == pytest.approx((masses[1:] * (1 - 90 / masses[1:].sum())).tolist())


@pytest.mark.parametrize(("least", "at_zero"), [(49.0, 95.0), (51.0, 10.0)])
def test_what_half_of_all_rows_would_not_show_takes_no_column_along(least: float, at_zero: float) -> None:
    masses = np.full(10, 10.0)
    found = with_spikes(masses, np.array([0]), np.array([95.0]), np.array([least]))
    assert found[0] == pytest.approx(at_zero)


def test_zeros_need_less_to_be_believed_than_other_ends() -> None:
    assert clearly(np.array([0, 99_999, -5])).tolist() == [2.5, 3.0, 3.0]


def stays(seed: int, n: int = 3_000) -> pd.DataFrame:
    """Receptors in a tissue, other numbers, and no receptors in one of five people."""
    rng = np.random.default_rng(seed)
    receptors = np.where(rng.random(n) < 0.2, 0, np.clip(rng.lognormal(4, 1.5, n), 1, 10_000))
    others = {f"x{i}": np.clip(rng.normal(2_000, 700, n), 0, 5_000).astype(int) for i in range(5)}
    return pd.DataFrame({"receptors": receptors.astype(int), **others})


def test_zeros_of_few_rows_are_found_at_the_begin_of_a_wide_range(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = stays(1)
    limits = {name: {"minimum": 0, "maximum": 10_000 if name == "receptors" else 5_000} for name in frame}
    schema = {"fields": [{"name": name, "type": "integer", "constraints": limits[name]} for name in frame]}

    def off() -> float:
        models = [understudy.Adaptive(epsilon=1, seed=seed, rounds=1).fit(frame, schema) for seed in range(8)]
        shares = [float((model.sample(3_000)["receptors"] == 0).mean()) for model in models]
        return float(np.mean(np.abs(np.array(shares) - (frame["receptors"] == 0).mean())))

    found = off()
    monkeypatch.setattr(_resolve, "with_spikes", lambda masses, cells, rows, least: masses)
    assert found < 0.6 * off()
