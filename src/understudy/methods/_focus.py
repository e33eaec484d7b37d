"""The tables that matter most to a holder: columns by name, or tables of several columns each."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TypeAlias

from understudy._core.errors import OptionError, did_you_mean
from understudy.schema import Domain

Pair: TypeAlias = tuple[int, int]
Focus: TypeAlias = tuple[str | tuple[str, ...], ...]


def focus_pairs(focus: Focus, domain: Domain) -> tuple[Pair, ...]:
    """The pairs of columns that share a table, in the order in which they are named; bare names are one table together.

    >>> from understudy.schema import Attribute
    >>> domain = Domain(tuple(Attribute(name=name, size=2) for name in "abcd"))
    >>> focus_pairs(("a", "d"), domain), focus_pairs((("d", "b"), ("a", "b", "c")), domain)
    (((0, 3),), ((1, 3), (0, 1), (0, 2), (1, 2)))
    """
    known = {attribute.name: a for a, attribute in enumerate(domain)}
    found: dict[Pair, None] = {}
    for table in _tables(focus):
        for name in table:
            if name not in known:
                raise OptionError(f"The 'focus' parameter names no column '{name}'. {did_you_mean(name, known)}")
        found |= dict.fromkeys(combinations(sorted({known[name] for name in table}), 2))
    if focus and not found:
        raise OptionError("The 'focus' parameter must name at least two columns together. Got one by itself instead.")
    return tuple(found)


def focus_text(focus: Focus) -> str:
    """As the statement has it.

    >>> focus_text((("income", "education"), ("age", "sex"))), focus_text(("income", "education"))
    ('income × education; age × sex', 'income × education')
    """
    return "; ".join(" × ".join(table) for table in _tables(focus))


def _tables(focus: Focus) -> list[Sequence[str]]:
    names = [one for one in focus if isinstance(one, str)]
    return [*([names] if names else []), *(one for one in focus if not isinstance(one, str))]
