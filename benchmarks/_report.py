"""Lines of the benchmark's one table, and what every script has in common."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.peers.setup import BENCH

# what these scripts leave for `run.py` to put into a page
ALPHA_WAY_TABLE = BENCH / "alpha_way.md"
FLAGSHIP_TABLE, FLAGSHIP_BRIEF = BENCH / "flagship.md", BENCH / "flagship_brief.md"
HEADER = ("task", "ours", "beside it", "ratio", "target", "met")


@dataclass(frozen=True)
class Line:
    """One comparison. `ratio` is better the larger it is, where there is one; `met` is None where nothing is asked."""

    task: str
    ours: str
    other: str = ""
    ratio: float | None = None
    target: str = ""
    met: bool | None = None

    @property
    def cells(self) -> tuple[str, ...]:
        """The line as text."""
        ratio = "" if self.ratio is None else f"{self.ratio:,.0f}×" if self.ratio >= 20 else f"{self.ratio:.3g}×"
        return self.task, self.ours, self.other, ratio, self.target, {None: "", True: "yes", False: "**no**"}[self.met]


@dataclass(frozen=True)
class Options:
    """`quick`: one seed and smaller runs. `fresh`: repeat peers' runs that are in the store. `stored`: only those."""

    quick: bool = False
    fresh: bool = False
    stored: bool = False
    json: Path | None = None


def markdown(lines: Sequence[Line]) -> str:
    """The lines as a Markdown table."""
    rows = [HEADER, ("---",) * len(HEADER), *(line.cells for line in lines)]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows)


def faster(task: str, ours: float, other: float, *, target: float, what: str, unit: str = "CPU s") -> Line:
    """A line that compares two times."""
    ratio = other / ours
    return Line(
        task, f"{ours:.3g} {unit}", f"{what}: {other:.3g} {unit}", ratio, f"at least {target:g}×", ratio >= target
    )


def main(run: Callable[[Options], list[Line]]) -> None:
    """The command line of a script: run it and show its lines."""
    parser = argparse.ArgumentParser(description=sys.modules["__main__"].__doc__)
    parser.add_argument("--quick", action="store_true", help="one seed, smaller runs of the peers")
    parser.add_argument("--fresh", action="store_true", help="repeat the peers' runs that are in the store")
    parser.add_argument("--stored", action="store_true", help="of the peers' runs, use only those in the store")
    parser.add_argument("--json", type=Path, help="write the lines to this file too")
    options = Options(**vars(parser.parse_args()))
    lines = run(options)
    print(markdown(lines))
    if options.json is not None:
        write_lines(options.json, lines)


def write_lines(path: Path, lines: Sequence[Line]) -> None:
    """The lines as JSON, for `run.py`."""
    path.write_text(json.dumps([asdict(line) for line in lines], indent=1, ensure_ascii=False))


def read_lines(path: Path) -> list[Line]:
    """The reverse of `write_lines`."""
    return [Line(**line) for line in json.loads(path.read_text())]


class Stopwatch:
    """CPU seconds of this process, all its threads together.

    >>> with Stopwatch() as watch:
    ...     pass
    >>> watch.seconds < 1
    True
    """

    def __enter__(self) -> Stopwatch:
        self._start = time.process_time()
        return self

    def __exit__(self, *error: object) -> None:
        self.seconds = time.process_time() - self._start
