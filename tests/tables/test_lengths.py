"""Columns in a declared order come out as far apart as they lie, where bins are wider than that."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.naive.drawing import NaiveXoshiro
from tests.naive.reading import NaiveApart, NaiveRow
from tests.tables.test_in_order import naive_pieces, ordered, pieced, whole
from understudy import Adaptive, PrivBayes, load
from understudy._core.randomness import streams
from understudy.schema import Bins, Schema
from understudy.schema._bins import Shape
from understudy.tables import InOrderDraw, Inside, decode_batch, find_inside
from understudy.tables._inside._apart import Apart, new_state
from understudy.tables._inside._apart._draw import _DRAWS
from understudy.tables._inside._grids import Grid
from understudy.tables._inside._lengths import CUTS, Length
from understudy.tables._inside._tilts import fit_tilts

DAY = {"type": "date", "constraints": {"minimum": "2019-01-01", "maximum": "2020-03-31"}}
STAYS = {
    "fields": [
        {"name": "admitted", **DAY},
        {"name": "discharged", **DAY, "constraints": {**DAY["constraints"], "required": False}},
        {"name": "ward", "categories": ["a", "b"]},
    ],
    "dependencies": [{"lower": "admitted", "upper": "discharged"}],
}


def stays(n: int, mean: float, seed: int = 5) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    admitted = np.datetime64("2019-01-01") + rng.integers(0, 365, n)
    return pd.DataFrame(
        {
            "admitted": admitted,
            "discharged": np.minimum(
                admitted + rng.geometric(1 / (1 + mean), n) - 1, np.datetime64("2020-03-31")
            ),
            "ward": rng.choice(["a", "b"], n),
        }
    )  # fmt: skip


def days(frame: pd.DataFrame) -> pd.Series:
    return (pd.to_datetime(frame["discharged"]) - pd.to_datetime(frame["admitted"])).dt.days


def distance(one: pd.Series, other: pd.Series) -> float:
    """Kolmogorov and Smirnov's."""
    at = np.union1d(one, other)
    return float(np.abs(np.searchsorted(np.sort(one), at, "right") / len(one)
                        - np.searchsorted(np.sort(other), at, "right") / len(other)).max())  # fmt: skip


@pytest.mark.parametrize(("mean", "method"), [(1, Adaptive), (4, Adaptive), (4, PrivBayes), (30, Adaptive)])
def test_stays_of_a_release_are_as_long_as_those_of_the_table(mean, method) -> None:
    real = stays(15_000, mean)
    model = method(epsilon=1, seed=1).fit(real, STAYS).model_
    drawn = model.sample(15_000, seed=2).dropna()
    assert (days(drawn) >= 0).all()
    assert distance(days(real), days(drawn)) < 0.15  # 0.6 and more where they are put in order alone
    assert abs(days(drawn).median() - days(real).median()) <= 1 + mean / 10
    for name in ("admitted", "discharged"):
        both = [pd.to_datetime(frame[name]).dt.day_of_year for frame in (real, drawn)]
        assert distance(*both) < 0.05


def test_stays_are_as_long_under_a_condition_and_from_a_file(tmp_path) -> None:
    real = stays(15_000, 4)
    model = Adaptive(epsilon=1, seed=1).fit(real, STAYS).model_
    model.save(tmp_path / "model.understudy")
    drawn = load(tmp_path / "model.understudy").sample(5000, seed=2, where="admitted=2019-03-10..2019-06-20, ward=a")
    drawn = drawn.dropna()
    assert (days(drawn) >= 0).all()
    assert pd.to_datetime(drawn["admitted"]).between("2019-03-10", "2019-06-20").all()
    assert abs(days(drawn).median() - days(real).median()) <= 1


def test_values_that_are_missing_are_in_no_order_and_leave_the_other_column_as_it_lies() -> None:
    real = stays(8000, 4)
    real["discharged"] = real["discharged"].where(real["ward"] == "a")
    model = Adaptive(epsilon=2, seed=1).fit(real, STAYS).model_
    drawn = model.sample(8000, seed=2)
    gone = drawn["discharged"].isna()
    assert 0.4 < gone.mean() < 0.6
    both = [pd.to_datetime(frame["admitted"]).dt.day_of_year for frame in (real, drawn[gone])]
    assert distance(*both) < 0.05


