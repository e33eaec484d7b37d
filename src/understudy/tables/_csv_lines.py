"""What is wrong with the lines of a CSV file: found by a slow walk, once it is known that something is."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Iterator
from dataclasses import dataclass, field

from understudy.tables._files import TableFile

_BLOCK = 1 << 21
_QUOTE = b'"'


@dataclass
class LineFaults:
    """Rows that have more or fewer cells than the header, and the line with a quote that is never closed.

    >>> found = LineFaults(delimiter=b",", cells=2, skipped=0)
    >>> for line in (b"a,b", b'1,"x', b'y"', b"2", b'3,"z', b"4,w"):
    ...     found.take(line)
    >>> found.uneven, found.first, found.open_line
    (1, [2], 5)
    """

    delimiter: bytes
    cells: int
    skipped: int
    """Lines before the header."""
    uneven: int = 0
    first: list[int] = field(default_factory=list)
    """The first of the uneven rows; 1 is the one after the header."""
    _line: int = 0
    _row: int = -1
    _begun: int = 1
    _inside: bool = False
    _opened: int = 0

    @property
    def open_line(self) -> int | None:
        """The line, from 1 on, whose quote is open when the file ends."""
        return self._opened if self._inside else None

    def take(self, line: bytes) -> None:
        """Look at the next line, without its end. A row may have several, if they are in quotes."""
        self._line += 1
        if self._line <= self.skipped:
            return
        if self._line == 1:
            line = line.removeprefix(BOM_UTF8)
        if not self._inside and not line and self.cells > 1:
            return  # no row
        if self._inside or _QUOTE in line:
            self._walk(line)
        else:
            self._begun += line.count(self.delimiter)
        if not self._inside:
            self._end_row()

    def _walk(self, line: bytes) -> None:
        """As Arrow reads: a quote opens a cell at its start alone, and two of them inside stand for one."""
        at = 0
        while True:
            if not self._inside and line.startswith(_QUOTE, at):
                self._inside, self._opened, at = True, self._line, at + 1
            if self._inside:
                at = _after_quotes(line, at)
                if at < 0:
                    return
                self._inside = False
            at = line.find(self.delimiter, at) + 1
            if not at:
                return
            self._begun += 1

    def _end_row(self) -> None:
        self._row += 1
        if self._row and self._begun != self.cells:
            self.uneven += 1
            if len(self.first) < 5:
                self.first.append(self._row)
        self._begun = 1


def line_faults(file: TableFile, *, delimiter: str, cells: int, skipped: int) -> LineFaults:
    """What is wrong with the lines of a file; costs one pass over it.

    No reader of Arrow's does this: it would call back from threads of its own, which may outlive the interpreter.
    """
    found = LineFaults(delimiter=delimiter.encode(), cells=cells, skipped=skipped)
    for line in lines_of(file):
        found.take(line)
    return found


def line_of_byte(file: TableFile, wanted: bytes) -> int | None:
    """The first line, from 1 on, that has a byte in it; costs one pass over the file."""
    return next((number for number, line in enumerate(lines_of(file), 1) if wanted in line), None)


def lines_of(file: TableFile) -> Iterator[bytes]:
    """The lines of a file without their ends, which are those of any system."""
    held: list[bytes] = []
    with file.stream() as stream:
        while block := file.read(stream, _BLOCK):
            if held and held[-1].endswith(b"\r"):  # the two bytes of one line end may be in two blocks
                block = held.pop() + block
            lines = block.splitlines(keepends=True)
            if len(lines) > 1:
                yield (b"".join(held) + lines[0]).rstrip(b"\r\n")
                held = []
                yield from (line.rstrip(b"\r\n") for line in lines[1:-1])
            held.append(lines[-1])
            if lines[-1].endswith(b"\n"):
                yield b"".join(held).rstrip(b"\r\n")
                held = []
    if held:
        yield b"".join(held).rstrip(b"\r\n")


def _after_quotes(line: bytes, at: int) -> int:
    """Where a quoted cell goes on after the quote that closes it; −1 if none does in this line."""
    while (at := line.find(_QUOTE, at) + 1) and line.startswith(_QUOTE, at):
        at += 1
    return at or -1
