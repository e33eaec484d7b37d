"""What parties promise together: the privacy statement of a study, from the plans that its files were made with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from importlib.metadata import version
from typing import Any

from understudy.randomize._matrix import Response, TransitionMatrix
from understudy.randomize._odds import epsilon_above
from understudy.randomize._plan import Block, Plan
from understudy.release import ChargeLine, PartyNote, PublicField, Statement, describe_domain
from understudy.schema import Schema

_UNIT = "one person: what the columns of all parties say about the person, taken together"
_NOISE = "whole numbers drawn exactly from the operating system's cryptographic generator, by each party itself"
EARLIER = "other files with some of these columns, made before"
_SEEDED = "from a seed, at one party at least (a rehearsal)"


@dataclass(frozen=True, kw_only=True)
class Sent:
    """One party's randomised columns, as far as a statement tells of them."""

    plan: Plan
    rows: int
    keyed: bool = False
    times: int = 1
    """How often these columns of this table were randomised in all: whoever has the copies can average them."""
    earlier: Fraction | None = Fraction(0)
    """ε of the times before, under whatever plans; None: without bound."""
    seeded: bool = False
    called: str = ""
    """What the party is called here, where the name in its plan would not tell it from others."""

    @property
    def name(self) -> str:
        """What the party is called."""
        return self.called or self.plan.party

    @property
    def public(self) -> tuple[str, ...]:
        """Columns that nobody asked protection for, and that have none."""
        return tuple(name for block in self.plan.blocks if not block.sensitive for name in block.columns)

    @property
    def charges(self) -> tuple[ChargeLine, ...]:
        """A line for each block that costs something.

        >>> from understudy.randomize import Response
        >>> schema = Schema.from_dict({"fields": [{"name": "smokes", "categories": ["no", "yes"]}]})
        >>> block = Block(columns=("smokes",), sizes=(2,), matrix=Response(2, Fraction(3, 4)))
        >>> [line] = Sent(plan=Plan(party="hospital", schema=schema, blocks=(block,)), rows=9).charges
        >>> line.mechanism, float(line.cost)
        ('randomised response over 2 values, kept with 0.75', 1.09861228867)
        """
        counted = [block for block in self.plan.blocks if block.sensitive]
        lines = [self._line(block.columns, in_words(block), epsilon_of(block), self.times) for block in counted]
        if self.times > 1:
            columns = [name for block in counted for name in block.columns]
            lines.append(self._line(columns, EARLIER, self.earlier))
        return tuple(lines)

    def _line(self, columns: Sequence[str], how: str, cost: Fraction | None, runs: int = 1) -> ChargeLine:
        return ChargeLine(
            what=", ".join(columns),
            mechanism=how,
            cost=cost,
            unit="epsilon",
            party=self.name,
            local=True,
            runs=runs,
        )

    @property
    def note(self) -> PartyNote:
        """Who it is, and how much it sent."""
        return PartyNote(
            name=self.name,
            rows=self.rows,
            columns=self.plan.schema.names,
            public=self.public,
            pseudonyms=self.keyed,
            plan=self.plan.fingerprint,
        )


def epsilon_of(block: Block) -> Fraction | None:
    """A block's ε, from its matrix and rounded up; None: without bound. A matrix from the data has none either."""
    if block.matrix is None or block.from_data:
        return None
    return epsilon_above(block.matrix.amplification)


def in_words(block: Block) -> str:
    """How a block was randomised, in a few words."""
    values = f"{block.cells:,} {'values' if len(block.columns) == 1 else 'cells'}"
    if block.matrix is None:
        return f"a matrix over {values} that keeps the shares, worked out from the table itself"
    if block.matrix.unchanged:
        return "left as it is" if len(block.columns) == 1 else "left as they are"
    kept = _kept(block.matrix)
    if block.from_data:
        return f"a matrix over {values} worked out from the table itself, {kept}"
    if isinstance(block.matrix, Response):
        return f"randomised response over {values}, {kept}"
    return f"a matrix over {values}, {kept}"


def _kept(matrix: TransitionMatrix) -> str:
    """How often a value stays what it is."""
    if isinstance(matrix, Response):
        return f"kept with {float(matrix.keep):.3g}"
    diagonal = [matrix.probability(code, code) for code in range(matrix.size)]
    low, high = (f"{float(value):.3g}" for value in (min(diagonal), max(diagonal)))
    return f"kept with {low}" if low == high else f"kept with {low} to {high}"


def told_apart(plans: Sequence[Plan]) -> list[str]:
    """Names for the parties of these plans, each once: a number is added to those without one, or with another's.

    >>> told_apart([Plan(party="", schema=Schema(name="", fields=()), blocks=())] * 2)
    ['party 1', 'party 2']
    """
    given = [plan.party or "party" for plan in plans]
    names: list[str] = []
    for number, name in enumerate(given, start=1):
        alone = given.count(name) == 1 and plans[number - 1].party
        names.append(name if alone else f"{name} {number}")
    return names


def study_statement(
    sent: Sequence[Sent],
    *,
    name: str,
    schema: Schema,
    n_rows: int,
    method: str,
    options: Mapping[str, Any],
    warnings: Sequence[str] = (),
    noisy: Sequence[ChargeLine] = (),
    as_printed: str | None = None,
) -> Statement:
    """The statement of a study that was learnt from what these parties sent.

    `noisy` are charges for counts that a party took of its own true columns, with noise, and shared.
    """
    charges = (*(line for one in sent for line in one.charges), *noisy)
    seeded = any(one.seeded for one in sent)
    total = sum((line.cost for line in charges if line.cost is not None), Fraction(0))
    return Statement(
        dataset=name,
        created=datetime.now(UTC).date().isoformat(),
        version=version("understudy"),
        method=method,
        options=dict(options),
        epsilon=total,
        delta=Fraction(0),
        mu_squared=None,
        neighbours="replace-one",
        unit=_UNIT,
        n_rows=n_rows,
        n_public=True,
        public=tuple(
            PublicField(name=field.name, what=describe_domain(field), origin=field.origin) for field in schema.fields
        ),
        charges=charges,
        noise=_SEEDED if seeded else _NOISE,
        seeded=seeded,
        diagnostic=None,
        ledger=None,
        warnings=tuple(warnings),
        as_printed=as_printed,
        parties=tuple(one.note for one in sent),
    )
