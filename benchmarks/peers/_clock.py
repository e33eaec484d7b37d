"""What the peers' runners share: arguments, a CPU clock, a report. Standard library only, for any peer's Python."""

from __future__ import annotations

import argparse
import json
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path


def cpu_seconds() -> float:
    """User and system seconds of this process and of the children it has waited for."""
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


class Clock:
    """CPU seconds by phase."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {"start-up": cpu_seconds()}  # interpreter and imports: told, not compared

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        start = cpu_seconds()
        yield
        self.seconds[name] = cpu_seconds() - start


def arguments() -> argparse.Namespace:
    """`--codes`, `--sizes`, `--epsilon`, `--seed`, `--rows`, `--out`, `--report`, and settings of the peer's own."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--codes", type=Path, required=True, help="CSV of integer codes, or a BIF file")
    parser.add_argument("--sizes", type=Path, help="JSON: column name to number of codes")
    parser.add_argument("--epsilon", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rows", type=int, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--report", type=Path, required=True)
    parser.add_argument("--settings", type=json.loads, default={}, help="JSON of the peer's own settings")
    return parser.parse_args()


def write_report(path: Path, *, package: str, clock: Clock, privacy: str, **more: object) -> None:
    """The run's figures as JSON."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    report = {
        "package": package,
        "version": version(package),
        "cpu": clock.seconds,
        "peak_kb": peak,
        "privacy": privacy,
    }
    path.write_text(json.dumps({**report, **more}, indent=1))
