"""What goes to the screen: results on stdout (or clean JSON), everything else on stderr, bars on a terminal only."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeAlias

from understudy._core.addresses import hide_secrets
from understudy._core.errors import UnderstudyWarning
from understudy.cli._interrupts import INTERRUPTS

if TYPE_CHECKING:
    from rich.table import Table

Progress: TypeAlias = Callable[[str, int, int], None]


def say(text: str = "") -> None:
    """A line of the result, on stdout."""
    print(printable(text))


def printable(text: str) -> str:
    """The text without characters that could steer the terminal: names in a model file may be a stranger's.

    >>> printable("age\\x1b[2J")
    'age�[2J'
    """
    return "".join(c if c.isprintable() or c in "\n\t" else "\ufffd" for c in text)


def counted(count: int, one: str, more: str) -> str:
    """A number with the word that fits it.

    >>> counted(1, "row", "rows"), counted(2_000, "row", "rows")
    ('1 row', '2,000 rows')
    """
    return f"{count:,} {one if count == 1 else more}"


def say_json(document: Any) -> None:
    """The whole result as JSON, on stdout.

    >>> say_json({"rows": 3})
    {
      "rows": 3
    }
    """
    unicode = (sys.stdout.encoding or "").lower().startswith("utf")  # elsewhere JSON's own escapes, not the stream's
    print(json.dumps(document, ensure_ascii=not unicode, indent=2, default=str))


def say_error(sentence: str, *, as_json: bool = False, program: str = "understudy") -> None:
    """A user's mistake, on stderr; under --json also as JSON on stdout, so that a script need not read two streams."""
    sentence = hide_secrets(sentence)
    with suppress(OSError):  # of a terminal that was closed, or a pipe that nobody reads
        if as_json:
            say_json({"error": sentence})
            sys.stdout.flush()
    with suppress(OSError):
        print(f"{program}: {printable(sentence)}", file=sys.stderr, flush=True)


def show_warnings() -> None:
    """Let our own warnings appear as sentences on stderr; those of libraries as ever."""
    others = warnings.showwarning

    def show(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
        if issubclass(category, UnderstudyWarning):
            say_aside(f"understudy: warning: {printable(hide_secrets(str(message)))}")
        else:
            others(message, category, *where, **more)

    warnings.showwarning = show


def say_aside(sentence: str) -> None:
    """A remark that is not part of the result, on stderr; where that is full, no run is stopped for it."""
    with suppress(OSError):
        print(sentence, file=sys.stderr)


def say_table(table: Table) -> None:
    """A table on stdout, as wide as the terminal; wide enough for any row in a pipe. Cells are shown as they are."""
    from rich.console import Console

    class Screen(Console):
        def on_broken_pipe(self) -> None:  # rich would exit here and now
            raise BrokenPipeError

    # a stranger's labels may look like rich's own marks, such as [red] or :bell:
    console = (
        Screen(markup=False, emoji=False)
        if sys.stdout.isatty()
        else Screen(width=200, no_color=True, highlight=False, markup=False, emoji=False)
    )
    console.print(table)


def make_table(*columns: str, right: tuple[str, ...] = ()) -> Table:
    """A plain table to fill.

    >>> table = make_table("column", "size", right=("size",))
    >>> table.add_row("age", "16")
    >>> table.row_count
    1
    """
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        table.add_column(column, justify="right" if column in right else "left")
    return table


@contextmanager
def progress_bars(*, quiet: bool = False, time_left: bool = False) -> Iterator[Progress]:
    """A progress callback that draws bars on stderr if that is a terminal, and in any case looks for interrupts."""
    if quiet or not sys.stderr.isatty():
        yield lambda stage, done, total: INTERRUPTS.check()
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    times = (TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn()) if time_left else (TimeElapsedColumn(),)
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), *times
    # the pace is taken over an hour: where a step takes longer than rich's 30 seconds it would never know one
    with Progress(*columns, console=Console(stderr=True), transient=True, speed_estimate_period=3600) as bars:
        tasks: dict[str, Any] = {}

        def update(stage: str, done: int, total: int) -> None:
            INTERRUPTS.check()
            if stage not in tasks:
                for task in tasks.values():
                    bars.update(task, completed=bars.tasks[task].total, visible=False)
                tasks[stage] = bars.add_task(stage, total=total)
            for other, task in tasks.items():  # a stage may come back after a pass over the rows
                bars.update(task, visible=other == stage)
            bars.update(tasks[stage], completed=done, total=total)

        yield update
