"""A field of the schema: its public domain, the label of each code, and the code of a value."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from understudy._core.errors import OptionError, SchemaError, did_you_mean
from understudy.schema._bins import Bins
from understudy.schema._domain import Attribute
from understudy.schema._levels import Tree, binary_levels, taxonomy_levels
from understudy.schema._limits import shown
from understudy.schema._values import FieldType, Form, NoSuchDayError, Value

Outside: TypeAlias = Literal["error", "clip", "other"]
Origin: TypeAlias = Literal["declared", "draft"]


@dataclass(frozen=True, kw_only=True)
class Category:
    """A value that has a code of its own, and the label people know it by.

    >>> Category(value=-1, label="never").label
    'never'
    """

    value: Value
    label: str


@dataclass(frozen=True, kw_only=True)
class Field:
    """One column: type, public domain and policies.

    Leaf codes are the categories or bins in their order, then the special values, then "other", then "missing".

    >>> from understudy.schema import Schema
    >>> schema = Schema.from_dict({"fields": [{"name": "age", "type": "integer", "special": [-1],
    ...     "constraints": {"minimum": 0, "maximum": 99, "required": False}, "bins": 4}]})
    >>> age = schema["age"]
    >>> age.labels
    ('0–24', '25–49', '50–74', '75–99', '-1', 'missing')
    >>> age.code_of(30), age.code_of("75–99"), age.code_of(-1), age.code_of(None)
    (1, 3, 4, 5)
    """

    name: str
    type: FieldType
    properties: Mapping[str, Any] = field(repr=False, hash=False)
    form: Form
    categories: tuple[Category, ...] = ()
    ordered: bool = False
    bins: Bins | None = None
    automatic: bool = False
    """Whether bins are found from a noisy histogram (`bins: auto`); those it has are for planning only."""
    shaped: bool = False
    """Whether where values lie inside its declared bins is found from a noisy histogram (`inside: auto`)."""
    cuts: tuple[int, ...] = ()
    """Points of the grid at which bins begin, whatever a histogram has: declared, or told apart by a dependency."""
    cells: tuple[int, ...] = ()
    """The first of its bins in each cell of a coarser grid, the first that are merged; empty where bins are the cells.
    """
    special: tuple[Category, ...] = ()
    taxonomy: Tree | None = None
    outside: Outside = "error"
    origin: Origin = "declared"
    missing_texts: tuple[str, ...] = ("",)
    missing_allowed: bool = False
    required: bool = False
    lacks: str | None = None
    sensitivity: Fraction = Fraction(0)
    weights: tuple[Fraction, ...] = ()
    comments: tuple[str, ...] = field(default=(), compare=False, repr=False)

    def __repr__(self) -> str:
        known = f", categories={len(self.categories)}" if self.categories else ""
        return f"Field({self.name!r}, {self.type!r}{known}, origin={self.origin!r})"

    @property
    def counted_finely(self) -> bool:
        """Whether its values are first counted on a fine grid, to find its bins or what is inside them."""
        return self.automatic or self.shaped

    @property
    def has_found_bins(self) -> bool:
        """Whether its bins were found from a noisy histogram: what `bins: auto` has become."""
        return self.bins is not None and self.bins.shape is not None and "found" in self.properties["bins"]

    @property
    def n_main(self) -> int:
        """Number of categories or bins."""
        return self.bins.count if self.bins else len(self.categories)

    @property
    def other_code(self) -> int | None:
        """The code of values outside the domain, where `outside: other`."""
        return self.n_main + len(self.special) if self.outside == "other" else None

    @property
    def missing_code(self) -> int | None:
        """The code of missing values, where they are allowed."""
        if not self.missing_allowed:
            return None
        return self.n_main + len(self.special) + (self.outside == "other")

    @property
    def size(self) -> int:
        """Number of leaf codes."""
        return self.n_main + len(self.special) + (self.outside == "other") + self.missing_allowed

    @property
    def other_text(self) -> str:
        """What "other" is written as in a column of texts; columns of other types leave the cell empty."""
        return _unused("other", [str(c.value) for c in self.categories] + list(self.missing_texts))

    @cached_property
    def attribute(self) -> Attribute:
        """The public domain: leaf codes and coarser levels. Special, other and missing stay apart at every level."""
        if self.lacks:
            raise SchemaError(self.lacks)
        extra = self.size - self.n_main
        if self.taxonomy is not None:
            coarser = taxonomy_levels(self.taxonomy, self.n_main, extra=extra)
        elif self.bins or self.ordered:
            coarser = binary_levels(self.n_main, extra=extra, cells=self.cells)
        else:
            coarser = ()
        return Attribute(
            name=self.name,
            size=self.size,
            coarser=coarser,
            sensitivity=self.sensitivity,
            weights=self.weights,
            in_order=self.n_main if self.bins or self.ordered else 0,
        )

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """One text for each leaf code, all different."""
        labels = list(self.bins.labels if self.bins else (c.label for c in self.categories))
        labels += [c.label for c in self.special]
        if self.outside == "other":
            labels.append(_unused("other", labels))
        if self.missing_allowed:
            labels.append(_unused("missing", labels))
        return tuple(labels)

    @cached_property
    def _codes(self) -> dict[Value, int]:
        """Own values (categories and special values) → code."""
        codes: dict[Value, int] = {c.value: i for i, c in enumerate(self.categories)}
        return codes | {c.value: self.n_main + i for i, c in enumerate(self.special)}

    @cached_property
    def _codes_of_labels(self) -> dict[str, int]:
        plain = {label.replace("–", "-"): code for code, label in enumerate(self.labels)}
        return plain | {label: code for code, label in enumerate(self.labels)}

    def code_of(self, value: Any) -> int:
        """The leaf code of a label, a value or a number's bin; None is missing. Raises OptionError if there is none."""
        if value is None:
            if self.missing_code is None:
                raise OptionError(f"column '{self.name}' has no missing values in its domain.")
            return self.missing_code
        if isinstance(value, str) and value in self._codes_of_labels:
            return self._codes_of_labels[value]
        try:
            inner = self.form.parse(value)
        except ValueError as error:
            if isinstance(error, NoSuchDayError) and self.other_code is None:
                raise OptionError(f"column '{self.name}': {error}.") from None
            inner = None
        if inner in self._codes:
            return self._codes[inner]
        if self.bins and isinstance(inner, int | float):
            if self.bins.minimum <= inner <= self.bins.maximum or self.outside == "clip":
                return int(self.bins.codes(np.array([inner]))[0])
            if self.other_code is None:
                low, high = self.form.text(self.bins.minimum), self.form.text(self.bins.maximum)
                raise OptionError(f"column '{self.name}': {value} lies outside its declared range {low}–{high}.")
        if self.other_code is not None:
            return self.other_code
        raise OptionError(f"column '{self.name}' has no value {shown(value)}. {did_you_mean(str(value), self.labels)}")

    def weights_between(self, low: Any = None, high: Any = None) -> npt.NDArray[np.float64]:
        """For each leaf code, the share of its values that lie between two values, ends included; None is open.

        A bin cut by an end counts in part, as if its values were spread evenly. Special, other and missing count 0.

        >>> from understudy.schema import Schema
        >>> schema = Schema.from_dict({"fields": [{"name": "age", "type": "integer", "bins": 4,
        ...     "constraints": {"minimum": 0, "maximum": 99}}]})
        >>> schema["age"].weights_between(25, 59).tolist()
        [0.0, 1.0, 0.4, 0.0]
        """
        weights = np.zeros(self.size)
        if self.bins is None:
            if not self.ordered and self.type not in ("integer", "number", "date", "datetime", "year"):
                raise OptionError(
                    f"column '{self.name}' has no order, so a range of it has no meaning. Name its values instead, "
                    "or declare categoriesOrdered: true."
                )
            weights[list(self._positions_between(low, high))] = 1.0
            return weights
        if self.bins.shape is not None:
            weights[: self.n_main] = self._shaped_weights(self.bins, low, high)
            return weights
        first, last = (self.bins.values(ends).astype(np.float64) for ends in self.bins.grid)
        unit = float(self.form.step) if self.bins.whole else 0.0
        bottom = first if low is None else np.maximum(first, self._inner(low))
        top = last if high is None else np.minimum(last, self._inner(high))
        span = np.maximum(last - first + unit, np.finfo(float).tiny)
        share = np.where(top >= bottom, (top - bottom + unit) / span, 0.0)
        # A bin with one single value has no width: it is in or out.
        weights[: self.n_main] = np.where(last - first + unit == 0, top >= bottom, np.clip(share, 0.0, 1.0))
        return weights

    def _shaped_weights(self, bins: Bins, low: Any, high: Any) -> npt.NDArray[np.float64]:
        """By what is known of the values inside a bin."""
        first, last = bins.grid
        unit = float(bins.unit)
        # grid points as the bounds see them; what a float cannot tell from a grid point is that point
        bottom = first if low is None else np.full_like(first, np.ceil(round(self._inner(low) / unit, 6)))
        top = last if high is None else np.full_like(last, np.floor(round(self._inner(high) / unit, 6)))
        return np.clip(bins.share_below(top) - bins.share_below(bottom - 1), 0.0, 1.0)

    def codes_between(self, low: Any = None, high: Any = None) -> tuple[int, ...]:
        """Leaf codes of the categories or bins that reach into a range, ends included; None is open.

        >>> from understudy.schema import Schema
        >>> schema = Schema.from_dict({"fields": [{"name": "size", "categories": ["S", "M", "L", "XL"],
        ...     "categoriesOrdered": True}]})
        >>> schema["size"].codes_between("M", "L")
        (1, 2)
        """
        return tuple(np.flatnonzero(self.weights_between(low, high)).tolist())

    def _inner(self, value: Any) -> float:
        try:
            return float(self.form.parse(value))
        except ValueError as error:
            raise OptionError(f"column '{self.name}': {error}.") from None

    def _positions_between(self, low: Any, high: Any) -> list[int]:
        if self.type == "string":
            start = 0 if low is None else self.code_of(low)
            stop = self.n_main - 1 if high is None else self.code_of(high)
            return [code for code in range(start, stop + 1) if code < self.n_main]
        bottom = -np.inf if low is None else self._inner(low)
        top = np.inf if high is None else self._inner(high)
        return [i for i, c in enumerate(self.categories) if bottom <= float(c.value) <= top]

    def to_dict(self) -> dict[str, Any]:
        """The field as it was written."""
        return deepcopy(dict(self.properties))


def _unused(word: str, taken: list[str]) -> str:
    while word in taken:
        word = f"({word})"
    return word
