"""Runs cases one after another in a process of their own, and says what became of each.

A case that kills its process is a crash, and the next process goes on behind it. What counts as a hang is processor
time, never the clock: a busy machine must not decide a test.
"""

from __future__ import annotations

import base64
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from enum import StrEnum
from io import StringIO
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any, Never

from understudy import UserError

CPU_SECONDS = 30
"""Processor time after which a case hangs. Those that are sound take some milliseconds."""
MEMORY, FILE_SIZE = 4 << 30, 64 << 20
"""Bytes that a process may hold, and that a file may have."""
SILENT_SECONDS = 900
"""Time by the clock after which a process that reports nothing is given up: it waits for something."""
LONGEST_SENTENCE = 100_000
ROOT = Path(__file__).parents[2]


class Outcome(StrEnum):
    """What may become of a case; all but the first two are failures."""

    FINE = "fine"
    TOLD = "told in a sentence"
    UNEXPECTED = "unexpected exception"
    CRASH = "crash"
    HANG = "hang"
    HALF = "half output"


GOOD = (Outcome.FINE, Outcome.TOLD)


@dataclass(frozen=True)
class Kind:
    """A kind of input: how to make one from random numbers, as JSON-like values and bytes, and how to use it."""

    make: Callable[[Random], Any]
    run: Callable[[Any, Path], None]


@dataclass(frozen=True)
class Failure:
    """A case that ended as none should."""

    case: str
    outcome: Outcome
    detail: str

    def __str__(self) -> str:
        kind, _, seed = self.case.partition(":")
        return f"{self.outcome}: python -m tests.fuzz --kind {kind} --seed {seed}\n{self.detail}"


@dataclass
class Report:
    """Counts of outcomes for each kind, and every failure."""

    counts: Counter[tuple[str, Outcome]] = field(default_factory=Counter)
    failures: list[Failure] = field(default_factory=list)

    def add(self, case: str, outcome: Outcome, detail: str = "") -> None:
        self.counts[case.partition(":")[0], outcome] += 1
        if outcome not in GOOD:
            self.failures.append(Failure(case, outcome, detail))

    def __str__(self) -> str:
        lines = [f"{kind:10} {outcome:22} {count:7}" for (kind, outcome), count in sorted(self.counts.items())]
        return "\n".join([*lines, f"{sum(self.counts.values())} cases, {len(self.failures)} failures"])


class HangError(BaseException):
    """The case has had its time. Not an Exception, so that no handler for those swallows it."""


def given_for(kind: Kind, name: str, seed: int) -> Any:
    """The input of a seed: always the same."""
    return kind.make(Random(f"{name}:{seed}"))


def run_case(kind: Kind, given: Any) -> tuple[Outcome, str]:
    """Use one input in a folder of its own; the outcome, and what there is to say about it."""
    with tempfile.TemporaryDirectory(prefix="fuzz-") as place:
        folder = Path(place, "a", "b")  # two deep, so that `..` is inside as well
        (folder / "in").mkdir(parents=True)
        (folder / "out").mkdir()
        outcome, detail = _run(kind, given, folder)
        left = [path.name for path in Path(place).rglob("*") if ".part" in path.name]
        if outcome is Outcome.TOLD:
            left += [path.name for path in (folder / "out").iterdir()]
        if outcome in GOOD and left:
            return Outcome.HALF, f"left behind: {', '.join(left)}. {detail}"
        return outcome, detail


def _run(kind: Kind, given: Any, folder: Path) -> tuple[Outcome, str]:
    try:
        with _clock(), warnings.catch_warnings(), redirect_stdout(StringIO()), redirect_stderr(StringIO()):
            warnings.simplefilter("error")
            kind.run(given, folder)
    except HangError:
        return Outcome.HANG, traceback.format_exc(limit=-4)
    except UserError as error:
        sentence = str(error)
        if not sentence.strip() or len(sentence) > LONGEST_SENTENCE:
            return Outcome.UNEXPECTED, f"a sentence of {len(sentence)} characters: {sentence[:300]!r}"
        return Outcome.TOLD, sentence
    except BaseException as error:
        half = type(error).__name__ == "HalfOutputError"
        return Outcome.HALF if half else Outcome.UNEXPECTED, traceback.format_exc(limit=-8)[-3000:]
    return Outcome.FINE, ""


