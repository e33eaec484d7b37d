"""What people write in a query: `income, sex | age=30..40, education=Bachelors/Masters`. Text in, words out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from understudy._core.errors import OptionError

_EXAMPLE = "Write it like: income | education=Masters, age=30..40."
_QUOTES = "'\""
_QUOTED_END = re.compile(r"""(^\s*|\.\.\s*)('[^']*'|"[^"]*")""")


@dataclass(frozen=True)
class Word:
    """A piece of text; quoted ones are taken literally."""

    text: str
    quoted: bool = False


@dataclass(frozen=True)
class Term:
    """One condition: a column and what it may be, as written."""

    name: str
    value: Word
    alternatives: tuple[Word, ...]


@dataclass(frozen=True)
class Question:
    """The columns asked for, and the conditions they are asked under.

    >>> question = parse_question("income, 'marital status' | age=30..40")
    >>> question.names, question.terms[0].name
    (('income', 'marital status'), 'age')
    """

    names: tuple[str, ...]
    terms: tuple[Term, ...]


def parse_question(text: str) -> Question:
    """A whole query: columns, then optionally `|` and conditions.

    >>> parse_question("| age=3")
    Traceback (most recent call last):
    understudy._core.errors.OptionError: the query names no column before '|'. Write it like: income | \
education=Masters, age=30..40.
    """
    parts = _split(text, "|")
    if len(parts) > 2:
        raise OptionError(f"the query has more than one '|'. Put names or values that contain it in quotes. {_EXAMPLE}")
    names = tuple(_word(part).text for part in _split(parts[0], ",") if part.strip())
    if not names:
        raise OptionError(f"the query names no column before '|'. {_EXAMPLE}")
    return Question(names, parse_terms(parts[1]) if len(parts) == 2 else ())


def parse_terms(text: str) -> tuple[Term, ...]:
    """Conditions: `column=value`, alternatives with `/`, ranges with `..`, quotes for anything odd.

    >>> [(term.name, [word.text for word in term.alternatives]) for term in parse_terms("sex=Female, edu=BA/'M/A'")]
    [('sex', ['Female']), ('edu', ['BA', 'M/A'])]
    """
    return tuple(_term(part) for part in _split(text, ",") if part.strip())


def parse_range(word: Word) -> tuple[str, str] | None:
    """Both ends of `low..high` (either may be empty, or in quotes of its own), or None for anything else.

    >>> parse_range(Word("30..40")), parse_range(Word("..5")), parse_range(Word("30"))
    (('30', '40'), ('', '5'), None)
    >>> parse_range(Word("'1/2/2021'..'5/2/2021'"))
    ('1/2/2021', '5/2/2021')
    """
    masked = _QUOTED_END.sub(lambda found: found[1] + "x" * len(found[2]), word.text)
    # Exactly two dots: '...' is not a range, and '1.5..2.5' is one.
    dots = [] if word.quoted or "..." in masked else [found.start() for found in re.finditer(r"\.\.", masked)]
    return (_word(word.text[: dots[0]]).text, _word(word.text[dots[0] + 2 :]).text) if len(dots) == 1 else None


def _term(text: str) -> Term:
    pieces = _split(text, "=")
    if len(pieces) < 2 or not pieces[0].strip() or not pieces[1].strip():
        raise OptionError(f"'{text.strip()}' is not a condition: it needs a column, '=' and a value. {_EXAMPLE}")
    # Only the first '=' separates: values such as '<=50K' contain it.
    name, value = pieces[0], text[len(pieces[0]) + 1 :]
    alternatives = tuple(_word(piece) for piece in _split(value, "/"))
    return Term(_word(name).text, _word(value), alternatives)


def _word(text: str) -> Word:
    bare = text.strip()
    if len(bare) >= 2 and bare[0] in _QUOTES and bare[-1] == bare[0] and bare[0] not in bare[1:-1]:
        return Word(bare[1:-1], quoted=True)
    return Word(bare)


def _split(text: str, separator: str) -> list[str]:
    """Split where the separator stands outside quotes."""
    return ["".join(piece) for piece in _pieces(text, separator)]


def _pieces(text: str, separator: str) -> Iterator[list[str]]:
    piece: list[str] = []
    quote = ""
    for i, character in enumerate(text):
        if quote:
            quote = "" if character == quote else quote
        elif character in _QUOTES and _opens(text, i):
            quote = character
        elif character == separator:
            yield piece
            piece = []
            continue
        piece.append(character)
    if quote:
        raise OptionError(f"a quote ({quote}) in the query is never closed. {_EXAMPLE}")
    yield piece


def _opens(text: str, index: int) -> bool:
    """A quote opens only where a word begins: the apostrophe in `Bachelor's` is part of it."""
    before = text[:index].rstrip()
    return not before or before[-1] in ",|=/" or before.endswith("..")
