"""Columns in order of which the table tells no distance: side by side, so that both lie as they are known to."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy import Adaptive
from understudy._core.randomness import streams
from understudy.schema import Schema
from understudy.tables import InOrderDraw, find_inside
from understudy.tables._inside._found import NOTHING, Inside


def days(*names: str, bins: int = 4, edges: list[tuple[str, str]], **more: object) -> Schema:
    day = {"type": "integer", "bins": bins, "constraints": {"minimum": 0, "maximum": 100 * bins - 1, **more}}
    listed = [{"lower": a, "upper": b} for a, b in edges]
    return Schema.from_dict({"fields": [{"name": name, **day} for name in names], "dependencies": listed})


def drawn_from(table: np.ndarray, schema: Schema, inside: Inside, n: int = 200_000) -> list[np.ndarray]:
    codes = np.random.default_rng(2).choice(table.size, n, p=(table / table.sum()).ravel())
    columns = [part.astype(np.uint8) for part in np.unravel_index(codes, table.shape)]
    found = InOrderDraw.of(schema, inside).values(columns, streams(3).get("decode"))
    for a, column in enumerate(columns):
        assert (found[a] // 100 == column).all()
    return [found[a] for a in range(len(columns))]


def unevenness(values: np.ndarray, bins: int) -> float:
    """How far any tenth of a bin is from holding a tenth of its rows."""
    parts = np.bincount(values // 10, minlength=10 * bins).reshape(bins, 10).astype(float)
    held = parts.sum(axis=1)
    return float((np.abs(parts / held[:, None] - 0.1) * (held > 2_000)[:, None]).max())


def test_columns_that_share_all_bins_both_lie_as_they_are_known_to() -> None:
    """Drawn until they were in order, a tenth of a bin of the one held a fifth of its rows."""
    schema = days("a", "b", edges=[("a", "b")])
    table = np.eye(4)
    a, b = drawn_from(table, schema, Inside({}, {}, {(0, 1): table}))
    assert (a <= b).all()
    assert max(unevenness(a, 4), unevenness(b, 4)) < 0.015
    bent = drawn_from(table, schema, NOTHING)
    assert min(unevenness(of, 4) for of in bent) > 0.05


@given(st.lists(st.floats(0.01, 1), min_size=10, max_size=10), st.floats(0.5, 1))
def test_any_table_of_two_columns_leaves_them_even(weights: list[float], diagonal: float) -> None:
    table = np.zeros((4, 4))
    table[np.triu_indices(4)] = weights
    table = table * (1 - diagonal) + np.diag(table.sum(axis=1)) * diagonal
    schema = days("a", "b", edges=[("a", "b")])
    a, b = drawn_from(table, schema, Inside({}, {}, {(0, 1): table}), 60_000)
    assert (a <= b).all()
    assert max(unevenness(a, 4), unevenness(b, 4)) < 0.04


def test_three_in_a_row_lie_as_they_are_known_to() -> None:
    schema = days("a", "b", "c", edges=[("a", "b"), ("b", "c")])
    step = 0.9 * np.eye(4) + 0.1 * np.eye(4, k=1)
    step[3, 3] = 1
    table = np.full(4, 0.25)[:, None, None] * step[:, :, None] * step[None, :, :]
    pairs = {(0, 1): table.sum(axis=2), (1, 2): table.sum(axis=0)}
    a, b, c = drawn_from(table, schema, Inside({}, {}, pairs))
    assert (a <= b).all()
    assert (b <= c).all()
    bent = drawn_from(table, schema, NOTHING)
    for even, before in zip((a, b, c), bent, strict=True):
        assert unevenness(even, 4) < max(0.04, 0.6 * unevenness(before, 4))


def test_a_column_beside_a_missing_one_lies_as_it_does() -> None:
    schema = days("a", "b", edges=[("a", "b")], required=False)
    pairs = {(0, 1): np.eye(4)}
    columns = [np.tile(np.arange(4, dtype=np.uint8), 20_000), np.full(80_000, 4, dtype=np.uint8)]
    found = InOrderDraw.of(schema, Inside({}, {}, pairs)).values(columns, streams(3).get("decode"))
    assert unevenness(found[0], 4) < 0.015


def test_a_tail_that_both_share_keeps_its_deviation() -> None:
    """Most rows lie in one bin of both: drawn until they were in order, the lower one lost a quarter of its deviation,
    at any ε."""
    rng, n = np.random.default_rng(1), 12_000
    low = np.round(rng.lognormal(3, 1, n), 2).clip(0, 2_000)
    real = pd.DataFrame({"low": low, "high": np.round(low * rng.uniform(1, 1.4, n) + 0.3, 2).clip(0, 2_000)})
    number = {"type": "number", "decimals": 2, "constraints": {"minimum": 0, "maximum": 2_000}}
    schema = {
        "fields": [{"name": name, **number} for name in real],
        "dependencies": [{"lower": "low", "upper": "high"}],
    }
    drawn = Adaptive(epsilon=100, seed=1).fit(real, schema=schema).sample(100_000)
    assert (drawn["low"] <= drawn["high"]).all()
    for name in real:
        assert drawn[name].std() == pytest.approx(real[name].std(), rel=0.1)  # 0.77 before, of the lower one
        assert drawn[name].mean() == pytest.approx(real[name].mean(), rel=0.02)


def test_what_is_known_of_one_pair_alone_does_not_bend_the_next() -> None:
    """Of three in a row, lengths are kept if both are known; else all are drawn side by side."""
    schema = days("a", "b", "c", bins=10, edges=[("a", "b"), ("b", "c")])
    near, any_ = 0.9 * np.eye(10) + 0.1 * np.eye(10, k=1), np.triu(np.ones((10, 10)))
    assert set(find_inside(schema, lambda lower, upper: near).lengths) == {(0, 1), (1, 2)}
    found = find_inside(schema, lambda lower, upper: near if lower == 0 else any_)
    assert not found.lengths
    assert set(found.tables) == {(0, 1), (1, 2)}
