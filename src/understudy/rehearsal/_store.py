"""What a comparison or an experiment has done so far, one line per run, so that it can be taken up again."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from understudy._core.errors import OutputError
from understudy._core.files import as_output_error
from understudy.tables import PRIVATE, Table

try:
    import fcntl as _locks
except ImportError:  # Windows: lines are appended in one go all the same
    _fcntl: Any = None
else:
    _fcntl = _locks

RUNS = "runs.jsonl"
KEPT = "Finished runs are kept, and the same command goes on from there."
"""What is left where results cannot be written."""
_HEADERS = {
    "comparison": {"understudy": "comparison", "format": 1, "private": PRIVATE},
    "experiment": {"understudy": "experiment", "format": 1},
}


def fingerprint(**facts: Any) -> str:
    """A name for a run that no other run has: a hash of all that its result depends on.

    >>> fingerprint(seed=1, method="uniform") == fingerprint(method="uniform", seed=1) != fingerprint(seed=2)
    True
    """
    return sha256(json.dumps(facts, sort_keys=True, default=str).encode()).hexdigest()


def table_hash(table: Table) -> str:
    """A hash of a table's codes and of the names and sizes of its columns.

    >>> import numpy as np
    >>> from understudy.schema import Attribute, Domain
    >>> domain = Domain((Attribute(name="a", size=2),))
    >>> table_hash(Table(domain, (np.array([0, 1]),))) == table_hash(Table(domain, (np.array([1, 0]),)))
    False
    """
    found = sha256()
    for attribute, column in zip(table.domain, table.columns, strict=True):
        found.update(f"{attribute.name}\x1f{attribute.size}\x1f{column.dtype.str}\x1f{len(column)}\x1e".encode())
        found.update(column.tobytes())
    return found.hexdigest()


def check_folder(out: Path, kind: str = "comparison") -> None:
    """Refuse a folder that is not there to be made, and holds no comparison (or no experiment).

    >>> check_folder(Path("no-such-folder"))
    """
    if out.name in ("", ".."):
        raise OutputError(f"'{out}' is no name for a folder of its own. Choose another --out, such as '{kind}'.")
    if not os.path.lexists(out):
        return
    if not out.is_dir():
        raise OutputError(f"'{out}' is a file, and the {kind} needs a folder of that name. Choose another --out.")
    if not any(out.iterdir()):
        return
    runs = out / RUNS
    if kind == "experiment" and all((entry / "result.json").is_file() for entry in out.iterdir()):
        return  # results that were kept without their runs
    if not runs.is_file() or runs.is_symlink() or not _is_ours(runs, kind):
        raise OutputError(
            f"the folder '{out}' holds something else than results of this kind ({kind}), so nothing is put into it. "
            "Choose another --out, or empty the folder yourself."
        )


def _make(folder: Path) -> None:
    """Create the folder and those above it, or none of them."""
    missing = [path for path in (folder, *folder.parents) if not os.path.lexists(path)]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        for path in missing:
            with suppress(OSError):
                path.rmdir()
        raise


def _is_ours(runs: Path, kind: str) -> bool:
    with as_output_error(runs), runs.open("rb") as file:
        first = file.readline(1000)
    found = _parsed(first)
    # a header cut short by a crash is taken up too: nothing can have come after it
    return found.get("understudy") == kind or _header(kind).startswith(first.rstrip(b"\n"))


@dataclass(frozen=True)
class RunStore:
    """Finished runs by fingerprint, in memory, and in a file if there is one.

    Lines are only ever added, each whole, flushed and under a lock, so that two comparisons may share a file. A last
    line that was cut short is passed over. Lines of another table, version or setting have other fingerprints: they
    stay, unused. Runs that turn out to be of other code are forgotten, by a line that says so.

    >>> store = RunStore()
    >>> store.add("f00", {"method": "uniform", "seconds": 1.5}, {"2-way": 0.25})
    >>> store.values["f00"], store.seconds("f00")
    ({'2-way': 0.25}, 1.5)
    >>> store.forget("f00")
    >>> store.values
    {}
    """

    path: Path | None = None
    values: dict[str, dict[str, float]] = field(default_factory=dict)
    facts: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    """What else was noted of each run."""
    unused: bool = True
    """Whether its file, if there is one, had nothing but its header when it was opened."""

    @classmethod
    def open(cls, folder: Path | None, kind: str = "comparison") -> RunStore:
        """The store in this folder, which is made if it is not there; without a folder one that is kept nowhere."""
        if folder is None:
            return cls()
        check_folder(folder, kind)
        path = folder / RUNS
        with as_output_error(folder):
            _make(folder)
            if not path.exists() or path.stat().st_size == 0:
                _append(path, _header(kind))
            lines = path.read_bytes().splitlines()
        found = cls(path, unused=len(lines) == 1)
        for line in map(_parsed, lines):
            if _is_run(line):
                found._remember(line.pop("key"), line.pop("values"), line)
            elif isinstance(key := line.get("forget"), str):
                found._drop(key)
        return found

    def add(self, key: str, facts: Mapping[str, Any], values: Mapping[str, float]) -> None:
        """Keep a finished run, durably before this returns."""
        self._write({"key": key, **facts, "values": dict(values)})
        self._remember(key, values, facts)

    def begin_with(self, runs: Sequence[tuple[str, Mapping[str, Any], Mapping[str, float]]], kind: str) -> bool:
        """Keep runs in a store that has been used by nobody, all in one go; False if somebody else was faster."""
        lines = [_line({"key": key, **facts, "values": dict(values)}) for key, facts, values in runs]
        if self.path is not None:
            with as_output_error(self.path.parent, left=KEPT):
                if not _append(self.path, b"".join(lines), after=len(_header(kind))):
                    return False
        for key, facts, values in runs:
            self._remember(key, values, facts)
        return True

    def forget(self, key: str) -> None:
        """Let a run be as if it had never been done; its line stays."""
        self._write({"forget": key})
        self._drop(key)

    def seconds(self, key: str) -> float:
        """What the run took; 0 where that was not noted."""
        noted = self.facts.get(key, {}).get("seconds")
        return float(noted) if isinstance(noted, int | float) else 0.0

    def _write(self, line: Mapping[str, Any]) -> None:
        if self.path is not None:
            with as_output_error(self.path.parent, left=KEPT):
                _append(self.path, _line(line))

    def _remember(self, key: str, values: Mapping[str, float], facts: Mapping[str, Any]) -> None:
        self.values[key], self.facts[key] = dict(values), facts

    def _drop(self, key: str) -> None:
        self.values.pop(key, None)
        self.facts.pop(key, None)


def _header(kind: str) -> bytes:
    return json.dumps(_HEADERS[kind]).encode() + b"\n"


def _line(content: Mapping[str, Any]) -> bytes:
    return json.dumps(content, default=str).encode() + b"\n"


def _append(path: Path, lines: bytes, *, after: int | None = None) -> bool:
    """Add whole lines; with `after`, only to a file that has that many bytes, else False."""
    opened = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666)
    try:
        if _fcntl is not None:
            with suppress(OSError):  # some network disks know no locks: one call for one line must do
                _fcntl.flock(opened, _fcntl.LOCK_EX)
        size = os.fstat(opened).st_size
        if after is not None and size != after:
            return False
        if size:
            os.lseek(opened, size - 1, os.SEEK_SET)
            if os.read(opened, 1) != b"\n":
                lines = b"\n" + lines  # what came before was cut short; it must not spoil this line too
        view = memoryview(lines)
        while view:
            view = view[os.write(opened, view) :]
        os.fsync(opened)
    finally:
        os.close(opened)
    return True


def _parsed(line: bytes) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _is_run(line: dict[str, Any]) -> bool:
    values = line.get("values")
    return (
        isinstance(line.get("key"), str)
        and isinstance(values, dict)
        and bool(values)
        and all(isinstance(v, int | float) and not isinstance(v, bool) and math.isfinite(v) for v in values.values())
    )