def test_beside_missing_ones_values_lie_as_they_do_where_each_has_a_piece_of_its_own() -> None:
    """They were drawn from what rows in order are drawn from: of ten values the first came out half as often."""
    inside = {"starts": list(range(40)), "shares": [1 + i / 1000 for i in range(40)]}
    bins = {"edges": [0, 10, 20, 30, 39], "closed": "left", "inside": inside}
    limits = {"minimum": 0, "maximum": 39, "required": False}
    fields = [{"name": name, "type": "integer", "bins": bins, "constraints": limits} for name in "ab"]
    schema = Schema.from_dict({"fields": fields, "dependencies": [{"lower": "a", "upper": "b"}]})
    found = find_inside(schema, lambda lower, upper: np.pad(np.triu(np.ones((4, 4))), (0, 1)))
    assert set(found.tilts) == {0, 1}
    first, missing = np.zeros(40_000, dtype=np.uint8), np.full(40_000, 4, dtype=np.uint8)
    for a, columns in enumerate(([first, missing], [missing, first])):
        drawn = InOrderDraw.of(schema, found).values(columns, streams(1).get("decode"))[a]
        assert np.abs(np.bincount(drawn, minlength=10) / 40_000 - 0.1).max() < 0.01


def test_each_length_of_a_chain_is_kept() -> None:
    rng, n = np.random.default_rng(3), 20_000
    a = rng.integers(0, 800, n)
    b = a + rng.geometric(1 / 6, n) - 1
    c = b + rng.geometric(1 / 20, n) - 1
    real = pd.DataFrame({"a": a, "b": b, "c": np.minimum(c, 1000)})
    number = {"type": "integer", "constraints": {"minimum": 0, "maximum": 1000}}
    schema = {
        "fields": [{"name": name, **number} for name in "abc"],
        "dependencies": [{"lower": "a", "upper": "b"}, {"lower": "b", "upper": "c"}, {"lower": "a", "upper": "c"}],
    }
    drawn = Adaptive(epsilon=2, seed=1).fit(real, schema).model_.sample(n, seed=1)
    for lower, upper in ("ab", "bc", "ac"):
        gaps = [frame[upper] - frame[lower] for frame in (real, drawn)]
        assert (gaps[1] >= 0).all()
        assert distance(*gaps) < 0.12


def test_parts_of_a_whole_stay_where_they_lie() -> None:
    """What is left of a whole grows with it, so that no length fits all of them: columns come first."""
    rng, n = np.random.default_rng(4), 15_000
    of_all = np.minimum(rng.gamma(1, 120, n).astype(int), 700)
    real = pd.DataFrame({"part": rng.binomial(of_all, 0.26), "all": of_all})
    schema = {
        "fields": [
            {"name": "part", "type": "integer", "constraints": {"minimum": 0, "maximum": 270}},
            {"name": "all", "type": "integer", "constraints": {"minimum": 0, "maximum": 750}},
        ],
        "dependencies": [{"lower": "part", "upper": "all"}],
    }
    drawn = Adaptive(epsilon=1, seed=1).fit(real, schema).model_.sample(n, seed=1)
    assert (drawn["part"] <= drawn["all"]).all()
    for name in real:
        assert distance(real[name], drawn[name]) < 0.02


