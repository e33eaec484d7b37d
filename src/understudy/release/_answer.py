"""The answer to a query: probabilities with their error bars, as a table to read or to compute with."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from understudy._core.notebooks import card, to_pandas
from understudy.schema import Field

Floats: TypeAlias = npt.NDArray[np.float64]
_MOST_SHOWN = 50
_ROUNDED_WELL, _NO_DISTANCE = 0.001, 1e-12
_BREAKS = frozenset("\n\r\t\v\f\x1c\x1d\x1e\x85\u2028\u2029")
_ESCAPES = {ord(character): character.encode("unicode_escape").decode() for character in _BREAKS}


@dataclass(frozen=True, eq=False, kw_only=True)
class Answer:
    """Probabilities of every combination of the columns asked for.

    `standard_error` and the 95 % interval `low` … `high` come from the known noise alone: they do not cover what the
    model leaves out. They are None where the model has no record of its noise.

    >>> answer = Answer(question="sex", columns=("sex",), labels=(("F", "M"),), probabilities=np.array([0.25, 0.75]))
    >>> print(answer)
    sex  probability
    F          25.0%
    M          75.0%
    >>> answer["F"]
    0.25
    """

    question: str
    columns: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...]
    probabilities: Floats
    standard_error: Floats | None = None
    low: Floats | None = None
    high: Floats | None = None
    stamp: str | None = None
    notes: tuple[str, ...] = ()
    """What no error bar covers: columns that were never measured together."""
    numbers: tuple[tuple[float, ...] | None, ...] = ()
    """Of each column the labels as numbers, where it is one of numbers and all of them are; else None."""

    def __getitem__(self, label: str | tuple[str, ...]) -> float:
        key = (label,) if isinstance(label, str) else label
        if len(key) != len(self.columns):
            raise KeyError(f"give one label for each of {', '.join(self.columns)}")
        return float(self.probabilities[tuple(known.index(word) for known, word in zip(self.labels, key, strict=True))])

    @property
    def has_errors(self) -> bool:
        """Whether error bars are known."""
        return self.low is not None

    def rows(self) -> Iterator[dict[str, Any]]:
        """One mapping a combination: its labels, its probability and its error."""
        for place in product(*(range(len(known)) for known in self.labels)):
            row: dict[str, Any] = {
                column: known[i] for column, known, i in zip(self.columns, self.labels, place, strict=True)
            }
            row["probability"] = float(self.probabilities[place])
            for name in ("standard_error", "low", "high"):
                values = getattr(self, name)
                if values is not None:
                    row[name] = float(values[place])
            yield row

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values.

        >>> halves = np.array([0.5, 0.5])
        >>> answer = Answer(question="sex", columns=("sex",), labels=(("F", "M"),), probabilities=halves)
        >>> answer.to_dict()["rows"][1]
        {'sex': 'M', 'probability': 0.5}
        """
        rows = list(self.rows())
        return {
            "query": self.question,
            "columns": list(self.columns),
            "stamp": self.stamp,
            "rows": rows,
            "notes": list(self.notes),
        }

    def to_pandas(self) -> Any:
        """One row a combination, as a pandas dataframe; values of a column of numbers are numbers.

        >>> halves = np.array([0.5, 0.5])
        >>> answer = Answer(question="sex", columns=("sex",), labels=(("F", "M"),), probabilities=halves)
        >>> answer.to_pandas()["probability"].tolist()
        [0.5, 0.5]
        """
        known = {
            column: dict(zip(labels, numbers, strict=True))
            for column, labels, numbers in zip(self.columns, self.labels, self.numbers, strict=False)
            if numbers is not None
        }
        return to_pandas([{**row, **{name: known[name][row[name]] for name in known}} for row in self.rows()])

    def __repr__(self) -> str:
        return f"Answer({self.question!r}, {self.probabilities.size:,} rows)"

    def _repr_html_(self) -> str:
        header, body, left_out = _table(self)
        return card(self.question, body, header=header, notes=[*left_out, *self.notes], warning=self.stamp)

    def __str__(self) -> str:
        return "\n".join(([self.stamp] if self.stamp else []) + _lines(self) + list(self.notes))


def numbers_of(field: Field) -> tuple[float, ...] | None:
    """The labels of a column of numbers as numbers; None if one of them is not, as `30–39` and `missing` are not.

    >>> from understudy.schema import Schema
    >>> fields = [{"name": "a", "type": "integer", "categories": [0, 1]}, {"name": "b", "categories": ["0", "1"]}]
    >>> [numbers_of(field) for field in Schema.from_dict({"fields": fields}).fields]
    [(0, 1), None]
    """
    if field.type not in ("integer", "year", "number"):
        return None
    read = float if field.type == "number" else int
    try:
        return tuple(read(label) for label in field.labels)
    except ValueError:
        return None


def percent(probability: float) -> str:
    """One digit after the point, or as many as it takes to tell a probability from 0 and 1.

    >>> percent(0.25), percent(0.00001234), percent(0.99996), percent(0.0)
    ('25.0%', '0.0012%', '99.9960%', '0.0%')
    """
    distance = min(probability, 1 - probability)
    if distance >= _ROUNDED_WELL or distance < _NO_DISTANCE:
        return f"{probability:.1%}"
    return f"{probability:.{1 - math.floor(math.log10(100 * distance))}%}"


def one_line(text: str) -> str:
    """A text with its line breaks spelt out."""
    return text.replace("\\", "\\\\").translate(_ESCAPES) if _BREAKS & set(text) else text


def _lines(answer: Answer) -> list[str]:
    header, body, left_out = _table(answer)
    return in_columns(header, body, n_left=len(answer.columns)) + left_out


def _table(answer: Answer) -> tuple[list[str], list[list[str]], list[str]]:
    """Header, rows as texts, and a sentence on those left out."""
    rows = list(answer.rows())
    left_out: list[str] = []
    if len(rows) > _MOST_SHOWN:
        rows.sort(key=lambda row: -float(row["probability"]))
        rest = sum(float(row["probability"]) for row in rows[_MOST_SHOWN:])
        left_out = [
            f"… and {len(rows) - _MOST_SHOWN:,} less probable ones, {percent(rest)} together. All are in to_dict() "
            "and in --json."
        ]
        rows = rows[:_MOST_SHOWN]
    header = [*(one_line(column) for column in answer.columns), "probability"]
    header += [] if answer.low is None else ["95% interval"]
    body = [
        [*(one_line(str(row[column])) for column in answer.columns), percent(row["probability"])]
        + ([] if answer.low is None else [f"{percent(row['low'])} to {percent(row['high'])}"])
        for row in rows
    ]
    return header, body, left_out


def in_columns(header: list[str], body: list[list[str]], *, n_left: int) -> list[str]:
    """Lines of a table; the first columns flush left, the rest flush right.

    >>> in_columns(["sex", "probability"], [["F", "25.0%"]], n_left=1)
    ['sex  probability', 'F          25.0%']
    """
    widths = [max(len(line[i]) for line in [header, *body]) for i in range(len(header))]
    return [
        "  ".join(
            cell.ljust(width) if i < n_left else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in [header, *body]
    ]