@contextmanager
def _clock() -> Iterator[None]:
    """Raise HangError inside the block after a while; a loop that never comes back to the interpreter ends its process.

    Afterwards the process may run on for as long as before: some cases are run by the tests' own process.
    """
    used, before = resource.getrusage(resource.RUSAGE_SELF), resource.getrlimit(resource.RLIMIT_CPU)
    limit = int(used.ru_utime + used.ru_stime) + 2 * CPU_SECONDS + 1
    handler = signal.signal(signal.SIGPROF, _give_up)
    resource.setrlimit(resource.RLIMIT_CPU, (limit, before[1]))
    signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, handler)
        resource.setrlimit(resource.RLIMIT_CPU, before)


def _give_up(signum: int, frame: FrameType | None) -> Never:
    raise HangError


def work(kinds: dict[str, Kind], plan: Iterable[str], report: Path) -> None:
    """Run cases (`kind:seed`) in this process, and write a line to the report before and after each."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_SIZE, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, resource.getrlimit(resource.RLIMIT_DATA)[1]))
    with report.open("a", buffering=1, encoding="utf-8") as lines:
        for case in plan:
            name, _, seed = case.partition(":")
            lines.write(json.dumps([case]) + "\n")
            given = given_for(kinds[name], name, int(seed))
            lines.write(json.dumps([case, *run_case(kinds[name], given)]) + "\n")


def run_cases(cases: Sequence[str], module: str = "tests.fuzz") -> Report:
    """Run cases (`kind:seed`) in processes of their own, as many as it takes."""
    report, done = Report(), 0
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        while done < len(cases):
            plan, lines = Path(folder, f"plan-{done}"), Path(folder, f"report-{done}")
            plan.write_text("\n".join(cases[done:]), encoding="utf-8")
            lines.touch()
            status = _wait(module, plan, lines)
            found = [json.loads(line) for line in lines.read_text(encoding="utf-8").splitlines() if line.endswith("]")]
            ended = [entry for entry in found if len(entry) == 3]
            for case, outcome, detail in ended:
                report.add(case, Outcome(outcome), detail)
            done += len(ended)
            if done < len(cases):
                hung = -status in (signal.SIGXCPU, signal.SIGKILL)
                report.add(cases[done], Outcome.HANG if hung else Outcome.CRASH, f"its process ended with {status}")
                done += 1
    return report


def _wait(module: str, plan: Path, lines: Path) -> int:
    """Start a worker, and wait until it ends or has been silent for too long."""
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    command = [sys.executable, "-m", module, "--plan", str(plan), "--report", str(lines)]
    environment = {**os.environ, "PYTHONPATH": path, "UNDERSTUDY_DEBUG": "1"}
    worker = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    size = -1
    while True:
        try:
            return worker.wait(timeout=SILENT_SECONDS)
        except subprocess.TimeoutExpired:
            if lines.stat().st_size == size:
                worker.kill()
            size = lines.stat().st_size


def to_json(given: Any) -> Any:
    """An input as JSON can hold it."""
    if isinstance(given, bytes):
        return {"base64": base64.b64encode(given).decode()}
    if isinstance(given, dict):
        return {key: to_json(value) for key, value in given.items()}
    return [to_json(value) for value in given] if isinstance(given, list) else given


def from_json(given: Any) -> Any:
    """The input again."""
    if isinstance(given, dict):
        if set(given) == {"base64"}:
            return base64.b64decode(given["base64"])
        return {key: from_json(value) for key, value in given.items()}
    return [from_json(value) for value in given] if isinstance(given, list) else given
