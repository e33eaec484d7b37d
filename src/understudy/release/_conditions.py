"""Conditions on columns, as weights on their codes (`Evidence`), and as narrower bins to draw values from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from understudy._core.errors import OptionError, did_you_mean
from understudy.release._asking import Term, Word, parse_range, parse_terms
from understudy.release._regions import Choice, Region, region_of
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

    @cached_property
    def pieces(self) -> tuple[Ints, Ints, Floats]:
        """The pieces of the bins as far as they may be drawn from, in the same proportions."""
        if self.shape is None:
            return super().pieces
        whole = Bins(edges=self.edges, form=self.form, closed=self.closed, decimals=self.decimals, shape=self.shape)
        first, last, ends = whole.pieces
        bin_of = np.searchsorted(whole.grid[0], first, side="right") - 1
        low, high = np.maximum(first, self.grid[0][bin_of]), np.minimum(last, self.grid[1][bin_of])
        share = np.diff(ends, prepend=0.0) * np.maximum(high - low + 1, 0) / (last - first + 1)
        # where none of a bin's rows are known to lie between the ends, they are as likely as each other
        none = np.bincount(bin_of, weights=share, minlength=self.count) <= 0
        share = np.where(none[bin_of], np.maximum(high - low + 1, 0), share)
        total = np.bincount(bin_of, weights=share, minlength=self.count)
        ends = np.cumsum(share / np.where(total > 0, total, 1.0)[bin_of])
        kept = share > 0
        low, high, ends, bin_of = low[kept], high[kept], ends[kept], bin_of[kept]
        ends[np.append(bin_of[1:] != bin_of[:-1], True)] = bin_of[np.append(bin_of[1:] != bin_of[:-1], True)] + 1.0
        return low, high, ends


@dataclass(frozen=True)
class Conditions:
    """What each named column may be.

    >>> schema = Schema.from_dict({"fields": [{"name": "age", "type": "integer", "bins": 4,
    ...     "constraints": {"minimum": 0, "maximum": 99}}, {"name": "sex", "categories": ["F", "M"]}]})
    >>> conditions = read_conditions(schema, {"sex": "F", "age": (20, 39)})
    >>> {attribute: weights.round(3).tolist() for attribute, weights in conditions.evidence.items()}
    {1: [1.0, 0.0], 0: [0.2, 0.6, 0.0, 0.0]}
    """

    schema: Schema
    choices: Mapping[int, tuple[Choice, ...]]
    also: Mapping[int, tuple[Choice, ...]] = field(default_factory=dict)
    """What must hold beside one of the `choices`, each of them."""

    @cached_property
    def regions(self) -> dict[int, Region]:
        """What each column that has a condition may be."""
        return {attribute: self._region(attribute) for attribute in self.choices}

    @property
    def evidence(self) -> dict[int, Floats]:
        """Weight of each leaf code, for each column that has a condition."""
        self.check()
        return {attribute: region.weights for attribute, region in self.regions.items()}

    def check(self) -> None:
        """Refuse conditions that no value fulfils."""
        for attribute, region in self.regions.items():
            if region.empty:
                raise OptionError(self._no_value(attribute))

    def _region(self, attribute: int) -> Region:
        described = self.schema.fields[attribute]
        region = region_of(described, self.choices[attribute])
        for choice in self.also.get(attribute, ()):
            region = region.within(region_of(described, [choice]))
        return region

    def _no_value(self, attribute: int) -> str:
        name, (choice, *others) = self.schema.fields[attribute].name, self.choices[attribute]
        region = self.regions[attribute]
        if region.spans or region.codes:  # declared, and nothing was found there
            return (
                f"column '{name}': the model has no rows that fulfil the conditions on it: they have probability 0. "
                "Loosen them."
            )
        if others or attribute in self.also or choice.above or choice.below or choice.negated:
            return f"column '{name}': no value in its domain fulfils the conditions on it."
        if choice.low is None or choice.high is None:
            return f"column '{name}': no row of the model lies in '{choice.low or ''}..{choice.high or ''}'."
        return f"column '{name}': no value lies between {choice.low} and {choice.high}."

    @property
    def drawing_schema(self) -> Schema:
        """The schema with its bins cut to the conditions, so that decoded values fulfil them exactly."""
        fields = list(self.schema.fields)
        for attribute, region in self.regions.items():
            cut = _cut(fields[attribute], region)
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
        return terms_to_conditions(schema, parse_terms(where, names=schema.names))
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
    also: dict[int, tuple[Choice, ...]] = {}
    plain: set[int] = set()
    for term in terms:
        attribute = find_field(schema, term.name)
        if attribute in plain and term.comparison == "=":
            raise OptionError(f"column '{term.name}' has two conditions. Put the values in one, as in {term.name}=a/b.")
        found = _from_term(schema.fields[attribute], term)
        if term.comparison == "=":
            plain.add(attribute)
            also[attribute] = (*also.get(attribute, ()), *choices.get(attribute, ()))
            choices[attribute] = found
        elif attribute in choices:
            also[attribute] = (*also.get(attribute, ()), *found)
        else:
            # each of several comparisons must hold, and so must each of the values that are ruled out
            choices[attribute], also[attribute] = found[:1], found[1:]
    return Conditions(schema, choices, {a: more for a, more in also.items() if more})


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
    if term.comparison in ("<", "<="):
        return (Choice(high=_compared(field, term), below=term.comparison == "<"),)
    if term.comparison in (">", ">="):
        return (Choice(low=_compared(field, term), above=term.comparison == ">"),)
    if term.comparison == "!=":
        named = _from_term(field, replace(term, comparison="="))
        return tuple(replace(choice, negated=True) for choice in named)
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


def _compared(field: Field, term: Term) -> str:
    """The value that a column is compared with: one."""
    word = term.value
    if parse_range(word) is not None or not word.text:
        raise OptionError(f"column '{field.name}': '{term.comparison}' needs one value to compare with.")
    if field.type == "string" and word.text not in field.labels:
        return field.labels[field.code_of(_nearest_label(field, word))]
    return word.text


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
    text = _nearest_label(field, word)
    return _exactly(field, None if _means_missing(field, word, text) else text)


def _means_missing(field: Field, word: Word, text: str) -> bool:
    """Whether `null` was written for a missing cell: unless it is in quotes, or among the column's own values."""
    return not word.quoted and text.casefold() == "null" and text not in field.labels


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
    ranged = isinstance(value, str) and field.bins is not None and value not in field.labels
    if ranged and (ends := parse_range(Word(value))):
        low, high = (end or None for end in ends)
        raise OptionError(f"column '{field.name}': in a mapping of conditions a range is a tuple: ({low}, {high}).")
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


