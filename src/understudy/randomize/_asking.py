"""How a matrix is asked for: a short text such as "epsilon=0.7", a mapping, or rows; and the block it comes to.

epsilon=0.7                       randomised response with γ ≤ e^0.7
gamma=3                           randomised response with γ = 3
p=0.15                            each other value with probability 0.15
p=0.1/0.25                        two values: the first flips with 0.1, the second with 0.25; three: next, next but one
groups=a b|c d; p=0.2             values stay within their group
invariant=0.8                     shares stay as they are in the table (worked out when it is applied)
invariant=0.8; distribution=…     shares that are declared, and so public
matrix=file.csv                   any matrix, from a CSV, YAML or JSON file; or rows: matrix=0.9 0.1|0.3 0.7
none                              left alone
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import prod
from pathlib import Path
from typing import Any, TypeAlias

from understudy._core.errors import OptionError, UserError, did_you_mean
from understudy._core.numbers import exact_number
from understudy.randomize._forms import (
    block_diagonal,
    invariant_matrix,
    response_of_odds,
    response_to_others,
    response_within,
    uneven,
)
from understudy.randomize._matrix import LARGEST_MATRIX, Matrix, Response, TransitionMatrix
from understudy.randomize._plan import LARGEST_BLOCK, Block
from understudy.schema import Field, read_document, read_text

Asked: TypeAlias = "str | Mapping[str, Any] | Sequence[Sequence[Any]]"
_FORMS = ("epsilon", "gamma", "p", "invariant", "matrix", "none")
_KEYS = (*_FORMS, "groups", "distribution")


def make_block(fields: Sequence[Field], asked: Asked) -> Block:
    """The block of these columns with the matrix that is asked for. Raises OptionError, which names the columns.

    >>> from understudy.schema import Schema
    >>> schema = Schema.from_dict({"fields": [{"name": "t", "categories": ["a", "b", "c"]}]})
    >>> make_block([schema["t"]], "p=0.15").matrix
    Response(values=3, keep=Fraction(7, 10))
    """
    names, sizes = tuple(f.name for f in fields), tuple(f.size for f in fields)
    try:
        if (cells := prod(sizes)) > LARGEST_BLOCK:
            raise OptionError(f"{cells:,} values together are more than the {LARGEST_BLOCK:,} that a block may have.")
        terms = read_terms(asked)
        matrix = _matrix(fields, terms)
        if matrix is not None and not matrix.unchanged:
            matrix.require_inverse()
    except UserError as error:
        raise OptionError(f"{' and '.join(names)}: {error}") from None
    keep = "" if matrix is not None else str(_number(terms["invariant"], "invariant"))
    return Block(
        columns=names, sizes=sizes, matrix=matrix, asked=_written(asked, terms), from_data=matrix is None, keep=keep
    )


def block_labels(fields: Sequence[Field]) -> tuple[str, ...]:
    """One text for each cell of a block, the first column slowest.

    >>> from understudy.schema import Schema
    >>> schema = Schema.from_dict({"fields": [{"name": n, "categories": ["x", "y"]} for n in "ab"]})
    >>> block_labels(schema.fields)
    ('x / x', 'x / y', 'y / x', 'y / y')
    """
    return tuple(" / ".join(labels) for labels in product(*(f.labels for f in fields)))


def read_terms(asked: Asked) -> dict[str, Any]:
    """What is asked for as named terms, exactly one of them a form.

    >>> read_terms("groups=a 'b c'|d; p=1/5")
    {'groups': [['a', 'b c'], ['d']], 'p': '1/5'}
    """
    if isinstance(asked, str):
        terms = _read_text(asked)
    elif isinstance(asked, Mapping):
        terms = {str(key): value for key, value in asked.items()}
    else:
        terms = {"matrix": asked}
    for key in terms:
        if key not in _KEYS:
            raise OptionError(f"'{key}' is no way to ask for a matrix. {did_you_mean(key, _KEYS)}")
    forms = [key for key in _FORMS if key in terms]
    if len(forms) != 1:
        given = " and ".join(forms) if forms else "none of them"
        raise OptionError(f"a matrix is asked for by exactly one of {', '.join(_FORMS)}. Got {given}.")
    for extra, form in (("groups", "p"), ("distribution", "invariant")):
        if extra in terms and form not in terms:
            raise OptionError(f"'{extra}' goes with {form}, as in '{extra}=…; {form}=0.2'. Got {forms[0]}.")
    return terms


def _read_text(text: str) -> dict[str, Any]:
    if text.strip().lower() == "none":
        return {"none": True}
    terms: dict[str, Any] = {}
    for part in _split(text, ";"):
        key, equals, value = part.partition("=")
        name = key.strip().lower()
        if not equals or not value.strip() or name in terms:
            raise OptionError(
                f"'{text[:80]}' cannot be read as a matrix. Write one of: epsilon=0.7, gamma=3, p=0.1, p=0.1/0.25, "
                "'groups=a b|c d; p=0.2', invariant=0.8, matrix=file.csv, none."
            )
        terms[name] = value.strip()
    if "groups" in terms:
        terms["groups"] = [_words(group) for group in _split(terms["groups"], "|")]
    if "distribution" in terms:
        terms["distribution"] = _words(terms["distribution"])
    if "|" in terms.get("matrix", ""):
        terms["matrix"] = [_words(row) for row in terms["matrix"].split("|")]
    return terms


def _split(text: str, separator: str) -> list[str]:
    """Parts of a text, separators within quotes left alone."""
    return [part for part in re.findall(rf"""(?:"[^"]*"|'[^']*'|[^{re.escape(separator)}])+""", text) if part.strip()]


