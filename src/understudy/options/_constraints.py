"""What an option may be. Each constraint says it in words, checks a value, and reads one from text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from os import PathLike
from typing import Any, Protocol

from understudy._core.addresses import looks_like_an_address
from understudy._core.files import can_name_a_file
from understudy._core.numbers import exact_number, read_whole_number, whole_number

_UNITS = {"": 1, "B": 1} | {
    f"{letter}{end}": base**power
    for power, letter in enumerate("KMGT", 1)
    for end, base in (("", 1000), ("B", 1000), ("IB", 1024))
}
_AMOUNT = re.compile(r"([0-9]{1,15}(?:\.[0-9]{1,6})?) *([KMGT]?I?B?)")
_TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_UNPRINTABLE = ("Cc", "Cs", "Zl", "Zp")  # control characters, stray bytes, and separators of lines


class Constraint(Protocol):
    """What an option may be. `accept` and `read` raise ValueError for what it may not be."""

    @property
    def words(self) -> str:
        """It completes the sentence: the parameter must be …"""
        ...

    @property
    def typed(self) -> str:
        """The type of its values, as an annotation."""
        ...

    def accept(self, value: Any) -> Any:
        """The value, in the form in which it is kept."""
        ...

    def read(self, text: str) -> Any:
        """The value that this text stands for."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Whole:
    """A whole number.

    >>> Whole(at_least=1).words, Whole(at_least=2, at_most=3).words
    ('a whole number of at least 1', 'a whole number from 2 to 3')
    """

    at_least: int = 0
    at_most: int | None = None
    typed = "int"

    @property
    def words(self) -> str:
        """It completes the sentence: the parameter must be …"""
        if self.at_most is None:
            return f"a whole number of at least {self.at_least}"
        return f"a whole number from {self.at_least} to {self.at_most}"

    def accept(self, value: Any) -> int:
        """The value as an int."""
        number = whole_number(value, "", least=self.at_least)
        if self.at_most is not None and number > self.at_most:
            raise ValueError
        return number

    def read(self, text: str) -> int:
        """The number, written in any usual way: 1e6 too."""
        return read_whole_number(text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Real:
    """A finite number, kept as it was given. `exact`: text such as 1/3 will do from Python too.

    >>> Real(above=0, below=1).words, Real(at_least=0).read("1/3")
    ('a number above 0 and below 1', Fraction(1, 3))
    """

    above: int | None = None
    at_least: int | None = None
    below: int | None = None
    at_most: int | None = None
    exact: bool = False

    @property
    def words(self) -> str:
        """It completes the sentence: the parameter must be …"""
        bounds = [
            *([f"above {self.above}"] if self.above is not None else []),
            *([f"of at least {self.at_least}"] if self.at_least is not None else []),
            *([f"below {self.below}"] if self.below is not None else []),
            *([f"of at most {self.at_most}"] if self.at_most is not None else []),
        ]
        return " ".join(["a number", " and ".join(bounds)]).strip()

    @property
    def typed(self) -> str:
        """The type of its values, as an annotation."""
        return "Number" if self.exact else "Fraction | float"

    def accept(self, value: Any) -> Any:
        """The value itself."""
        if isinstance(value, str) and not self.exact:
            raise ValueError
        number = exact_number(value)
        if (
            (self.above is not None and number <= self.above)
            or (self.at_least is not None and number < self.at_least)
            or (self.below is not None and number >= self.below)
            or (self.at_most is not None and number > self.at_most)
        ):
            raise ValueError
        return value

    def read(self, text: str) -> Fraction:
        """The exact number."""
        return exact_number(text)


class OneOf:
    """One of a few words.

    >>> OneOf("csv", "parquet").words
    'one of csv, parquet'
    """

    def __init__(self, *choices: str) -> None:
        self.choices = choices

    @property
    def words(self) -> str:
        """It completes the sentence: the parameter must be …"""
        return f"one of {', '.join(self.choices)}"

    @property
    def typed(self) -> str:
        """The type of its values, as an annotation."""
        listed = ", ".join(f'"{choice}"' for choice in self.choices)
        return f"Literal[{listed}]"

    def accept(self, value: Any) -> str:
        """The word itself; of an enumeration, the word that a member stands for."""
        word = value.value if isinstance(value, Enum) else value
        if not isinstance(word, str) or word not in self.choices:
            raise ValueError
        return word

    def read(self, text: str) -> str:
        """The text itself: whether it is one of them is checked with the rest."""
        return text


@dataclass(frozen=True, slots=True)
class YesNo:
    """True or False.

    >>> YesNo().read("yes")
    True
    """

    words = "yes or no"
    typed = "bool"

    def accept(self, value: Any) -> bool:
        """The value itself."""
        if not isinstance(value, bool):
            raise ValueError
        return value

    def read(self, text: str) -> bool:
        """Yes, no, and what people write instead."""
        if text.lower() not in _TRUTH:
            raise ValueError
        return _TRUTH[text.lower()]


@dataclass(frozen=True, slots=True)
class Names:
    """Names of columns; one may be given by itself.

    >>> Names().accept("age"), Names().read("age, sex")
    (('age',), ('age', 'sex'))
    """

    words = "a name or several"
    typed = "str | Sequence[str]"

    def accept(self, value: Any) -> tuple[str, ...]:
        """The names as a tuple."""
        names = (value,) if isinstance(value, str) else tuple(value) if isinstance(value, Iterable) else (None,)
        if not all(isinstance(name, str) for name in names):
            raise ValueError
        return names

    def read(self, text: str) -> tuple[str, ...]:
        """The names between commas."""
        return tuple(part.strip() for part in text.split(",") if part.strip())


@dataclass(frozen=True, slots=True)
class Tables:
    """Names of columns, or of several tables' columns; in text, `*` joins those of one table.

    >>> Tables().accept(["age", ["sex", "income"]]), Tables().read("age, sex*income")
    (('age', ('sex', 'income')), ('age', ('sex', 'income')))
    """

    words = "names of columns, tables such as sex*income, or a file of tables"
    typed = "str | Sequence[str | Sequence[str]] | PathLike[str]"

    def accept(self, value: Any) -> tuple[str | tuple[str, ...], ...]:
        """Names as they are, tables as tuples."""
        if isinstance(value, str):
            return (value,)
        if not isinstance(value, Iterable):
            raise ValueError
        return tuple(one if isinstance(one, str) else Names().accept(one) for one in value)

    def read(self, text: str) -> tuple[str | tuple[str, ...], ...]:
        """What stands between commas."""
        tables = [tuple(name.strip() for name in part.split("*")) for part in Names().read(text)]
        return tuple(table if len(table) > 1 else table[0] for table in tables)


@dataclass(frozen=True, slots=True)
class Several:
    """Values of one kind; one may be given by itself. `such_as` shows how several are written.

    >>> Several(Whole(at_least=1), such_as="2,3").words
    'a whole number of at least 1, or several, such as 2,3'
    >>> Several(Whole()).accept(2), Several(Whole()).read("2, 3")
    ((2,), (2, 3))
    """

    each: Constraint
    such_as: str = ""

    @property
    def words(self) -> str:
        """It completes the sentence: the parameter must be …"""
        return f"{self.each.words}, or several" + (f", such as {self.such_as}" if self.such_as else "")

    @property
    def typed(self) -> str:
        """The type of its values, as an annotation."""
        return f"{self.each.typed} | Sequence[{self.each.typed}]"

    def accept(self, value: Any) -> tuple[Any, ...]:
        """The values as a tuple."""
        alone = isinstance(value, str) or not isinstance(value, Iterable)
        return tuple(self.each.accept(one) for one in ([value] if alone else value))

    def read(self, text: str) -> tuple[Any, ...]:
        """The values between commas, of which one may end the list; nothing between two is for `each` to judge."""
        return tuple(self.each.read(s.strip()) for s in text.strip().removesuffix(",").split(",") if text.strip(" ,"))


@dataclass(frozen=True, slots=True)
class Seeds:
    """Seeds, or how many there are to be: then 0, 1, 2 and so on.

    >>> Seeds().accept(3), Seeds().accept([7, 8])
    ((0, 1, 2), (7, 8))
    """

    words = "a whole number of at least 1, or a list of seeds"
    typed = "int | Sequence[int]"

    def accept(self, value: Any) -> tuple[int, ...]:
        """The seeds themselves."""
        if isinstance(value, Iterable) and not isinstance(value, str):
            return Several(Whole()).accept(value)
        return tuple(range(Whole(at_least=1).accept(value)))

    def read(self, text: str) -> int:
        """How many."""
        return read_whole_number(text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A line that will be printed and written into files: nothing in it that a screen or a file could not hold.

    >>> Text().accept("one patient")
    'one patient'
    >>> Text(at_most=3).words
    'a line of text, 1 to 3 characters that can be printed'
    """

    at_most: int = 200
    typed = "str"

    @property
    def words(self) -> str:
        """It completes the sentence: the parameter must be …"""
        return f"a line of text, 1 to {self.at_most} characters that can be printed"

    def accept(self, value: Any) -> str:
        """The text itself."""
        if not isinstance(value, str) or not value.strip() or len(value) > self.at_most:
            raise ValueError
        if any(unicodedata.category(character) in _UNPRINTABLE for character in value):
            raise ValueError
        return value

    def read(self, text: str) -> str:
        """The text itself."""
        return text


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """An amount of memory, in bytes or as text with a unit.

    >>> Memory(at_least=1000).read("2GB"), Memory(at_least=1000).accept("1.5 GiB"), Memory(at_least=10**9).words
    (2000000000, 1610612736, 'an amount of memory of at least 1 GB, such as 2GB')
    """

    at_least: int
    typed = "int | str"

    @property
    def words(self) -> str:
        """It completes the sentence: the parameter must be …"""
        least = f"{self.at_least // 10**9} GB" if self.at_least >= 10**9 else f"{self.at_least // 10**6} MB"
        return f"an amount of memory of at least {least}, such as 2GB"

    def accept(self, value: Any) -> int:
        """Bytes."""
        n_bytes = self.read(value) if isinstance(value, str) else whole_number(value, "memory")
        if n_bytes < self.at_least:
            raise ValueError("too little memory")
        return n_bytes

    def read(self, text: str) -> int:
        """Bytes."""
        found = _AMOUNT.fullmatch(text.strip().upper())
        if found is None or found.group(2) not in _UNITS:
            raise ValueError("not an amount of memory")
        n_bytes = int(exact_number(found.group(1)) * _UNITS[found.group(2)])
        if n_bytes < self.at_least:
            raise ValueError("too little memory")
        return n_bytes


@dataclass(frozen=True, slots=True)
class FilePath:
    """A path, or text that names one: nothing in it that the name of a file cannot hold, and no address.

    >>> FilePath().accept("release")
    'release'
    """

    words = "a path"
    typed = "str | PathLike[str]"

    def accept(self, value: Any) -> Any:
        """The path as it was given."""
        if not isinstance(value, str | PathLike) or not can_name_a_file(value) or looks_like_an_address(value):
            raise ValueError
        return value

    def read(self, text: str) -> str:
        """The text itself."""
        return text


@dataclass(frozen=True, slots=True)
class Anything:
    """A value whose check needs more than the value, or an object from Python: it is checked where it is used.

    `text` says whether a word can stand for it.

    >>> Anything(typed="str | Method", text=True).read("privbayes")
    'privbayes'
    """

    typed: str = "Any"
    text: bool = False
    words = "given from Python"

    def accept(self, value: Any) -> Any:
        """The value itself."""
        return value

    def read(self, text: str) -> str:
        """The text itself, if one can stand for it."""
        if not self.text:
            raise ValueError
        return text
