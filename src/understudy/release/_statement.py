"""The privacy statement: what is promised, to whom, and what it rests on. A value; `_letter.py` puts it into words."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any, Literal, TypeAlias

from understudy._core.errors import ModelFileError

Origin: TypeAlias = Literal["declared", "draft"]
Json: TypeAlias = dict[str, Any]

SEEDED = "NOT PRIVATE: seeded"
DIAGNOSTIC = "NO GUARANTEE: diagnostic run"
AS_PRINTED = "NOT PRIVATE: as printed"
_LARGEST_COUNT = 1 << 53
_LONGEST_TEXT = 100_000
_LONGEST_LIST = 1_000_000
_MOST_OPTIONS = 1_000
_EXACT = re.compile(r"[0-9]{1,2000}(/[0-9]{1,2000})?", re.ASCII)


@dataclass(frozen=True, kw_only=True)
class PublicField:
    """One column's domain, treated as public, and who said so.

    `draft` means that the tool read it off the private table and the holder chose to trust it.
    """

    name: str
    what: str
    origin: Origin


@dataclass(frozen=True, kw_only=True)
class ChargeLine:
    """What one step cost: ε under a pure budget, ρ under a zero-concentrated one.

    `cost` is None where a diagnostic took the exact answer, for which no price would be enough. `noise` says how large
    the noise was, in words; it is public.

    >>> ChargeLine(what="tables", mechanism="discrete Laplace", cost=Fraction(7, 10), unit="epsilon", tables=15).tables
    15
    """

    what: str
    mechanism: str
    cost: Fraction | None
    unit: Literal["epsilon", "rho"]
    tables: int = 0
    candidates: int = 0
    noise: str = ""


@dataclass(frozen=True, kw_only=True)
class LedgerNote:
    """Where the charge was booked: the data set's name and the hash of the ledger's last entry then."""

    dataset: str
    head: str


@dataclass(frozen=True, kw_only=True)
class ProtectionLine:
    """What can be learnt of a person if only some of their row would change: who is protected how much.

    `attributes` are the columns that change, and no others; none stands for the whole row. With `value` the change is
    from or to that value. `promised` was known before the run; `released` is what this release comes to, given the
    network that was chosen, and None where that has no meaning ((ε, δ) budgets). All are ε, at the statement's δ.

    >>> ProtectionLine(attributes=("hiv",), promised=Fraction(1, 4), released=Fraction(1, 5)).epsilon
    Fraction(1, 5)
    """

    attributes: tuple[str, ...]
    promised: Fraction
    released: Fraction | None = None
    value: str | None = None

    @property
    def epsilon(self) -> Fraction:
        """The smaller of both."""
        return self.promised if self.released is None else min(self.promised, self.released)


@dataclass(frozen=True, kw_only=True)
class Statement:
    """Everything a reader needs to judge the guarantee of one release.

    >>> statement = Statement.example()
    >>> statement.stamp is None, statement.guarantee
    (True, 'epsilon-differential privacy')
    """

    dataset: str
    created: str
    version: str
    method: str
    options: Mapping[str, Any]
    epsilon: Fraction
    delta: Fraction
    rho: Fraction | None
    neighbours: Literal["replace-one", "add-remove"]
    unit: str
    n_rows: int
    n_public: bool
    public: tuple[PublicField, ...]
    charges: tuple[ChargeLine, ...]
    noise: str
    seeded: bool
    diagnostic: str | None
    ledger: LedgerNote | None
    warnings: tuple[str, ...]
    as_printed: str | None = None
    """What is broken in the method as its paper prints it, where it was run that way; else None."""
    protection: tuple[ProtectionLine, ...] = ()
    """What changes of parts of a row may reveal, beside the whole row; empty where nothing is promised."""

    @classmethod
    def example(cls, **changes: Any) -> Statement:
        """A small statement to try things on.

        >>> Statement.example(seeded=True).stamp
        'NOT PRIVATE: seeded'
        """
        values: dict[str, Any] = {
            "dataset": "people",
            "created": "2025-01-01",
            "version": "0.1.0",
            "method": "privbayes",
            "options": {"beta": "3/10", "theta": "4"},
            "epsilon": Fraction(1),
            "delta": Fraction(0),
            "rho": None,
            "neighbours": "replace-one",
            "unit": "one row",
            "n_rows": 1000,
            "n_public": True,
            "public": (PublicField(name="age", what="16 bins from 0 to 80", origin="declared"),),
            "charges": (
                ChargeLine(what="parents of sex", mechanism="permute-and-flip", cost=Fraction(3, 10), unit="epsilon"),
                ChargeLine(what="tables", mechanism="discrete Laplace", cost=Fraction(7, 10), unit="epsilon", tables=2),
            ),
            "noise": "the operating system's cryptographic generator",
            "seeded": False,
            "diagnostic": None,
            "ledger": None,
            "warnings": (),
        }
        return cls(**(values | changes))

    @property
    def private(self) -> bool:
        """Whether the release carries the guarantee at all."""
        return not self.seeded and self.diagnostic is None and self.as_printed is None

    @property
    def unequal(self) -> bool:
        """Whether some columns or values were promised more protection than others."""
        columns = {line.promised for line in self.protection if len(line.attributes) == 1}
        return len(columns) > 1 or any(line.value is not None for line in self.protection)

    @property
    def stamp(self) -> str | None:
        """The words that every output of a run without a guarantee must carry; None for a private one."""
        words = [
            *([AS_PRINTED] if self.as_printed is not None else []),
            *([f"{DIAGNOSTIC} ({self.diagnostic})"] if self.diagnostic is not None else []),
            *([SEEDED] if self.seeded else []),
        ]
        return "; ".join(words) or None

    def summary(self) -> str:
        """Data set, rows and budget in half a line.

        >>> Statement.example(seeded=True).summary()
        "'people', rows=1000, epsilon=1, 'NOT PRIVATE: seeded'"
        """
        delta = f", delta={float(self.delta):g}" if self.delta else ""
        stamp = "" if self.stamp is None else f", {self.stamp!r}"
        return f"{self.dataset!r}, rows={self.n_rows}, epsilon={float(self.epsilon):g}{delta}{stamp}"

    @property
    def trusted_drafts(self) -> tuple[str, ...]:
        """Columns whose domain was read off the private table and trusted as it was."""
        return tuple(field.name for field in self.public if field.origin == "draft")

    @property
    def guarantee(self) -> str:
        """The name of the guarantee, or the stamp where there is none."""
        if self.stamp is not None:
            return self.stamp
        return "epsilon-differential privacy" if self.delta == 0 else "(epsilon, delta)-differential privacy"

    def to_dict(self) -> Json:
        """As plain JSON values; fractions are exact text such as "7/10".

        >>> Statement.from_dict(Statement.example().to_dict()) == Statement.example()
        True
        """
        result: Json = {"format": "understudy-privacy-statement/1", "guarantee": self.guarantee, "stamp": self.stamp}
        for field in fields(self):
            result[field.name] = _plain(getattr(self, field.name))
        result["epsilon_decimal"] = float(self.epsilon)
        result["delta_decimal"] = float(self.delta)
        return result

    @classmethod
    def from_dict(cls, data: object) -> Statement:
        """The statement again, every field checked. Raises ModelFileError."""
        try:
            return _read(data)
        except (KeyError, TypeError, ValueError, ArithmeticError, AttributeError, RecursionError) as error:
            raise ModelFileError(
                f"the privacy statement in this file is not one that understudy writes ({type(error).__name__}). "
                "Ask its publisher for the file again."
            ) from error


def _plain(value: Any) -> Any:
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, PublicField | ChargeLine | LedgerNote | ProtectionLine):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return str(value)


def _read(data: Any) -> Statement:
    return Statement(
        dataset=_text(data["dataset"]),
        created=_text(data["created"]),
        version=_text(data["version"]),
        method=_text(data["method"]),
        options=_options(data["options"]),
        epsilon=_above_zero(data["epsilon"]),
        delta=_below_one(data["delta"]),
        rho=None if data["rho"] is None else _above_zero(data["rho"]),
        neighbours=_one_of(data["neighbours"], "replace-one", "add-remove"),
        unit=_text(data["unit"]),
        n_rows=_whole(data["n_rows"]),
        n_public=_flag(data["n_public"]),
        public=tuple(
            PublicField(
                name=_text(item["name"]),
                what=_text(item["what"]),
                origin=_one_of(item["origin"], "declared", "draft"),
            )
            for item in _items(data["public"])
        ),
        charges=tuple(_read_charge(item) for item in _items(data["charges"])),
        noise=_text(data["noise"]),
        seeded=_flag(data["seeded"]),
        diagnostic=None if data["diagnostic"] is None else _text(data["diagnostic"]),
        ledger=None
        if data["ledger"] is None
        else LedgerNote(dataset=_text(data["ledger"]["dataset"]), head=_text(data["ledger"]["head"])),
        warnings=tuple(_text(item) for item in _items(data["warnings"])),
        as_printed=_read_as_printed(data),
        protection=tuple(_read_protection(item) for item in _items(data["protection"])),
    )


def _read_as_printed(data: Any) -> str | None:
    # files of version 0.1 call it otherwise, and must open for good
    found = data["as_printed"] if "as_printed" in data else data["as_published"]
    return None if found is None else _text(found)


def _read_charge(item: Any) -> ChargeLine:
    return ChargeLine(
        what=_text(item["what"]),
        mechanism=_text(item["mechanism"]),
        cost=None if item["cost"] is None else _fraction(item["cost"]),
        unit=_one_of(item["unit"], "epsilon", "rho"),
        tables=_whole(item["tables"]),
        candidates=_whole(item["candidates"]),
        noise=_text(item["noise"]),
    )


def _read_protection(item: Any) -> ProtectionLine:
    return ProtectionLine(
        attributes=tuple(_text(name) for name in _items(item["attributes"])),
        promised=_fraction(item["promised"]),
        released=None if item["released"] is None else _fraction(item["released"]),
        value=None if item["value"] is None else _text(item["value"]),
    )


def _options(value: Any) -> dict[str, Any]:
    if len(value) > _MOST_OPTIONS or len(json.dumps(value, allow_nan=False)) > _LONGEST_TEXT:
        raise ValueError("fewer options expected")
    return {_text(key): item for key, item in value.items()}


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("text expected")
    if len(value) > _LONGEST_TEXT:
        raise ValueError("shorter text expected")
    value.encode()  # a UnicodeEncodeError here, not when it is printed
    return value


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError("true or false expected")
    return value


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _LARGEST_COUNT:
        raise TypeError("whole number expected")
    return value


def _items(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError("list expected")
    if len(value) > _LONGEST_LIST:
        raise ValueError("shorter list expected")
    return value


def _one_of(value: Any, *allowed: str) -> Any:
    if value not in allowed:
        raise ValueError("unknown word")
    return value


def _above_zero(value: Any) -> Fraction:
    found = _fraction(value)
    if not float(found) > 0:
        raise ValueError("number above 0 expected")
    return found


def _below_one(value: Any) -> Fraction:
    found = _fraction(value)
    if not found < 1:
        raise ValueError("number below 1 expected")
    return found


def _fraction(value: Any) -> Fraction:
    # Digits only: Fraction also reads "1e999999999", which would never finish.
    if not _EXACT.fullmatch(_text(value)):
        raise ValueError("fraction expected")
    found = Fraction(value)
    float(found)  # an OverflowError here, not when somebody looks at it
    return found
