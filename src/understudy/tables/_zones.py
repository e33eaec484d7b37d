"""What the clock of a time zone shows at a moment, and the moment at which it shows a time.

Arrow is quick, but it knows the changes of a zone's clock up to 2037 only, and leaves it on winter time from then on.
Later moments are looked up in Python's rules, once for each quarter of an hour: clocks change on the quarter.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import TypeAlias
from zoneinfo import ZoneInfo

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from understudy.schema import zone_exists

Int64s: TypeAlias = npt.NDArray[np.int64]

_DAY = 24 * 3600 * 10**6
_QUARTER = 15 * 60 * 10**6
_LOOKED = 6 * 3600 * 10**6  # no clock is changed twice within so short a time
_FIRST, _LAST = -719_162 * _DAY, 2_932_896 * _DAY  # the years 1 to 9999
_FAR = 24_472 * _DAY  # 2037: up to here the two agree
_TIME0 = datetime(1970, 1, 1)
_MICRO = timedelta(microseconds=1)


@lru_cache(maxsize=64)
def zone_known(zone: str) -> bool:
    """Whether there is a clock for a zone, by its name or its offset such as +02:00.

    >>> zone_known("Europe/Paris"), zone_known("+02:00"), zone_known("Nowhere/City")
    (True, True, False)
    """
    try:
        pc.local_timestamp(pa.array([0], pa.timestamp("s", zone)))
    except pa.ArrowInvalid:
        return False
    return True


def clock_at(moments: Int64s, zone: str) -> Int64s:
    """Microseconds since 1970 on the clock of a zone, at these microseconds since 1970 in UTC.

    >>> summers = np.array([1_593_561_600, 2_224_713_600]) * 10**6  # the first of July 2020 and 2040
    >>> ((clock_at(summers, "Europe/Paris") - summers) // 10**6).tolist()
    [7200, 7200]
    """
    near = (moments >= _FIRST) & (moments <= _LAST)  # there are no rules for the clocks of other times
    column = pa.array(np.where(near, moments, 0)).cast(pa.timestamp("us", zone))
    shown = pc.local_timestamp(column).cast(pa.int64()).to_numpy(zero_copy_only=False)
    return _far(moments, np.where(near, shown, moments), near, zone, _clock)


def zone_changes(zone: str, low: int, high: int) -> tuple[Int64s, Int64s]:
    """When the clock of a zone is changed between two moments, and how far it is ahead of UTC before and after each.

    All in microseconds: the first moment of each new reckoning, and one more distance than there are changes.

    >>> changes, ahead = zone_changes("Europe/Paris", 1_577_836_800 * 10**6, 1_609_459_200 * 10**6)  # the year 2020
    >>> (changes // 10**6).tolist(), (ahead // 10**6).tolist()
    ([1585443600, 1603587600], [3600, 7200, 3600])
    """
    grid = np.append(np.arange(low, high, _LOOKED), high)
    ahead = clock_at(grid, zone) - grid
    before = np.flatnonzero(ahead[1:] != ahead[:-1])
    left, right = grid[before], grid[before + 1]
    while (right - left > 1).any():  # the change lies in between
        middle = (left + right) // 2
        same = clock_at(middle, zone) - middle == ahead[before]
        left, right = np.where(same, middle, left), np.where(same, right, middle)
    return right, np.append(ahead[before], ahead[-1])


def moments_at(shown: Int64s, zone: str) -> Int64s:
    """Microseconds since 1970 in UTC at which the clock of a zone shows these.

    Of two such moments the earlier; for a time that the clock skips, one right after it.

    >>> noons = np.array([1_593_604_800, 2_224_756_800]) * 10**6
    >>> ((noons - moments_at(noons, "Europe/Paris")) // 10**6).tolist()
    [7200, 7200]
    """
    naive = pa.array(shown).cast(pa.timestamp("us"))
    zoned = pc.assume_timezone(naive, zone, ambiguous="earliest", nonexistent="latest")
    near = (shown >= _FIRST) & (shown <= _LAST)
    return _far(shown, zoned.cast(pa.int64()).to_numpy(zero_copy_only=False), near, zone, _moment)


def _far(
    given: Int64s, quick: Int64s, near: npt.NDArray[np.bool_], zone: str, look: Callable[[int, ZoneInfo], int]
) -> Int64s:
    """The quick answers, but for moments of the far future those of `look`."""
    far = np.flatnonzero(near & (given >= _FAR))
    if not len(far) or not zone_exists(zone):  # an offset such as +02:00 is the same at all times
        return quick
    quarters, where = np.unique(given[far] // _QUARTER, return_inverse=True)
    rules = ZoneInfo(zone)
    answers = np.array([look(int(quarter) * _QUARTER, rules) for quarter in quarters], dtype=np.int64)
    result = quick.copy()
    result[far] = answers[where] + given[far] % _QUARTER
    return result


def _clock(moment: int, rules: ZoneInfo) -> int:
    at = (_TIME0 + moment * _MICRO).replace(tzinfo=UTC).astimezone(rules)
    return (at.replace(tzinfo=None) - _TIME0) // _MICRO


def _moment(shown: int, rules: ZoneInfo) -> int:
    at = (_TIME0 + shown * _MICRO).replace(tzinfo=rules).astimezone(UTC)
    moment = (at.replace(tzinfo=None) - _TIME0) // _MICRO
    return moment if _clock(moment, rules) == shown else _moment(shown + _QUARTER, rules)
