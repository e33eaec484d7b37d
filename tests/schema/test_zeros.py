"""Structural zeros: no cell that a row could keep is ever impossible, and no other is left."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy._core.errors import SchemaError
from understudy.schema import Attribute, Domain, FollowsFrom, Ordered, Schema, structural_zeros, value_ends


def ordered(lower, upper, *more):
    """A schema of the fields `a` and `b`, `a` declared not to be larger."""
    fields = [{"name": "a", **lower}, {"name": "b", **upper}, *more]
    return Schema.from_dict({"fields": fields, "dependencies": [{"lower": "a", "upper": "b"}]})


def whole(low, high, bins, **more):
    return {"type": "integer", "bins": bins, "constraints": {"minimum": low, "maximum": high, **more}}


@st.composite
def whole_fields(draw):
    low = draw(st.integers(-5, 5))
    width = draw(st.integers(0, 8))
    if draw(st.booleans()):
        return {
            "type": "integer",
            "categories": draw(st.lists(st.integers(-6, 9), min_size=1, max_size=5, unique=True)),
        }
    field = whole(
        low, low + width, {"count": draw(st.integers(1, width + 1)), "closed": draw(st.sampled_from(["left", "right"]))}
    )
    if draw(st.booleans()):
        field["outside"] = draw(st.sampled_from(["clip", "other"]))
    if draw(st.booleans()):
        field["special"] = [-99]
    if draw(st.booleans()):
        field["constraints"]["required"] = False
    return field


def codes(field, values):
    """Value → code, of the values that may be drawn."""
    found = {}
    for value in values:
        inside = field.bins is None or field.bins.minimum <= value <= field.bins.maximum
        if inside and (field.bins is not None or any(c.value == value for c in field.categories)):
            found[value] = field.code_of(value)
    return found


def possible_of(schema):
    found = structural_zeros(schema)
    return found[0].possible if found else np.ones([a.size for a in schema.domain], dtype=bool)


@given(whole_fields(), whole_fields())
def test_of_whole_numbers_exactly_the_cells_that_no_row_keeps_are_impossible(lower, upper):
    a, b = Schema.from_dict({"fields": [{"name": "a", **lower}, {"name": "b", **upper}]}).fields
    expected = np.ones((a.size, b.size), dtype=bool)
    expected[: a.n_main, : b.n_main] = False
    values = range(-40, 41)
    for (v, i), (w, j) in product(codes(a, values).items(), codes(b, values).items()):
        expected[i, j] |= v <= w
    if not expected.any():
        with pytest.raises(SchemaError, match="a ≤ b leaves no row"):
            ordered(lower, upper)
    else:
        assert (possible_of(ordered(lower, upper)) == expected).all()


@given(
    st.tuples(st.integers(-20, 20), st.integers(1, 30), st.integers(1, 7), st.sampled_from(["left", "right"])),
    st.tuples(st.integers(-20, 20), st.integers(1, 30), st.integers(1, 7), st.sampled_from(["left", "right"])),
    st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=20, max_size=20),
)
def test_exactly_the_cells_that_drawn_numbers_keep_are_possible(one, other, at):
    def field(low, width, count, closed):
        ends = {"minimum": low / 10, "maximum": (low + width) / 10}
        return {"type": "number", "bins": {"count": count, "closed": closed}, "constraints": ends}

    a, b = Schema.from_dict({"fields": [{"name": "a", **field(*one)}, {"name": "b", **field(*other)}]}).fields
    drawn = [
        {
            *f.bins.values(np.concatenate(f.bins.grid)).tolist(),
            *np.round(
                [f.bins.minimum + (f.bins.maximum - f.bins.minimum) * p[i] for p in at], f.bins.decimals
            ).tolist(),
        }
        for i, f in enumerate((a, b))
    ]
    expected = np.zeros((a.size, b.size), dtype=bool)
    for v, w in product(*drawn):
        expected[a.code_of(v), b.code_of(w)] |= v <= w
    if expected.any():
        assert (possible_of(ordered(field(*one), field(*other))) == expected).all()
    else:
        with pytest.raises(SchemaError, match="no row"):
            ordered(field(*one), field(*other))


def test_bins_that_only_touch_are_possible_where_both_reach_their_end():
    halves = {"type": "number", "constraints": {"minimum": 0, "maximum": 2}}
    open_below = {**halves, "bins": {"count": 2, "closed": "right"}}
    open_above = {**halves, "bins": {"count": 2, "closed": "left"}}
    # (1, 2] against [0, 1]; [1, 2] against [0, 1]; (1, 2] and [1, 2] against [0, 1)
    assert not possible_of(ordered(open_below, open_below))[1, 0]
    assert possible_of(ordered(open_above, open_below))[1, 0]
    assert not possible_of(ordered(open_below, open_above))[1, 0]
    assert not possible_of(ordered(open_above, open_above))[1, 0]


def test_dates_and_the_order_of_columns():
    year = {"type": "date", "bins": 4, "constraints": {"minimum": "2023-01-01", "maximum": "2023-12-31"}}
    schema = Schema.from_dict(
        {
            "fields": [
                {"name": "discharged", **year},
                {"name": "sex", "type": "boolean"},
                {"name": "admitted", **year},
            ],
            "dependencies": [{"lower": "admitted", "upper": "discharged"}],
        }
    )
    (found,) = structural_zeros(schema)
    assert found.attributes == (0, 2)
    assert (found.possible == np.tril(np.ones((4, 4), dtype=bool))).all()
    with pytest.raises(ValueError, match="read-only"):
        found.possible[0, 0] = False


@pytest.mark.parametrize("circle", [["a", "b", "a"], ["a", "b", "c", "a"], ["c", "b", "c"]])
def test_orders_that_go_round_in_a_circle_are_refused(circle):
    pairs = [{"lower": lower, "upper": upper} for lower, upper in pairwise(circle)]
    content = {"fields": [{"name": name, **whole(0, 3, 4)} for name in "abc"], "dependencies": pairs}
    with pytest.raises(SchemaError, match="go round in a circle"):
        Schema.from_dict(content)


def test_a_middle_column_that_may_be_missing_passes_nothing_on():
    field = whole(0, 3, 4)
    schema = Schema.from_dict(
        {
            "fields": [{"name": "a", **field}, {"name": "b", **whole(0, 3, 4, required=False)}, {"name": "c", **field}],
            "dependencies": [{"lower": "a", "upper": "b"}, {"lower": "b", "upper": "c"}],
        }
    )
    assert [zeros.attributes for zeros in structural_zeros(schema)] == [(0, 1), (1, 2)]


def test_what_determines_what_gives_no_zeros():
    schema = Schema.from_dict(
        {
            "fields": [{"name": n, "categories": ["x", "y"]} for n in "ab"],
            "dependencies": [{"determines": ["a"], "column": "b"}],
        }
    )
    assert structural_zeros(schema) == ()


def test_clocks_of_two_time_zones_cannot_be_put_in_order():
    def moment(zone):
        ends = {"minimum": "2023-01-01T00:00:00", "maximum": "2023-01-02T00:00:00"}
        return {"type": "datetime", "timezone": zone, "bins": 4, "constraints": ends}

    with pytest.raises(SchemaError, match=r"'a' \(Asia/Tokyo\) and 'b' \(America/New_York\)"):
        ordered(moment("Asia/Tokyo"), moment("America/New_York"))
    assert len(structural_zeros(ordered(moment("Asia/Tokyo"), moment("Asia/Tokyo")))) == 1


def test_orders_that_always_hold_and_pairs_beyond_any_table_give_no_zeros():
    assert structural_zeros(ordered(whole(0, 3, 4), whole(3, 9, 4))) == ()
    large = ordered(whole(0, 9999, 10_000), whole(0, 9999, 10_000))
    assert structural_zeros(large) == ()
    (rule,) = large.domain.rules
    assert isinstance(rule, Ordered)
    assert rule.broken([np.array([5, 6]), np.array([6, 5])]).tolist() == [False, True]


@given(st.lists(whole_fields(), min_size=3, max_size=4), st.data())
def test_orders_that_no_row_keeps_together_are_refused_and_no_others(fields, data):
    names = "abcd"[: len(fields)]
    edges = data.draw(st.lists(st.permutations(range(len(fields))).map(lambda p: tuple(p[:2])), min_size=2, max_size=4))
    content = {
        "fields": [{"name": name, **field} for name, field in zip(names, fields, strict=True)],
        "dependencies": [{"lower": names[a], "upper": names[b]} for a, b in edges],
    }
    ends = [value_ends(field) for field in Schema.from_dict({"fields": content["fields"]}).fields]

    def keeps(row):
        """Whether values of these codes are in order: each as small as those below it allow, in any number of steps."""
        least = [ends[a][0][code] for a, code in enumerate(row)]
        for _ in row:
            for a, b in edges:
                least[b] = max(least[b], least[a]) if least[a] == least[a] and least[b] == least[b] else least[b]
        return not any(least[a] > ends[a][1][code] for a, code in enumerate(row))

    if circular(edges):
        words = "in a circle"
    elif not any(keeps(row) for row in product(*(range(len(low)) for low, _ in ends))):
        words = "no row"
    else:
        assert len(Schema.from_dict(content).domain) == len(fields)
        return
    with pytest.raises(SchemaError, match=words):
        Schema.from_dict(content)


def circular(edges):
    reached = set(edges)
    for _ in edges:
        reached |= {(a, d) for (a, b), (c, d) in product(reached, reached) if b == c}
    return any(a == b for a, b in reached)


def test_a_chain_that_no_values_keep_is_refused_even_if_bins_hide_it():
    fields = [{"name": "a", **whole(50, 90, 4)}, {"name": "b", **whole(0, 90, 1)}, {"name": "c", **whole(0, 40, 4)}]
    content = {"fields": fields, "dependencies": [{"lower": "a", "upper": "b"}, {"lower": "b", "upper": "c"}]}
    with pytest.raises(SchemaError, match=r"a ≤ b; b ≤ c together leave no row"):
        Schema.from_dict(content)
    fields[1]["constraints"]["required"] = False  # where b is missing there is no order
    assert len(Schema.from_dict(content).domain) == 3


def test_a_domain_carries_what_is_declared_and_is_the_same_domain_without():
    fields = [{"name": n, **whole(0, 3, 4)} for n in "abc"]
    listed = [{"determines": ["c", "a"], "column": "b"}, {"lower": "c", "upper": "a"}]
    schema = Schema.from_dict({"fields": fields, "dependencies": listed})
    zeros, follows = schema.domain.rules
    assert (zeros.attributes, zeros.text) == ((0, 2), "c ≤ a")
    assert follows == FollowsFrom((2, 0), 1, "c × a → b")
    assert schema.domain == Schema.from_dict({"fields": fields}).domain
    # columns in another order, or fewer of them
    assert schema.in_order_of(["c", "b", "a"]).domain.rules[1] == FollowsFrom((0, 2), 1, "c × a → b")
    assert [rule.text for rule in schema.only({"a", "c"}).domain.rules] == ["c ≤ a"]


def test_rules_about_columns_that_are_not_there_are_refused():
    with pytest.raises(ValueError, match="not there"):
        Domain((Attribute(name="a", size=2),), (FollowsFrom((0,), 1),))
    with pytest.raises(ValueError, match="each named once"):
        FollowsFrom((0, 0), 1)
