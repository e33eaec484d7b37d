"""Finding a table among those of a database, and names as SQL writes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from understudy._core.errors import TableError, did_you_mean


class Named(NamedTuple):
    """A table or view that is there: the schema it lies in, and whether its name alone means it."""

    schema: str
    name: str
    plain: bool = True

    @property
    def whole(self) -> str:
        """As it is written in an address.

        >>> Named("clinic", "visits", plain=False).whole, Named("public", "visits").whole
        ('clinic.visits', 'visits')
        """
        return self.name if self.plain else f"{self.schema}.{self.name}"

    @property
    def sql(self) -> str:
        """As SQL writes it.

        >>> Named("clinic", "visits").sql
        '"clinic"."visits"'
        """
        return f"{quoted(self.schema)}.{quoted(self.name)}"


def quoted(name: str) -> str:
    """A name as SQL has it.

    >>> quoted('a "b" c')
    '"a ""b"" c"'
    """
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def literal(text: str) -> str:
    """A text as SQL has it.

    >>> literal("o'clock")
    "'o''clock'"
    """
    doubled = text.replace("'", "''")
    return f"'{doubled}'"


def find_table(asked: str | None, known: Sequence[Named], told: str, *, place: str) -> Named:
    """The table that was asked for; raises TableError with names that are near, or with what there is.

    `place` says how the address goes on after it names a table, for the sentence.

    >>> find_table("Visits", [Named("public", "visits")], "clinic.db", place="clinic.db").name
    'visits'
    >>> find_table("a.b", [Named("public", "a.b"), Named("a", "b", plain=False)], "health", place="…").schema
    'a'
    """
    if not known:
        raise TableError(f"{told} holds no tables that can be read here.")
    if asked is None:
        if len(known) == 1:
            return known[0]
        raise TableError(f"which table of {told}? Name it: {place}?table={known[0].whole}. {_listed(known)}")
    for same in (str, str.lower):  # as it is written, or as SQL reads it without quotes
        word = same(asked)
        # as SQL reads it, what stands before a point is a schema; a name may hold one too
        for found in (
            [one for one in known if same(f"{one.schema}.{one.name}") == word],
            [one for one in known if one.plain and same(one.name) == word],
        ):
            if len(found) == 1:
                return found[0]
            if found:
                raise TableError(f"{told} has several tables '{asked}' that differ in capitals. {_listed(found)}")
    elsewhere = [one.whole for one in known if one.name.lower() == asked.lower()]
    hint = f"Did you mean '{elsewhere[0]}'?" if elsewhere else did_you_mean(asked, [one.whole for one in known])
    raise TableError(f"{told} has no table '{asked}'. {hint}")


def _listed(known: Sequence[Named]) -> str:
    return "Known: " + ", ".join(f"'{one.whole}'" for one in known[:12]) + (", …." if len(known) > 12 else ".")
