"""Columns that no synthetic table should have: those that tell people apart, and those that say nothing."""

from __future__ import annotations

import re
from typing import Any

from understudy.schema import word_set
from understudy.tables._seen import DISTINCT_LIMIT, Column, Ends

ENOUGH_ROWS = 20
"""Rows from which on it means something that no value, or just one, was seen twice."""
_WORDS = re.compile(r"[A-Za-z][a-z]+|[A-Z]+(?![a-z])|[a-z]+|[0-9]+")
_ID_WORDS = word_set(
    "id ids uid uuid guid pid key no nr num number idx index row rowid rownames rownum serial record ref "
    "reference identifier caseid personid patientid customerid userid subjid subjectid respid hhid recid memberid "
    "pidnum idnum idno idnr patno recno seqno serialno"
)
_WHO = word_set("customer client patient person user member employee student case account policy order transaction")
_PERSONAL = word_set(
    "email mail name firstname lastname surname forename fullname username login phone telephone mobile fax "
    "address street ssn passport iban bic licence license plate url website ip comment comments notes note "
    "description text"
)
_NAMED = word_set("first last given family middle maiden full second christian legal birth")
_SOMEBODY = word_set(
    "customer client patient person user member employee student applicant contact doctor physician nurse teacher "
    "mother father parent guardian spouse husband wife child baby infant owner holder guest passenger donor caller"
)
_WHOSE_NAME = word_set(
    "firstname lastname surname surnames forename forenames fullname givenname middlename maidenname familyname "
    "patientname customername clientname personname employeename studentname username vorname nachname"
)
_WHOSE_NUMBER = word_set("mrn ssn iban passport nino bsn nric cpf curp aadhaar personnummer")
_NUMBERED = word_set("nhs national insurance tax social security medicare medicaid identity citizen passport record")
_NUMBER_WORDS = word_set("id no nr num number identifier")
_SHAPES = (
    ("e-mail addresses", re.compile(r"[^@\s]+@[^@\s]+\.[a-zA-Z]{2,}")),
    ("UUIDs", re.compile(r"\{?[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\}?")),
    ("web addresses", re.compile(r"https?://\S+")),
    ("telephone numbers", re.compile(r"\+[0-9][0-9 ()/.-]{6,18}")),
    ("network addresses", re.compile(r"([0-9]{1,3}\.){3}[0-9]{1,3}")),
)
_FREE_TEXT = 40
_LONG_NUMBER = 6


def words_of(name: str) -> list[str]:
    """The words of a column's name, in lower case.

    >>> words_of("CustomerID"), words_of("zip_code"), words_of("Unnamed: 0")
    (['customer', 'id'], ['zip', 'code'], ['unnamed', '0'])
    """
    return [word.lower() for word in _WORDS.findall(name)]


def says_nothing(column: Column) -> str | None:
    """Why a column that is the same in every row should be left out, as a part of a sentence.

    >>> says_nothing(Column(name="country", rows=30, values={"FR": None}))
    'every row has the same value'
    """
    if column.rows < ENOUGH_ROWS:
        return None
    if not column.present:
        return "every cell is missing"
    alone = column.distinct == 1 and column.present == column.rows
    return "every row has the same value" if alone else None


def tells_apart(column: Column, kind: str, ends: Ends | None, *, codes: bool) -> str | None:
    """Why a column should be left out that tells people apart, as a part of a sentence; `codes` may well all differ.

    >>> column = Column(name="id", rows=30, values=dict.fromkeys(f"P{i}" for i in range(30)))
    >>> tells_apart(column, "string", None, codes=False)
    'every value differs: it looks like an identifier'
    """
    if kind in ("string", "integer", "number") and column.distinct > 2 and (reason := _by_name(column)):
        return reason
    if column.rows < ENOUGH_ROWS or kind not in ("string", "integer"):
        return None
    if kind == "integer":
        return None if ends is None else _numbers(column, ends)
    if shape := _shape(column):
        return f"it holds {shape}"
    if codes:
        return None
    if column.all_distinct:
        return "every value differs: it looks like an identifier"
    if column.overflow:
        return f"it has more than {DISTINCT_LIMIT:,} different texts. To publish it, group them"
    if 2 * column.distinct > column.present:
        return "more than half of its values differ: nearly an identifier, or free text"
    words = words_of(column.name)
    many = column.distinct > ENOUGH_ROWS
    if many and (_PERSONAL & set(words) and 4 * column.distinct > column.present):
        return "by its name and its many values it tells people apart"
    if many and words and words[-1] in _ID_WORDS:
        return _unit_like()
    long = sum(len(str(text)) > _FREE_TEXT for text in column.values)
    if many and 2 * long > column.distinct:
        return "it looks like free text"
    return None


def _by_name(column: Column) -> str | None:
    """Why a column is left out that is named as people's names or numbers are, however few values it has.

    The end of a name says what is in the column: `passport_country` is no passport. `name` alone may be a country's, so
    its values have a say.
    """
    words = words_of(column.name)
    while len(words) > 1 and words[-1].isdigit():
        words.pop()
    last, before = words[-1:], words[-2:-1]
    if _WHOSE_NAME & set(last) or (last == ["name"] and (_NAMED | _SOMEBODY) & set(before)):
        return "by its name it holds people's names"
    if words == ["name"] and column.distinct > ENOUGH_ROWS and ENOUGH_ROWS * column.distinct > column.present:
        return "by its name and its many values it holds people's names"
    if _NUMBER_WORDS & set(last):
        return _unit_like() if (_NUMBERED | _WHOSE_NUMBER) & set(before) else None
    return _unit_like() if _WHOSE_NUMBER & set(last) or words[-2:] == ["medical", "record"] else None


def _unit_like() -> str:
    return "by its name it is an identifier. If it says which rows belong to one person, give it to --unit"


def _shape(column: Column) -> str | None:
    texts = [text for text in column.values if isinstance(text, str)]
    if not texts:
        return None
    return next((what for what, shape in _SHAPES if all(shape.fullmatch(text) for text in texts)), None)


def _numbers(column: Column, ends: Ends) -> str | None:
    words = words_of(column.name)
    named = bool(words) and (words[-1] in _ID_WORDS or words == ["unnamed", "0"])
    if column.all_distinct:
        if named or _WHO & set(words) or ends.high - ends.low + 1 == column.present:
            return "every value differs: it looks like an identifier"
        if _digits(ends.low) == _digits(ends.high) >= _LONG_NUMBER and column.rows > 2 * ENOUGH_ROWS:
            return "every value differs, and all have as many digits: it looks like an identifier"
    if named and words[-1] not in ("no", "nr", "num", "number") and column.distinct > 5 * ENOUGH_ROWS:
        return _unit_like()
    return None


def _digits(value: Any) -> int:
    return len(str(abs(int(value))))
