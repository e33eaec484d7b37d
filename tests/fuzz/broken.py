"""Kinds that are broken on purpose, one for each way to fail: the runner has to catch them all."""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from pathlib import Path
from typing import Any

from tests.fuzz import runner
from tests.fuzz.runner import Kind, work
from understudy import OptionError


def _told(given: Any, folder: Path) -> None:
    raise OptionError("this is a sentence.")


def _raises(given: Any, folder: Path) -> None:
    raise KeyError("x")


def _warns(given: Any, folder: Path) -> None:
    warnings.warn("look out", RuntimeWarning, stacklevel=1)


def _aborts(given: Any, folder: Path) -> None:
    os.abort()


def _loops(given: Any, folder: Path) -> None:
    while True:
        pass


def _sticks(given: Any, folder: Path) -> None:
    pow(3, 10**8)  # in one single step of the interpreter, which no handler interrupts


def _leaves(given: Any, folder: Path) -> None:
    (folder / "out" / "half.csv").write_text("a,b\n1", encoding="utf-8")
    raise OptionError("refused.")


def _exits(given: Any, folder: Path) -> None:
    sys.exit(0)


WAYS = {
    "fine": lambda given, folder: None,
    "told": _told,
    "raises": _raises,
    "warns": _warns,
    "aborts": _aborts,
    "loops": _loops,
    "sticks": _sticks,
    "leaves": _leaves,
    "exits": _exits,
}

if __name__ == "__main__":
    options = argparse.ArgumentParser()
    options.add_argument("--plan", type=Path)
    options.add_argument("--report", type=Path)
    asked = options.parse_args()
    runner.CPU_SECONDS = 1
    kinds = {way: Kind(lambda rng: None, run) for way, run in WAYS.items()}
    work(kinds, asked.plan.read_text(encoding="utf-8").split(), asked.report)
