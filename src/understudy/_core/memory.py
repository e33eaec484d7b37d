"""How much memory this process may have at most: of the machine, its container and its limits.

Never how much is free: that depends on what is loaded, and so on private rows. What follows from this is public.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cache
from pathlib import Path

_GROUPS = Path("/sys/fs/cgroup")
_OWN_GROUPS = Path("/proc/self/cgroup")


_ceiling: ContextVar[int | None] = ContextVar("ceiling", default=None)


def memory_limit() -> int | None:
    """Bytes; None if nothing tells. What the machine has is asked once, so that a run always gets the same answer.

    >>> limit = memory_limit()
    >>> limit is None or limit > 0
    True
    """
    found = [limit for limit in (_machine_limit(), _ceiling.get()) if limit is not None]
    return min(found, default=None)


@contextmanager
def memory_ceiling(n_bytes: int | None) -> Iterator[None]:
    """Within the block there is no more memory than this; None changes nothing.

    >>> with memory_ceiling(1000):
    ...     memory_limit()
    1000
    """
    before = _ceiling.set(n_bytes if n_bytes is not None else _ceiling.get())
    try:
        yield
    finally:
        _ceiling.reset(before)


def take_room_of_libraries() -> None:
    """Have the library for matrices take the memory that it takes once and for good.

    It ends the process where it gets none, with nobody to catch that: before a charge that costs nothing.

    >>> take_room_of_libraries()
    """
    import numpy as np  # here, as whoever asks for a limit needs none of it

    ones = np.ones((512, 512))
    ones @ ones


@cache
def _machine_limit() -> int | None:
    return min((limit for limit in _limits() if limit > 0), default=None)


def _limits() -> Iterator[int]:
    if hasattr(os, "sysconf"):
        with suppress(ValueError, OSError):  # a system that does not know these names
            yield os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    yield from _of_groups(_GROUPS, _OWN_GROUPS)
    try:
        import resource
    except ImportError:  # not a Unix
        return
    for kind in (resource.RLIMIT_AS, resource.RLIMIT_DATA, resource.RLIMIT_RSS):
        soft, _ = resource.getrlimit(kind)
        if soft != resource.RLIM_INFINITY:
            yield soft


def _of_groups(root: Path, own: Path) -> Iterator[int]:
    """Limits of the control groups that the process is in, in both versions of them; "max" is none."""
    folders = [root, root / "memory"]
    try:
        for line in own.read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            if controllers in ("", "memory"):
                folder = (root / "memory" if controllers else root) / path.lstrip("/")
                folders += [folder, *folder.parents]
    except (OSError, ValueError):
        pass
    for folder in dict.fromkeys(folder for folder in folders if folder.is_relative_to(root)):
        for name in ("memory.max", "memory.limit_in_bytes"):
            try:
                yield int((folder / name).read_text())
            except (OSError, ValueError):
                continue
