"""Columns that are declared to be in order: values drawn inside bins keep it wherever their codes do."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.naive.drawing import NaiveXoshiro
from tests.naive.reading import NaiveRow, naive_points, naive_rows_in_order
from understudy._core.errors import SchemaError
from understudy._core.randomness import streams
from understudy.schema import Schema
from understudy.schema._bins import Bins, Shape
from understudy.schema._values import Form
from understudy.tables import decode_batch
from understudy.tables._inside import points_at
from understudy.tables._inside._found import NOTHING
from understudy.tables._inside._in_order import _ROUNDS, _TRIES, _Part


def whole(name, low, high, bins, **more):
    return {"name": name, "type": "integer", "bins": bins, "constraints": {"minimum": low, "maximum": high, **more}}


def ordered(*fields, edges):
    names = [field["name"] for field in fields]
    listed = [{"lower": names[a], "upper": names[b]} for a, b in edges]
    return Schema.from_dict({"fields": list(fields), "dependencies": listed})


def every_cell(schema, times):
    """Codes of all combinations, so many times each."""
    cells = np.array(list(product(*(range(attribute.size) for attribute in schema.domain))) * times)
    return [cells[:, a].astype(np.uint16) for a in range(cells.shape[1])]


def possible_rows(schema, codes):
    kept = np.ones(len(codes[0]), dtype=bool)
    for rule in schema.domain.rules:
        kept &= ~rule.broken(codes)
    return kept


@st.composite
def numbers(draw, name):
    low, width = draw(st.integers(-5, 5)), draw(st.integers(1, 12))
    if draw(st.booleans()):
        return whole(name, low, low + width, draw(st.integers(1, min(4, width))), required=draw(st.booleans()))
    edges = {"edges": sorted({low, low + width, low + draw(st.integers(0, width)) / 2}), "closed": "left"}
    field = {"name": name, "type": "number", "bins": edges, "decimals": draw(st.integers(0, 2))}
    return field if draw(st.booleans()) else {**field, "special": [99]}


@given(numbers("a"), numbers("b"), st.integers(0, 1 << 30))
def test_two_columns_keep_their_order_wherever_a_value_of_each_can(lower, upper, seed):
    try:
        schema = ordered(lower, upper, edges=[(0, 1)])
    except SchemaError:  # no value of the one is below one of the other: tests/schema/test_zeros.py
        return
    codes = every_cell(schema, 20)
    batch = decode_batch(schema, codes, streams(seed).get("decode"))
    a, b = (batch.column(name).to_numpy(zero_copy_only=False).astype(float) for name in "ab")
    fields = schema.fields
    main = (codes[0] < fields[0].n_main) & (codes[1] < fields[1].n_main)
    lowest = np.array([fields[0].bins.values(p) for p in fields[0].bins.grid[0]])
    highest = np.array([fields[1].bins.values(p) for p in fields[1].bins.grid[1]])
    can = main.copy()
    can[main] = lowest[codes[0][main]] <= highest[codes[1][main]]
    assert (a[can] <= b[can]).all()
    # and values are still those of their codes
    for field, column, code in zip(fields, (a, b), codes, strict=True):
        inside = code < field.n_main
        assert (field.bins.codes(column[inside]) == code[inside]).all()


def test_a_chain_in_one_bin_is_in_order_and_spread() -> None:
    names = "abcdef"
    fields = [whole(name, 0, 999, 1) for name in names]
    schema = ordered(*fields, edges=[(i, i + 1) for i in range(5)])
    batch = decode_batch(schema, [np.zeros(2000, dtype=np.uint8)] * 6, streams(3).get("decode"))
    values = np.array([batch.column(name).to_numpy() for name in names])
    assert (np.diff(values, axis=0) >= 0).all()
    # as six even draws put in order are spread
    assert np.allclose(values.mean(axis=1), 1000 * np.arange(1, 7) / 7, atol=15)


def test_special_values_and_missing_are_in_no_order_and_categories_are() -> None:
    lower = {**whole("a", 0, 9, 1, required=False), "special": [50]}
    upper = {"name": "b", "type": "integer", "categories": [4, 2, 9]}
    schema = ordered(lower, upper, edges=[(0, 1)])
    codes = every_cell(schema, 50)
    batch = decode_batch(schema, codes, streams(5).get("decode"))
    a, b = (batch.column(name).to_numpy(zero_copy_only=False).astype(float) for name in "ab")
    assert (a[codes[0] == 0] <= b[codes[0] == 0]).all()
    assert (a[codes[0] == 1] == 50).all()
    assert np.isnan(a[codes[0] == 2]).all()


@pytest.mark.parametrize("kind", ["date", "datetime"])
def test_days_and_moments(kind: str) -> None:
    limits = {"minimum": "2023-01-01", "maximum": "2023-12-31"}
    if kind == "datetime":
        limits = {word: f"{day}T00:00:00" for word, day in limits.items()}
    day = {"type": kind, "constraints": limits, "bins": 3}
    schema = ordered({"name": "a", **day}, {"name": "b", **day}, edges=[(0, 1)])
    codes = every_cell(schema, 200)
    kept = possible_rows(schema, codes)
    batch = decode_batch(schema, codes, streams(7).get("decode"))
    a, b = (batch.column(name).to_numpy(zero_copy_only=False)[kept] for name in "ab")
    assert kept.sum() == 6 * 200
    assert (a <= b).all()


def test_without_an_order_the_same_values_are_drawn_as_ever() -> None:
    fields = [whole("a", 0, 99, 4), whole("b", 0, 99, 4)]
    plain = Schema.from_dict({"fields": fields})
    never = Schema.from_dict({"fields": fields, "dependencies": [{"impossible": {"a": "..24", "b": "75.."}}]})
    codes = every_cell(plain, 3)
    one, other = (decode_batch(schema, codes, streams(1).get("decode")) for schema in (plain, never))
    assert one.equals(other)


@given(st.lists(st.lists(st.integers(1, 50), min_size=1, max_size=4), min_size=1, max_size=5), st.integers(0, 99))
def test_points_equal_their_twin(pieces: list[list[int]], seed: int) -> None:
    """Bins of pieces of some widths, of which each holds any share, the first one none."""
    rng = np.random.default_rng(seed)
    widths = np.array([width for own in pieces for width in own])
    starts = np.concatenate([[0], np.cumsum(widths)[:-1]])
    firsts = starts[np.cumsum([0, *map(len, pieces)])[:-1]]
    shares = rng.random(len(widths)) * rng.integers(0, 2, len(widths))  # some of them nothing
    edges = [
        Fraction(0),
        *(Fraction(int(first)) - Fraction(1, 2) for first in firsts[1:]),
        Fraction(int(widths.sum()) - 1),
    ]
    shape = Shape(starts=tuple(starts.tolist()), shares=tuple(shares.tolist()))
    bins = Bins(edges=tuple(edges), form=Form(type="integer"), shape=shape)
    codes, drawn = rng.integers(0, len(pieces), 60), rng.integers(0, 2**20, 60) / 2**20
    first, last, ends = (of.tolist() for of in bins.pieces)
    assert ends == sorted(ends)
    assert points_at(bins, codes, drawn).tolist() == naive_points(codes.tolist(), drawn.tolist(), first, last, ends)


def test_what_rounding_leaves_beyond_a_bin_is_no_place_in_it() -> None:
    """The parts of a bin's pieces may add up to more than 1 by a hair; a last piece that holds nothing follows them."""
    for seed in range(400):
        rng = np.random.default_rng(seed)
        shares = [*rng.random(9), 0.0, *rng.random(9), 0.0]
        shape = Shape(starts=tuple(range(20)), shares=tuple(shares))
        edges = (Fraction(0), Fraction(19, 2), Fraction(19))
        bins = Bins(edges=edges, form=Form(type="integer"), shape=shape)
        codes = rng.integers(0, 2, 50)
        points = points_at(bins, codes, rng.random(50))
        assert (np.diff(bins.pieces[2]) >= 0).all()
        assert ((points >= 10) == (codes == 1)).all()
        assert not np.isin(points, (9, 19)).any()


