"""The exceptions of understudy.

    UnderstudyError
    ├── UserError (ValueError)      a mistake in what was asked or given; the command line exits with 2
    │   ├── SchemaError             the schema file, or a schema that does not fit the table
    │   ├── TableError              the table itself: unreadable, empty, values outside the declared domain
    │   ├── OptionError             an option out of range
    │   ├── BudgetExceeded          the ledger or the run has less budget left than was asked for
    │   ├── LedgerError             a ledger file that is locked, read-only, corrupt or tampered with
    │   ├── ModelFileError          a model file that is truncated, hostile or of another version
    │   └── OutputError             the release cannot be written where it was asked for
    └── InternalError (RuntimeError)  our own bug, and it says so

A message says what was asked, what was found, and what to do. It never shows a private cell's value.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from understudy._core.addresses import hide_secrets


class UnderstudyError(Exception):
    """Root of all our exceptions. What a message quotes of an address has no password and no token.

    >>> str(UnderstudyError("there is no file ann:secret@db.example/health"))
    'there is no file ann:…@db.example/health'
    """

    def __init__(self, *words: object) -> None:
        super().__init__(*(hide_secrets(word) if isinstance(word, str) else word for word in words))


class UserError(UnderstudyError, ValueError):
    """A mistake in what was asked or given."""


class SchemaError(UserError):
    """The schema is wrong, or does not fit the table. `faults` lists every fault found."""

    def __init__(self, *faults: str) -> None:
        self.faults = tuple(map(hide_secrets, faults))
        super().__init__("\n".join(self.faults))


class TableError(UserError):
    """The table is unreadable, empty, or holds values outside its declared domain. `faults` lists every fault."""

    def __init__(self, *faults: str) -> None:
        self.faults = tuple(map(hide_secrets, faults))
        super().__init__("\n".join(self.faults))


class OptionError(UserError):
    """An option is out of range."""


class BudgetExceeded(UserError):
    """Less budget is left than was asked for."""


class LedgerError(UserError):
    """The ledger file is locked, read-only, corrupt or tampered with."""


class ModelFileError(UserError):
    """The model file is truncated, hostile or of another version."""


class OutputError(UserError):
    """The result cannot be written where it was asked for."""


class InternalError(UnderstudyError, RuntimeError):
    """A bug of ours."""

    def __init__(self, message: str) -> None:
        super().__init__(f"{message} This is a bug in understudy, not in your data: please report it.")


class UnderstudyWarning(UserWarning):
    """Something that the user should know, though it stops nothing; the command line shows it as a sentence."""


_MOST_COMPARED = 5_000  # known words: comparing takes some microseconds for each


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A hint that names the nearest known word, or lists a few of them.

    >>> did_you_mean("agee", ["age", "sex"])
    "Did you mean 'age'? Known: 'age', 'sex'."
    """
    names = sorted(known) if isinstance(known, set | frozenset) else list(dict.fromkeys(known))
    near = get_close_matches(word[:200], names[:_MOST_COMPARED], n=1)
    listed = ", ".join(f"'{name}'" for name in names[:12]) + (", …" if len(names) > 12 else "")
    return (f"Did you mean '{near[0]}'? " if near else "") + f"Known: {listed}."
