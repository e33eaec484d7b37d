"""How often a file is opened, by whatever code and in whatever language: the kernel counts."""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import pytest

_ACCESS, _CLOSED, _OPENED, _GONE = 0x1, 0x10, 0x20, 0x8000
_EVENT = struct.Struct("iIII")


@contextmanager
def opens_of(path: Path) -> Iterator[list[int]]:
    """A list of as many entries as times the file was opened within the block; whole once the block is left.

    Equal events in a row are told as one, so they are fetched as they come, and reading and closing are told between.
    """
    if not sys.platform.startswith("linux"):
        pytest.skip("counts opens by inotify, which Linux has")
    libc = ctypes.CDLL(None, use_errno=True)
    queue = libc.inotify_init()
    watch = libc.inotify_add_watch(queue, os.fsencode(path), _ACCESS | _CLOSED | _OPENED)
    assert watch > 0, os.strerror(ctypes.get_errno())
    found: list[int] = []
    reader = Thread(target=_fetch, args=(queue, found))
    reader.start()
    try:
        yield found
    finally:
        libc.inotify_rm_watch(queue, watch)  # which is told as well: the last event there is
        reader.join()
        os.close(queue)


def _fetch(queue: int, found: list[int]) -> None:
    while True:
        events, at = os.read(queue, 1 << 16), 0
        while at < len(events):
            _, mask, _, length = _EVENT.unpack_from(events, at)
            at += _EVENT.size + length
            if mask & _OPENED:
                found.append(mask)
            if mask & _GONE:
                return
