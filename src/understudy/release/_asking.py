"""What people write in a query: `income, sex | age=30..40, education=Bachelors/Masters`. Text in, words out."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from understudy._core.errors import OptionError

_EXAMPLE = "Write it like: income | education=Masters, age=30..40."
EXAMPLE_OF_NUMBERS = "Write it like: mean(income), share(age > 30) | sex=Female."
_QUOTES = "'\""
_OPENING = ",|=/"
_COMPARISON = re.compile(r"<=|>=|!=|<|>|=|≤|≥|≠")
_SIGNS = {"≤": "<=", "≥": ">=", "≠": "!="}
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
    comparison: str = "="


@dataclass(frozen=True)
class Question:
    """The columns asked for, and the conditions they are asked under.

    >>> question = parse_question("income, 'marital status' | age=30..40")
    >>> question.names, question.terms[0].name
    (('income', 'marital status'), 'age')
    """

    names: tuple[str, ...]
    terms: tuple[Term, ...]


def parse_question(text: str, *, names: Collection[str] = ()) -> Question:
    """A whole query: columns, then optionally `|` and conditions; `names` are those of all columns.

    >>> parse_question("| age=3")
    Traceback (most recent call last):
    understudy._core.errors.OptionError: the query names no column before '|'. Write it like: income | \
education=Masters, age=30..40.
    """
    parts = _split(text, "|")
    refuse_second_bar("|".join(parts[1:]), _EXAMPLE)
    asked = tuple(read_word(part).text for part in _split(parts[0], ",") if part.strip())
    if not asked:
        raise OptionError(f"the query names no column before '|'. {_EXAMPLE}")
    return Question(asked, parse_terms(parts[1], names=names) if len(parts) == 2 else ())


def refuse_second_bar(conditions: str, example: str) -> None:
    """Refuse what follows the `|` of a query if there is another one."""
    if len(_split(conditions, "|")) > 1:
        raise OptionError(
            "the query has more than one '|'. Separate conditions by commas, and put names or values that contain it "
            f"in quotes. {example}"
        )


def parse_terms(text: str, *, names: Collection[str] = ()) -> tuple[Term, ...]:
    """Conditions: `column=value`, alternatives with `/`, ranges with `..`, quotes for anything odd.

    Or `column > value`, with <, >=, <= and != likewise. A column whose name has such a sign is known by `names`.

    >>> [(term.name, [word.text for word in term.alternatives]) for term in parse_terms("sex=Female, edu=BA/'M/A'")]
    [('sex', ['Female']), ('edu', ['BA', 'M/A'])]
    """
    return tuple(_term(part, names) for part in _split(text, ",") if part.strip())


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
    return (read_word(word.text[: dots[0]]).text, read_word(word.text[dots[0] + 2 :]).text) if len(dots) == 1 else None


def _term(text: str, names: Collection[str]) -> Term:
    name, sign, value = _compared(text, names)
    if not name.strip() or not value.strip():
        raise OptionError(f"'{text.strip()}' is not a condition: it needs a column, '=' and a value. {_EXAMPLE}")
    alternatives = tuple(read_word(piece) for piece in _split(value, "/"))
    return Term(read_word(name).text, read_word(value), alternatives, _SIGNS.get(sign, sign))


def _compared(text: str, names: Collection[str]) -> tuple[str, str, str]:
    """What stands before the first sign of comparison, the sign, and the rest: values such as '<=50K' contain it."""
    before = _split(text, "=")[0]
    if read_word(before).text.casefold() in {name.casefold() for name in names}:
        return before, "=", text[len(before) + 1 :]
    bare = text.lstrip()
    quoted = re.match(r"""'[^']*'|"[^"]*\"""", bare)
    start = len(text) - len(bare) + (quoted.end() if quoted else 0)
    found = _COMPARISON.search(text, start)
    if found is None:
        return text, "", ""
    return text[: found.start()], found[0], text[found.end() :]


def read_word(text: str) -> Word:
    """A word, out of its quotes."""
    bare = text.strip()
    if len(bare) >= 2 and bare[0] in _QUOTES and bare[-1] == bare[0] and bare[0] not in bare[1:-1]:
        return Word(bare[1:-1], quoted=True)
    return Word(bare)


def split_nested(text: str, separator: str, *, at_most: int | None = None) -> list[str]:
    """Split where the separator stands outside quotes and parentheses; of what follows the last split nothing is asked.

    >>> split_nested("quantile(x, 0.9), mean('a,b') | c=:)", "|", at_most=1)
    ["quantile(x, 0.9), mean('a,b') ", ' c=:)']
    """
    pieces, start, depth = [], 0, 0
    for i, character in _outside_quotes(text, _OPENING + "(<>!≤≥≠"):
        depth += (character == "(") - (character == ")")
        if depth < 0:
            raise OptionError(
                f"the parentheses in '{text.strip()}' do not match, or a comma is missing between two questions. "
                f"{EXAMPLE_OF_NUMBERS}"
            )
        if character == separator and depth == 0:
            pieces.append(text[start:i])
            start = i + 1
            if len(pieces) == at_most:
                return [*pieces, text[start:]]
    if depth:
        raise OptionError(f"a '(' in the query is never closed. {EXAMPLE_OF_NUMBERS}")
    return [*pieces, text[start:]]


def _split(text: str, separator: str) -> list[str]:
    """Split where the separator stands outside quotes."""
    at = [i for i, character in _outside_quotes(text, _OPENING) if character == separator]
    return [text[start:end] for start, end in zip([0, *(i + 1 for i in at)], [*at, len(text)], strict=True)]


def _outside_quotes(text: str, opening: str) -> Iterator[tuple[int, str]]:
    """Places and characters outside quotes; quotes begin after one of the characters that are given."""
    quote = ""
    for i, character in enumerate(text):
        if quote:
            quote = "" if character == quote else quote
        elif character in _QUOTES and _opens(text, i, opening):
            quote = character
        else:
            yield i, character
    if quote:
        raise OptionError(f"a quote ({quote}) in the query is never closed. {_EXAMPLE}")


def _opens(text: str, index: int, opening: str) -> bool:
    """A quote opens only where a word begins: the apostrophe in `Bachelor's` is part of it."""
    before = text[:index].rstrip()
    return not before or before[-1] in opening or before.endswith("..")
