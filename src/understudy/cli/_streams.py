"""Standard output and standard error, whatever the shell made of them: closed, full, or without Greek letters."""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import TextIO

    from typing_extensions import Buffer

_INPUT, _OUTPUT, _ERRORS = 0, 1, 2


def prepare_streams() -> None:
    """Open what is closed, and let a stream that knows no ε show an escape: no run must die of it once it is charged.

    With `>&-` the next file opened would become standard output, and that may be the ledger. What takes its place can
    not be written to, so that a lost result is noticed; where errors would have gone, everything is swallowed.
    """
    for number, flags in ((_INPUT, os.O_WRONLY), (_OUTPUT, os.O_RDONLY), (_ERRORS, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, flags)  # the lowest number that is free: this one
    sys.stderr = _stream(sys.stderr, _ERRORS)
    sys.stdout = _stream(sys.stdout, _OUTPUT)
    if isinstance(sys.stdout, io.TextIOWrapper) and not sys.stdout.isatty():
        raw = io.BufferedWriter(_Remembering(_OUTPUT, "w", closefd=False))
        sys.stdout = io.TextIOWrapper(raw, encoding=sys.stdout.encoding)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _stream(stream: TextIO | None, number: int) -> TextIO:
    """The stream, or a new one where Python found its number closed."""
    return open(number, "w", encoding="utf-8", closefd=False) if stream is None else stream


class _Remembering(io.FileIO):
    """Remembers why it could not be written to: by then the error may have passed through any library."""

    failure: OSError | None = None

    def write(self, data: Buffer, /) -> int:
        """Write to the file, as ever."""
        try:
            return super().write(data)
        except OSError as error:
            self.failure = error
            raise


def output_failure() -> OSError | None:
    """Why standard output did not take what was printed; None if it did. What it did not take is dropped."""
    failure = getattr(getattr(getattr(sys.stdout, "buffer", None), "raw", None), "failure", None)
    try:
        sys.stdout.flush()
    except OSError as error:
        failure = error
        with suppress(OSError):  # else Python would try once more at its end, and complain in its own words
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return failure
