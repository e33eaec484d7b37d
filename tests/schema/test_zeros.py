"""Structural zeros: no cell that a row could keep is ever impossible, and no other is left."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy._core.errors import SchemaError
from understudy.schema import Attribute, Domain, FollowsFrom, NotInCodes, Schema, structural_zeros


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
    """Value → code, of the values that the field takes."""
    found = {}
    for value in values:
        inside = field.bins is None or field.bins.minimum <= value <= field.bins.maximum or field.outside == "clip"
        if inside and (field.bins is not None or any(c.value == value for c in field.categories)):
            found[value] = field.code_of(value)
    return found


def possible_of(schema):
    found = structural_zeros(schema)
    return found[0].possible if found else np.ones([a.size for a in schema.domain], dtype=bool)


@given(whole_fields(), whole_fields())
def test_of_whole_numbers_exactly_the_cells_that_no_row_keeps_are_impossible(lower, upper):
    schema = ordered(lower, upper)
    a, b = schema.fields
    expected = np.ones((a.size, b.size), dtype=bool)
    expected[: a.n_main, : b.n_main] = False
    values = range(-40, 41)
    for (v, i), (w, j) in product(codes(a, values).items(), codes(b, values).items()):
        expected[i, j] |= v <= w
    if not expected.any():
        with pytest.raises(SchemaError, match="a ≤ b leaves no row"):
            structural_zeros(schema)
    else:
        assert (possible_of(schema) == expected).all()


@given(
    st.tuples(st.integers(-20, 20), st.integers(1, 30), st.integers(1, 7), st.sampled_from(["left", "right"])),
    st.tuples(st.integers(-20, 20), st.integers(1, 30), st.integers(1, 7), st.sampled_from(["left", "right"])),
    st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=20, max_size=20),
)
def test_no_cell_that_numbers_keep_is_impossible(one, other, at):
    def field(low, width, count, closed):
        ends = {"minimum": low / 10, "maximum": (low + width) / 10}
        return {"type": "number", "bins": {"count": count, "closed": closed}, "constraints": ends}

    schema = ordered(field(*one), field(*other))
    a, b = schema.fields
    try:
        possible = possible_of(schema)
    except SchemaError:
        assert a.bins.minimum > b.bins.maximum
        return
    ends = [[float(edge) for edge in f.bins.edges] for f in (a, b)]
    random = [
        [f.bins.minimum + (f.bins.maximum - f.bins.minimum) * pair[i] for pair in at] for i, f in enumerate((a, b))
    ]
    for v, w in product(ends[0] + random[0], ends[1] + random[1]):
        if v <= w and all(f.bins.minimum <= x <= f.bins.maximum for f, x in ((a, v), (b, w))):
            assert possible[a.code_of(v), b.code_of(w)]


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


def test_two_orders_of_one_pair_leave_what_both_keep():
    field = whole(0, 3, 4)
    schema = Schema.from_dict(
        {
            "fields": [{"name": "a", **field}, {"name": "b", **field}],
            "dependencies": [{"lower": "a", "upper": "b"}, {"lower": "b", "upper": "a"}],
        }
    )
    (found,) = structural_zeros(schema)
    assert (found.possible == np.eye(4, dtype=bool)).all()


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


def test_clocks_of_two_time_zones_are_not_compared():
    def moment(zone):
        ends = {"minimum": "2023-01-01T00:00:00", "maximum": "2023-01-02T00:00:00"}
        return {"type": "datetime", "timezone": zone, "bins": 4, "constraints": ends}

    schema = ordered(moment("Asia/Tokyo"), moment("America/New_York"))
    assert structural_zeros(schema) == ()
    assert schema.domain.rules == (NotInCodes((0, 1), "a ≤ b"),)
    assert len(structural_zeros(ordered(moment("Asia/Tokyo"), moment("Asia/Tokyo")))) == 1


def test_orders_that_always_hold_and_pairs_beyond_any_table_give_no_zeros():
    assert structural_zeros(ordered(whole(0, 3, 4), whole(3, 9, 4))) == ()
    large = ordered(whole(0, 9999, 10_000), whole(0, 9999, 10_000))
    assert structural_zeros(large) == ()
    assert large.domain.rules == (NotInCodes((0, 1), "a ≤ b"),)


@given(st.lists(whole_fields(), min_size=3, max_size=4), st.data())
def test_orders_that_no_row_keeps_together_are_refused_and_no_others(fields, data):
    names = "abcd"[: len(fields)]
    edges = data.draw(st.lists(st.permutations(range(len(fields))).map(lambda p: tuple(p[:2])), min_size=2, max_size=4))
    content = {
        "fields": [{"name": name, **field} for name, field in zip(names, fields, strict=True)],
        "dependencies": [{"lower": names[a], "upper": names[b]} for a, b in edges],
    }
    schema = Schema.from_dict(content)
    tables = []
    for a, b in edges:
        lower, upper = ({k: v for k, v in fields[i].items() if k != "name"} for i in (a, b))
        try:
            tables.append((a, b, possible_of(ordered(lower, upper))))
        except SchemaError:
            tables.append((a, b, np.zeros((schema.fields[a].size, schema.fields[b].size), dtype=bool)))
    rows = product(*(range(field.size) for field in schema.fields))
    if any(all(table[row[a], row[b]] for a, b, table in tables) for row in rows):
        try:
            assert len(schema.domain) == len(fields)
        except SchemaError as error:
            if "is as large as" not in str(error):  # codes keep it, and no values do
                raise
    else:
        with pytest.raises(SchemaError, match="no row"):
            _ = schema.domain


def test_a_chain_that_no_values_keep_is_refused_even_if_bins_hide_it():
    fields = [{"name": "a", **whole(50, 90, 4)}, {"name": "b", **whole(0, 90, 1)}, {"name": "c", **whole(0, 40, 4)}]
    content = {"fields": fields, "dependencies": [{"lower": "a", "upper": "b"}, {"lower": "b", "upper": "c"}]}
    with pytest.raises(SchemaError, match=r"no value of 'c' is as large .* such as 'b'"):
        _ = Schema.from_dict(content).domain
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
