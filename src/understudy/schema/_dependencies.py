"""Dependencies between columns that the schema declares: what holds in every row, as far as anyone knows.

They are public. A domain carries them as rules on codes (`_rules.py`) to methods that can keep them, and tables are
judged by them when they are evaluated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from understudy._core.errors import did_you_mean
from understudy.schema._field import Field
from understudy.schema._file import misspelt
from understudy.schema._written import written_text

_KEYS = ("determines", "column", "lower", "upper")
_FAMILIES = {"integer": "numbers", "number": "numbers", "year": "numbers", "date": "dates", "datetime": "datetimes"}


@dataclass(frozen=True, kw_only=True)
class Determines:
    """Each combination of values of some columns goes with one value of another.

    >>> Determines(determines=("education",), column="education_num").text
    'education → education_num'
    """

    determines: tuple[str, ...]
    column: str

    @property
    def text(self) -> str:
        """In short."""
        return f"{' × '.join(self.determines)} → {self.column}"

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns it names."""
        return (*self.determines, self.column)


@dataclass(frozen=True, kw_only=True)
class InOrder:
    """The value of one column is never larger than that of another.

    >>> InOrder(lower="admitted", upper="discharged").text
    'admitted ≤ discharged'
    """

    lower: str
    upper: str

    @property
    def text(self) -> str:
        """In short."""
        return f"{self.lower} ≤ {self.upper}"

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns it names."""
        return (self.lower, self.upper)


Dependency: TypeAlias = Determines | InOrder


def parse_dependencies(raw: Any, fields: Sequence[Field], faults: list[str]) -> tuple[Dependency, ...]:
    """The declared dependencies, with a sentence added to `faults` for each one that makes no sense.

    >>> faults: list[str] = []
    >>> parse_dependencies([{"lower": "a", "upper": "b"}], [], faults)
    ()
    >>> faults[0]
    "dependency 1: there is no column 'a' in the schema. Known: ."
    """
    if raw is None:
        return ()
    if not isinstance(raw, Sequence) or isinstance(raw, str):
        faults.append(
            "dependencies must be a list, each item {determines: [column, …], column: …} or {lower: …, upper: …}."
        )
        return ()
    by_name = {field.name: field for field in fields}
    parsed: list[Dependency] = []
    for position, item in enumerate(raw, 1):
        before = len(faults)
        dependency = _parse(item, f"dependency {position}", faults)
        if dependency is not None:
            _check(dependency, by_name, f"dependency {position}", faults)
        if dependency is not None and len(faults) == before:
            parsed.append(dependency)
    return tuple(parsed)


def _parse(item: Any, where: str, faults: list[str]) -> Dependency | None:
    if isinstance(item, Mapping):
        misspelt(dict(item), _KEYS, where, faults)
        given = {key for key in _KEYS if item.get(key) not in (None, [], "")}
        if given == {"lower", "upper"}:
            return InOrder(lower=written_text(item["lower"]), upper=written_text(item["upper"]))
        if given == {"determines", "column"}:
            listed = item["determines"]
            names = listed if isinstance(listed, list | tuple) else [listed]
            return Determines(determines=tuple(map(written_text, names)), column=written_text(item["column"]))
    faults.append(f"{where}: expected {{determines: [column, …], column: …}} or {{lower: column, upper: column}}.")
    return None


def _check(dependency: Dependency, by_name: Mapping[str, Field], where: str, faults: list[str]) -> None:
    columns = dependency.columns
    for name in dict.fromkeys(columns):
        if name not in by_name:
            faults.append(f"{where}: there is no column '{name}' in the schema. {did_you_mean(name, by_name)}")
        elif columns.count(name) > 1:
            faults.append(f"{where}: it names column '{name}' twice. Name each column once.")
    if isinstance(dependency, Determines) or any(name not in by_name for name in columns):
        return
    types = [by_name[name].type for name in columns]
    families = [_FAMILIES.get(kind) for kind in types]
    if families[0] is None or families[0] != families[1]:
        faults.append(
            f"{where}: columns '{columns[0]}' ({types[0]}) and '{columns[1]}' ({types[1]}) cannot be put in order. "
            "lower and upper must both be numbers, both dates or both datetimes."
        )
