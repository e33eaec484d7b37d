"""Tables of counts with error bars, from what several parties published."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from understudy._core.errors import OptionError, did_you_mean
from understudy.randomize._inbox import Inbox
from understudy.randomize._make_plan import split_names
from understudy.randomize._open_inbox import Progress, open_inbox
from understudy.randomize._plan import Plan
from understudy.randomize._published import Fit, Published
from understudy.randomize._unmix import Floats
from understudy.randomize._unmixed_counts import UnmixedCounts
from understudy.schema import Domain, Marginal, Schema

How: TypeAlias = Literal["unbiased", "projected", "likelihood"]
_FITS: dict[How, Fit] = {"projected": "projection", "likelihood": "likelihood"}
_NINETY_FIVE = 1.959963984540054  # of the normal distribution
_LARGEST_CONDITION = 1e4


@dataclass(frozen=True)
class EstimatedCell:
    """One count with its error bar."""

    labels: tuple[str, ...]
    count: float
    standard_error: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class MarginalEstimate:
    """The estimated counts of some columns. Arrays are shaped like the table: an axis for each column, in order.

    `standard_errors` are those of the unbiased counts, and tell what randomising did; the rows are what they are.
    """

    columns: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...]
    counts: Floats
    unbiased: Floats
    """What `counts` are if nothing else is asked for."""
    standard_errors: Floats
    n: int
    how: How
    condition: float
    """Of the transition matrix that was inverted: errors grow with it."""

    @property
    def low(self) -> Floats:
        """Lower ends of the 95 % intervals of the counts; no count is below 0."""
        return np.clip(self.unbiased - _NINETY_FIVE * self.standard_errors, 0, self.n)

    @property
    def high(self) -> Floats:
        """Upper ends of the 95 % intervals of the counts; no count is above n."""
        return np.clip(self.unbiased + _NINETY_FIVE * self.standard_errors, 0, self.n)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know before using these counts."""
        notes = []
        wide = int((self.standard_errors > self.n).sum())
        if wide:
            cells = "a count" if wide == 1 else f"{wide:,} counts"
            notes.append(
                f"the standard error of {cells} is larger than all {self.n:,} rows: nothing can be said about "
                f"{'it' if wide == 1 else 'them'}. Ask for fewer columns, or have them randomised together or less."
            )
        if self.condition > _LARGEST_CONDITION:
            notes.append(
                f"the transition matrix is nearly singular (condition number {self.condition:,.3g}): small differences "
                "between published counts become large ones here."
            )
        if self.how == "unbiased" and (self.counts < 0).any():
            notes.append(
                "counts below 0 are kept: clipping them would bias the others. For counts that a table could have, "
                "ask for likelihood."
            )
        return tuple(notes)

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {
            "columns": list(self.columns),
            "labels": [list(labels) for labels in self.labels],
            "counts": self.counts.tolist(),
            "standard_errors": self.standard_errors.tolist(),
            "low": self.low.tolist(),
            "high": self.high.tolist(),
            "n": self.n,
            "how": self.how,
            "condition": self.condition,
            "notes": list(self.notes),
        }

    def cells(self) -> list[EstimatedCell]:
        """One after another, the last column's value changing fastest."""
        return [
            EstimatedCell(
                tuple(names[code] for names, code in zip(self.labels, place, strict=True)),
                *(float(table[place]) for table in (self.counts, self.standard_errors, self.low, self.high)),
            )
            for place in np.ndindex(self.counts.shape)
        ]

    def __str__(self) -> str:
        lines = [f"{', '.join(self.columns) or 'all rows'}: {self.n:,} rows, {self.how}"]
        lines += [f"  {', '.join(c.labels)}: {c.count:,.1f} ± {c.standard_error:,.1f}" for c in self.cells()]
        return "\n".join([*lines, *self.notes])


