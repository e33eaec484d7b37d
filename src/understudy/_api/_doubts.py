"""What readers of a statement are warned of: noise that outweighs what it covers, promises that say little."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from understudy._api._settings import RunSettings
from understudy.models import Model, columns_off, part_off
from understudy.numbers import VALUE_BY_VALUE
from understudy.privacy import Charge
from understudy.schema import Field, Schema
from understudy.tables import formula_columns

MOST_OFF = 0.25
"""A column is called noisy from here on: so many of its rows are expected to have a wrong value."""
_CELLS = 16  # a range that nothing was found in is held against noise in so many equal parts
_STRETCHES = 3  # so few tell next to nothing of a range
_NAMED = 8


@dataclass(frozen=True, kw_only=True)
class NoisyColumns:
    """Columns that next to nothing is known of: values that noise moved, and ranges in which it hid nearly all."""

    moved: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """All of them.

        >>> NoisyColumns(moved=("job", "age"), hidden=("age",)).names
        ('job', 'age')
        """
        return tuple(dict.fromkeys((*self.moved, *self.hidden)))

    @property
    def sentence(self) -> str | None:
        """What is wrong with them and what helps; None if there are none."""
        of_values, of_ranges = _listed(self.moved), _listed(self.hidden)
        said = []
        if self.moved:
            said.append(f"noise is expected to put a quarter of all rows or more into wrong values of {of_values}")
        if self.hidden:
            said.append(f"in the range of {of_ranges} noise hid where most of the rows lie")
        if not said:
            return None
        return "; ".join(said) + (
            ". Shares, means and quantiles there tell next to nothing: raise epsilon, declare fewer or coarser values "
            "and narrower ranges, or leave columns out."
        )


def rows_of(model: Model, parts: int) -> int:
    """How many rows are published: a model counts parts of rows where those of a unit are weighed."""
    return max(1, round(model.n / parts))


def noisy_columns(schema: Schema, model: Model, charges: Sequence[Charge], parts: int) -> NoisyColumns:
    """The columns that are noise for a good part, from what was paid for: the model, and the noise it was made with."""
    off = zip(schema.fields, columns_off(model), strict=True)
    looks = [one.noise.variance for one in charges if one.what == VALUE_BY_VALUE and one.noise is not None]
    rows, variance = max(model.n / parts, 1.0), min(looks, default=0.0) / parts**2
    blurred = bool(looks) and part_off(np.full(_CELLS, rows / _CELLS), variance) >= MOST_OFF
    hidden = (f for f in schema.fields if blurred and (_hardly_any(f) or _stretches_off(f, rows, variance) >= MOST_OFF))
    return NoisyColumns(
        moved=tuple(field.name for field, part in off if part is not None and part >= MOST_OFF),
        hidden=tuple(field.name for field in hidden),
    )


def _hardly_any(field: Field) -> bool:
    """Whether next to nothing was found in a range. One of few values has no more to find, nor have declared bins."""
    if field.bins is None or field.bins.shape is None or not field.has_found_bins:
        return False
    first, last = field.bins.grid
    return len(field.bins.shape.starts) <= _STRETCHES and int((last - first + 1).sum()) > _STRETCHES


def _stretches_off(field: Field, rows: float, variance: float) -> float:
    """Which part of rows noise is expected to put into other stretches than those of the range that were found."""
    if field.bins is None or field.bins.shape is None or not field.has_found_bins:
        return 0.0
    held = np.asarray(field.bins.shape.shares, dtype=np.float64)
    return part_off(rows * held / held.sum(), variance)


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(f"'{name}'" for name in names[:_NAMED]) + more


def _rough_rows(charges: Sequence[Charge], parts: int, model: Model) -> str | None:
    """A sentence if the number of rows that is published may be noise for the most part."""
    levels = [charge.noise for charge in charges if charge.what == "rows" and charge.noise is not None]
    off = sqrt(levels[0].variance) / parts if levels else 0.0
    rows = rows_of(model, parts)
    if 2 * off <= rows:
        return None
    return (
        f"the number of rows is private, and the {rows:,} published are mostly noise: they may well be {2 * off:,.0f} "
        "too many or too few. Draw as many as make sense (--rows, n=…), raise epsilon, or make their number public "
        "with neighbours 'replace-one'."
    )


def warnings_of(settings: RunSettings, charges: Sequence[Charge], model: Model, noisy: NoisyColumns) -> list[str]:
    """Sentences for whoever reads the statement."""
    found = []
    if (doubt := _rough_rows(charges, settings.terms.unit.parts, model)) is not None:
        found.append(doubt)
    if noisy.sentence is not None:
        found.append(noisy.sentence)
    if settings.terms.budget.delta * model.n >= settings.terms.unit.parts:
        found.append(
            "delta is not below 1/rows: a mechanism that publishes a few records in clear would pass. Use a delta far "
            "below 1/rows."
        )
    if settings.terms.budget.epsilon > 10:
        epsilon = float(settings.terms.budget.epsilon)
        found.append(
            f"an epsilon of {epsilon:g} promises next to nothing: what is learnt about a person may change the odds by "
            f"a factor of e to the {epsilon:g}. Budgets up to 1 protect well; up to 10 they still say something."
        )
    if columns := formula_columns(settings.schema):
        listed = ", ".join(f"'{name}'" for name in columns[:5]) + (", …" if len(columns) > 5 else "")
        found.append(
            f"names or categories of {'column' if len(columns) == 1 else 'columns'} {listed} begin like formulas (with "
            "=, +, - or @), and a spreadsheet that opens the synthetic table would run them. Tell its readers to "
            "import it as text, or declare other words."
        )
    found += settings.method.remarks(model, rows_of(model, settings.terms.unit.parts))
    if settings.options.seed is not None and settings.ledger is not None:
        found.append("a seeded rehearsal is never charged to a ledger.")
    if settings.as_printed and settings.ledger is not None:
        found.append("a method as printed has no price, so it is never charged to a ledger.")
    return found
