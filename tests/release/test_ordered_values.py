"""What orders leave of conditions, held against every row that tiny tables could have."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from understudy.models import JointModel
from understudy.release import PublishedModel, Statement
from understudy.release._asked_order import disorder, implied, needed
from understudy.release._asking import parse_terms
from understudy.release._conditions import terms_to_conditions
from understudy.schema import Schema, structural_zeros

SIGNS: dict[str, Callable[[Any, Any], bool]] = {
    ">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt, "=": operator.eq,
}  # fmt: skip
LETTERS = "abc"


@dataclass(frozen=True)
class Cell:
    """A value as a person reads it: what it is compared by, or no number at all, and whether orders speak of it."""

    text: str
    number: Fraction | None
    ordered: bool


@dataclass(frozen=True)
class Column:
    """A declared field, and all cells that it may have."""

    field: dict[str, Any]
    cells: tuple[Cell, ...]


def written(kind: str, place: int) -> tuple[str, Fraction]:
    """The value so many steps above the first, and as a number that other columns of its kind are compared by."""
    if kind == "date":
        return (date(2020, 1, 1) + timedelta(days=place)).isoformat(), Fraction(place)
    if kind == "days":
        return (datetime(2020, 1, 1) + timedelta(days=place)).strftime("%Y-%m-%d"), Fraction(place)
    if kind == "hours":
        moment = datetime(2020, 1, 1, 21) + timedelta(hours=place)
        return moment.strftime("%Y-%m-%d %H"), Fraction(21 + place, 24)
    if kind == "tenths":
        return f"{(place + 8) / 10:.1f}", Fraction(place + 8, 10)
    return str(place), Fraction(place)


TYPES: dict[str, dict[str, Any]] = {
    "integer": {"type": "integer"},
    "tenths": {"type": "number", "decimals": 1},
    "date": {"type": "date"},
    "days": {"type": "datetime", "format": "%Y-%m-%d"},
    "hours": {"type": "datetime", "format": "%Y-%m-%d %H"},
}
FAMILIES = [("integer", "tenths"), ("date",), ("hours", "days")]


@st.composite
def columns(draw: st.DrawFn, name: str, kind: str) -> Column:
    """A column in bins or of categories, with or without what is in no order."""
    required, binned = draw(st.booleans()), draw(st.booleans())
    special = binned and kind == "integer" and draw(st.booleans())
    first, count = int(special) + draw(st.integers(0, 3)), draw(st.integers(2, 5))
    values = [written(kind, first + i) for i in range(count)]
    field: dict[str, Any] = {"name": name, **TYPES[kind], "constraints": {"required": required}}
    if not binned:
        field["categories"] = [text for text, _ in values]
    else:
        field["constraints"] |= {"minimum": values[0][0], "maximum": values[-1][0]}
        field["bins"] = draw(st.integers(1, min(count - 1, 2)))
    cells = [Cell(text, number, ordered=True) for text, number in values]
    if special:  # zero is a number that is in no order
        field["special"] = [0]
        cells.append(Cell("0", Fraction(0), ordered=False))
    if draw(st.booleans()) and required:
        field["outside"] = "other"
        cells.append(Cell("other", None, ordered=False))
    return Column(field, (*cells, *(() if required else (Cell("missing", None, ordered=False),))))


@dataclass(frozen=True)
class Case:
    """A schema, its orders, and conditions as text: a sign and values for some of its columns."""

    columns: tuple[Column, ...]
    orders: tuple[tuple[int, int], ...]
    terms: dict[int, tuple[str, tuple[Cell, ...]]]

    @property
    def schema(self) -> Schema:
        return Schema.from_dict(
            {
                "fields": [column.field for column in self.columns],
                "dependencies": [{"lower": LETTERS[a], "upper": LETTERS[b]} for a, b in self.orders],
            }
        )

    def regions(self, schema: Schema) -> dict[int, Any]:
        text = ", ".join(
            f"{LETTERS[a]}{sign}" + "/".join(f"'{cell.text}'" for cell in cells)
            for a, (sign, cells) in self.terms.items()
        )
        return terms_to_conditions(schema, parse_terms(text, names=schema.names)).regions

    def meant(self, a: int, cell: Cell) -> bool:
        """Whether a cell fulfils the condition on its column."""
        if a not in self.terms:
            return True
        sign, cells = self.terms[a]
        if sign in ("=", "!="):
            return (cell in cells) == (sign == "=")
        return cell.number is not None and SIGNS[sign](cell.number, cells[0].number)

    @property
    def alone(self) -> bool:
        """Whether each condition by itself is met by some cell."""
        return all(any(self.meant(a, cell) for cell in column.cells) for a, column in enumerate(self.columns))

    def rows(self) -> Iterator[tuple[Cell, ...]]:
        """Every row that keeps the orders."""
        for row in product(*(column.cells for column in self.columns)):
            pairs = ((row[a], row[b]) for a, b in self.orders)
            if all(not (x.ordered and y.ordered) or x.number <= y.number for x, y in pairs):  # type: ignore[operator]
                yield row


@st.composite
def cases(draw: st.DrawFn) -> Case:
    family = draw(st.sampled_from(FAMILIES))
    several = tuple(draw(columns(name, draw(st.sampled_from(family)))) for name in LETTERS)
    orders = draw(st.sampled_from([((0, 1),), ((0, 1), (1, 2)), ((0, 1), (0, 2)), ((0, 2), (1, 2)), ((2, 1), (1, 0))]))
    terms = {}
    for a, column in enumerate(several):
        sign = draw(st.sampled_from(["", *SIGNS, "!="]))
        if sign in ("=", "!="):
            cells = draw(st.lists(st.sampled_from(column.cells), min_size=1, max_size=2, unique=True))
            terms[a] = (sign, tuple(cells))
        elif sign:
            terms[a] = (sign, (draw(st.sampled_from([cell for cell in column.cells if cell.ordered])),))
    return Case(several, orders, terms)


@given(cases())
def test_conditions_are_refused_exactly_where_no_row_fulfils_them(case: Case) -> None:
    rows = list(case.rows())
    assume(rows and case.alone)
    schema = case.schema
    met = [row for row in rows if all(case.meant(a, cell) for a, cell in enumerate(row))]
    assert (disorder(schema, case.regions(schema)) is None) == bool(met)


@given(cases())
def test_conditions_are_left_out_only_where_they_follow_from_others(case: Case) -> None:
    rows = list(case.rows())
    assume(rows and case.alone)
    schema = case.schema
    regions = case.regions(schema)

    def met(among: Any) -> list[tuple[Cell, ...]]:
        return [row for row in rows if all(case.meant(a, row[a]) for a in among)]

    for a, region in regions.items():
        others = {b: one for b, one in regions.items() if b != a}
        if met(others) and not all(case.meant(a, cell) for cell in case.columns[a].cells):
            follows = all(case.meant(a, row[a]) for row in met(others))
            assert (implied(schema, a, region, others) is not None) == follows
    assert met(needed(schema, regions)) == met(regions) or not met(regions)


@pytest.fixture(scope="module")
def steps() -> PublishedModel:
    """A column of categories that is never larger than one in bins, with weights for all cells that are possible."""
    bounds = {"minimum": 0, "maximum": 11, "required": False}
    schema = Schema.from_dict(
        {
            "fields": [
                {"name": "a", "type": "integer", "categories": [0, 5, 7]},
                {"name": "b", "type": "integer", "bins": 3, "constraints": bounds},
            ],
            "dependencies": [{"lower": "a", "upper": "b"}],
        }
    )
    (zeros,) = structural_zeros(schema)
    joint = np.arange(1.0, 13.0).reshape(3, 4) * zeros.possible
    return PublishedModel(schema, JointModel(schema.domain, 99, joint / joint.sum()), Statement.example(n_rows=99))


@pytest.mark.parametrize("value", [0, 5, 7])
def test_beside_one_value_a_column_in_bins_lies_as_rows_are_drawn(steps: PublishedModel, value: int) -> None:
    joint = steps.query("a, b").probabilities
    given = joint[[0, 5, 7].index(value)]
    points: dict[int, float] = {}
    for code in range(3):  # rows of a bin are drawn again until they are in order
        kept = [point for point in range(4 * code, 4 * code + 4) if point >= value]
        points |= {point: given[code] / len(kept) for point in kept}
    total, known = given.sum(), sum(points.values())
    mean = sum(point * part for point, part in points.items()) / known
    assert steps.query(f"mean(b) | a={value}").value == pytest.approx(mean)
    assert steps.query(f"sum(b) | a={value}").value == pytest.approx(99 * known * mean)
    assert steps.query(f"share(b>=6) | a={value}").value == pytest.approx(
        sum(part for point, part in points.items() if point >= 6) / total
    )
    for text in (f"count(b>=6) | a={value}", f"count(a={value}, b>=6)", f"count(a={value}) | b>=6"):
        answer = steps.query(text)
        assert answer.value == pytest.approx(99 * sum(part for point, part in points.items() if point >= 6))
        assert not any("bin by bin" in note for note in answer.notes), text
    middle = steps.query(f"median(b) | a={value}").value
    below = sum(part for point, part in points.items() if point < middle)
    assert below < known / 2 <= below + points[int(middle)] + 1e-12
    assert steps.query(f"share(b=missing) | a={value}").value == pytest.approx(given[3] / total)