@st.composite
def pieced(draw, name):
    """A column of one or two bins, in pieces whose widths and shares are powers of two, so that no float is rounded."""
    widths = draw(st.lists(st.sampled_from([1, 2, 4, 8]), min_size=3, max_size=3))
    low, decimals, cut = draw(st.integers(-6, 6)), draw(st.integers(0, 1)), draw(st.integers(1, 3))
    starts = np.cumsum([low, *widths])
    unit = Fraction(1, 10**decimals)
    ends = [starts[0] * unit, *([(starts[cut] - Fraction(1, 2)) * unit] if cut < 3 else []), (starts[-1] - 1) * unit]
    shape = Shape(starts=tuple(starts[:-1].tolist()), shares=draw(st.sampled_from([(0.5, 0.5, 1.0), (1.0, 0.5, 0.5)])))
    form = Form(type="integer" if decimals == 0 else "number")
    bins = Bins(edges=tuple(map(Fraction, ends)), form=form, decimals=decimals, shape=shape)
    required = draw(st.booleans())
    edges = {"edges": [0, 1], "closed": "right"}
    made = Schema.from_dict({"fields": [{"name": name, "type": "number", "bins": edges}]}).fields[0]
    return replace(made, bins=bins, missing_allowed=not required)


SOME_ORDERS = [[(0, 1), (1, 2)], [(2, 0), (2, 1)], [(0, 2)]]


