"""The options of `correlate`, each declared once: flags of the command, arguments of the function, their checks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from understudy.options._constraints import Anything, Real, Several, Text, Whole
from understudy.options._declared import Declared, option


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrelateOptions(Declared):
    """What records are recognised by, and what counts as a link.

    >>> CorrelateOptions(fields="name").threshold
    0.6
    >>> CorrelateOptions(fields="name", threshold=0)
    Traceback (most recent call last):
    understudy._core.errors.OptionError: The 'threshold' parameter must be a number above 0 and of at most 1. Got 0 \
instead.
    """

    owner: ClassVar[str] = ""

    fields: Any = option(
        ...,
        Several(Anything(typed="str", text=True)),
        help="What to recognise records by: name, birthday, address, email, phone, id; columns; or column:TAG.",
        flags=("--fields", "-f"),
    )
    labels: Any = option(
        None,
        Anything(typed="object", text=True),
        help="Pairs known to belong together or not: a table row_a,row_b,same. Default: pairs made of the table.",
        flags="--labels",
    )
    key: str | None = option(
        None,
        Text(),
        help="Column whose values the labels name records by. Default: numbers of rows, from 0.",
        flags="--key",
    )
    threshold: Any = option(
        0.6,
        Real(above=0, at_most=1),
        help="Least degree of correlation that counts (ϑ0).",
        flags="--threshold",
    )
    max_rows: int = option(
        5,
        Whole(at_least=1),
        help="Declared most rows of a group: known from how the table was made, not read off it.",
        flags="--max-rows",
    )
    seed: int = option(
        0, Whole(), help="Of the pairs that are made and of the network's first weights.", flags="--seed"
    )
