"""How fast this machine is, and how busy: so that times that were measured on another can be told for this one."""

from __future__ import annotations

import os
import time
from functools import cache

_WORK = 60_000
_SECONDS_OF_WORK = 0.0024
"""What the work below takes on the machine that times were measured on."""


@cache
def slowness() -> float:
    """How many times as long as the machine that times were measured on; the best of a few tries counts.

    >>> 0.1 <= slowness() <= 10
    True
    """
    return min(10.0, max(0.1, min(_once() for _ in range(7)) / _SECONDS_OF_WORK))


def _once() -> float:
    begun, total = time.process_time(), 0
    for number in range(_WORK):
        total += number & 7
    return time.process_time() - begun


def waiting() -> float:
    """How many times as long as its computing time one process takes here, as busy as the machine is now.

    >>> waiting() >= 1
    True
    """
    try:
        load = os.getloadavg()[0]
    except (AttributeError, OSError):  # not told on every system
        return 1.0
    return max(1.0, (load + 1) / (os.cpu_count() or 1))