def _words(text: str) -> list[str]:
    """Words separated by blanks or commas; quotes hold a word with blanks together."""
    found = re.findall(r""""([^"]*)"|'([^']*)'|([^\s,]+)""", text)
    return [double or single or bare for double, single, bare in found]


def _written(asked: Asked, terms: Mapping[str, Any]) -> str:
    """The request in short, for the plan's file: no rows, which are there in full, and no folders."""
    if "matrix" in terms:
        return f"matrix={Path(terms['matrix']).name}" if isinstance(terms["matrix"], str) else "matrix"
    if isinstance(asked, str):
        return asked.strip()
    shown = {key: value for key, value in terms.items() if key not in ("groups", "distribution")}
    return "; ".join("none" if key == "none" else f"{key}={_plain(value)}" for key, value in shown.items())


def _plain(value: Any) -> str:
    return "/".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _matrix(fields: Sequence[Field], terms: Mapping[str, Any]) -> TransitionMatrix | None:
    """None if it is worked out from the private table."""
    size = prod(f.size for f in fields)
    if "none" in terms or size == 1:
        return Response(size, Fraction(1))
    if "epsilon" in terms:
        return response_within(size, _number(terms["epsilon"], "epsilon"))
    if "gamma" in terms:
        return response_of_odds(size, _number(terms["gamma"], "gamma"))
    if "groups" in terms:
        return _grouped(fields, terms)
    if "p" in terms:
        chances = _chances(terms["p"])
        return response_to_others(size, chances[0]) if len(chances) == 1 else uneven(size, *chances)
    if "invariant" in terms:
        return _invariant(size, terms)
    rows = _rows(terms["matrix"], block_labels(fields) if size <= LARGEST_MATRIX else ())
    if len(rows) != size:
        raise OptionError(f"the matrix has {len(rows)} rows, and there are {size:,} values. Give one row for each.")
    return Matrix(tuple(tuple(_number(entry, "matrix") for entry in row) for row in rows))


def _grouped(fields: Sequence[Field], terms: Mapping[str, Any]) -> TransitionMatrix:
    if len(fields) > 1:
        raise OptionError("groups are of the values of one column. For several columns together, give the matrix.")
    groups = terms["groups"]
    if not isinstance(groups, Sequence) or isinstance(groups, str) or not all(_is_list(g) for g in groups):
        raise OptionError("groups must be lists of values, such as [['a', 'b'], ['c', 'd']].")
    return block_diagonal(fields[0].labels, [[str(label) for label in g] for g in groups], _number(terms["p"], "p"))


