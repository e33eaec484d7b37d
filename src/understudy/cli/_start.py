"""The program's first lines: whatever can go wrong while the rest is loaded is caught from here."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Never

from understudy.cli._interrupts import INTERRUPTED, INTERRUPTS
from understudy.cli._show import any_encoding


def main(arguments: Sequence[str] | None = None) -> Never:
    """Run the command line and exit."""
    try:
        INTERRUPTS.install()
        any_encoding()
        from understudy.cli._main import run

        code = run(list(sys.argv[1:] if arguments is None else arguments))
        INTERRUPTS.finish()
    except KeyboardInterrupt:  # before there was a command, or a second one on the way out
        INTERRUPTS.finish()
        code = INTERRUPTED
    sys.exit(code)
