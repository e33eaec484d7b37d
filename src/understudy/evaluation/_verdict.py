"""Sentences that say what a number means beside its two references: one style for all measures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isfinite

from understudy.charts import tidy

_FRESH = "a fresh sample of as many rows would show"
WELL_BELOW = 0.5
"""Less than this part of what a fresh sample shows is no luck: such a table knows the real rows themselves."""
_ABOUT = 1.25
BY_CHANCE = 1.5
"""So many times what a fresh sample shows can still be chance. It is drawn from the real rows themselves, so it carries
the chance of one sample; two samples of the same population carry that of both, √2 times as much."""
MARGIN = BY_CHANCE / 2**0.5
"""The same for what two samples of the same population are expected to show, which carries the chance of both."""

HANDFUL = 5
"""Fewer rows that differ from all others are a matter of chance: a fresh sample may well miss them all."""


def points(share: float) -> str:
    """A share as points of a hundred: one decimal, or two where one would show nothing.

    >>> points(0.0123), points(0.00042), points(25.4)
    ('1.2', '0.04', '2,540.0')
    """
    return f"{100 * share:.2f}" if 0 < abs(share) < 0.001 else f"{100 * share:,.1f}"


def number(value: float) -> str:
    """A number that is no share: three decimals, or four where three would show nothing.

    >>> number(0.0123), number(0.00042)
    ('0.012', '0.0004')
    """
    return f"{value:.4f}" if 0 < abs(value) < 0.001 else f"{value:,.3f}"


def columns_named(columns: Sequence[str]) -> str:
    """Columns as one text.

    >>> columns_named(["age", "income"])
    '`age × income`'
    """
    return f"`{' × '.join(map(tidy, columns)).replace('`', chr(39))}`"


def off_by(
    what: str,
    value: float,
    worst: tuple[Sequence[str], float],
    fresh: float,
    independent: float | None,
    *,
    shown: Callable[[float], str],
) -> str:
    """How far off something is on average and at worst, and what that is beside its references.

    >>> off_by("Mutual information of pairs", 0.012, (["age", "income"], 0.2), 0.004, 0.004, shown=number)
    'Mutual information of pairs: off by 0.012 on average, 0.200 at worst, in `age × income`. A fresh sample of as \
many rows would show 0.004.'
    """
    beside = beside_references(value, fresh, independent, shown=shown)
    if worst[1] == 0 and value == 0:
        return f"{what}: no difference at all." + (f" {beside}" if fresh else "")
    return (
        f"{what}: off by {shown(value)} on average, {shown(worst[1])} at worst, in {columns_named(worst[0])}. {beside}"
    )


def beside_references(
    value: float,
    fresh: float,
    independent: float | None = None,
    *,
    by_chance: float = 0.0,
    shown: Callable[[float], str] = points,
) -> str:
    """A sentence on a difference, where 0 is best: near what a fresh sample of rows gives, or independent columns.

    Independent columns are not spoken of where they are not given, or where chance could put them. `by_chance` is how
    far apart two samples of one population are, where that is known.

    >>> beside_references(0.012, 0.004, 0.16)
    'That is close to what a fresh sample of as many rows would show (0.4), far from independent columns (16.0).'
    >>> beside_references(0.15, 0.004, 0.16)
    'That is hardly better than independent columns (16.0); a fresh sample of as many rows would show 0.4.'
    >>> beside_references(0.012, 0.004)
    'A fresh sample of as many rows would show 0.4.'
    >>> beside_references(0.15, 0.09, 0.16, by_chance=0.15)
    'That is what another sample of the same population would show (15.0); a fresh sample of as many rows, 9.0.'
    """
    if value < WELL_BELOW * fresh:
        return f"That is less than {_FRESH} ({shown(fresh)})."
    if value <= _ABOUT * fresh:
        return f"That is about what {_FRESH} ({shown(fresh)})."
    if value <= BY_CHANCE * fresh:
        return f"That is little more than chance: {_FRESH} {shown(fresh)}."
    if value <= MARGIN * by_chance:
        other = "another sample of the same population would show"
        return f"That is what {other} ({shown(by_chance)}); {_FRESH.removesuffix(' would show')}, {shown(fresh)}."
    limit = max(BY_CHANCE * fresh, MARGIN * by_chance)
    if independent is None or not isfinite(independent) or independent <= limit:
        return f"A{_FRESH[1:]} {shown(fresh)}."
    closeness = (independent - value) / (independent - fresh)
    if closeness < 0.15:
        # Chance alone puts a table with independent columns a little above or below another such table.
        alike = abs(closeness) <= 0.03 or shown(value) == shown(independent)
        better = "no better than" if alike else "worse than" if closeness < 0 else "hardly better than"
        return f"That is {better} independent columns ({shown(independent)}); {_FRESH} {shown(fresh)}."
    if closeness < 0.5:
        return f"That is nearer to independent columns ({shown(independent)}) than to what {_FRESH} ({shown(fresh)})."
    if closeness < 0.9:
        return f"That is nearer to what {_FRESH} ({shown(fresh)}) than to independent columns ({shown(independent)})."
    return f"That is close to what {_FRESH} ({shown(fresh)}), far from independent columns ({shown(independent)})."
