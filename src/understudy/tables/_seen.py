"""What has been seen of a column while its table was read once: types that fit, ends of its range, missing cells."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from understudy._core.errors import TableError
from understudy.schema import Field, zone_exists
from understudy.tables._candidates import OF_TEXTS, Candidate, of_arrow, probe
from understudy.tables._moments import has_zone
from understudy.tables._objects import Column as ArrayOrMixed
from understudy.tables._objects import Mixed
from understudy.tables._parse import Parsed, parse, strange
from understudy.tables._write_csv import moment_texts

DISTINCT_LIMIT = 10_000
SAMPLE = 20_000
"""Rows kept from the top of the table: for the weight of a tail, and for rules between columns."""
MISSING_WORDS = ("na", "n/a", "#n/a", "nan", "null", "?", "-", "--", ".", "<na>")
"""Texts that mean missing in some table or other, in lower case."""
_PROBE = 50
_MOST_ENDS = 8
_BITS = {pa.lib.Type_TIMESTAMP: pa.int64(), pa.lib.Type_DATE64: pa.int64(), pa.lib.Type_DATE32: pa.int32()}
_FIRST_YEAR, _LAST_YEAR = 1000, 9999
_BIGGEST = 10.0**15
_BIGGEST_WHOLE = 10**18
_MOST_DIGITS = 6
_LONGER = 0.01
"""So small a part of rows may have more digits after the point than are guessed."""
_Counts = npt.NDArray[np.int64]


@dataclass
class Ends:
    """The lowest and the highest different values, with the number of rows that have each.

    >>> ends = Ends()
    >>> ends.add(np.array([3, 1, 3]), np.array([1, 1, 1]))
    >>> ends.lowest, ends.low, ends.high
    ([(1, 1), (3, 2)], 1, 3)
    """

    lowest: list[tuple[Any, int]] = field(default_factory=list)
    highest: list[tuple[Any, int]] = field(default_factory=list)

    @property
    def low(self) -> Any:
        """The lowest value."""
        return self.lowest[0][0]

    @property
    def high(self) -> Any:
        """The highest value."""
        return self.highest[0][0]

    def add(self, values: npt.NDArray[Any], rows: _Counts) -> None:
        """Take in values of the next batch. What was let go before cannot come back, so the counts are exact."""
        distinct, place = np.unique(values, return_inverse=True)
        counts = np.bincount(place.ravel(), weights=rows).astype(np.int64)
        for kept, part in ((self.lowest, slice(None, _MOST_ENDS)), (self.highest, slice(-_MOST_ENDS, None))):
            merged = dict(kept)
            for value, count in zip(distinct[part].tolist(), counts[part].tolist(), strict=True):
                merged[value] = merged.get(value, 0) + count
            kept[:] = sorted(merged.items(), reverse=kept is self.highest)[:_MOST_ENDS]


@dataclass
class Column:
    """What has been seen of one column."""

    name: str
    hint: Candidate | None = None
    rows: int = 0
    empty: int = 0
    words: dict[str, int] = field(default_factory=dict)
    """Texts that may mean missing, and how many rows have them."""
    values: dict[Any, None] = field(default_factory=dict)
    overflow: bool = False
    distinct_bound: int = 0
    digits: dict[int, int] = field(default_factory=dict)
    """How many rows have so many digits after the point, of those that were looked at."""
    types: list[Candidate] | None = None
    kind: pa.DataType | None = None
    zone: str | None = None
    too_big: bool = False
    inexact: set[Candidate] = field(default_factory=set)
    ends: dict[Candidate, Ends] = field(default_factory=dict)
    sample: list[pa.Array] = field(default_factory=list)
    """The first rows as they are, missing ones too."""

    @property
    def present(self) -> int:
        """Rows whose cell is neither empty nor a word for missing."""
        return self.rows - self.empty - sum(self.words.values())

    @property
    def distinct(self) -> int:
        """Number of different values (for long columns, of each batch added up)."""
        return self.distinct_bound if self.overflow else len(self.values)

    @property
    def decimals(self) -> int:
        """Digits after the point that nearly all rows do with: what is left of a division has more in a few."""
        most, seen = (1 - _LONGER) * sum(self.digits.values()), 0
        for digits in sorted(self.digits):
            seen += self.digits[digits]
            if seen >= most:
                return digits
        return 0

    @property
    def all_distinct(self) -> bool:
        """Whether no value was seen twice (within a batch, for long columns)."""
        return self.distinct == self.present

    def see(self, array: ArrayOrMixed) -> None:
        """Take in the next batch."""
        array = self._plain(array)
        textual = pa.types.is_string(array.type) or pa.types.is_null(array.type)
        if self.types is None:
            self.types = [self.hint] if self.hint else list(OF_TEXTS) if textual else of_arrow(array.type)
        if self.rows < SAMPLE and all(part.type == array.type for part in self.sample):
            kept = min(len(array), SAMPLE - self.rows)  # taken, not sliced: a slice would keep the whole batch
            self.sample.append(array.take(pa.array(np.arange(kept))))
        self.rows += len(array)
        counted = pc.value_counts(array.filter(pc.is_valid(array)))
        uniques, counts = self._without_missing(counted.field("values"), counted.field("counts"))
        self.empty += array.null_count
        self.distinct_bound += len(uniques)
        if not self.overflow:
            # Moments as numbers: Python has none beyond the year 9999, or of nanoseconds.
            bits = _BITS.get(array.type.id, array.type)
            self.values |= dict.fromkeys(uniques.view(bits).to_pylist())
            self.overflow = len(self.values) > DISTINCT_LIMIT
        self._narrow(uniques, counts)

    def _plain(self, array: ArrayOrMixed) -> pa.Array:
        """The cells in the plainest type that holds them; empty and not-a-number are null."""
        if isinstance(array, Mixed):
            array = array.texts()
        if pa.types.is_dictionary(array.type):
            array = array.dictionary_decode()
        if pa.types.is_string_view(array.type) or pa.types.is_large_string(array.type):
            array = array.cast(pa.string())
        if held := strange(array.type):
            raise TableError(f"column '{self.name}' {held}")
        self.kind = array.type
        if has_zone(array.type):
            self.zone = array.type.tz if zone_exists(array.type.tz) else "UTC"
        if pa.types.is_floating(array.type):
            array = pc.if_else(pc.is_nan(array), pa.scalar(None, array.type), array)
        if pa.types.is_string(array.type):
            array = pc.if_else(pc.equal(array, ""), pa.scalar(None, pa.string()), array)
        return array

    def _without_missing(self, uniques: pa.Array, counts: pa.Array) -> tuple[pa.Array, pa.Array]:
        """The different values without words for missing, which are noted."""
        if not pa.types.is_string(uniques.type):
            return uniques, counts
        words = pc.is_in(pc.utf8_lower(pc.utf8_trim_whitespace(uniques)), value_set=pa.array(MISSING_WORDS))
        if not pc.any(words).as_py():
            return uniques, counts
        for word, count in zip(uniques.filter(words).to_pylist(), counts.filter(words).to_pylist(), strict=True):
            self.words[word] = self.words.get(word, 0) + count
        return uniques.filter(pc.invert(words)), counts.filter(pc.invert(words))

    def _narrow(self, uniques: pa.Array, counts: pa.Array) -> None:
        kept = []
        for candidate in self.types or []:
            field_like = probe(candidate, self.zone)
            if candidate.kind == "string":
                kept.append(candidate)
                continue
            values = None
            for part in (uniques[:1], uniques[:_PROBE], uniques):  # most candidates fail at the first cell
                values = self._read(part, candidate, field_like)
                if values is None:
                    break
            if values is None:
                continue
            kept.append(candidate)
            finite = np.isfinite(values)
            if finite.any():
                self.ends.setdefault(candidate, Ends()).add(values[finite], counts.to_numpy()[finite])
        # A format that gives every text back is better than one that only reads them.
        self.types = [c for c in kept if c not in self.inexact] + [c for c in kept if c in self.inexact]
        numbers = [candidate for candidate in kept if candidate.kind == "number"]
        if numbers:
            for digits, rows in _decimals(uniques, counts, numbers[0].decimal):
                self.digits[digits] = self.digits.get(digits, 0) + rows

    def _read(self, uniques: pa.Array, candidate: Candidate, field_like: Field) -> npt.NDArray[Any] | None:
        """The values, if the candidate reads them all and may keep them."""
        parsed = parse(uniques, field_like)
        if parsed.wrong.any():
            return None
        texts = pa.types.is_string(uniques.type)
        if candidate.format == "%Y%m%d" and texts and pc.all(pc.equal(pc.utf8_length(uniques), 8)).as_py() is False:
            return None
        numeric = candidate.kind in ("integer", "number")
        if numeric and texts and pc.any(pc.match_substring_regex(uniques, "^[+-]?0[0-9]")).as_py():
            return None  # 01234 is a code, not a number: reading it as one would lose its zero
        if candidate.kind in ("date", "datetime") and not self._plausible(uniques, parsed, candidate, field_like):
            return None
        values: npt.NDArray[Any] = parsed.values
        return None if numeric and self._too_big(values, candidate.kind) else values

    def _too_big(self, values: npt.NDArray[Any], kind: str) -> bool:
        """Whether some number is beyond what a field of this type can hold."""
        if kind == "integer":
            beyond = (values > _BIGGEST_WHOLE) | (values < -_BIGGEST_WHOLE)
        else:
            beyond = np.isfinite(values) & (np.abs(values) > _BIGGEST)
        self.too_big |= bool(beyond.any())
        return bool(beyond.any())

    def _plausible(self, uniques: pa.Array, parsed: Parsed, candidate: Candidate, field_like: Field) -> bool:
        """Whether to keep a format: its years are plausible. Notes if it would write some text in another way."""
        dates = candidate.kind == "date"
        days = parsed.values if dates else parsed.values // (24 * 3600 * 10**6)
        years = days.astype("datetime64[D]").astype("datetime64[Y]").astype(np.int64) + 1970
        if len(years) and (years.min() < _FIRST_YEAR or years.max() > _LAST_YEAR):
            return False
        if not pa.types.is_string(uniques.type):
            return True
        values = parsed.values.astype(np.int32) if dates else parsed.values
        texts = moment_texts(pa.array(values).cast(pa.date32() if dates else pa.timestamp("us")), field_like)
        if candidate not in self.inexact and pc.all(pc.equal(texts, uniques)).as_py() is False:
            self.inexact.add(candidate)
        # Every format reads ISO texts as well, slowly: what looks like ISO is left to ISO itself.
        iso = candidate in self.inexact and candidate.format
        return not (iso and pc.any(pc.match_substring_regex(uniques, "^[0-9]{4}-[0-9]")).as_py())


def _decimals(uniques: pa.Array, counts: pa.Array, mark: str) -> list[tuple[int, int]]:
    """How many digits the texts have after the point, and how many rows each has."""
    texts = uniques[:DISTINCT_LIMIT].cast(pa.string()).to_pylist()
    rows = counts[:DISTINCT_LIMIT].to_pylist()
    return [
        (min(len(t.strip().partition(mark)[2]), _MOST_DIGITS), n)
        for t, n in zip(texts, rows, strict=True)
        if t and "e" not in t.lower()
    ]
