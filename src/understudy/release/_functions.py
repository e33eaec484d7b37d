"""Questions about numbers as people write them: `mean(balance), share(age > 30) | job=student`. Text in, calls out."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from understudy._core.errors import OptionError, did_you_mean
from understudy.release._asking import (
    EXAMPLE_OF_NUMBERS,
    Term,
    parse_terms,
    read_word,
    refuse_second_bar,
    split_nested,
)

FUNCTIONS = ("mean", "median", "quantile", "sd", "variance", "sum", "count", "share")
_SYNONYMS = {"avg": "mean", "average": "mean", "std": "sd", "stdev": "sd", "stddev": "sd", "var": "variance"}
_CALL = re.compile(r"\s*([A-Za-z_][A-Za-z_0-9]*)\s*\(")
_BARE_COUNT = re.compile(r"\s*count\s*(,|\||$)", re.IGNORECASE)


@dataclass(frozen=True)
class Call:
    """One function of a question: what it is asked of, a column or conditions."""

    function: str
    column: str | None = None
    level: float | None = None
    terms: tuple[Term, ...] = ()
    text: str = ""


@dataclass(frozen=True)
class NumberQuestion:
    """The functions asked for, and the conditions they are asked under.

    >>> question = parse_number_question("quantile(income, 0.9), share(age > 30) | sex=Female", names=["income", "age"])
    >>> [(call.function, call.column, call.level) for call in question.calls], question.terms[0].name
    ([('quantile', 'income', 0.9), ('share', None, None)], 'sex')
    """

    calls: tuple[Call, ...]
    terms: tuple[Term, ...]


def asks_for_numbers(text: str, names: Sequence[str]) -> bool:
    """Whether a question begins with a function; where a column is called like one, the column is meant.

    >>> asks_for_numbers("mean(age) | sex=F", ["age"]), asks_for_numbers("age | sex=F", ["age"])
    (True, False)
    >>> asks_for_numbers("rooms (total)", ["rooms (total)"]), asks_for_numbers("count | a=1", ["count"])
    (False, False)
    """
    found = _CALL.match(text) or _BARE_COUNT.match(text)
    if found is None:
        return False
    begin, begun = text.lstrip().casefold(), found[0].strip().rstrip(",|").strip().casefold()
    return not any(name.casefold().startswith(begun) and begin.startswith(name.casefold()) for name in names)


def parse_number_question(text: str, *, names: Collection[str]) -> NumberQuestion:
    """A whole question: functions, then optionally `|` and conditions; `names` are those of all columns."""
    asked, *given = split_nested(text, "|", at_most=1)
    refuse_second_bar("".join(given), EXAMPLE_OF_NUMBERS)
    calls = tuple(_call(part, names) for part in split_nested(asked, ",") if part.strip())
    return NumberQuestion(calls, parse_terms(given[0], names=names) if given else ())


def _call(text: str, names: Collection[str]) -> Call:
    bare = text.strip()
    if bare.casefold() == "count":
        return Call("count", text="count")
    found = _CALL.match(bare)
    if found is None:
        raise OptionError(
            f"'{bare}' stands beside a question about numbers, and is none. Ask for columns in a query of their own. "
            f"{EXAMPLE_OF_NUMBERS}"
        )
    word = found[1].casefold()
    function = _SYNONYMS.get(word, word)
    if function not in FUNCTIONS:
        raise OptionError(f"there is no function '{found[1]}' and no column '{bare}'. {did_you_mean(word, FUNCTIONS)}")
    if not bare.endswith(")"):
        raise OptionError(f"'{bare}' goes on after its ')'. {EXAMPLE_OF_NUMBERS}")
    inside = bare[found.end() : -1]
    written = f"{function}({inside.strip()})"
    _refuse_conditions_inside(function, inside, written, names)
    if function in ("count", "share"):
        return _of_conditions(function, inside, written, names)
    return _of_column(function, split_nested(inside, ","), written)


def _refuse_conditions_inside(function: str, inside: str, written: str, names: Collection[str]) -> None:
    """Refuse a '|' between brackets, and say where it goes: `P(A | B)` is written so in books."""
    asked, *given = split_nested(inside, "|", at_most=1)
    named = any("|" in name and name.casefold() in inside.casefold() for name in names)
    if not given or named or (function in ("count", "share") and not re.search("[=<>≤≥≠]", given[0])):
        return  # a bar in a value is refused where it is looked up, with the values that there are
    asked, conditions = asked.strip(), given[0].strip()
    if function == "quantile" and "," in conditions and "," not in asked:
        *some, level = split_nested(conditions, ",")
        asked, conditions = f"{asked}, {level.strip()}", ",".join(some).strip()
    raise OptionError(
        f"a '|' stands inside the brackets of {written}. Conditions go behind them, once for all that is asked: "
        f"{function}({asked}) | {conditions or 'sex=Female'}. Put names and values that contain a '|' in quotes."
    )


def _of_conditions(function: str, inside: str, written: str, names: Collection[str]) -> Call:
    if not inside.strip():
        if function == "count":
            return Call("count", text="count")
        raise OptionError(f"share() needs a condition, such as share(age > 30). {EXAMPLE_OF_NUMBERS}")
    name = read_word(inside).text
    if function == "count" and name.casefold() in {known.casefold() for known in names}:
        return Call("count", column=name, text=written)
    if function == "count" and re.fullmatch(r"[\w ]+", name):
        raise OptionError(
            f"there is no column '{name}' that count could be asked of. {did_you_mean(name, names)} "
            "Conditions need a comparison, as in count(age > 30)."
        )
    return Call(function, terms=parse_terms(inside, names=names), text=written)


def _of_column(function: str, parts: Sequence[str], written: str) -> Call:
    wanted = 2 if function == "quantile" else 1
    if len(parts) != wanted or not all(part.strip() for part in parts):
        needs = (
            "a column and a share, as in quantile(income, 0.9)" if wanted == 2 else f"one column: {function}(income)"
        )
        raise OptionError(f"{written} needs {needs}. Put names that contain a comma in quotes.")
    level = _level(parts[1]) if wanted == 2 else 0.5 if function == "median" else None
    return Call(function, column=read_word(parts[0]).text, level=level, text=written)


def _level(text: str) -> float:
    try:
        level = float(text)
    except ValueError:
        level = math.nan
    if not 0 <= level <= 1:  # NaN neither
        raise OptionError(
            f"quantile(column, share) needs a share from 0 to 1, such as 0.9. Got {text.strip()} instead."
        )
    return level