def _invariant(size: int, terms: Mapping[str, Any]) -> Matrix | None:
    keep = _number(terms["invariant"], "invariant")
    step = Response(size, keep)
    step.require_inverse()
    if "distribution" not in terms:
        if size > LARGEST_MATRIX:
            raise OptionError(f"an invariant matrix is for at most {LARGEST_MATRIX:,} values. There are {size:,}.")
        return None
    given = terms["distribution"]
    shares = [_number(share, "distribution") for share in given] if _is_list(given) else []
    if len(shares) != size or sum(shares) != 1 or min(shares) <= 0:
        raise OptionError(
            f"distribution must be {size:,} shares above 0 that add up to 1, one for each value in the declared order. "
            f"Got {len(shares):,} that add up to {float(sum(shares)):.12g}."
        )
    return invariant_matrix(shares, keep)


def _is_list(value: object) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)


def _chances(written: Any) -> tuple[Fraction, ...]:
    """One or two probabilities: 1/4 is a fraction, 0.1/0.25 are two."""
    if isinstance(written, str):
        parts = _words(written)
        above, slash, below = written.partition("/")
        if len(parts) == 1 and slash and not (above.strip().isdigit() and below.strip().isdigit()):
            parts = [above, below]
    else:
        parts = list(written) if _is_list(written) else [written]
    if len(parts) not in (1, 2):
        raise OptionError(f"p is one probability or two, such as p=0.1 or p=0.1/0.25. Got {len(parts)}.")
    return tuple(_number(part, "p") for part in parts)


def _number(written: Any, what: str) -> Fraction:
    try:
        return exact_number(written)
    except ValueError:
        raise OptionError(f"{what} needs a number, such as 0.25 or 1/4. Got {str(written)[:40]!r}.") from None


def _rows(given: Any, labels: Sequence[str]) -> list[list[Any]]:
    """Rows in the declared order, from rows, a mapping of labels, or a file of either."""
    if isinstance(given, str | Path):
        path = Path(given)
        if path.suffix.lower() in (".yaml", ".yml", ".json"):
            given = read_document(path, what="matrix", command="randomize plan")
        else:
            text = read_text(path, f"there is no matrix file {path}. Name a CSV, YAML or JSON file with its rows.")
            separator = next((mark for mark in ";\t" if mark in text), ",")
            lines = csv.reader(text.splitlines(), delimiter=separator)
            given = [[cell.strip() for cell in line] for line in lines if any(cell.strip() for cell in line)]
    if isinstance(given, Mapping):
        inner = [[row.get(name) for name in given] if isinstance(row, Mapping) else row for row in given.values()]
        given = [["", *given], *([name, *row] for name, row in zip(given, inner, strict=True) if _is_list(row))]
    if not _is_list(given) or not all(_is_list(row) for row in given):
        raise OptionError("a matrix is a list of rows, each a list of probabilities.")
    return _in_order([list(row) for row in given], labels)


def _in_order(rows: list[list[Any]], labels: Sequence[str]) -> list[list[Any]]:
    """Rows and columns with labels are put in the declared order; the shape says which have them."""
    size = len(labels)
    headed = len(rows) == size + 1
    named = all(len(row) == size + 1 for row in rows[headed:])
    if not rows or not size or not (headed or named):
        return rows
    head = [str(label) for label in (rows[0][-size:] if headed else [row[0] for row in rows])]
    side = [str(row[0]) for row in rows[headed:]] if named else head
    for found in (head, side):
        if sorted(found) != sorted(labels):
            odd = next((label for label in found if label not in labels), found[0] if found else "")
            raise OptionError(
                f"the labels of the matrix are not the declared values. '{odd}': " + did_you_mean(odd, labels)
            )
    body = {label: dict(zip(head, row[named:], strict=False)) for label, row in zip(side, rows[headed:], strict=True)}
    if any(len(row) != size for row in body.values()):
        raise OptionError(f"a row of the matrix does not have {size:,} entries. Give one for each value.")
    return [[body[true][published] for published in labels] for true in labels]
