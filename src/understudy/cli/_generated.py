"""Code that `dataclasses` writes for each class, compiled once and kept with the package's other compiled code.

Some 1,700 small functions are written as text and compiled whenever the program starts: a tenth of a short run, for
results that never change. What is kept is found by that text, so it cannot be out of date; where nothing can be
written, or Python was told to keep no byte code, all is compiled as ever.
"""

from __future__ import annotations

import builtins
import dataclasses
import marshal
import os
import sys
from contextlib import suppress
from importlib.util import MAGIC_NUMBER
from pathlib import Path
from types import CodeType
from typing import Any

_MOST = 20_000  # functions: texts of former versions are not kept for ever


class Generated:
    """Compiled code by its text, from a file and to be kept in it."""

    def __init__(self, path: Path) -> None:
        self._path, self._new = path, False
        self._code: dict[str, CodeType] = {}
        with suppress(OSError, ValueError, EOFError, TypeError):
            found = path.read_bytes()
            if found.startswith(MAGIC_NUMBER):
                self._code = dict(marshal.loads(found[len(MAGIC_NUMBER) :]))

    def execute(self, text: str | CodeType, names: dict[str, Any] | None = None, found: Any = None) -> None:
        """As the built-in `exec`.

        >>> names = {}
        >>> Generated(Path("nowhere")).execute("x = 6 * 7", {}, names)
        >>> names
        {'x': 42}
        """
        if isinstance(text, str):
            code = self._code.get(text)
            if code is None:
                code = self._code[text] = compile(text, "<string>", "exec", dont_inherit=True)
                self._new = True
        else:
            code = text
        builtins.exec(code, vars(dataclasses) if names is None else names, found)

    def keep(self) -> None:
        """Write the file if there is anything new; whoever reads it meanwhile sees the former one."""
        if not self._new or sys.dont_write_bytecode or len(self._code) > _MOST:
            return
        written = self._path.with_name(f"{self._path.name}.{os.getpid()}")
        with suppress(OSError):
            self._path.parent.mkdir(exist_ok=True)
            try:
                written.write_bytes(MAGIC_NUMBER + marshal.dumps(self._code))
                written.replace(self._path)
            finally:
                written.unlink(missing_ok=True)


def use_kept() -> Generated:
    """Have classes made from code that was kept, from here on; what was missing can be kept later."""
    place = Path(__file__).with_name("__pycache__") / f"generated.{sys.implementation.cache_tag}.bin"
    generated = Generated(place)
    vars(dataclasses)["exec"] = generated.execute  # found before the built-in one, in that module alone
    return generated
