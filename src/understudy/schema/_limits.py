"""How much a schema may hold, checked before anything is built from it: a small file can describe a very large domain.

The limits lie far beyond any honest schema. They keep a hostile or mistyped one from filling the memory.
"""

from __future__ import annotations

import math
import reprlib
from collections.abc import Mapping, Sequence
from typing import Any

from understudy._core.addresses import hide_secrets
from understudy._core.errors import SchemaError

MAX_FILE_BYTES = 16 << 20
"""Bytes of a schema file."""
MAX_NODES = 2_000_000
"""Values in a schema file, those behind a YAML alias counted each time it is used."""
MAX_DEPTH = 100
"""Lists and mappings inside each other, the branches of a taxonomy among them."""
MAX_FIELDS = 10_000
"""Fields of a schema."""
MAX_VALUES = 1_000_000
"""Categories, bins or special values of one field."""
MAX_CELLS = 5_000_000
"""Codes of all fields, counted once for each level of generalisation."""
MAX_DIGITS = 400
"""Digits of a number: no 64-bit float has more before its point."""
MAX_FAULTS = 50
"""Faults that are told at once."""

_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 60
_SHORT.maxlevel = 3


def shown(value: Any) -> str:
    """A value as an error shows it, cut short where it is long.

    >>> shown("x" * 100), shown([1, [2, [3, [4]]]])
    ("'xxxxxxxxxxxxxxxxxxxxxxxxxxx...xxxxxxxxxxxxxxxxxxxxxxxxxxxx'", '[1, [2, [...]]]')
    """
    try:
        return _SHORT.repr(hide_secrets(value) if isinstance(value, str) else value)
    except Exception:  # a stranger's own __repr__, or a number of too many digits
        return f"a value of type {type(value).__name__}"


def check_content(content: Any) -> None:
    """Refuse content that is too large, too deep, endless, or that no file could hold. Raises SchemaError.

    >>> endless = []
    >>> endless.append(endless)
    >>> check_content({"fields": endless})
    Traceback (most recent call last):
    understudy._core.errors.SchemaError: the schema has more than 100 lists and mappings inside each other. Flatten it.
    """
    waiting: list[tuple[list[Any], int]] = [([content], 0)]
    n_nodes = 0
    while waiting:
        values, depth = waiting.pop()
        n_nodes += len(values)
        if n_nodes > MAX_NODES:
            raise SchemaError(f"the schema holds more than {MAX_NODES:,} values. List fewer categories, or use ranges.")
        if depth > MAX_DEPTH:
            raise SchemaError(f"the schema has more than {MAX_DEPTH} lists and mappings inside each other. Flatten it.")
        for value in values:
            _check_scalar(value)
            if isinstance(value, Mapping):
                waiting.append(([*value, *value.values()], depth + 1))
            elif isinstance(value, list | tuple | set | frozenset):
                waiting.append((list(value), depth + 1))


def check_sizes(fields: Sequence[Any]) -> None:
    """Refuse fields that together have more codes than any machine should build. Raises SchemaError.

    >>> check_sizes([{"name": "a", "bins": 900_000}] * 2)
    Traceback (most recent call last):
    understudy._core.errors.SchemaError: the fields have 36,000,000 codes in all, counted once for each level of \
generalisation; at most 5,000,000 are possible. Declare fewer bins or categories.
    """
    if len(fields) > MAX_FIELDS:
        raise SchemaError(f"the schema has {len(fields):,} fields; at most {MAX_FIELDS:,} are possible. Declare fewer.")
    cells = sum(_cells(field) for field in fields if isinstance(field, Mapping))
    if cells > MAX_CELLS:
        raise SchemaError(
            f"the fields have {cells:,} codes in all, counted once for each level of generalisation; at most "
            f"{MAX_CELLS:,} are possible. Declare fewer bins or categories."
        )


def all_faults(faults: Sequence[str]) -> SchemaError:
    """The error that tells these faults, or the first of very many.

    >>> all_faults(["one."] * 52).faults[-1]
    'There are 2 faults more. Mend these first.'
    """
    more = len(faults) - MAX_FAULTS
    rest = "There is 1 fault more" if more == 1 else f"There are {more:,} faults more"
    return SchemaError(*faults[:MAX_FAULTS], *([f"{rest}. Mend these first."] if more > 0 else []))


def _check_scalar(value: Any) -> None:
    if isinstance(value, str):
        if not value.isascii() and any("\ud800" <= character <= "\udfff" for character in value):
            raise SchemaError(f"{shown(value)} is not a text: it holds half a character. Write it as UTF-8.")
    elif isinstance(value, int) and value.bit_length() > MAX_DIGITS * math.log2(10):
        raise SchemaError(f"the schema holds a whole number of more than {MAX_DIGITS} digits. Use larger units.")


def _cells(field: Mapping[str, Any]) -> int:
    """Codes of a field as declared, times its levels; 0 where the declaration is at fault and is told later."""
    bins, categories = field.get("bins"), field.get("categories")
    if isinstance(bins, Mapping):
        edges = bins.get("edges")
        bins = len(edges) if isinstance(edges, list | tuple) else bins.get("count")
    if isinstance(categories, list | tuple):
        size, binary = len(categories), bool(field.get("categoriesOrdered"))
    else:
        size, binary = (bins, True) if isinstance(bins, int) else (0, False)
    if size > MAX_VALUES:
        return 0
    if isinstance(field.get("taxonomy"), list | tuple):
        return size * (_height(field["taxonomy"]) or 1)
    return size * size.bit_length() if binary else size


def _height(tree: Any) -> int:
    """Lists inside each other, `check_content` having bounded them."""
    height, layer = 0, [tree]
    while layer := [item for branch in layer if isinstance(branch, list | tuple) for item in branch]:
        height += 1
    return height
