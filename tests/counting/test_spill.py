"""Codes kept in a file for the length of a run: a disk that is full, and one that takes a few bytes at a time."""

from __future__ import annotations

import gc
import os
import sys
import tempfile
from typing import Any

import numpy as np
import pytest

from understudy._core.errors import OutputError
from understudy.counting._spill import Spill

BATCH = [np.arange(5, dtype=np.uint8), np.arange(5, dtype=np.uint16) * 300]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no disk that is always full")
def test_a_full_disk_is_told_once_and_closing_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "TemporaryFile", lambda prefix, buffering=-1: open("/dev/full", "r+b", buffering))  # noqa: SIM115
    unheard: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", unheard.append)
    spill = Spill()
    with pytest.raises(OutputError, match=r"the disk is full\. They come from a stream .* Nothing was charged"):
        spill.append(BATCH)
    del spill
    gc.collect()
    assert not unheard


def test_bytes_that_are_taken_a_few_at_a_time_all_arrive(monkeypatch: pytest.MonkeyPatch) -> None:
    spill, taken = Spill(), []

    class Slow:
        def __init__(self, file: Any) -> None:
            self._file = file

        def write(self, left: memoryview) -> int:
            taken.append(len(left))
            return int(self._file.write(left[:3]))

        def __getattr__(self, name: str) -> Any:
            return getattr(self._file, name)

    monkeypatch.setattr(spill, "_file", Slow(spill._file))
    spill.append(BATCH)
    spill.append(BATCH)
    assert max(taken) > 3
    found = [[codes.tolist() for codes in batch] for batch in spill.batches([1, 0])]
    assert found == 2 * [[BATCH[1].tolist(), BATCH[0].tolist()]]
