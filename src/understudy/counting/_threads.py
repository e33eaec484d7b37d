"""How many threads to count with, and running a few tasks on them."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from understudy._core.errors import OptionError

Result = TypeVar("Result")

# More threads than this only wait for memory.
_MOST = 16


def n_threads(asked: int | None) -> int:
    """The number of threads: as asked, else the environment's `UNDERSTUDY_THREADS`, else one a processor.

    >>> n_threads(3)
    3
    """
    if asked is None:
        text = os.environ.get("UNDERSTUDY_THREADS", "")
        if not text:
            return min(os.cpu_count() or 1, _MOST)
        if not text.isdecimal():
            raise OptionError(f"UNDERSTUDY_THREADS must be a whole number from 1 on. Got {text!r} instead.")
        asked = int(text)
    if asked < 1:
        raise OptionError(f"The number of threads must be at least 1. Got {asked} instead.")
    return asked


def run(tasks: Sequence[Callable[[], Result]], threads: int) -> list[Result]:
    """The results of all tasks, in order.

    >>> run([lambda: 1, lambda: 2], threads=2)
    [1, 2]
    """
    if threads == 1 or len(tasks) < 2:
        return [task() for task in tasks]
    with ThreadPoolExecutor(min(threads, len(tasks))) as pool:
        return list(pool.map(lambda task: task(), tasks))