def test_lengths_follow_from_how_often_bins_go_together() -> None:
    """Tables of exponential lengths, exactly: their mean is found, be it a tenth of a bin or two of them."""
    schema = ordered(whole("a", 0, 999, 10), whole("b", 0, 999, 10), edges=[(0, 1)])
    for mean in (10, 40, 100, 300):
        table, means = np.zeros((10, 10)), []
        for start in range(700):
            length = np.arange(1000 - start)
            odds = np.exp(-length / mean)
            odds /= odds.sum()
            np.add.at(table[start // 100], (start + length) // 100, odds)
            means.append(odds @ length)
        [found] = find_inside(schema, lambda lower, upper, table=table: table).lengths.values()
        assert found.mean == pytest.approx(np.mean(means), rel=0.03)


def test_two_bins_are_filled_as_the_lengths_between_them_say() -> None:
    """The density s(a)·s(b)·k(b − a) over one bin of two columns, cell by cell."""
    schema = ordered(whole("a", 0, 15, 1), whole("b", 0, 15, 1), edges=[(0, 1)])
    shape = Shape(starts=tuple(range(16)), shares=tuple([3.0, 1.0] * 8))
    fields = [replace(field, bins=replace(field.bins, shape=shape)) for field in schema.fields]
    schema = replace(schema, fields=tuple(fields))
    length = Length(np.array([0.0, 1, 2, 4, 16]), np.array([1.0, 0.2, 0.6, 0.05]), 2.0)
    drawn = InOrderDraw.of(schema, Inside({(0, 1): length}, {}, {})).values([np.zeros(400_000, dtype=np.uint8)] * 2,
                                                           streams(3).get("decode"))  # fmt: skip
    seen = np.bincount(drawn[0] * 16 + drawn[1], minlength=256).reshape(16, 16) / 400_000
    dense = np.tile([3.0, 1.0], 8)
    gap = np.arange(16) - np.arange(16)[:, np.newaxis]
    weights = length.weights[np.clip(np.searchsorted(length.ends, gap, side="right") - 1, 0, 3)]
    wanted = np.where(gap >= 0, dense[:, np.newaxis] * dense * weights, 0.0)
    wanted /= wanted.sum()
    assert np.abs(seen - wanted).sum() / 2 < 0.05  # strata are as wide as half a value
    assert (seen[gap < 0] == 0).all()


def test_tables_that_tell_nothing_leave_columns_in_order_alone() -> None:
    schema = ordered(whole("a", 0, 99, 4), whole("b", 0, 99, 4), edges=[(0, 1)])
    assert find_inside(schema, lambda lower, upper: None).lengths == {}
    assert find_inside(schema, lambda lower, upper: np.zeros((4, 4))).lengths == {}
    assert find_inside(schema, lambda lower, upper: np.tri(4, k=-1)).lengths == {}  # impossible bins alone
    single = ordered(whole("a", 0, 3, 4), whole("b", 0, 3, 4), edges=[(0, 1)])
    assert find_inside(single, lambda lower, upper: np.eye(4)).tilts == {}
    narrow = ordered(whole("a", 0, 999, 100), whole("b", 0, 999, 100), edges=[(0, 1)])
    assert find_inside(narrow, lambda lower, upper: np.eye(100)).lengths == {}


@pytest.mark.parametrize(
    "table",
    [
        [[1.0]],
        [[0.99, 0.01], [0.0, 0.0]],
        [[0.5, 0.2], [0.0, 0.3]],
        np.triu(np.ones((6, 6))),
        np.triu(np.outer(range(1, 7), [1, 5, 2, 2, 9, 1])),
    ],
)
def test_tables_that_any_length_fits_or_none_tell_of_no_length(table) -> None:
    """Of one bin or two, and those that a model makes where noise hid how bins go together."""
    table = np.array(table)
    schema = ordered(whole("a", 0, 999, len(table)), whole("b", 0, 999, len(table)), edges=[(0, 1)])
    assert find_inside(schema, lambda lower, upper: table).lengths == {}


def test_noise_on_the_diagonal_is_not_taken_for_rows_of_no_length() -> None:
    """Lengths of about two bins, of few rows: one in a hundred is 0, and one in six came out so."""
    rng, n = np.random.default_rng(0), 6000
    start = np.minimum(rng.exponential(60, n), 400).astype(int)
    end = np.minimum(start + np.floor(rng.exponential(100, n)).astype(int), 730)
    number = {"type": "integer", "constraints": {"minimum": 0, "maximum": 730}}
    schema = {
        "fields": [{"name": "a", **number}, {"name": "b", **number}, {"name": "w", "categories": ["x", "y"]}],
        "dependencies": [{"lower": "a", "upper": "b"}],
    }
    real = pd.DataFrame({"a": start, "b": end, "w": rng.choice(["x", "y"], n)})
    for seed in range(3):
        drawn = Adaptive(epsilon=1, seed=seed).fit(real, schema).model_.sample(10_000, seed=2)
        assert (drawn["a"] == drawn["b"]).mean() < 0.06


def test_the_nearer_column_is_found_whatever_its_units_are() -> None:
    rng, n = np.random.default_rng(1), 15_000
    far = rng.integers(0, 300, n)
    upper = far + rng.exponential(60, n)
    real = pd.DataFrame({"far": far, "near": (upper - rng.exponential(1.5, n)).clip(0).round(2), "b": upper.round(2)})
    real["far"] = np.minimum(real["far"], np.floor(real["near"]))
    fields = [{"name": "far", "type": "integer", "constraints": {"minimum": 0, "maximum": 999}}]
    fields += [{"name": name, "type": "number", "decimals": decimals, "constraints": {"minimum": 0, "maximum": 999}}
               for name, decimals in (("near", 2), ("b", 0))]  # fmt: skip
    real["b"] = np.ceil(real["b"]).clip(0, 999)
    orders = [{"lower": "far", "upper": "b"}, {"lower": "near", "upper": "b"}]
    model = Adaptive(epsilon=4, seed=1).fit(real, {"fields": fields, "dependencies": orders}).model_
    assert list(model._inside.lengths) == [(1, 2)]


def test_columns_in_order_keep_their_means_and_deviations() -> None:
    """Both in the wide last bin of a long tail: drawn until they are in order, the upper one was a sixth too narrow."""
    rng, n = np.random.default_rng(77), 20_000
    start = np.minimum(np.exp(rng.normal(10.3, 0.5, n)), 300_000).astype(int)
    real = pd.DataFrame({"start": start, "now": np.minimum(start * (1 + rng.gamma(1, 0.25, n)), 500_000).astype(int)})
    number = {"type": "integer", "constraints": {"minimum": 0, "maximum": 500_000}}
    schema = {
        "fields": [{"name": name, **number} for name in real],
        "dependencies": [{"lower": "start", "upper": "now"}],
    }
    drawn = Adaptive(epsilon=100, seed=3).fit(real, schema).model_.sample(200_000, seed=1)
    assert (drawn["start"] <= drawn["now"]).all()
    for name in real:
        assert abs(drawn[name].mean() - real[name].mean()) < 0.02 * real[name].std()
        assert drawn[name].std() == pytest.approx(real[name].std(), rel=0.05)
        assert distance(real[name], drawn[name]) < 0.012


def test_two_columns_lie_inside_their_bins_as_they_are_known_to() -> None:
    """A table of bins whose values were drawn from a joint distribution with even columns, and drawn back."""
    schema = ordered(whole("a", 0, 399, 4), whole("b", 0, 399, 4), edges=[(0, 1)])
    table = np.triu(np.ones((4, 4))) - 0.5 * np.eye(4)
    codes = np.random.default_rng(2).choice(16, 400_000, p=(table / table.sum()).ravel())
    columns = [(codes // 4).astype(np.uint8), (codes % 4).astype(np.uint8)]
    inside = find_inside(schema, lambda lower, upper: table)
    worst = []
    for told in (inside, Inside({}, {}, {})):
        drawn = InOrderDraw.of(schema, told).values(columns, streams(3).get("decode"))
        assert (drawn[0] <= drawn[1]).all()
        parts = [np.bincount(drawn[i] // 10, minlength=40).reshape(4, 10) for i in (0, 1)]
        worst.append(max(float(np.abs(of / of.sum(axis=1, keepdims=True) - 0.1).max()) for of in parts))
    print(worst)
    assert worst[0] < 0.03 < 0.08 < worst[1]


def test_lengths_as_in_given_rows_are_those_of_their_bins() -> None:
    schema = ordered(whole("a", 0, 999, 10), whole("b", 0, 999, 10), edges=[(0, 1)])
    rng = np.random.default_rng(8)
    start = rng.integers(0, 900, 50_000)
    end = start + rng.geometric(1 / 8, 50_000) - 1
    columns = [np.minimum(of // 100, 9).astype(np.uint8) for of in (start, end)]
    drawn = decode_batch(schema, columns, streams(1).get("decode"), in_order=InOrderDraw.as_in(schema, columns))
    gaps = drawn.column("b").to_numpy() - drawn.column("a").to_numpy()
    assert abs(np.median(gaps) - np.median(end - start)) <= 1


def hollow(field):
    """The column with nothing in the second of its pieces, where its bin has another."""
    bins = field.bins
    shares = (bins.shape.shares[0], 0.0, bins.shape.shares[2])
    return replace(field, bins=replace(bins, shape=replace(bins.shape, shares=shares)))


def pieced_or_hollow(name):
    return pieced(name) | pieced(name).map(hollow)


EDGES = [[(0, 1), (1, 2)], [(2, 0), (2, 1)], [(0, 2)]]


@given(*map(pieced_or_hollow, "abc"), st.sampled_from(EDGES), st.integers(0, 1 << 30))
def test_columns_that_are_drawn_apart_equal_their_twin(a, b, c, edges, seed) -> None:
    chance, fields = np.random.default_rng(seed), [a, b, c]
    ends = np.cumsum([0, 1, *chance.integers(1, 9, 4), 400]).astype(float)
    lengths = {edge: Length(ends, chance.integers(0, 9, 6) / 8, 1.0) for edge in edges}
    codes = np.array([chance.integers(0, field.n_main, 20) for field in fields])
    ordered_ = chance.random(codes.shape) < 0.9
    order = {2: [2, 0, 1]}.get(edges[0][0], [0, 1, 2])
    made = Apart.of([Grid.of(field) for field in fields], lengths, order)
    points = np.zeros_like(codes)
    made.draw(codes, ordered_, streams(seed).get("decode"), points)
    rng = streams(seed).get("decode")
    twin = NaiveApart(CUTS.tolist(), _DRAWS, NaiveXoshiro(new_state(rng).tolist()))
    assert points.tolist() == naive_columns(twin, made, [field.bins for field in fields], codes, ordered_, rng)


def naive_columns(twin: NaiveApart, made: Apart, bins: list[Bins], codes, ordered_, rng) -> list[list[int]]:
    points, strata = np.zeros_like(codes), np.zeros_like(codes)
    n_strata = len(CUTS) - 1
    for b in made.columns:
        above = [p for p, pair in enumerate(made.pairs) if pair[0] == b]
        [p] = [p for p, pair in enumerate(made.pairs) if pair[1] == b] or [-1]
        if p < 0 and not above:
            drawn = rng.random(codes.shape[1])
        for r in range(codes.shape[1]):

            def line(q: int, r: int = r) -> int:
                lower, upper = made.pairs[q]
                known = ordered_[lower, r] and ordered_[upper, r]
                own = codes[lower, r] * bins[upper].count + codes[upper, r]
                return int(made.before[q] + own) if known else -1

            def others(among: list[int], line=line) -> list[list[float]]:
                return [made.density[line(q)].tolist() for q in among if line(q) >= 0]

            own = naive_pieces(bins[b], int(codes[b, r]))
            row = NaiveRow([], [own], [], [], [], [], twin.rng)
            if p >= 0:
                lower = made.pairs[p][0]
                ratio = bins[lower].unit / bins[b].unit
                steps = made.cells.ends[line(p) * n_strata + strata[lower, r]].tolist() if line(p) >= 0 else None
                value = int(points[lower, r]) * ratio.numerator
                point, s = twin.above(value, steps, made.lengths[p].tolist(), ratio.denominator, own, others(above))
                if point is None:
                    part = float(twin.rng.unit())
                    point, s = row.place(0, part), twin.stratum(part)
            elif above:
                first = line(above[0])
                steps = made.strata.ends[first].tolist() if first >= 0 and made.strata.ends[first][-1] > 0 else None
                part, s = twin.part(steps, others(above[1:]))
                point = row.place(0, part)
            else:
                point, s = row.place(0, float(drawn[r])), 0
            points[b, r], strata[b, r] = point, s
    return points.tolist()


def test_chains_are_drawn_untilted() -> None:
    """Tilts of pairs that are multiplied made the last column of a chain half as wide again."""
    wide, table = whole("a", 0, 399, 4), np.triu(np.ones((4, 4))) - 0.5 * np.eye(4)
    pair, chain = (
        ordered(*({**wide, "name": name} for name in names), edges=edges)
        for names, edges in (("ab", [(0, 1)]), ("abc", [(0, 1), (1, 2)]))
    )
    assert set(find_inside(pair, lambda lower, upper: table).tilts) == {0, 1}
    assert find_inside(chain, lambda lower, upper: table).tilts == {}


def test_a_condition_that_cuts_a_bin_leaves_the_others_as_they_are_drawn() -> None:
    """The last bin of both, with their long tails, is not touched by it."""
    rng, n = np.random.default_rng(6), 15_000
    first = np.exp(rng.normal(7, 1, n)).astype(int).clip(0, 200_000)
    real = pd.DataFrame({"first": first, "then": (first + np.exp(rng.normal(6, 1, n)).astype(int)).clip(0, 200_000)})
    number = {"type": "integer", "constraints": {"minimum": 0, "maximum": 200_000}}
    schema = {
        "fields": [{"name": name, **number} for name in real],
        "dependencies": [{"lower": "first", "upper": "then"}],
    }
    model = Adaptive(epsilon=20, seed=1).fit(real, schema).model_
    last = int(model.schema["first"].bins.grid[0][-1])
    within = int(model.schema["first"].bins.grid[0][2]) + 3
    means = [
        drawn["first"][drawn["first"] >= last].mean()
        for drawn in (model.sample(60_000, seed=1), model.sample(60_000, seed=1, where={"first": (within, 200_000)}))
    ]
    assert means[1] == pytest.approx(means[0], rel=0.04)


def test_no_value_is_drawn_where_the_other_column_leaves_none() -> None:
    """The lower column reaches farther than the upper one: what lies beyond is drawn as little as may be."""
    schema = ordered(whole("a", 0, 999, 1), whole("b", 0, 999, 1), edges=[(0, 1)])
    shapes = (Shape(starts=(0, 500), shares=(0.9, 0.1)), Shape(starts=(0, 400), shares=(1.0, 0.0)))
    fields = [
        replace(field, bins=replace(field.bins, shape=shape))
        for field, shape in zip(schema.fields, shapes, strict=True)
    ]
    low, high = (Grid.of(field) for field in fields)
    factors = fit_tilts(low, high, None, np.ones((1, 1))).lower
    assert factors.at(np.array([700]))[0] == 0.25