def estimate(
    source: Inbox | str | Path | Sequence[str | Path],
    marginals: str | Sequence[str | Sequence[str] | Marginal] | None = None,
    *,
    how: How = "unbiased",
    pairs: bool = False,
    plans: Sequence[Plan | str | Path] = (),
    progress: Progress | None = None,
) -> list[MarginalEstimate]:
    """Counts with error bars, un-mixed from randomised files; all marginals are counted together.

    Args:
        source: the files that the parties sent, as for `open_inbox`, or an inbox of them.
        marginals: what to count: names of columns each, such as "smoking,disease" or ["smoking", "disease"].
            Default: every column by itself.
        how: "unbiased" counts may be negative; "likelihood" and "projected" ones may not, and have a bias for it.
        pairs: all pairs of columns too.
        plans: plans that were agreed on; each file must have been made with one of them.
        progress: called with a stage, how much of it is done, and how much there is.

    >>> from fractions import Fraction
    >>> from understudy.randomize import Block, PartyColumns, Response
    >>> from understudy.tables import Table
    >>> schema = Schema.from_dict({"fields": [{"name": "smokes", "categories": ["no", "yes"]}]})
    >>> block = Block(columns=("smokes",), sizes=(2,), matrix=Response(2, Fraction(3, 4)))
    >>> plan = Plan(party="hospital", schema=schema, blocks=(block,))
    >>> table = Table(schema.domain, (np.array([0, 0, 0, 0, 0, 1, 1, 1]),))
    >>> [smokes] = estimate(Inbox([PartyColumns(plan, table)]), ["smokes"])
    >>> print(smokes)
    smokes: 8 rows, unbiased
      no: 6.0 ± 2.4
      yes: 2.0 ± 2.4
    """
    if how not in get_args(How):
        raise OptionError(f"there is no way '{how}' to estimate counts. {did_you_mean(how, get_args(How))}")
    inbox = source if isinstance(source, Inbox) else open_inbox(source, plans=plans, progress=progress)
    given = [marginals] if isinstance(marginals, str) else marginals or ()
    asked = [_named(one, inbox.schema) for one in given]
    if pairs:
        asked += [Marginal.of(a, b) for a, b in combinations(range(len(inbox.domain)), 2)]
    if not asked:
        asked = [Marginal.of(a) for a in range(len(inbox.domain))]
    counts = UnmixedCounts(inbox)
    found = []
    for number, (marginal, published) in enumerate(zip(asked, counts.published(asked), strict=True)):
        if progress is not None:
            progress("estimating tables", number, len(asked))
        found.append(_estimate_of(marginal, published, inbox, how))
    return found


def named_marginal(text: str, schema: Schema) -> Marginal:
    """Columns separated by commas, where quotes hold a name with commas together; or one column, as it is named.

    >>> schema = Schema.from_dict({"fields": [{"name": n, "type": "boolean"} for n in ("a", "b", "c,d")]})
    >>> named_marginal("b, a", schema).attributes, named_marginal("c,d", schema).attributes
    ((1, 0), (2,))
    >>> named_marginal('a, "c,d"', schema).attributes
    (0, 2)
    """
    return _named([text] if text in schema.names else split_names(text) or [text], schema)


def _named(asked: str | Sequence[str] | Marginal, schema: Schema) -> Marginal:
    if isinstance(asked, Marginal):
        return asked
    if isinstance(asked, str):
        return named_marginal(asked, schema)
    for name in asked:
        if name not in schema.names:
            raise OptionError(f"no column '{name}' in any file. {did_you_mean(name, schema.names)}")
        if list(asked).count(name) > 1:
            raise OptionError(f"column '{name}' is named twice in {', '.join(asked)}. Name each column once.")
    return Marginal.of(*(schema.names.index(name) for name in asked))


def _estimate_of(marginal: Marginal, published: Published, inbox: Inbox, how: How) -> MarginalEstimate:
    unmixed = published.unmixed()
    return MarginalEstimate(
        columns=tuple(inbox.domain[axis.attribute].name for axis in marginal.axes),
        labels=tuple(_labels(inbox.schema, inbox.domain, axis.attribute, axis.level) for axis in marginal.axes),
        counts=unmixed.counts if how == "unbiased" else published.fitted(_FITS[how]),
        unbiased=unmixed.counts,
        standard_errors=unmixed.standard_error,
        n=unmixed.n,
        how=how,
        condition=unmixed.condition,
    )


def _labels(schema: Schema, domain: Domain, attribute: int, level: int) -> tuple[str, ...]:
    """Labels of a column's codes; of a coarser level, the first and last of those that it merges."""
    leaves = schema.fields[attribute].labels
    if level == 0:
        return leaves
    groups = domain[attribute].groups_at(level)
    ends = [np.flatnonzero(groups == group) for group in range(int(groups.max()) + 1)]
    return tuple(leaves[e[0]] if len(e) == 1 else f"{leaves[e[0]]} to {leaves[e[-1]]}" for e in ends)
