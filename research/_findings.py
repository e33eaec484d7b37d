"""The findings that a reader would cite first: words by hand, numbers filled in from the stored values."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import Any

import yaml

from research._experiment import NothingRunError, Results
from research._outcome import read_results

FINDINGS = Path(__file__).with_name("findings.yaml")


@dataclass(frozen=True, kw_only=True)
class Number:
    """A mean of stored values, or how many times another it is.

    >>> Number(experiment="privbayes-fig12", series="PrivBayes", measure="Q3", x=0.4).group
    ''
    """

    experiment: str
    series: str
    measure: str = ""
    x: float = 0.0
    group: str = ""
    measures: tuple[str, ...] = ()
    """Several, whose means are averaged, in place of one."""
    xs: tuple[float, ...] = ()
    percent: bool = False
    """Whether it is a share, to be told in hundredths."""
    over: Number | None = None

    def value(self, out: str | os.PathLike[str]) -> float:
        """What the results in a folder say.

        Raises:
            NothingRunError: if they say nothing of it.
        """
        results = read_results(out, self.experiment) or Results()
        mean = fmean(
            results.mean(measure, self.series, x, self.group)
            for measure in self.measures or (self.measure,)
            for x in self.xs or (self.x,)
        )
        told = 100 * mean if self.percent else mean
        return told if self.over is None else told / self.over.value(out)


@dataclass(frozen=True, kw_only=True)
class Cited:
    """One finding: a headline, words with places for numbers, the numbers, and what it is about."""

    title: str
    text: str
    link: str
    """A sentence's name, or a page."""
    numbers: Mapping[str, Number] = field(default_factory=dict)

    def filled(self, out: str | os.PathLike[str]) -> str:
        """The words with their numbers; a question mark for what was not run."""
        return self.text.format(**{name: _shown(number, out) for name, number in self.numbers.items()})


class _Unknown(str):
    """A question mark, however many digits are asked for."""

    __slots__ = ()

    def __format__(self, spec: str) -> str:
        return "?"


def _shown(number: Number, out: str | os.PathLike[str]) -> float | _Unknown:
    try:
        return number.value(out)
    except NothingRunError:
        return _Unknown()


@cache
def read_findings() -> tuple[Cited, ...]:
    """All of them, in order.

    >>> len(read_findings())
    10
    """
    document: list[dict[str, Any]] = yaml.safe_load(FINDINGS.read_text(encoding="utf-8"))
    return tuple(
        Cited(
            title=one["title"],
            text=" ".join(one["text"].split()),
            link=one["link"],
            numbers={name: _number(found) for name, found in one.get("numbers", {}).items()},
        )
        for one in document
    )


def _number(found: dict[str, Any]) -> Number:
    over = found.pop("over", None)
    places = {"measures": tuple(found.get("measures", ())), "xs": tuple(map(float, found.get("xs", ())))}
    other = None if over is None else _number({**found, **over})
    return Number(**{**found, **places, "x": float(found.get("x", 0))}, over=other)