@given(pieced("a"), pieced("b"), pieced("c"), st.sampled_from(SOME_ORDERS), st.data())
def test_rows_in_order_equal_their_twin(a, b, c, edges, data) -> None:
    fields, seed = [a, b, c], data.draw(st.integers(0, 1 << 30))
    columns = [np.random.default_rng(seed).integers(0, field.size, 20) for field in fields]
    part = _Part.of(fields, fields, edges, NOTHING)
    fields, columns = list(part.fields), [columns[i] for i in part.involved]
    edges = [(part.involved.index(a), part.involved.index(b)) for a, b in edges]
    points = part.points(columns, streams(seed).get("decode"))
    again = streams(seed).get("decode")
    drawn = [again.random(20) for _ in fields]
    rng = NaiveXoshiro(again.integers(0, 1 << 64, size=4, dtype=np.uint64).tolist())
    order, rows = part.orders.columns.tolist(), []
    for r in range(20):
        main = [min(int(column[r]), field.n_main - 1) for column, field in zip(columns, fields, strict=True)]
        bins = [naive_pieces(field.bins, code) for field, code in zip(fields, main, strict=True)]
        ordered_ = [column[r] < field.n_main for column, field in zip(columns, fields, strict=True)]
        row = NaiveRow([0] * len(fields), bins, ordered_, [field.bins.unit for field in fields], edges, order, rng)
        row.points = [row.place(i, drawn[i][r]) for i in range(len(fields))]
        rows.append(row)
    naive_rows_in_order(rows, _ROUNDS, _TRIES)
    assert points.T.tolist() == [row.points for row in rows]


def naive_pieces(bins: Bins, code: int) -> list[tuple[int, int, float]]:
    """The pieces of one bin, with their shares of it."""
    first, last = (int(ends[code]) for ends in bins.grid)
    starts, shares = bins.shape.starts, bins.shape.shares
    own = [(s, e - 1, share) for s, e, share in zip(starts, [*starts[1:], 1 << 40], shares, strict=True)]
    own = [(s, min(e, last), share) for s, e, share in own if first <= s <= last]
    whole = sum(share for _, _, share in own)
    return [(s, e, share / whole) for s, e, share in own]


def test_a_coarser_column_between_two_finer_ones_leaves_them_room() -> None:
    """Below 93.7 the last whole number is 93, so what lies below that number lies below 93 too."""
    tenths = {"type": "number", "decimals": 1, "bins": {"edges": [0, 93.7], "closed": "left"}}
    schema = ordered({"name": "a", **tenths}, whole("b", 0, 99, 1), {"name": "c", **tenths}, edges=[(0, 1), (1, 2)])
    batch = decode_batch(schema, [np.zeros(20_000, dtype=np.uint8)] * 3, streams(9).get("decode"))
    a, b, c = (batch.column(name).to_numpy() for name in "abc")
    assert (a <= b).all()
    assert (b <= c).all()
    # and a bin that ends between two whole numbers is used up to its end
    assert a.max() <= 93
    assert c.max() > 93


def test_the_largest_numbers_that_floats_tell_apart_are_in_order_and_larger_ones_refused() -> None:
    low = 2**53 - 7
    schema = ordered(*(whole(name, low, low + 7, 2) for name in "abc"), edges=[(0, 1), (1, 2)])
    codes = every_cell(schema, 200)
    kept = possible_rows(schema, codes)
    batch = decode_batch(schema, [column[kept] for column in codes], streams(2).get("decode"))
    a, b, c = (batch.column(name).to_numpy() for name in "abc")
    assert (a <= b).all()
    assert (b <= c).all()
    with pytest.raises(SchemaError, match=r"column 'b' reaches beyond 2\^53"):
        ordered(whole("a", 0, 7, 2), whole("b", low, low + 8, 2), edges=[(0, 1)])


def test_a_part_that_rounds_up_to_its_bins_end_stays_in_it() -> None:
    """17 and a part just below 1 make 18, where the next bin begins, with pieces that hold nothing."""
    shares = [1.0 if point % 4 else 0.0 for point in range(80)]
    shape = Shape(starts=tuple(range(80)), shares=tuple(shares))
    edges = (Fraction(0), *(Fraction(4 * b) - Fraction(1, 2) for b in range(1, 20)), Fraction(79))
    bins = Bins(edges=edges, form=Form(type="integer"), shape=shape)
    codes = np.arange(20)
    points = points_at(bins, codes, np.full(20, 1 - 2.0**-53))
    assert (points // 4 == codes).all()
