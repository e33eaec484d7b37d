"""Sentences that say what a number means beside its floor and its ceiling."""

from __future__ import annotations

from collections.abc import Callable, Sequence

_ABOUT = 1.25
_APART = 1.2


def points(share: float) -> str:
    """A share as points of a hundred: one decimal, or two where one would show nothing.

    >>> points(0.0123), points(0.00042)
    ('1.2', '0.04')
    """
    return f"{100 * share:.1f}" if share == 0 or abs(share) >= 0.001 else f"{100 * share:.2f}"


def columns_named(columns: Sequence[str]) -> str:
    """Columns as one text.

    >>> columns_named(["age", "income"])
    '`age × income`'
    """
    return f"`{' × '.join(columns)}`"


def beside_references(
    value: float, floor: float, ceiling: float | None = None, *, shown: Callable[[float], str] = points
) -> str:
    """A sentence on an error, where lower is better: near what a fresh sample of people gives, or unrelated columns.

    Without a ceiling, or with one that is no worse than the floor, only the floor is spoken of.

    >>> beside_references(0.012, 0.004, 0.16)
    'That is close to what a fresh sample of as many people would show (0.4), far from unrelated columns (16.0).'
    >>> beside_references(0.15, 0.004, 0.16)
    'That is hardly better than unrelated columns (16.0); a fresh sample of as many people would show 0.4.'
    >>> beside_references(0.012, 0.004)
    'A fresh sample of as many people would show 0.4.'
    """
    fresh = "a fresh sample of as many people would show"
    if value <= _ABOUT * floor:
        return f"That is about what {fresh} ({shown(floor)})."
    if ceiling is None or ceiling <= _APART * floor:
        return f"A{fresh[1:]} {shown(floor)}."
    closeness = (ceiling - value) / (ceiling - floor)
    if closeness < 0:
        return f"That is worse than unrelated columns ({shown(ceiling)}); {fresh} {shown(floor)}."
    if closeness < 0.15:
        return f"That is hardly better than unrelated columns ({shown(ceiling)}); {fresh} {shown(floor)}."
    if closeness < 0.5:
        return f"That is nearer to unrelated columns ({shown(ceiling)}) than to what {fresh} ({shown(floor)})."
    if closeness < 0.9:
        return f"That is nearer to what {fresh} ({shown(floor)}) than to unrelated columns ({shown(ceiling)})."
    return f"That is close to what {fresh} ({shown(floor)}), far from unrelated columns ({shown(ceiling)})."
