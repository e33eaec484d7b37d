"""Long lists of codes whose first characters say what belongs together: zip codes, ICD, ISCO, NAICS."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

_CODE = re.compile(r"[A-Za-z0-9]{2,12}|[A-Za-z]?[0-9]{1,6}[A-Za-z]?([.\-/ ][0-9A-Za-z]{1,5}){1,2}")
_WORD = re.compile(r"[A-Za-z]{4}")
_FEWEST = 20
_MERGED = 0.7
_LEVELS = 4


def looks_like_codes(texts: Sequence[str]) -> bool:
    """Whether these are codes with digits, all of one length or of one shape, and enough of them for a taxonomy.

    >>> looks_like_codes([f"{i:05}" for i in range(501, 600)]), looks_like_codes(["Paris", "London"] * 10)
    (True, False)
    """
    if len(texts) < _FEWEST or not all(_CODE.fullmatch(text) and not _WORD.search(text) for text in texts):
        return False
    if sum(any(c.isdigit() for c in text) for text in texts) < len(texts):
        return False
    lengths = {len(text) for text in texts}
    if len(lengths) == 1 and min(lengths) >= 3:
        return True
    shapes = {re.sub("[A-Za-z]", "a", re.sub("[0-9]", "0", text.partition(".")[0])) for text in texts}
    return len(shapes) <= 2 and min(lengths) >= 3


def prefix_taxonomy(codes: Sequence[str]) -> tuple[list[Any], tuple[int, ...]] | None:
    """Nested lists over the codes by their first characters, and how many of these each level looks at.

    None where prefixes merge nothing, or everything.

    >>> prefix_taxonomy(["A01", "A02", "A11", "B01", "B02", "B03"])
    ([[['A01', 'A02'], ['A11']], [['B01', 'B02', 'B03']]], (1, 2))
    """
    lengths = _lengths(sorted(set(codes)))
    return (_nested(sorted(set(codes)), lengths), lengths) if lengths else None


def _lengths(codes: list[str]) -> tuple[int, ...]:
    """Prefixes that are worth a level: each merges groups of the next by a third at least."""
    chosen: list[int] = []
    groups = len(codes)
    for length in range(max(map(len, codes), default=0) - 1, 0, -1):
        found = len({code[:length] for code in codes})
        if 1 < found <= _MERGED * groups:
            chosen.append(length)
            groups = found
    return tuple(reversed(chosen[-_LEVELS:]))


def _nested(codes: list[str], lengths: tuple[int, ...]) -> list[Any]:
    if not lengths:
        return list(codes)
    groups: dict[str, list[str]] = {}
    for code in codes:
        groups.setdefault(code[: lengths[0]], []).append(code)
    return [_nested(group, lengths[1:]) for group in groups.values()]
