"""The lines of a privacy statement: values, as JSON has them, and read again from a stranger's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any, Literal, TypeAlias

from understudy.release._checked import read_flag, read_fraction, read_items, read_one_of, read_text, read_whole

Origin: TypeAlias = Literal["declared", "draft"]
_PARTY = ("party", "local", "runs")


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
    """What one step cost: ε under a pure budget, μ² with a δ (ρ in files from before that).

    `cost` is None where a diagnostic took the exact answer, for which no price would be enough. `noise` says how large
    the noise was, in words; it is public.

    >>> ChargeLine(what="tables", mechanism="discrete Laplace", cost=Fraction(7, 10), unit="epsilon", tables=15).tables
    15
    """

    what: str
    mechanism: str
    cost: Fraction | None
    unit: Literal["epsilon", "mu_squared", "rho"]
    tables: int = 0
    candidates: int = 0
    noise: str = ""
    party: str = ""
    """Who did it, where several parties did; "" stands for the one holder of the table."""
    local: bool = False
    """Whether rows were randomised before they left their party. Else noise was added to counts of its true columns."""
    runs: int = 1
    """How often the same rows were randomised by then; the cost is of the last time, and a line of its own has what
    those before it cost."""


@dataclass(frozen=True, kw_only=True)
class PartyNote:
    """One of the parties that learnt together: what it sent, not what it holds.

    `public` are columns that it sent as they are and declared not to be sensitive; `pseudonyms` says whether its rows
    carry any, to be joined with others' rows; `plan` is the fingerprint of how it randomised.

    >>> PartyNote(name="hospital", rows=5912, columns=("smokes", "disease")).pseudonyms
    False
    """

    name: str
    rows: int
    columns: tuple[str, ...]
    public: tuple[str, ...] = ()
    pseudonyms: bool = False
    plan: str = ""


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


def plain(value: Any) -> Any:
    """As JSON has it: fractions as exact text, lines as mappings."""
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, ChargeLine) and not value.party:  # what every file of one holder has, and no more
        return {field.name: plain(getattr(value, field.name)) for field in fields(value) if field.name not in _PARTY}
    if isinstance(value, PublicField | ChargeLine | LedgerNote | ProtectionLine | PartyNote):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return str(value)


def read_charge(item: Any) -> ChargeLine:
    """A charge again, every field checked."""
    return ChargeLine(
        what=read_text(item["what"]),
        mechanism=read_text(item["mechanism"]),
        cost=None if item["cost"] is None else read_fraction(item["cost"]),
        unit=read_one_of(item["unit"], "epsilon", "mu_squared", "rho"),
        tables=read_whole(item["tables"]),
        candidates=read_whole(item["candidates"]),
        noise=read_text(item["noise"]),
        **_read_whose(item),
    )


def _read_whose(item: Any) -> dict[str, Any]:
    if "party" not in item:
        return {}
    runs = read_whole(item["runs"])
    if runs < 1:
        raise ValueError("at least one run expected")
    return {"party": read_text(item["party"]), "local": read_flag(item["local"]), "runs": runs}


def read_party(item: Any) -> PartyNote:
    """A party's note again, every field checked."""
    return PartyNote(
        name=read_text(item["name"]),
        rows=read_whole(item["rows"]),
        columns=tuple(read_text(name) for name in read_items(item["columns"])),
        public=tuple(read_text(name) for name in read_items(item["public"])),
        pseudonyms=read_flag(item["pseudonyms"]),
        plan=read_text(item["plan"]),
    )


def read_protection(item: Any) -> ProtectionLine:
    """A line of protection again, every field checked."""
    return ProtectionLine(
        attributes=tuple(read_text(name) for name in read_items(item["attributes"])),
        promised=read_fraction(item["promised"]),
        released=None if item["released"] is None else read_fraction(item["released"]),
        value=None if item["value"] is None else read_text(item["value"]),
    )
