"""Locks on open files and folders: they end with the process that holds them, however it ends."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

try:
    import fcntl as _locks
except ImportError:  # Windows has no such locks
    _fcntl: Any = None
else:
    _fcntl = _locks

LOCKS = _fcntl is not None


def try_lock(opened: int) -> bool | None:
    """Take the lock on an open file: False if somebody else has it, None where there are no locks to be had.

    >>> import tempfile
    >>> with tempfile.TemporaryFile() as file:
    ...     try_lock(file.fileno()) in (True, None)
    True
    """
    if _fcntl is None:
        return None
    try:
        _fcntl.flock(opened, _fcntl.LOCK_EX | _fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # some network disks know no locks
        return None
    return True


@contextmanager
def one_at_a_time(folder: str | Path) -> Iterator[None]:
    """Wait until no other process is inside this block for the same folder. Where there are no locks, nobody waits.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, one_at_a_time(folder):
    ...     print("nobody else")
    nobody else
    """
    opened = None
    with suppress(OSError):  # a folder that is not there, or a network disk that knows no locks
        if _fcntl is not None:
            opened = os.open(folder, os.O_RDONLY)
            _fcntl.flock(opened, _fcntl.LOCK_EX)
    try:
        yield
    finally:
        if opened is not None:
            os.close(opened)


def still_there(opened: int, path: Path) -> bool:
    """Whether what is open still has its name: whoever held it before may have renamed or removed it."""
    try:
        return os.path.samestat(os.fstat(opened), path.lstat())
    except FileNotFoundError:
        return False
