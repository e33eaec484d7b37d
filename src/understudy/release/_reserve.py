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

from understudy._core.errors import OutputError
from understudy._core.locks import LOCKS, still_there, try_lock


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
    if not LOCKS:
        folder, held = Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)), None
    else:
        folder = target.with_name(f".{target.name}.part")
        held = _lock(folder, target)
    try:
        if held is not None:
            _empty(folder)
        yield folder
    except BaseException:
        if held is None or still_there(held, folder):  # else it was renamed, and what has the name now is another's
            shutil.rmtree(folder, ignore_errors=True)
        raise
    finally:
        if held is not None:
            os.close(held)


def _lock(folder: Path, target: Path) -> int:
    """Make the folder, or find it, and lock it."""
    while True:
        folder.mkdir(mode=0o700, exist_ok=True)
        try:
            opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except FileNotFoundError:  # its holder finished in between
            continue
        try:
            if try_lock(opened) is False:
                raise OutputError(
                    f"another run is writing '{target.name}' at this moment. Nothing was spent by this one. Wait for "
                    "the other to end, or choose another --out."
                )
            # where a disk knows no locks, the last check before the rename must do
            if still_there(opened, folder):
                if os.fstat(opened).st_uid != os.geteuid():
                    raise OutputError(f"the folder '{folder}' belongs to somebody else. Choose another --out.")
                return opened
        except BaseException:
            os.close(opened)
            raise
        os.close(opened)


def _empty(folder: Path) -> None:
    for entry in folder.iterdir():
        if stat.S_ISDIR(entry.lstat().st_mode):
            shutil.rmtree(entry)
        else:
            entry.unlink()
