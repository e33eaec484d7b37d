"""The privacy statement: what is promised, to whom, and what it rests on. A value; `_letter.py` puts it into words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any, Literal, TypeAlias

from understudy._core.errors import ModelFileError
from understudy._core.notebooks import card
from understudy.release._checked import (
    read_above_zero,
    read_below_one,
    read_flag,
    read_fraction,
    read_items,
    read_one_of,
    read_options,
    read_text,
    read_whole,
)
from understudy.release._promise import Promise
from understudy.release._statement_lines import (
    ChargeLine,
    LedgerNote,
    PartyNote,
    ProtectionLine,
    PublicField,
    plain,
    read_charge,
    read_party,
    read_protection,
)

Json: TypeAlias = dict[str, Any]

SEEDED = "NOT PRIVATE: seeded"
DIAGNOSTIC = "NO GUARANTEE: diagnostic run"
AS_PRINTED = "NOT PRIVATE: as printed"
UNBOUNDED = "NO GUARANTEE: sensitive columns without a bound"


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
    mu_squared: Fraction | None
    """The budget that costs with a δ are counted in; None under pure ε, and in files from before it was used."""
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
    declared: tuple[str, ...] = ()
    """What the schema declares of every row, and every synthetic row keeps, in short."""
    broken_rows: Literal["refuse", "drop", "mend"] | None = None
    """What became of real rows that break it; None where nothing is declared."""
    max_rows: int = 1
    """Most rows that count for one unit."""
    bounding: Literal["drop", "weigh"] | None = None
    """What was done with the rows of a unit that had more; None where no column tells units apart."""
    noisy_columns: tuple[str, ...] = ()
    """Columns of which noise leaves next to nothing, as far as that is known from what was paid for."""
    no_relations: bool = False
    """Whether no relation between columns was measured, so that readers find none but by chance and by declaration."""
    counted: Literal["on its server", "pulled"] | None = None
    """Whether the rows of a table on a database server left it to be counted; None where it was on none."""
    parties: tuple[PartyNote, ...] = ()
    """Those who each hold some columns and never pooled them; empty where one holder has the whole table."""

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
            "mu_squared": None,
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

    @classmethod
    def example_of_parties(cls, **changes: Any) -> Statement:
        """A small statement of a study among parties.

        >>> Statement.example_of_parties().guarantee
        'epsilon-local differential privacy'
        """
        response = "randomised response over 4 cells, kept with 0.5"
        values: dict[str, Any] = {
            "dataset": "smoking study",
            "method": "k2",
            "options": {},
            "epsilon": Fraction(22, 10),
            "unit": "one person",
            "charges": tuple(
                ChargeLine(what=what, mechanism=response, cost=Fraction(11, 10), unit="epsilon", party=who, local=True)
                for what, who in (("smokes, disease", "hospital"), ("plan, claims", "insurer"))
            ),
            "parties": (
                PartyNote(name="hospital", rows=1000, columns=("smokes", "disease"), pseudonyms=True, plan="ab" * 32),
                PartyNote(name="insurer", rows=1200, columns=("plan", "claims"), pseudonyms=True, plan="cd" * 32),
            ),
        }
        return cls.example(**(values | changes))

    @property
    def one_row(self) -> bool:
        """Whether a unit is a single row of the table, and not all rows of somebody, or several of any.

        >>> Statement.example().one_row, Statement.example(max_rows=5, bounding="drop").one_row
        (True, False)
        """
        return self.max_rows == 1 and self.bounding is None

    @property
    def promise(self) -> Promise:
        """What is promised where one holder has the whole table, to be put into words.

        >>> Statement.example().promise.named
        'ε = 1, replace-one'
        """
        return Promise(
            epsilon=self.epsilon,
            delta=self.delta,
            neighbours=self.neighbours,
            n_public=self.n_public,
            max_rows=self.max_rows,
            bounding=self.bounding,
            unit=self.unit,
        )

    @property
    def ran(self) -> str:
        """The method that ran, also where another one chose it.

        >>> Statement.example(method="auto", options={"chosen": "adaptive"}).ran
        'adaptive (chosen by auto)'
        """
        chosen = self.options.get("chosen")
        return self.method if chosen is None else f"{chosen} (chosen by {self.method})"

    @property
    def private(self) -> bool:
        """Whether the release carries the guarantee at all."""
        return not self.seeded and self.diagnostic is None and self.as_printed is None and not self.unbounded

    @property
    def trust(self) -> Literal["central", "local", "mixed"]:
        """Who must be trusted: one holder of all columns, nobody, or each party with counts of its own columns."""
        if not self.parties:
            return "central"
        return "local" if all(charge.local for charge in self.charges) else "mixed"

    @property
    def unbounded(self) -> tuple[ChargeLine, ...]:
        """What some party sent about sensitive columns that no ε covers."""
        return tuple(charge for charge in self.charges if charge.cost is None) if self.parties else ()

    def epsilon_of(self, party: str) -> Fraction | None:
        """What one party's columns come to; None: without bound.

        >>> Statement.example_of_parties().epsilon_of("hospital")
        Fraction(11, 10)
        """
        costs = [charge.cost for charge in self.charges if charge.party == party]
        return None if None in costs else sum((cost for cost in costs if cost is not None), Fraction(0))

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
            *([UNBOUNDED] if self.unbounded else []),
        ]
        return "; ".join(words) or None

    def __repr__(self) -> str:
        return f"Statement({self.summary()})"

    def _repr_html_(self) -> str:
        notes = [*([self.promise.meaning] if self.private and not self.parties else []), *self.warnings]
        return card(f"Privacy statement of {self.dataset}", self.facts(), notes=notes, warning=self.stamp)

    def facts(self) -> list[tuple[str, str]]:
        """What is promised and of what, in a few words each.

        >>> Statement.example().facts()[0]
        ('guarantee', 'epsilon-differential privacy')
        """
        epsilon = "unbounded" if self.unbounded else f"{float(self.epsilon):g}"
        delta = f", δ = {float(self.delta):g}" if self.delta else ""
        return [
            ("guarantee", self.guarantee),
            ("budget", f"ε = {epsilon}{delta}, {self.neighbours}, for {self.unit}"),
            ("method", self.ran),
            ("rows", f"{self.n_rows:,}"),
            ("made", f"{self.created}, understudy {self.version}"),
        ]

    def summary(self) -> str:
        """Data set, rows and budget in half a line.

        >>> Statement.example(seeded=True).summary()
        "'people', rows=1000, epsilon=1, 'NOT PRIVATE: seeded'"
        """
        delta = f", delta={float(self.delta):g}" if self.delta else ""
        stamp = "" if self.stamp is None else f", {self.stamp!r}"
        epsilon = "unbounded" if self.unbounded else f"{float(self.epsilon):g}"
        return f"{self.dataset!r}, rows={self.n_rows}, epsilon={epsilon}{delta}{stamp}"

    @property
    def trusted_drafts(self) -> tuple[str, ...]:
        """Columns whose domain was read off the private table and trusted as it was."""
        return tuple(field.name for field in self.public if field.origin == "draft")

    @property
    def guarantee(self) -> str:
        """The name of the guarantee, or the stamp where there is none."""
        if self.stamp is not None:
            return self.stamp
        parameters = "epsilon" if self.delta == 0 else "(epsilon, delta)"
        ending = " without a common curator" if self.trust == "mixed" else ""
        return f"{parameters}-{'local ' if self.trust == 'local' else ''}differential privacy{ending}"

    def to_dict(self) -> Json:
        """As plain JSON values; fractions are exact text such as "7/10".

        >>> Statement.from_dict(Statement.example().to_dict()) == Statement.example()
        True
        """
        result: Json = {"format": "understudy-privacy-statement/1", "guarantee": self.guarantee, "stamp": self.stamp}
        for field in fields(self):
            result[field.name] = plain(getattr(self, field.name))
        if self.one_row:  # as in all files from before there were others
            del result["max_rows"], result["bounding"]
        for name in ("noisy_columns", "no_relations"):  # only where there is something to say, as for all below
            if not result[name]:
                del result[name]
        if not self.declared:  # as in all files from before anything was
            del result["declared"], result["broken_rows"]
        if self.counted is None:
            del result["counted"]
        if self.private and not self.parties:
            result["in_words"] = self.promise.meaning
        if not self.parties:
            del result["parties"]
        else:
            result["trust"] = self.trust
            result["epsilon_by_party"] = {party.name: plain(self.epsilon_of(party.name)) for party in self.parties}
        result["epsilon_decimal"] = float(self.epsilon)
        if self.unbounded:  # the sum of the rest is no figure to read off as the promise
            result["epsilon_of_the_bounded"] = result["epsilon"]
            result["epsilon"] = result["epsilon_decimal"] = None
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


def _read(data: Any) -> Statement:
    return Statement(
        dataset=read_text(data["dataset"]),
        created=read_text(data["created"]),
        version=read_text(data["version"]),
        method=read_text(data["method"]),
        options=read_options(data["options"]),
        # of parties who declare all that they send not to be sensitive, nobody asks for a bound
        epsilon=(read_fraction if data.get("parties") else read_above_zero)(
            data["epsilon_of_the_bounded"] if data["epsilon"] is None else data["epsilon"]
        ),
        delta=read_below_one(data["delta"]),
        mu_squared=_read_mu_squared(data),
        neighbours=read_one_of(data["neighbours"], "replace-one", "add-remove"),
        unit=read_text(data["unit"]),
        n_rows=read_whole(data["n_rows"]),
        n_public=read_flag(data["n_public"]),
        public=tuple(
            PublicField(
                name=read_text(item["name"]),
                what=read_text(item["what"]),
                origin=read_one_of(item["origin"], "declared", "draft"),
            )
            for item in read_items(data["public"])
        ),
        charges=tuple(read_charge(item) for item in read_items(data["charges"])),
        noise=read_text(data["noise"]),
        seeded=read_flag(data["seeded"]),
        diagnostic=None if data["diagnostic"] is None else read_text(data["diagnostic"]),
        ledger=None
        if data["ledger"] is None
        else LedgerNote(dataset=read_text(data["ledger"]["dataset"]), head=read_text(data["ledger"]["head"])),
        warnings=tuple(read_text(item) for item in read_items(data["warnings"])),
        as_printed=_read_as_printed(data),
        protection=tuple(read_protection(item) for item in read_items(data["protection"])),
        declared=tuple(read_text(item) for item in read_items(data.get("declared", []))),
        broken_rows=_read_broken_rows(data),
        max_rows=read_whole(data.get("max_rows", 1)),
        bounding=None if data.get("bounding") is None else read_one_of(data["bounding"], "drop", "weigh"),
        noisy_columns=tuple(read_text(item) for item in read_items(data.get("noisy_columns", []))),
        no_relations=read_flag(data.get("no_relations", False)),
        counted=None if data.get("counted") is None else read_one_of(data["counted"], "on its server", "pulled"),
        parties=tuple(read_party(item) for item in read_items(data.get("parties", []))),
    )


def _read_broken_rows(data: Any) -> Literal["refuse", "drop", "mend"] | None:
    return None if data.get("broken_rows") is None else read_one_of(data["broken_rows"], "refuse", "drop", "mend")


def _read_mu_squared(data: Any) -> Fraction | None:
    """As it stands there; files from before it was used have `rho` in its place, which is checked and let go."""
    if "mu_squared" not in data and data["rho"] is not None:
        read_above_zero(data["rho"])
    found = data.get("mu_squared")
    return None if found is None else read_above_zero(found)


def _read_as_printed(data: Any) -> str | None:
    # files of version 0.1 call it otherwise, and must open for good
    found = data["as_printed"] if "as_printed" in data else data["as_published"]
    return None if found is None else read_text(found)
