"""Which columns classifiers are to predict: those that can be learnt and tested on the rows there are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from understudy._core.errors import OptionError, did_you_mean
from understudy.evaluation._pair import Pair
from understudy.evaluation._verdict import columns_named
from understudy.schema import Codes, Determines, MissingWhen, Schema
from understudy.tables import Table

MOST_TARGETS = 3
FEWEST_OF_A_CLASS = 20
"""Real rows that two classes of a target need, each, to learn from and again to test on: of fewer, one row more or less
that is recognised moves the average of all targets."""
_FEWEST_ROWS = 10


@dataclass(frozen=True)
class Targets:
    """Columns to predict, and those passed over that would have had their turn.

    >>> Targets(("sex",), ("smoker",)).said
    '; `smoker` left out: under 20 real rows of a second value to learn from or to test on'
    """

    chosen: tuple[str, ...]
    passed_over: tuple[str, ...] = ()
    least: int = FEWEST_OF_A_CLASS

    @property
    def said(self) -> str:
        """What a result says of columns that were passed over, after what it was computed on."""
        if not self.passed_over:
            return ""
        named = ", ".join(columns_named([name]) for name in self.passed_over)
        few = f"under {self.least}" if self.least > 1 else "no"
        return f"; {named} left out: {few} real rows of a second value to learn from or to test on"


def default_targets(schema: Schema, *, limit: int = MOST_TARGETS) -> tuple[str, ...]:
    """Columns that make good targets: 2 to 20 categories, fewest first, and of those the later columns first.

    >>> schema = Schema.from_dict({"fields": [{"name": "sex", "categories": ["F", "M"]},
    ...     {"name": "region", "categories": ["N", "S", "E"]}, {"name": "smoker", "type": "boolean"}]})
    >>> default_targets(schema, limit=2)
    ('smoker', 'sex')
    """
    fields = [(len(f.categories), -i, f.name) for i, f in enumerate(schema.fields) if 2 <= len(f.categories) <= 20]
    telling = [one for one in schema.dependencies if isinstance(one, Determines | MissingWhen)]
    untold = [field for field in fields if not any(field[-1] in one.columns for one in telling)]
    return tuple(name for *_, name in sorted(untold or fields)[:limit])  # a dependency gives others away


def check_targets(pair: Pair, targets: Sequence[str]) -> tuple[str, ...]:
    """The columns that were named, each once.

    Raises:
        OptionError: for an unknown column, or one that is constant.
    """
    if not targets:
        raise OptionError("no column to predict is named. Name some, or leave targets out to have them chosen.")
    chosen = (targets,) if isinstance(targets, str) else tuple(dict.fromkeys(targets))
    for name in chosen:
        if name not in pair.names:
            raise OptionError(f"there is no column '{name}' to predict. {did_you_mean(name, pair.names)}")
        column = pair.real.columns[pair.domain.index(name)]
        if (column == column[0]).all():
            raise OptionError(
                f"target '{name}' is constant: every real row has the same value, so there is nothing to predict. "
                "Choose another column."
            )
    return chosen


def choose_targets(pair: Pair, targets: Sequence[str] | None, train: Table, test: Table) -> Targets:
    """Those named that have two values in both parts of the real rows, or the first three of `default_targets` that
    have `FEWEST_OF_A_CLASS` rows of two values in both.

    Raises:
        OptionError: for an unknown column, or one that is constant.
    """
    named = None if targets is None else check_targets(pair, targets)
    wanted = default_targets(pair.schema, limit=len(pair.names)) if named is None else named
    least, most = (FEWEST_OF_A_CLASS, MOST_TARGETS) if named is None else (1, len(wanted))
    chosen: list[str] = []
    passed_over: list[str] = []
    for name in wanted:
        column = pair.domain.index(name)
        enough = all(_second_largest(table, column) >= least for table in (train, test))
        (chosen if enough else passed_over).append(name)
        if len(chosen) == most:
            break
    return Targets(tuple(chosen), tuple(passed_over), least)


def _second_largest(table: Table, column: int) -> int:
    """How many rows have the value that is the most frequent but one."""
    counts = np.sort(np.bincount(table.columns[column], minlength=2))
    return int(counts[-2])


def judged_values(train: Table, test: Table, column: int) -> Codes:
    """Codes of a target that skills are averaged over: of `FEWEST_OF_A_CLASS` real rows to learn from and to test on.

    A rarer one would weigh as much as the most frequent, by one row or two. Where fewer than two are left, which a
    target that was named may be, they are all that the test has.

    >>> from understudy.schema import Schema
    >>> domain = Schema.from_dict({"fields": [{"name": "a", "categories": ["x", "y", "z"]}]}).domain
    >>> table = Table(domain, (np.repeat([0, 1, 2], [40, 30, 5]),))
    >>> judged_values(table, table, 0).tolist()
    [0, 1]
    """
    size = test.domain[column].size
    parts = [np.bincount(table.columns[column], minlength=size) for table in (train, test)]
    enough = np.flatnonzero(np.minimum(*parts) >= FEWEST_OF_A_CLASS)
    judged = enough if len(enough) > 1 else np.flatnonzero(parts[1])
    return judged.astype(test.columns[column].dtype)


def hindrance(pair: Pair, targets: Targets) -> str | None:
    """Why nothing can be learnt from these tables, if so."""
    if pair.real.n < _FEWEST_ROWS or len(pair.domain) < 2:
        return f"it takes at least {_FEWEST_ROWS} real rows and two columns"
    if targets.chosen:
        return None
    if targets.passed_over and targets.least == 1:
        return "all real rows to learn from, or all to test on, have the same value of what is to be predicted"
    return (
        f"no column of the schema has 2 to 20 categories and, of two of them, {FEWEST_OF_A_CLASS} real rows each to "
        f"learn from and {FEWEST_OF_A_CLASS} to test on"
    )
