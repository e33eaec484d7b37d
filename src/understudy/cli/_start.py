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


def main(arguments: Sequence[str] | None = None, program: Callable[[], typer.Typer] | None = None) -> Never:
    """Run the command line and exit; `program` loads another one with the same manners."""
    code = 130  # as in _interrupts, which an interrupt may keep from being loaded
    try:
        from understudy.cli._interrupts import INTERRUPTS

        INTERRUPTS.install()
        from understudy.cli._show import any_encoding

        any_encoding()
        from understudy.cli._main import run

        given = list(sys.argv[1:] if arguments is None else arguments)
        code = run(given) if program is None else run(given, program())
    except KeyboardInterrupt:  # before there was a command, or a second one on the way out
        pass
    while not _undisturbed():
        pass
    sys.exit(code)


def _undisturbed() -> bool:
    """Ignore signals from here on: nothing is left to stop, and the interpreter takes itself down."""
    try:
        import signal

        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            if hasattr(signal, name):
                signal.signal(getattr(signal, name), signal.SIG_IGN)
        # An interrupt that once passed through an exec, as numba and dataclasses use it, would make `python -m` end by
        # a signal of its own in place of our exit code. The next exec makes it forget.
        exec("")
    except KeyboardInterrupt:
        return False
    return True
