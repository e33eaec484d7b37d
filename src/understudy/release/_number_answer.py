"""The answer to a question about numbers: means, quantiles, sums and counts with their error bars."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, TypeAlias

from understudy._core.errors import OptionError
from understudy._core.notebooks import card, to_pandas
from understudy.release._answer import in_columns, one_line, percent

Value: TypeAlias = float | str | date | datetime


@dataclass(frozen=True, kw_only=True)
class Figure:
    """One number, how far noise may have moved it, and the 95 % interval that follows; None where nothing is known.

    The error of a date is in days. `share` says that the number is a share of rows, from 0 to 1.

    >>> Figure(statistic="mean(age)", value=41.5, standard_error=0.25, low=41.0, high=42.0).value
    41.5
    """

    statistic: str
    value: Value
    standard_error: float | None = None
    low: Value | None = None
    high: Value | None = None
    unit: str | None = None
    share: bool = False


@dataclass(frozen=True, kw_only=True)
class NumberAnswer:
    """What was asked of a model's numbers: one figure for each function of the question.

    `standard_error` and the 95 % interval `low` … `high` come from the known noise, and from where values may lie
    inside bins: they do not cover what the model leaves out. `notes` say which rows were left out and why, and what
    nobody measured.

    >>> answer = NumberAnswer(question="mean(age)", figures=(Figure(statistic="mean(age)", value=41.5),))
    >>> print(answer)
    statistic  value
    mean(age)   41.5
    >>> answer.value, answer["mean(age)"].value
    (41.5, 41.5)
    """

    question: str
    figures: tuple[Figure, ...]
    notes: tuple[str, ...] = ()
    stamp: str | None = None

    def __getitem__(self, statistic: str) -> Figure:
        for figure in self.figures:
            if figure.statistic == statistic:
                return figure
        raise KeyError(f"there are figures for {', '.join(figure.statistic for figure in self.figures)}")

    @property
    def value(self) -> Value:
        """The one number asked for."""
        return self._only.value

    @property
    def standard_error(self) -> float | None:
        """Its standard error, from the noise alone."""
        return self._only.standard_error

    @property
    def low(self) -> Value | None:
        """The lower end of its 95 % interval."""
        return self._only.low

    @property
    def high(self) -> Value | None:
        """The upper end of its 95 % interval."""
        return self._only.high

    @property
    def has_errors(self) -> bool:
        """Whether error bars are known."""
        return any(figure.low is not None for figure in self.figures)

    def rows(self) -> Iterator[dict[str, Any]]:
        """One mapping a figure: what was asked, its value and its error."""
        for figure in self.figures:
            row: dict[str, Any] = {"statistic": figure.statistic, "value": figure.value}
            for name in ("standard_error", "low", "high", "unit"):
                if getattr(figure, name) is not None:
                    row[name] = getattr(figure, name)
            yield row

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values; dates as ISO texts.

        >>> NumberAnswer(question="count", figures=(Figure(statistic="count", value=9.0),)).to_dict()["rows"]
        [{'statistic': 'count', 'value': 9.0}]
        """
        rows = [
            {name: value.isoformat() if isinstance(value, date) else value for name, value in row.items()}
            for row in self.rows()
        ]
        return {"query": self.question, "stamp": self.stamp, "rows": rows, "notes": list(self.notes)}

    def to_pandas(self) -> Any:
        """One row a figure, as a pandas dataframe."""
        return to_pandas(list(self.rows()))

    def __repr__(self) -> str:
        return f"NumberAnswer({self.question!r}, {', '.join(shown(one.value, one) for one in self.figures[:5])})"

    def _repr_html_(self) -> str:
        header, body = self._table()
        return card(self.question, body, header=header, notes=self.notes, warning=self.stamp)

    def __float__(self) -> float:
        if isinstance(self.value, int | float):
            return float(self.value)
        raise TypeError(f"{self._only.statistic} is {self.value}, which is no number")

    def _table(self) -> tuple[list[str], list[list[str]]]:
        header = ["statistic", "value"] + (["95% interval"] if self.has_errors else [])
        body = [
            [one_line(figure.statistic), shown(figure.value, figure)] + ([_interval(figure)] if self.has_errors else [])
            for figure in self.figures
        ]
        return header, body

    def __str__(self) -> str:
        lines = in_columns(*self._table(), n_left=1)
        return "\n".join(([self.stamp] if self.stamp else []) + lines + list(self.notes))

    @property
    def _only(self) -> Figure:
        if len(self.figures) != 1:
            raise OptionError("this answer has several figures: take one, as in answer['mean(age)'].")
        return self.figures[0]


def _interval(figure: Figure) -> str:
    if figure.low is None or figure.high is None:
        return ""
    return f"{shown(figure.low, figure)} to {shown(figure.high, figure)}"


def shown(value: Value, figure: Figure) -> str:
    """With as many digits as the error lets stand: two of its own."""
    if figure.share and isinstance(value, float):
        return percent(value)
    if isinstance(value, bool | int | float):
        unit = f" {figure.unit}" if figure.unit and isinstance(figure.value, float) else ""
        return number_text(float(value), figure.standard_error) + unit
    return value.isoformat() if isinstance(value, date) else one_line(value)


def number_text(value: float, error: float | None = None) -> str:
    """A number with the digits that its error lets stand, or with five.

    >>> number_text(1362.4183, 41.7), number_text(0.61234, 0.0123), number_text(41.5), number_text(2e9, 3e6)
    ('1,362', '0.612', '41.5', '2,000,000,000')
    """
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    leading = math.floor(math.log10(abs(value)))
    digits = 1 - math.floor(math.log10(error)) if error else 4 - leading
    text = f"{value:,.{min(max(digits, 0), 12)}f}"
    return text.rstrip("0").rstrip(".") if not error and "." in text else text
