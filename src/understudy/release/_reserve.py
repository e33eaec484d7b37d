"""A hidden folder beside the wanted one, held by one run at a time.

Its name follows from the target's, so that of two runs with one target the second is refused before it spends
anything. The hold is a lock on the open folder: it ends with the process, and what a killed run left is taken over.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from understudy._core.errors import OutputError

try:
    import fcntl as _locks
except ImportError:  # Windows has no locks on folders
    _fcntl: Any = None
else:
    _fcntl = _locks


@contextmanager
def reserved_folder(target: Path) -> Iterator[Path]:
    """An empty hidden folder beside the target, ours until the block ends; who renames it away keeps it.

    >>> with tempfile.TemporaryDirectory() as home, reserved_folder(Path(home, "release")) as mine:
    ...     with reserved_folder(Path(home, "release")):
    ...         pass
    Traceback (most recent call last):
    understudy._core.errors.OutputError: another run is writing 'release' at this moment. Nothing was spent by this \
one. Wait for the other to end, or choose another --out.
    """
    held: int | None
    if _fcntl is None:
        folder, held = Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)), None
    else:
        folder = target.with_name(f".{target.name}.part")
        held = _hold(folder, target)
    try:
        if held is not None:
            _empty(folder)
        yield folder
    except BaseException:
        if held is None or _still_there(held, folder):  # else it was renamed, and what has the name now is another's
            shutil.rmtree(folder, ignore_errors=True)
        raise
    finally:
        if held is not None:
            os.close(held)


def _hold(folder: Path, target: Path) -> int:
    """Make the folder, or find it, and lock it."""
    while True:
        folder.mkdir(mode=0o700, exist_ok=True)
        try:
            opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except FileNotFoundError:  # its holder finished in between
            continue
        try:
            _lock(opened, target)
            if _still_there(opened, folder):
                if os.fstat(opened).st_uid != os.geteuid():
                    raise OutputError(f"the folder '{folder}' belongs to somebody else. Choose another --out.")
                return opened
        except BaseException:
            os.close(opened)
            raise
        os.close(opened)


def _lock(opened: int, target: Path) -> None:
    try:
        _fcntl.flock(opened, _fcntl.LOCK_EX | _fcntl.LOCK_NB)
    except BlockingIOError:
        raise OutputError(
            f"another run is writing '{target.name}' at this moment. Nothing was spent by this one. Wait for the "
            "other to end, or choose another --out."
        ) from None
    except OSError:
        return  # some network disks know no locks: then the last check before the rename must do


def _still_there(opened: int, folder: Path) -> bool:
    """Whether the folder we hold still has its name: its last holder may have renamed or removed it."""
    try:
        return os.path.samestat(os.fstat(opened), folder.lstat())
    except FileNotFoundError:
        return False


def _empty(folder: Path) -> None:
    for entry in folder.iterdir():
        if stat.S_ISDIR(entry.lstat().st_mode):
            shutil.rmtree(entry)
        else:
            entry.unlink()
