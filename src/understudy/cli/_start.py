"""The program's first lines: whatever can go wrong while the rest is loaded is caught from here.

Nothing but built-in modules is loaded before `main` runs: a Ctrl-C in an import outside it would end in a traceback.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Never

    import typer

    from understudy.cli._main import Command


_RARELY = 200_000, 20, 20  # when to look for cycles: what is loaded stays, and looking through it was a tenth of a run


class _NoPandas:
    """Asked first where a module is, says of pandas that it is nowhere."""

    @staticmethod
    def find_spec(name: str, *_: object) -> None:
        if name == "pandas":
            raise ModuleNotFoundError(f"No module named '{name}'", name=name)


def main(arguments: Sequence[str] | None = None, program: Callable[[], typer.Typer] | None = None) -> Never:
    """Run the command line and exit; `program` loads another one with the same manners.

    As a program, `publish` does as if pandas were not there: it goes from file to file and needs none, but pyarrow
    loads it with the first value that it is given, which took a tenth of a run. PySpark does need it.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    command: Command | None = None
    if (
        arguments is None
        and program is None
        and given[:1] == ["publish"]
        and not any("spark" in word for word in given)
    ):
        sys.meta_path.insert(0, _NoPandas)
    try:
        import gc

        gc.set_threshold(*_RARELY)
        from understudy.cli._interrupts import INTERRUPTS

        INTERRUPTS.install()
        from understudy.cli._streams import prepare_streams

        prepare_streams()
        from understudy.cli._show import show_warnings

        show_warnings()
        from understudy.cli import _main

        command = _main.Command(given, None if program is None else program())
        command.attempt()
    except KeyboardInterrupt:  # before there was a command, or a second one on the way out
        pass
    while not _undisturbed():
        pass
    sys.exit(130 if command is None else command.tell())  # 130: as in _interrupts, which may not have been loaded


def _undisturbed() -> bool:
    """Ignore signals from here on: nothing is left but to tell how it went, and to take the interpreter down."""
    try:
        import signal

        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            if hasattr(signal, name):
                signal.signal(getattr(signal, name), signal.SIG_IGN)
        import gc

        if "_duckdb" not in sys.modules:  # which complains at length of whatever is left of it at the end
            gc.freeze()  # nor need the interpreter look through all that was loaded, several times, before it goes
        # An interrupt that once passed through an exec, as numba and dataclasses use it, would make `python -m` end by
        # a signal of its own in place of our exit code. The next exec makes it forget.
        exec("")
    except KeyboardInterrupt:
        return False
    return True