def refuse_cut_values(conditions: Conditions) -> None:
    """Refuse conditions that cut the bins of a column with one value for each combination of others.

    Which rows have such a value between two ends is settled by a hash once they are drawn, so only bins can be chosen.
    """
    for rule, _ in conditions.schema.open_maps:
        field, region = conditions.schema.fields[rule.attribute], conditions.regions.get(rule.attribute)
        if region is None or field.bins is None:
            continue
        for first, last in zip(*field.bins.grid, strict=True):
            held = [max(low, first) <= min(high, last) for low, high in region.spans]
            whole = [low <= first and last <= high for low, high in region.spans]
            if any(held) and not any(whole):
                by = " and ".join(f"'{conditions.schema.names[of]}'" for of in rule.by)
                raise OptionError(
                    f"column '{field.name}' has one value for each combination of {by}, so that rows can be chosen by "
                    f"whole bins of it only: {', '.join(field.labels[: min(field.n_main, 6)])}"
                    f"{', …' if field.n_main > 6 else ''}. Ask for these, or for values of {by}."
                )


def _cut(field: Field, region: Region) -> CutBins | None:
    bins = field.bins
    if bins is None:
        return None
    first, last = (ends.copy() for ends in bins.grid)
    touched: dict[int, tuple[int, int]] = {}
    for low, high in region.spans:
        for code in np.flatnonzero((first <= high) & (last >= low)).tolist():
            span = max(int(first[code]), low), min(int(last[code]), high)
            if touched.setdefault(code, span) != span:
                raise OptionError(
                    f"column '{field.name}': what is asked for lies in two parts of the bin {field.labels[code]}, and "
                    "values can be drawn from one of them only. Ask for a range, or sample twice."
                )
    for code, (bottom, top) in touched.items():
        first[code], last[code] = bottom, top
    return CutBins(
        edges=bins.edges,
        form=bins.form,
        closed=bins.closed,
        decimals=bins.decimals,
        shape=bins.shape,
        bottom=tuple(first.tolist()),
        top=tuple(last.tolist()),
    )
