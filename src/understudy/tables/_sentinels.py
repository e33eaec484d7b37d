"""Values that stand for something else than a number or a day: −1 for "never", 999 for "refused", 1900-01-01."""

from __future__ import annotations

from datetime import date
from typing import Any

from understudy.tables._seen import Ends

_NEVER = frozenset({-1, -2})
_BELOW = frozenset({-7, -8, -9} | {-sum(d * 10**i for i in range(n)) for n in range(2, 7) for d in (6, 7, 8, 9)}
                   | {-97, -98, -996, -997, -998, -9997, -9998})  # fmt: skip
_ABOVE = frozenset({sum(d * 10**i for i in range(n)) for n in range(2, 10) for d in (7, 8, 9)}
                   | {96, 97, 98, 996, 997, 998, 9996, 9997, 9998, 99_998, 99_997}
                   | {99.9, 999.9, 9999.9, 99.99, 999.99, 9999.99, 99_999.99})  # fmt: skip
_EARLY = ("1111-11-11", "1582-10-15", "1753-01-01", "1800-01-01", "1899-12-30", "1899-12-31", "1900-01-01",
          "1901-01-01", "1904-01-01", "1960-01-01", "1970-01-01")  # fmt: skip
_LATE = ("2049-12-31", "2050-12-31", "2099-12-31", "2100-01-01", "2199-12-31", "2999-12-31", "3000-12-31",
         "3000-01-01", "9999-01-01", "9999-09-09", "9999-12-30", "9999-12-31")  # fmt: skip
_MANY = 10
_DAY = 24 * 3600 * 10**6


def numbers_apart(ends: Ends) -> tuple[Any, ...]:
    """Sentinels among the lowest and the highest numbers, in rising order.

    >>> from understudy.tables._seen import Ends
    >>> numbers_apart(Ends(lowest=[(-1, 5), (0, 9), (1, 3)], highest=[(999, 4), (60, 1), (59, 2)]))
    (-1, 999)
    """
    below = _prefix(ends.lowest, _NEVER | _BELOW)
    while below and not _apart_below(ends, below):
        below = below[:-1]
    above = _prefix(ends.highest, _ABOVE)
    while above and not _apart_above(ends, len(below), above):
        above = above[:-1]
    return (*(value for value, _ in below), *reversed([value for value, _ in above]))


def days_apart(ends: Ends, *, datetimes: bool = False) -> tuple[Any, ...]:
    """Sentinels among the first and the last moments, in their inner form.

    >>> from understudy.tables._seen import Ends
    >>> days_apart(Ends(lowest=[(-25567, 3), (18262, 1)], highest=[(19000, 2), (18999, 1)]))
    (-25567,)
    """
    unit = _DAY if datetimes else 1
    below = _prefix(ends.lowest, frozenset(_days(_EARLY, unit)))
    last = {day + _DAY - second for day in _days(_LATE, unit) for second in (10**6, 1)} if datetimes else set()
    above = _prefix(ends.highest, frozenset(_days(_LATE, unit)) | last)
    below = below[: max(0, len(ends.lowest) - 1)]
    above = above[: max(0, len(ends.highest) - 1)]
    while below and not _far(ends.lowest[len(below)][0] - below[-1][0], ends, below, above, unit):
        below = below[:-1]
    while above and not _far(above[-1][0] - ends.highest[len(above)][0], ends, below, above, unit):
        above = above[:-1]
    return (*(value for value, _ in below), *reversed([value for value, _ in above]))


def _prefix(values: list[tuple[Any, int]], known: frozenset[Any]) -> list[tuple[Any, int]]:
    """The outermost values as long as they are known sentinels; something is left over in any case."""
    found: list[tuple[Any, int]] = []
    for value, rows in values[:-1]:
        if value not in known:
            break
        found.append((value, rows))
    return found


def _apart_below(ends: Ends, below: list[tuple[Any, int]]) -> bool:
    following, rows = ends.lowest[len(below)]
    if following < 0:
        spread = ends.high - following
        return bool(below[-1][0] <= -10 and following - below[-1][0] > spread)
    # -2 and -1 together may be ordinary neighbours of 0, unless more rows have one of them than have 0.
    near = [count for value, count in below if value in _NEVER]
    return len(near) < 2 or max(near) >= rows


def _apart_above(ends: Ends, skipped: int, above: list[tuple[Any, int]]) -> bool:
    following, rows = ends.highest[len(above)]
    low = ends.lowest[min(skipped, len(ends.lowest) - 1)][0]
    gap, value = above[-1][0] - following, above[-1][1]
    return bool(gap > (following - low) / 2 or (gap >= 2 and value >= max(_MANY, 5 * rows)))


def _far(gap: Any, ends: Ends, below: list[Any], above: list[Any], unit: int) -> bool:
    span = ends.highest[len(above)][0] - ends.lowest[len(below)][0]
    return bool(gap > max(365 * unit, span * 0.3))


def _days(texts: tuple[str, ...], unit: int) -> set[int]:
    return {(date.fromisoformat(text) - date(1970, 1, 1)).days * unit for text in texts}
