"""From a field as written to a field with a public domain; every fault is told, none is raised."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

from pydantic import ValidationError

from understudy.schema._bins import (
    MOST_FOUND,
    Bins,
    Side,
    default_count,
    default_decimals,
    equal_width,
    holds_nothing,
    most_decimals,
)
from understudy.schema._field import Category, Field
from understudy.schema._file import BinsFile, CategoryFile, FieldFile, missing_texts, parse_field
from understudy.schema._found import (
    auto_edges,
    check_one_kind,
    is_sought,
    points,
    to_be_filled,
    with_default,
    with_shape,
)
from understudy.schema._levels import Tree
from understudy.schema._limits import shown
from understudy.schema._sensitivity import read_sensitivity, read_weights
from understudy.schema._values import RANGE_TYPES, Form, Value, format_fault, zone_exists
from understudy.schema._written import plain, written_text

_TEXT_KEYS = frozenset({"name", "missingValues", "trueValues", "falseValues"})
_VALUE_KEYS = frozenset({"categories", "taxonomy", "constraints", "special"})
_LARGEST = Fraction(10**15)
_LARGEST_WHOLE = Fraction(10**18)  # with room in 64 bits for sums and differences


def build_field(
    raw: Any,
    *,
    position: int,
    missing: tuple[str, ...],
    faults: list[str],
    comments: tuple[str, ...] = (),
    automatic: bool = True,
) -> Field | None:
    """The field, or None with its faults added to the list. `missing` are the texts of the whole schema.

    `automatic` says whether bins are found where none are declared, or of equal width.

    >>> faults: list[str] = []
    >>> build_field({"name": "age", "type": "integer"}, position=1, missing=("",), faults=faults)
    >>> print(faults[0])
    field 'age' (integer) has no public domain. Add constraints: {minimum: …, maximum: …}, or list its categories.
    """
    file = parse_field(raw, position, faults)
    if file is None:
        return None
    builder = _Builder(with_default(file) if automatic else file)
    built = builder.field(raw, missing, comments)
    faults.extend(f"field '{file.name}': {fault}" for fault in builder.faults)
    if built.lacks and built.origin == "declared":
        faults.append(built.lacks)
        return None
    return None if builder.faults else built


class _Builder:
    """Walks one field's properties and notes what is wrong with them."""

    def __init__(self, file: FieldFile) -> None:
        self.file = file
        self.faults: list[str] = []
        self.form = Form(
            type=file.type,
            format=None if file.format in (None, "default") else file.format,
            decimal_char=file.decimal_char,
            group_char=file.group_char,
            true_values=tuple(file.true_values),
            false_values=tuple(file.false_values),
            timezone=file.timezone if file.timezone and zone_exists(file.timezone) else None,
        )

    def field(self, raw: dict[str, Any], missing: tuple[str, ...], comments: tuple[str, ...]) -> Field:
        """All the parts together."""
        file = self.file
        self._check_form()
        categories = self._categories()
        bins = None if categories or file.type not in RANGE_TYPES else self._bins()
        shaped = to_be_filled(file.bins, bins)
        special = self._special(bins)
        own = None if file.missing_values is None else missing_texts(file.missing_values, "field", self.faults)
        texts = missing if own is None else own
        required = file.constraints.required
        lacks = None if categories or bins or self.faults else self._lacks()
        self._check_outside(bins, lacks)
        self._check_missing(texts, (*categories, *special))
        built = Field(
            name=file.name,
            type=file.type,
            properties={
                key: plain(value, as_text=key in _TEXT_KEYS or (file.type == "string" and key in _VALUE_KEYS))
                for key, value in raw.items()
            },
            form=self.form,
            categories=categories,
            ordered=file.categories_ordered,
            bins=bins,
            automatic=bins is not None and file.bins is not None and file.bins.auto and points(bins) > MOST_FOUND,
            shaped=shaped,
            cuts=tuple(bins.grid[0][1:].tolist()) if bins and shaped else (),
            special=special,
            taxonomy=self._taxonomy(categories, bins),
            outside=file.outside,
            origin=file.origin,
            missing_texts=texts,
            missing_allowed=required is False or (own is not None and required is None),
            required=bool(required),
            lacks=lacks,
            sensitivity=read_sensitivity(file.sensitivity, file.sensitivities, self._fault),
            comments=comments,
        )
        if self.faults or lacks or not file.sensitivities:
            return built
        return replace(built, weights=read_weights(file.sensitivities, built, self._fault))

    def _check_form(self) -> None:
        file = self.file
        if file.type in ("date", "datetime"):
            if self.form.format == "any":
                self._fault("format 'any' is a guess. Write the pattern, such as %d/%m/%Y")
            elif fault := format_fault(self.form):
                self._fault(fault)
        if not file.bare_number:
            self._fault("bareNumber: false is not supported. Remove the units from the column and this property")
        if both := set(file.true_values) & set(file.false_values):
            self._fault(f"{sorted(both)} stand in trueValues and in falseValues")
        if file.decimals is not None and file.type != "number":
            self._fault("decimals belongs to fields of type number")
        if file.timezone is not None and file.type != "datetime":
            self._fault("timezone belongs to fields of type datetime")
        elif file.timezone != self.form.timezone:
            self._fault(
                f"there is no time zone {shown(file.timezone)}. Write its IANA name, such as Europe/Paris or UTC"
            )

    def _categories(self) -> tuple[Category, ...]:
        file = self.file
        listed, enum = file.categories, file.constraints.enum
        if listed is None and enum is None and file.type == "boolean":
            listed = [False, True]
        written = listed if listed is not None else enum
        if written is None:
            return ()
        if not written:
            self._fault("categories is an empty list. List every value the column may hold")
        categories = self._listed(written, "categories")
        if listed is not None and enum is not None:
            values = {c.value for c in self._listed(enum, "constraints.enum")}
            if values != {c.value for c in categories}:
                self._fault("categories and constraints.enum differ. Keep one of them")
        if file.bins is not None:
            self._fault("it has both categories and bins. Keep one of them")
        low, high = self._end("minimum"), self._end("maximum")
        for category in categories if file.type in RANGE_TYPES else ():
            value = Fraction(category.value)
            if (low is not None and value < low) or (high is not None and value > high):
                self._fault(f"category {category.label} lies outside constraints.minimum and maximum")
        return categories

    def _listed(self, written: Iterable[Any], what: str) -> tuple[Category, ...]:
        found: list[Category] = []
        for item in written:
            if isinstance(item, dict):
                if "value" not in item:
                    self._fault(f"{what}: {shown(item)} has no 'value'. Write {{value: …, label: …}}")
                    continue
                try:
                    item = CategoryFile.model_validate(item)
                except ValidationError:
                    self._fault(f"{what}: {shown(item)} is not written {{value: …, label: …}}")
                    continue
            value = item.value if isinstance(item, CategoryFile) else item
            if value is None:
                self._fault(f"{what} holds an empty item. Quote it if it is a text; missing values need no category")
                continue
            try:
                inner = self.form.parse(value)
            except ValueError as error:
                self._fault(f"{what}: {error}")
                continue
            label = item.label if isinstance(item, CategoryFile) else None
            if isinstance(label, dict | list | tuple):
                self._fault(f"{what}: the label {shown(label)} is not a text")
                continue
            text = self._label(inner) if label in (None, "") else written_text(label)
            found.append(Category(value=inner, label=text))
        self._twice([c.value for c in found], what)
        if len({c.value for c in found}) == len(found):
            self._twice([c.label for c in found], f"labels of {what}")
        return tuple(found)

    def _label(self, value: Value) -> str:
        return ("true" if value else "false") if self.file.type == "boolean" else self.form.text(value)

    def _twice(self, values: list[Any], what: str) -> None:
        seen: set[Any] = set()
        twice = sorted({str(v) for v in values if v in seen or seen.add(v)})  # type: ignore[func-returns-value]
        if twice:
            self._fault(f"{what}: {', '.join(twice[:5])} {'is' if len(twice) == 1 else 'are'} listed twice")

    def _end(self, key: str) -> Fraction | None:
        """A limit of the range, exact; an exclusive limit moves one step in."""
        constraints = self.file.constraints
        written = getattr(constraints, key)
        exclusive = getattr(constraints, f"exclusive_{key}")
        if self.file.type not in RANGE_TYPES or (written is None and exclusive is None):
            return None
        try:
            if written is not None:
                end = self.form.exact(written)
                if self.file.type in ("integer", "year") and end.denominator != 1:
                    self._fault(f"constraints.{key}: {shown(written)} is not a whole number")
                return end
            if self.file.type == "number":
                self._fault(f"an exclusive limit of a number is not supported. Give constraints.{key} instead")
                return None
            step = self.form.step if key == "minimum" else -self.form.step
            return self.form.exact(exclusive) + step
        except ValueError as error:
            self._fault(f"constraints.{key}: {error}. Give the {key} that is possible")
            return None

    def _bins(self) -> Bins | None:
        file = self.file
        shape = file.bins or BinsFile()
        check_one_kind(file, self._fault)
        low, high = self._end("minimum"), self._end("maximum")
        if shape.edges is not None:
            edges = self._edges(shape.edges, low, high)
            declared = edges
        else:
            if low is None or high is None:
                return None
            edges = self._cut(shape, low, high)
            declared = (low, high)
        if edges is None or declared is None:
            return None
        if max(abs(edge) for edge in edges) > _LARGEST and file.type == "number":
            self._fault("its range goes beyond ±10^15. Narrow it to what is possible, or use larger units")
            return None
        if max(abs(edge) for edge in edges) > _LARGEST_WHOLE:
            self._fault("its range goes beyond ±10^18. Narrow it to what is possible, or use larger units")
            return None
        if file.type in ("date", "datetime") and not all(self._reads_back(edge) for edge in (edges[0], edges[-1])):
            self._fault("its range cannot be written as dates and read back. Use the years 1000 to 9999")
            return None
        bins = self._checked(edges, declared, shape.closed)
        return None if bins is None else with_shape(shape, bins, self._fault)

    def _cut(self, shape: BinsFile, low: Fraction, high: Fraction) -> tuple[Fraction, ...] | None:
        if shape.auto and low <= high:
            return auto_edges(low, high, self.form, self.file.decimals, self._fault)
        return self._equal(low, high, 1 if shape.found else shape.count)

    def _reads_back(self, moment: Fraction) -> bool:
        try:
            self.form.parse(self.form.text(math.floor(moment)))
        except (ValueError, OverflowError):
            return False
        return True

    def _equal(self, low: Fraction, high: Fraction, count: int | None) -> tuple[Fraction, ...] | None:
        if low > high:
            file = self.file.constraints
            ends = f"constraints.minimum {file.end('minimum')} is larger than constraints.maximum {file.end('maximum')}"
            self._fault(f"{ends}. Swap them, or correct one")
            return None
        room = default_count(low, high, self.form)
        count = room if count is None else count
        values = (high - low) // self.form.step + 1
        if (self.file.type == "number" and low == high and count > 1) or (
            self.file.type != "number" and count > values
        ):
            most = 1 if self.file.type == "number" else int(values)
            held = f"{most} value" if most == 1 else f"{most} values"
            less = "bins: 1" if most == 1 else f"{most} or fewer"
            self._fault(f"bins: {count} is more than the {held} between minimum and maximum. Use {less}")
            return None
        return equal_width(low, high, count)

    def _edges(self, written: list[Any], low: Fraction | None, high: Fraction | None) -> tuple[Fraction, ...] | None:
        try:
            edges = tuple(self.form.exact(edge) for edge in written)
        except ValueError as error:
            self._fault(f"bins.edges: {error}")
            return None
        if len(edges) < 2 or any(a >= b for a, b in pairwise(edges)):
            self._fault(
                f"bins.edges must be at least two values, each larger than the one before; got {shown(plain(written))}"
            )
            return None
        if (low is not None and low != edges[0]) or (high is not None and high != edges[-1]):
            said = f"got {shown(plain(written[0]))} to {shown(plain(written[-1]))}"
            self._fault(f"bins.edges must begin at constraints.minimum and end at constraints.maximum; {said}")
            return None
        return edges

    def _checked(self, edges: tuple[Fraction, ...], declared: tuple[Fraction, ...], closed: Side) -> Bins | None:
        decimals = self.file.decimals
        if decimals is None:
            decimals = default_decimals(edges, declared) if self.file.type == "number" else 0
        asked = self.file.bins or BinsFile()
        if self.file.type == "number" and decimals > (most := most_decimals(edges, found=is_sought(asked))):
            self._fault(
                f"decimals: {decimals} is more than numbers in its range can be told apart by. Use {most} at most"
            )
            return None
        bins = Bins(edges=edges, form=self.form, closed=closed, decimals=decimals)
        if said := holds_nothing(bins, one=asked.auto):
            self._fault(said)
            return None
        return bins

    def _special(self, bins: Bins | None) -> tuple[Category, ...]:
        if self.file.special is None:
            return ()
        if self.file.type not in RANGE_TYPES or self.file.categories is not None:
            self._fault("special belongs to fields with a range. Add these values to its categories instead")
            return ()
        special = self._listed(self.file.special, "special")
        for category in special if bins else ():
            if bins and bins.minimum <= float(category.value) <= bins.maximum:
                self._fault(f"special value {category.label} lies inside its range. Narrow the range, or drop it")
        return special

    def _taxonomy(self, categories: tuple[Category, ...], bins: Bins | None) -> Tree | None:
        if self.file.taxonomy is None or not (categories or bins):
            return None
        codes: dict[Value, int] = {c.value: code for code, c in enumerate(categories)}
        for code, label in enumerate(bins.labels) if bins else ():
            codes |= {code: code, label: code, label.replace("–", "-"): code}
        used: list[int] = []
        tree = self._tree(self.file.taxonomy, codes, used, bins is not None)
        size = bins.count if bins else len(categories)
        names = bins.labels if bins else [c.label for c in categories]
        self._twice([names[code] for code in used], "taxonomy")
        named = set(used)
        if left_out := [names[code] for code in range(size) if code not in named]:
            self._fault(f"taxonomy leaves out {', '.join(left_out[:5])}{', …' if len(left_out) > 5 else ''}")
        return tree

    def _tree(self, written: list[Any], codes: dict[Value, int], used: list[int], over_bins: bool) -> Tree:
        tree: list[int | Tree] = []
        for item in written:
            if isinstance(item, list):
                tree.append(self._tree(item, codes, used, over_bins))
                continue
            try:
                value = plain(item) if over_bins else self.form.parse(item)
            except ValueError:
                value = written_text(item)
            if isinstance(value, str | int | float) and value in codes:
                used.append(codes[value])
                tree.append(codes[value])
            else:
                kind = "bins (number them from 0, or use their labels)" if over_bins else "categories"
                self._fault(f"taxonomy names {shown(written_text(item))}, which is not one of its {kind}")
        return tuple(tree)

    def _lacks(self) -> str:
        what = f"field '{self.file.name}' ({self.file.type}) has no public domain. "
        if self.file.type == "string":
            return (
                what + "Add categories: […] with every value it may hold, or drop the column if it identifies people."
            )
        ends = [key for key in ("minimum", "maximum") if getattr(self.file.constraints, key) is None]
        limits = ", ".join(f"{key}: …" for key in ends)
        return what + f"Add constraints: {{{limits}}}, or list its categories."

    def _check_outside(self, bins: Bins | None, lacks: str | None) -> None:
        if self.file.outside == "clip" and bins is None and lacks is None and not self.faults:
            self._fault("outside: clip needs a range; categories have no nearest end. Use error or other")

    def _check_missing(self, texts: tuple[str, ...], own: tuple[Category, ...]) -> None:
        clash = sorted({self.form.text(c.value) for c in own if self.file.type != "boolean"} & set(texts))
        if clash:
            self._fault(f"{clash[0]!r} is a category and a missing value at once. Remove it from one of them")

    def _fault(self, sentence: str) -> None:
        self.faults.append(sentence + ".")
