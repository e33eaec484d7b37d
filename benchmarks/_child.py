"""One process with limits: the CPU seconds of all of it, from start to end, and its peak memory."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

PAGE, TICK = os.sysconf("SC_PAGE_SIZE"), os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Limits:
    """What a process may use before it is stopped; on a busy machine CPU seconds say more than those of the clock."""

    cpu: float = 900.0
    clock: float = 5400.0
    memory_mb: float = 12_000.0


@dataclass(frozen=True)
class Child:
    """What a process used, and why it gave nothing where it did not end well."""

    cpu: float
    clock: float
    peak_mb: float
    problem: str | None = None


def run_child(command: Sequence[object], *, limits: Limits, env: Mapping[str, str] | None = None) -> Child:
    """Run it and wait: user and system seconds, of its own children too, as the kernel counts them."""
    start = time.monotonic()
    with tempfile.TemporaryFile() as said:
        child = subprocess.Popen(
            [str(part) for part in command], stdout=said, stderr=said, env={**os.environ, **(env or {})}
        )
        problem = None
        while (ended := os.wait4(child.pid, os.WNOHANG))[0] == 0:
            problem = problem or _over(child.pid, time.monotonic() - start, limits)
            if problem is not None:
                child.kill()
            time.sleep(0.05 if time.monotonic() - start < 10 else 0.5)
        _, status, used = ended
        child.returncode = os.waitstatus_to_exitcode(status)
        if problem is None and child.returncode:
            problem = f"it failed with: {_last_line(said)}"
    return Child(used.ru_utime + used.ru_stime, time.monotonic() - start, used.ru_maxrss / 1024, problem)


def _over(pid: int, clock: float, limits: Limits) -> str | None:
    """Which limit it has passed."""
    with suppress(OSError, ValueError):  # it may have ended meanwhile
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        if sum(map(int, fields[11:15])) / TICK > limits.cpu:
            return f"no result within {limits.cpu:g} CPU s"
        if int(fields[21]) * PAGE / 2**20 > limits.memory_mb:
            return f"stopped at {limits.memory_mb / 1000:g} GB of memory"
    return f"no result within {limits.clock:g} s" if clock > limits.clock else None


def _last_line(said: object) -> str:
    said.seek(0)  # type: ignore[attr-defined]
    lines = said.read().decode(errors="replace").strip().splitlines()  # type: ignore[attr-defined]
    return str(lines[-1])[:200] if lines else "no message"
