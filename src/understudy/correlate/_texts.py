"""Raw cells as comparable texts: one spelling for what means the same, and coarser keys that survive misspellings."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Ints: TypeAlias = npt.NDArray[np.int64]
Codes: TypeAlias = npt.NDArray[np.int32]
Words: TypeAlias = npt.NDArray[np.object_]
_SOUNDS = {
    **dict.fromkeys("bfpv", "1"),
    **dict.fromkeys("cgjkqsxz", "2"),
    **dict.fromkeys("dt", "3"),
    "l": "4",
    **dict.fromkeys("mn", "5"),
    "r": "6",
}
_SPELLINGS = (("ph", "f"), ("gh", "g"), ("kn", "n"), ("wr", "r"), ("ck", "k"), ("sch", "s"))


@dataclass(frozen=True, eq=False)
class Coded:
    """A column of texts: distinct ones, of which the first is the empty one for missing, and a code for each row.

    >>> column = Coded.of(pa.array(["b", None, "a", "b", ""]))
    >>> column.words.tolist(), column.codes.tolist()
    (['', 'b', 'a'], [1, 0, 2, 1, 0])
    """

    words: Words
    codes: Codes
    n_copies: int = 0
    """So many rows at the end are made-up copies, and not counted."""

    @classmethod
    def of(cls, texts: pa.Array) -> Coded:
        """The column of these texts."""
        coded = pc.fill_null(texts.cast(pa.string()), "").dictionary_encode()
        words = np.array(["", *coded.dictionary.to_pylist()], dtype=object)
        codes = coded.indices.to_numpy(zero_copy_only=False).astype(np.int32) + 1
        empty = np.flatnonzero(words[1:] == "")
        if len(empty):
            codes[codes == empty[0] + 1] = 0
            codes[codes > empty[0] + 1] -= 1
            words = np.delete(words, empty[0] + 1)
        return cls(words, codes)

    @property
    def known(self) -> npt.NDArray[np.bool_]:
        """Rows where it is not missing."""
        found: npt.NDArray[np.bool_] = self.codes != 0
        return found

    @cached_property
    def counts(self) -> Ints:
        """How often each word occurs."""
        return np.bincount(self.codes[: len(self.codes) - self.n_copies], minlength=len(self.words)).astype(np.int64)

    def mapped(self, change: Callable[[str], str]) -> Coded:
        """The column after a change of each distinct word; words that become one are one.

        >>> Coded.of(pa.array(["bo", "be"])).mapped(lambda word: word[:1]).codes.tolist()
        [1, 1]
        """
        changed = Coded.of(pa.array(["", *map(change, self.words[1:])], pa.string()))
        return Coded(changed.words, changed.codes[self.codes], self.n_copies)

    def followed_by(self, copies: list[str]) -> Coded:
        """The column and, below it, rows that are no rows of the table.

        >>> column = Coded.of(pa.array(["a", "b"])).followed_by(["b", "c"])
        >>> column.codes.tolist(), column.counts.tolist()
        ([1, 2, 2, 3], [0, 1, 1, 0])
        """
        known = {word: code for code, word in enumerate(self.words)}
        codes = np.array([known.setdefault(word, len(known)) for word in copies], dtype=np.int32)
        return Coded(np.array(list(known), dtype=object), np.concatenate([self.codes, codes]), len(copies))

    def arrow(self) -> pa.Array:
        """The texts, row by row."""
        return pa.DictionaryArray.from_arrays(pa.array(self.codes), pa.array(self.words, pa.string())).cast(pa.string())


def joined(columns: list[Coded]) -> Coded:
    """The texts of several columns as one, a space between them.

    >>> joined([Coded.of(pa.array(["ann", None])), Coded.of(pa.array(["lee", "ray"]))]).words.tolist()
    ['', 'ann lee', 'ray']
    """
    texts = pc.binary_join_element_wise(*(column.arrow() for column in columns), " ")
    whole = Coded.of(pc.utf8_trim_whitespace(pc.replace_substring_regex(texts, r" +", " ")))
    return Coded(whole.words, whole.codes, columns[0].n_copies)


def plain_words(texts: pa.Array) -> pa.Array:
    """Lower case without accents; only letters, digits and single spaces.

    >>> plain_words(pa.array(["  O'Néill-Smith "])).to_pylist()
    ['oneill smith']
    """
    bare = pc.utf8_lower(pc.utf8_normalize(texts, "NFKD"))
    bare = pc.replace_substring_regex(bare, r"[\p{Mn}'’`.]", "")
    bare = pc.replace_substring_regex(bare, r"[^\p{L}\p{N}]+", " ")
    return pc.utf8_trim_whitespace(bare)


def plain_digits(texts: pa.Array) -> pa.Array:
    """Letters and digits only, without spaces: numbers of documents.

    >>> plain_digits(pa.array(["AB 12-34"])).to_pylist()
    ['ab1234']
    """
    return pc.replace_substring(plain_words(texts), " ", "")


def plain_phone(texts: pa.Array) -> pa.Array:
    """The digits of a telephone number, without an extension or a leading zero or country code of two figures.

    >>> plain_phone(pa.array(["+44 (0)20 7946 0018", "020 7946 0018 x12", "n/a"])).to_pylist()
    ['2079460018', '2079460018', '']
    """
    bare = pc.replace_substring_regex(pc.utf8_lower(texts), r"(ext\.?|x|#).*$", "")
    bare = pc.replace_substring_regex(bare, r"^\s*(\+\d{1,2}|00\d{2})", "")
    bare = pc.replace_substring_regex(bare, r"\D+", "")
    return pc.replace_substring_regex(bare, r"^0+", "")


def plain_email(texts: pa.Array) -> pa.Array:
    """An address of e-mail in lower case, without blanks.

    >>> plain_email(pa.array([" Ann.Lee@Example.ORG "])).to_pylist()
    ['ann.lee@example.org']
    """
    return pc.replace_substring_regex(pc.utf8_lower(texts), r"\s+", "")


def plain_date(text: str) -> str:
    """A day as eight digits, year first; as many digits as there are where it is no day.

    >>> plain_date("1956-04-09"), plain_date("9/4/1956"), plain_date("19560439"), plain_date("April 1956")
    ('19560409', '19560409', '19560439', '1956')
    """
    parts = re.findall(r"\d+", text.split("T")[0].split(" 00:")[0])
    if len(parts) == 3 and len(parts[0]) == 4:
        year, month, day = parts
    elif len(parts) == 3 and len(parts[2]) == 4:
        day, month, year = parts
        if int(month) > 12 >= int(day):
            day, month = month, day
    else:
        return "".join(parts)
    return f"{year}{month:0>2}{day:0>2}"


def day_number(digits: str) -> int | None:
    """The days since the year 1, of eight digits that are a day.

    >>> day_number("00010103"), day_number("19560439")
    (3, None)
    """
    if len(digits) != 8:
        return None
    try:
        return date(int(digits[:4]), int(digits[4:6]), int(digits[6:])).toordinal()
    except ValueError:
        return None


def sound(word: str) -> str:
    """How a name sounds, roughly: its first letter and the classes of the consonants that follow (Soundex).

    >>> sound("smith"), sound("smyth"), sound("phillips"), sound("filips")
    ('s53', 's53', 'f412', 'f412')
    """
    for written, heard in _SPELLINGS:
        word = word.replace(written, heard)
    if not word:
        return ""
    heard, last = word[0], _SOUNDS.get(word[0], "")
    for letter in word[1:]:
        code = _SOUNDS.get(letter, "")
        if code and code != last:
            heard += code
        if letter not in "hw":
            last = code
    return heard[:4]


def sorted_words(text: str) -> str:
    """The same words in alphabetical order.

    >>> sorted_words("lee ann")
    'ann lee'
    """
    return " ".join(sorted(text.split()))


def initials(text: str) -> str:
    """The first letters of the words: an acronym.

    >>> initials("ann mary lee")
    'aml'
    """
    return "".join(word[0] for word in text.split())


def as_texts(column: Any) -> pa.Array:
    """A column as it was read, as texts; cells of any type as Python writes them.

    >>> as_texts(pa.array([1, None])).to_pylist()
    ['1', None]
    """
    if not isinstance(column, pa.Array):
        return column.texts()
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pa.types.is_nested(column.type) or pa.types.is_binary(column.type):
        return pa.array([None if cell is None else str(cell) for cell in column.to_pylist()], pa.string())
    return column.cast(pa.string())
