"""The tag grammar G = (V, Σ, S, R) of privacy features (Def. 3): what kinds of field there are, and what each derives.

V are the tags and their variants (a name as written, its words sorted, its initials, its sound), Σ the characters of
cells with nothing for NULL, S the record, and R the rules below that derive variants from a cell. A tag says how its
cells are cleaned, how two of them are compared, and which keys find records that share one. Another tag is another
entry of `TAGS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import pyarrow as pa

from understudy.correlate._compare import (
    Comparison,
    DateComparison,
    SwapComparison,
    TextComparison,
    WholeComparison,
)
from understudy.correlate._texts import (
    Coded,
    initials,
    joined,
    plain_date,
    plain_digits,
    plain_email,
    plain_phone,
    plain_words,
    sorted_words,
    sound,
)

Columns: TypeAlias = Sequence[tuple[str, Coded]]


@dataclass(frozen=True, eq=False, kw_only=True)
class Aspect:
    """What a tag makes of its columns. Keys are columns of texts: rows with one text are looked at together.

    A telling key stands on its own; a coarse one is used together with another column's.
    """

    comparisons: tuple[Comparison, ...]
    telling: Mapping[str, Coded]
    coarse: Mapping[str, Coded]


@dataclass(frozen=True, kw_only=True)
class Tag:
    """A kind of privacy feature.

    >>> TAGS["N"].label, TAGS["B"].variants
    ('name', ('B1 digits, year first', 'B2 day and month in either order', 'B3 year', 'B4 day of the year'))
    """

    letter: str
    label: str
    words: frozenset[str]
    """Words in a column's name by which it is known."""
    clean: Callable[[pa.Array], pa.Array]
    build: Callable[[Columns], Aspect]
    variants: tuple[str, ...] = ()
    """What the rules R derive from a cell."""
    at_home: Literal["shared", "partly", "own"] = "own"
    """Whether people who live together have it in common: then it says less about who somebody is."""


def _names(columns: Columns) -> Aspect:
    if len(columns) == 1:
        label, whole = columns[0]
        parts: Columns = [
            (f"{label}, first word", whole.mapped(lambda text: text.split()[0])),
            (f"{label}, last word", whole.mapped(lambda text: text.split()[-1])),
        ]
    else:
        parts, whole = columns, joined([column for _, column in columns])
    in_order = whole.mapped(sorted_words)
    sounds = whole.mapped(lambda text: " ".join(sorted(map(sound, text.split()))))
    first_letters = whole.mapped(lambda text: "".join(sorted(initials(text))))
    return Aspect(
        comparisons=(
            *(TextComparison(label, column) for label, column in parts),
            SwapComparison("name", parts[0][1], parts[-1][1]),
            WholeComparison("name", in_order),
            TextComparison("initials", first_letters, derived=True),
        ),
        telling={"words of the name": in_order, "sounds of the name": sounds},
        coarse={
            **{f"sound of {label}": column.mapped(_sound_of_first) for label, column in parts},
            **{f"start of {label}": column.mapped(lambda text: text[:3]) for label, column in parts},
        },
    )


def _sound_of_first(text: str) -> str:
    return sound(text.replace(" ", ""))


def _birthdays(columns: Columns) -> Aspect:
    label, days = columns[0]
    return Aspect(
        comparisons=tuple(DateComparison(label, column) for label, column in columns),
        telling={label: days, f"{label}, in either order": days.mapped(_either_order)},
        coarse={
            f"year of {label}": days.mapped(lambda text: text[:4]),
            f"day of {label}": days.mapped(lambda t: t[4:]),
        },
    )


def _either_order(digits: str) -> str:
    return digits[:4] + "".join(sorted((digits[4:6], digits[6:])))


def _addresses(columns: Columns) -> Aspect:
    whole = joined([column for _, column in columns]).mapped(sorted_words)
    coarse = {label: column.mapped(sorted_words) for label, column in columns}
    if len(columns) == 1:
        label, column = columns[0]
        coarse = {
            f"numbers of {label}": column.mapped(lambda text: " ".join(sorted(filter(_has_digit, text.split())))),
            f"longest word of {label}": column.mapped(lambda text: max(text.split(), key=len)),
        }
    return Aspect(
        comparisons=(
            *(TextComparison(label, column) for label, column in columns),
            WholeComparison("address", whole),
        ),
        telling={"words of the address": whole},
        coarse=coarse,
    )


def _has_digit(word: str) -> bool:
    return any(letter.isdigit() for letter in word)


def _emails(columns: Columns) -> Aspect:
    local = [(f"{label}, before the @", column.mapped(lambda text: text.split("@")[0])) for label, column in columns]
    return Aspect(
        comparisons=(
            *(TextComparison(label, column) for label, column in columns),
            *(TextComparison(label, column, derived=True) for label, column in local),
        ),
        telling=dict(columns),
        coarse=dict(local),
    )


def _numbers(columns: Columns) -> Aspect:
    """Telephones and documents: some digits may be wrong, or two of them swapped."""
    return Aspect(
        comparisons=tuple(TextComparison(label, column, "OSA") for label, column in columns),
        telling=dict(columns),
        coarse={
            **{
                f"first half of {label}": column.mapped(lambda text: text[: len(text) // 2])
                for label, column in columns
            },
            **{
                f"last half of {label}": column.mapped(lambda text: text[len(text) // 2 :]) for label, column in columns
            },
        },
    )


def _dates(texts: pa.Array) -> pa.Array:
    column = Coded.of(texts)
    return column.mapped(plain_date).arrow()


def _tag(letter: str, label: str, words: str, clean: Any, build: Any, *variants: str, at_home: Any = "own") -> Tag:
    named = tuple(f"{letter}{number} {what}" for number, what in enumerate(variants, start=1))
    known = frozenset(words.split())
    return Tag(letter=letter, label=label, words=known, clean=clean, build=build, variants=named, at_home=at_home)


# In the order in which a column's name is matched: 'street_name' is an address, and 'email_address' an e-mail.
TAGS: dict[str, Tag] = {
    tag.letter: tag
    for tag in (
        _tag(
            *("E", "email", "email mail emails"),
            *(plain_email, _emails),
            *("address in lower case", "part before the @"),
        ),
        _tag(
            *("P", "phone", "phone telephone tel mobile cell cellphone fax"),
            *(plain_phone, _numbers),
            *("digits without country code", "first half", "last half"),
            at_home="partly",
        ),
        _tag(
            *("B", "birthday", "birthday birth birthdate dob born dateofbirth"),
            *(_dates, _birthdays),
            *("digits, year first", "day and month in either order", "year", "day of the year"),
        ),
        _tag(
            *("A", "address", "address street suburb city town postcode postal zip zipcode state county house road"),
            *(plain_words, _addresses),
            *("words as written", "words of all columns, sorted", "numbers", "longest word"),
            at_home="shared",
        ),
        _tag(
            *("N", "name", "name surname forename given family firstname lastname fullname middlename middle maiden"),
            *(plain_words, _names),
            *("as written", "words sorted", "initials", "sound", "first letters"),
            at_home="partly",
        ),
        _tag(
            *("I", "id", "id ssn identifier identity passport soc social nhs insurance licence license card"),
            *(plain_digits, _numbers),
            *("letters and digits", "first half", "last half"),
        ),
    )
}
