"""Files that are not finished: hidden beside their place, and locked while somebody writes them.

A process that is killed leaves its draft behind. The next one that writes into the same folder clears it away: a draft
whose lock can be taken is nobody's any more. A draft in the making cannot be mistaken for one, since whoever makes it
looks, once it has the lock, whether the file still has its name.
"""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from understudy._core.locks import LOCKS, still_there, try_lock

_NAME = re.compile(r"\.understudy-[0-9a-f]{8}\.part\..+", re.DOTALL)


@contextmanager
def draft_of(path: Path) -> Iterator[Path]:
    """An empty hidden file beside `path`, with the same ending; when it is whole, rename it. Otherwise it is removed.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with draft_of(Path(folder, "a.txt")) as draft:
    ...         _ = draft.write_text("all of it")
    ...         _ = draft.replace(Path(folder, "a.txt"))
    ...     os.listdir(folder)
    ['a.txt']
    """
    _clear_abandoned(path.parent)
    draft, held = _make(path)
    try:
        yield draft
    finally:
        with suppress(OSError):
            draft.unlink()
        if held is not None:
            os.close(held)


def _make(path: Path) -> tuple[Path, int | None]:
    """A new draft and the hold on it."""
    while True:
        draft = path.with_name(f".understudy-{secrets.token_hex(4)}.part.{path.name}")
        try:
            opened = os.open(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
        except FileExistsError:
            continue
        if not LOCKS:
            os.close(opened)  # Windows renames no file that is open
            return draft, None
        if try_lock(opened) is not False and still_there(opened, draft):
            return draft, opened
        os.close(opened)


def _clear_abandoned(folder: Path) -> None:
    """Remove the drafts in a folder that belong to no live process; nothing of anybody else."""
    if not LOCKS:
        return
    with suppress(OSError):  # a folder that may not be listed, or is not there
        for entry in list(os.scandir(folder)):
            if _NAME.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                with suppress(OSError):
                    _clear(Path(entry.path))


def _clear(draft: Path) -> None:
    opened = os.open(draft, os.O_RDWR | os.O_NOFOLLOW)
    try:
        mine = os.fstat(opened).st_uid == os.geteuid()
        if mine and try_lock(opened) is True and still_there(opened, draft):
            draft.unlink()
    finally:
        os.close(opened)
