"""Conditions on columns, as weights on their codes (`Evidence`), and as narrower bins to draw values from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from understudy._core.errors import OptionError, did_you_mean
from understudy.release._asking import Term, Word, parse_range, parse_terms
from understudy.schema import Bins, Field, Schema

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
Where: TypeAlias = "str | Mapping[str, Any] | None"
_MOST_VALUES = 100_000


@dataclass(frozen=True, kw_only=True)
class CutBins(Bins):
    """Bins from which only some values may be drawn: those between `bottom` and `top`, bin by bin, in grid units."""

    bottom: tuple[int, ...]
    top: tuple[int, ...]

    @cached_property
    def grid(self) -> tuple[Ints, Ints]:
        """First and last value of each bin that may be drawn."""
        first, last = np.array(self.bottom, dtype=np.int64), np.array(self.top, dtype=np.int64)
        first.setflags(write=False)
        last.setflags(write=False)
        return first, last


@dataclass(frozen=True)
class Choice:
    """One thing a column may be: a single code, or everything between two values (None is open)."""

    code: int | None = None
    low: Any = None
    high: Any = None


@dataclass(frozen=True)
class Conditions:
    """What each named column may be.

    >>> schema = Schema.from_dict({"fields": [{"name": "age", "type": "integer", "bins": 4,
    ...     "constraints": {"minimum": 0, "maximum": 99}}, {"name": "sex", "categories": ["F", "M"]}]})
    >>> conditions = read_conditions(schema, {"sex": "F", "age": (20, 39)})
    >>> {attribute: weights.tolist() for attribute, weights in conditions.evidence.items()}
    {1: [1.0, 0.0], 0: [0.2, 0.6, 0.0, 0.0]}
    """

    schema: Schema
    choices: Mapping[int, tuple[Choice, ...]]

    @property
    def evidence(self) -> dict[int, Floats]:
        """Weight of each leaf code, for each column that has a condition."""
        return {
            attribute: np.minimum(sum(_weights(self.schema.fields[attribute], choice) for choice in choices), 1.0)
            for attribute, choices in self.choices.items()
        }

    @property
    def drawing_schema(self) -> Schema:
        """The schema with its bins cut to the conditions, so that decoded values fulfil them exactly."""
        fields = list(self.schema.fields)
        for attribute, choices in self.choices.items():
            cut = _cut(fields[attribute], choices)
            if cut is not None:
                fields[attribute] = replace(fields[attribute], bins=cut)
        return replace(self.schema, fields=tuple(fields))


def read_conditions(schema: Schema, where: Where) -> Conditions:
    """Conditions from a mapping (value, list of values, or (low, high)) or from text like a query's right side.

    >>> schema = Schema.from_dict({"fields": [{"name": "sex", "categories": ["F", "M"]}]})
    >>> read_conditions(schema, "sex=X")
    Traceback (most recent call last):
    understudy._core.errors.OptionError: column 'sex' has no value 'X'. Known: 'F', 'M'.
    """
    if where is None:
        return Conditions(schema, {})
    if isinstance(where, str):
        return terms_to_conditions(schema, parse_terms(where))
    if not isinstance(where, Mapping):
        raise OptionError(
            f"where must be a mapping such as {{'sex': 'Female', 'age': (30, 40)}} or a text such as "
            f"'sex=Female, age=30..40'. Got {type(where).__name__} instead."
        )
    choices = {}
    for name, value in where.items():
        attribute = find_field(schema, str(name))
        choices[attribute] = _from_value(schema.fields[attribute], value)
    return Conditions(schema, choices)


def terms_to_conditions(schema: Schema, terms: Sequence[Term]) -> Conditions:
    """Conditions from parsed text."""
    choices: dict[int, tuple[Choice, ...]] = {}
    for term in terms:
        attribute = find_field(schema, term.name)
        if attribute in choices:
            raise OptionError(f"column '{term.name}' has two conditions. Put the values in one, as in {term.name}=a/b.")
        choices[attribute] = _from_term(schema.fields[attribute], term)
    return Conditions(schema, choices)


def find_field(schema: Schema, name: str) -> int:
    """Position of the field of this name; upper and lower case may differ if no other field is meant.

    >>> schema = Schema.from_dict({"fields": [{"name": "Age", "categories": ["young", "old"]}]})
    >>> find_field(schema, "age")
    0
    """
    names = [field.name for field in schema.fields]
    if name in names:
        return names.index(name)
    alike = [i for i, known in enumerate(names) if known.casefold() == name.casefold()]
    if len(alike) == 1:
        return alike[0]
    raise OptionError(f"there is no column '{name}'. {did_you_mean(name, names)}")


def _from_term(field: Field, term: Term) -> tuple[Choice, ...]:
    # A label that itself contains '/' or '..' is meant as it stands.
    if len(term.alternatives) == 1 or term.value.text in field.labels or _is_slashed_date(field, term.value):
        return (_from_word(field, term.value),)
    try:
        return tuple(_from_word(field, word) for word in term.alternatives)
    except OptionError as error:
        if field.type not in ("date", "datetime"):
            raise
        raise OptionError(
            f"{error} A '/' stands between alternatives: put dates that contain it in quotes, each end of a range in "
            "its own, or write them like 2021-06-01."
        ) from None


def _is_slashed_date(field: Field, word: Word) -> bool:
    """Whether the text as a whole is a date, or a range of dates, in a column whose dates are written with slashes."""
    if field.type not in ("date", "datetime"):
        return False
    ends = parse_range(word) or (word.text,)
    try:
        parsed = [field.form.parse(end) for end in ends if end]
    except ValueError:
        return False
    return bool(parsed)


def _from_word(field: Field, word: Word) -> Choice:
    ends = None if word.text in field.labels else parse_range(word)
    if ends is not None:
        return Choice(low=ends[0] or None, high=ends[1] or None)
    return _exactly(field, _nearest_label(field, word))


def _nearest_label(field: Field, word: Word) -> str:
    """The one label that differs in case only, if the text itself is none: people type `sex=female`."""
    if word.quoted or word.text in field.labels:
        return word.text
    alike = [label for label in field.labels if label.casefold() == word.text.casefold()]
    return alike[0] if len(alike) == 1 else word.text


def _from_value(field: Field, value: Any) -> tuple[Choice, ...]:
    if isinstance(value, tuple):
        if len(value) != 2:
            raise OptionError(f"column '{field.name}': a tuple is a range and needs two ends, got {len(value)}.")
        if any(_is_nan(end) for end in value):
            raise OptionError(f"column '{field.name}': an end of the range is NaN. Use None for an open end.")
        return (Choice(low=value[0], high=value[1]),)
    if isinstance(value, range) and value and value.step == 1 and field.bins is not None and field.type == "integer":
        # Many of the values share a bin, from which a list could not draw; special values stand apart from bins.
        special = tuple(Choice(code=field.code_of(each.value)) for each in field.special if each.value in value)
        return (Choice(low=value[0], high=value[-1]), *special)
    if isinstance(value, range) and len(value) > _MOST_VALUES:
        raise OptionError(f"column '{field.name}': {len(value):,} values are too many. Ask for a range: (low, high).")
    if isinstance(value, list | set | frozenset | range):
        if not value:
            raise OptionError(f"column '{field.name}': the list of values is empty, so no row could be drawn.")
        return tuple(_exactly(field, item) for item in sorted(value, key=str))
    return (_exactly(field, value),)


def _is_nan(value: Any) -> bool:
    """Whether a value is what dataframes put for a missing one."""
    try:
        return bool(value != value)  # NaN and NaT of every library differ from themselves
    except (TypeError, ValueError):
        return type(value).__name__ == "NAType"  # pandas.NA answers no question, not even this one


def _exactly(field: Field, value: Any) -> Choice:
    value = None if _is_nan(value) else value
    code = field.code_of(value)
    is_label = isinstance(value, str) and value.replace("-", "–") in {label.replace("-", "–") for label in field.labels}
    if field.bins is None or code >= field.n_main or is_label:
        return Choice(code=code)
    return Choice(code=code, low=value, high=value)


def _weights(field: Field, choice: Choice) -> Floats:
    if choice.code is not None:
        weights = np.zeros(field.size)
        # One whole number out of a bin of ten weighs a tenth, so that several of them add up rightly.
        share = field.weights_between(choice.low, choice.high)[choice.code] if choice.low is not None else 1.0
        weights[choice.code] = share if share > 0 else 1.0
        return weights
    weights = field.weights_between(choice.low, choice.high)
    if not weights.any():
        raise OptionError(f"column '{field.name}': no value lies between {choice.low} and {choice.high}.")
    return weights


def _cut(field: Field, choices: Sequence[Choice]) -> CutBins | None:
    bins = field.bins
    cutting = [choice for choice in choices if choice.low is not None or choice.high is not None]
    if bins is None or not cutting:
        return None
    first, last = (ends.copy() for ends in bins.grid)
    touched: dict[int, tuple[int, int]] = {}
    for choice in cutting:
        low, high = _grid_ends(field, bins, choice)
        for code in np.flatnonzero((first <= high) & (last >= low)).tolist():
            span = max(int(first[code]), low), min(int(last[code]), high)
            if touched.setdefault(code, span) != span:
                raise OptionError(
                    f"column '{field.name}': two of the values asked for lie in one bin ({field.labels[code]}), from "
                    "which values can be drawn for one only. Ask for a range, or sample twice."
                )
    for code, (bottom, top) in touched.items():
        first[code], last[code] = bottom, top
    return CutBins(
        edges=bins.edges,
        form=bins.form,
        closed=bins.closed,
        decimals=bins.decimals,
        bottom=tuple(first.tolist()),
        top=tuple(last.tolist()),
    )


def _grid_ends(field: Field, bins: Bins, choice: Choice) -> tuple[int, int]:
    """The range in grid units, rounded inwards; a single value between two grid points takes the nearer one."""
    unit = field.form.step if bins.whole else 1 / 10**bins.decimals
    info = np.iinfo(np.int64)
    low = info.min if choice.low is None else int(np.ceil(round(_inner(field, choice.low) / unit, 6)))
    high = info.max if choice.high is None else int(np.floor(round(_inner(field, choice.high) / unit, 6)))
    if choice.code is not None:
        nearest = round(_inner(field, choice.low) / unit)
        first, last = bins.grid
        nearest = min(max(nearest, int(first[choice.code])), int(last[choice.code]))
        return nearest, nearest
    return low, high


def _inner(field: Field, value: Any) -> float:
    try:
        return float(field.form.parse(value))
    except ValueError as error:
        raise OptionError(f"column '{field.name}': {error}.") from None
