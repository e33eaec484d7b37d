"""Random range queries: how many rows have an age between 30 and 44, live in one of three regions, and earn at most so
much? What a user of the table would ask, at random."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from math import prod
from typing import Any

import numpy as np
import pyarrow as pa

from understudy._core.errors import OptionError
from understudy._core.randomness import Rng, streams
from understudy.counting import open_counter
from understudy.evaluation._measure import QUERIES_GROUP, Direction, MeasureInput, Need
from understudy.evaluation._pair import Pair, Progress
from understudy.evaluation._reference import References
from understudy.evaluation._result import MeasureResult
from understudy.evaluation._scales import Flags, Floats, Scale, scales_of
from understudy.evaluation._summary import not_measured, over_tables
from understudy.evaluation._verdict import off_by, points
from understudy.schema import Marginal
from understudy.tables import Table

_BATCH_CELLS = 1 << 22
_MOST_CELLS = 1 << 20
_MOST_COLUMNS = 3
_QUESTION = "Does it answer questions about ranges?"
_ABSOLUTE = "average error of random range queries, as a share of all rows"
_RELATIVE = "average relative error of random range queries"


@dataclass(frozen=True, eq=False)
class _Query:
    columns: tuple[int, ...]
    kept: tuple[Flags, ...]
    """For each column, the codes that are asked for."""

    @cached_property
    def cells(self) -> tuple[Any, ...]:
        """Where they are in the table of these columns."""
        return np.ix_(*self.kept)


def measure_ranges(
    pair: Pair,
    references: References,
    *,
    queries: int = 1000,
    sanity: float = 0.001,
    seed: int = 0,
    progress: Progress | None = None,
) -> list[MeasureResult]:
    """Two results: the average absolute error of random range queries, and their average relative error.

    A query names one to three columns (each number of columns equally often), drawn at random from those that have more
    than one code. Of an ordered column it asks for an interval between two places drawn at random (special values and
    missing are in none), of any other for a random subset of its codes: each with probability one half, but neither
    none nor all of them. The error is between the shares of rows in the two tables. The relative error divides by the
    real share, or by `sanity` where that is larger, so that a query that hardly any row meets does not drown the rest.

    Args:
        pair: the tables.
        references: the fresh sample and the independent columns to hold it against.
        queries: how many to draw.
        sanity: share of rows below which relative errors are not to be taken at their word.
        seed: the same seed asks the same questions.
        progress: called with what is being done, how much of it is done, and how much there is.

    >>> import pyarrow as pa
    >>> from understudy.evaluation import make_references, read_pair
    >>> from understudy.schema import Schema
    >>> schema = Schema.from_dict({"fields": [{"name": "smoker", "type": "boolean"}]})
    >>> pair = read_pair(pa.table({"smoker": [True, False]}), pa.table({"smoker": [True, True, True, False]}), schema)
    >>> [(one.name, round(one.value, 2)) for one in measure_ranges(pair, make_references(pair), queries=10)]
    [('range queries', 0.25), ('range queries, relative', 0.5)]
    """
    if queries < 1 or not 0 < sanity <= 1:
        raise OptionError(f"queries must be at least 1 and sanity above 0 and at most 1; got {queries} and {sanity}.")
    scales = scales_of(pair)
    asked = _draw(scales, queries, streams(seed).get("evaluate", "ranges"))
    if not asked:
        why = "no column has more than one value to choose from"
        return [
            not_measured(RANGE_QUERIES, "range queries", _QUESTION, definition=_ABSOLUTE, why=why),
            not_measured(RANGE_QUERIES, "range queries, relative", _QUESTION, definition=_RELATIVE, why=why),
        ]
    tables = [pair.real, *pair.synthetic, references.fresh_sample, references.independent_columns]
    shares: list[Floats] = []
    for done, table in enumerate(tables):
        if progress is not None:
            progress("range queries", done, len(tables))
        shares.append(_answers(table, asked))
    return _both(pair, asked, shares, sanity)


class RangeQueries:
    """How wrong answers to random range queries are."""

    name = "range queries"
    group = QUERIES_GROUP
    direction: Direction = "less"
    synonym = None
    needs: frozenset[Need] = frozenset()

    def compute(self, given: MeasureInput) -> Sequence[MeasureResult]:
        """What it finds."""
        return measure_ranges(given.pair, given.references, seed=given.seed, progress=given.progress)


RANGE_QUERIES = RangeQueries()


def _both(pair: Pair, asked: Sequence[_Query], shares: Sequence[Floats], sanity: float) -> list[MeasureResult]:
    real, *others = shares
    errors = [np.abs(one - real) for one in others]
    bound = np.maximum(real, sanity)
    names = pair.names
    words = [_in_words(query, names, pair.labels) for query in asked]
    note = f"; divided by the real share or {points(sanity)} % of rows, whichever is larger"
    return [
        _result("range queries", words, asked, pair, real, others, errors),
        _result(
            "range queries, relative", words, asked, pair, real, others, [error / bound for error in errors], note=note
        ),
    ]


def _draw(scales: Sequence[Scale], queries: int, rng: Rng) -> list[_Query]:
    usable = [i for i, scale in enumerate(scales) if (scale.n_places if scale.ordered else scale.size) > 1]
    asked = []
    for number in range(queries if usable else 0):
        width = min(1 + number % _MOST_COLUMNS, len(usable))
        columns = tuple(sorted(int(usable[i]) for i in rng.choice(len(usable), size=width, replace=False)))
        asked.append(_Query(columns, tuple(_kept(scales[i], rng) for i in columns)))
    return asked


def _kept(scale: Scale, rng: Rng) -> Flags:
    if scale.ordered:
        low, high = np.sort(rng.integers(scale.n_places, size=2))
        return np.asarray((scale.places >= low) & (scale.places <= high))
    kept = rng.random(scale.size) < 0.5
    if kept.all() or not kept.any():
        one = int(rng.integers(scale.size))
        kept[one] = not kept[one]
    return np.asarray(kept)


def _answers(table: Table, asked: Sequence[_Query]) -> Floats:
    """The share of rows each query finds; tables too wide to set out are answered row by row."""
    sizes = {query.columns: prod(table.domain[i].size for i in query.columns) for query in asked}
    answers = np.zeros(len(asked))
    counter = open_counter(table)
    by_columns: dict[tuple[int, ...], list[int]] = {}
    for position, query in enumerate(asked):
        by_columns.setdefault(query.columns, []).append(position)
    batch: list[tuple[int, ...]] = []
    cells = 0
    for place, (columns, positions) in enumerate(by_columns.items()):
        if sizes[columns] > _MOST_CELLS:
            for position in positions:
                answers[position] = _row_by_row(table, asked[position])
        else:
            batch.append(columns)
            cells += sizes[columns]
        if batch and (cells > _BATCH_CELLS or place == len(by_columns) - 1):
            for one, counts in zip(batch, counter.count([Marginal.of(*c) for c in batch]), strict=True):
                for position in by_columns[one]:
                    answers[position] = counts[asked[position].cells].sum()
            batch, cells = [], 0
    return answers / table.n


def _row_by_row(table: Table, query: _Query) -> int:
    found = [kept[table.columns[i]] for i, kept in zip(query.columns, query.kept, strict=True)]
    return int(np.count_nonzero(reduce(np.logical_and, found)))


def _result(
    name: str,
    words: Sequence[str],
    asked: Sequence[_Query],
    pair: Pair,
    real: Floats,
    others: Sequence[Floats],
    errors: Sequence[Floats],
    *,
    note: str = "",
) -> MeasureResult:
    *synthetic, fresh, independent = errors
    value, interval = over_tables([float(one.mean()) for one in synthetic])
    worst = int(synthetic[0].argmax())
    names = pair.names
    named = [tuple(names[i] for i in query.columns) for query in asked]
    relative = bool(note)
    what = "Answers to range queries" + (", relative to the right answer" if relative else "")

    def said(error: float) -> str:
        return f"{points(error)} %" if relative else f"{points(error)} points"

    low, high = float(fresh.mean()), float(independent.mean())
    details = pa.table(
        {
            "query": words,
            "columns": [list(columns) for columns in named],
            "real": real,
            "synthetic": others[0],
            "error": synthetic[0],
            "fresh_sample": fresh,
            "independent_columns": independent,
        }
    )
    return MeasureResult(
        RANGE_QUERIES,
        name,
        _QUESTION,
        definition=_RELATIVE if relative else _ABSOLUTE,
        value=value,
        score=max(0.0, 1 - value),
        verdict=off_by(what, value, (named[worst], float(synthetic[0][worst])), low, high, shown=said),
        from_zero=True,
        fresh_sample=low,
        independent_columns=high,
        scope=f"{len(asked):,} queries of 1 to {max(map(len, named))} columns, drawn at random{note}",
        worst=(named[worst], float(synthetic[0][worst])),
        interval=interval,
        details=details.take(pa.array(np.argsort(-synthetic[0], kind="stable"))),
        unit="number" if relative else "share",
    )


def _in_words(query: _Query, names: Sequence[str], columns: Sequence[Sequence[str]]) -> str:
    parts = []
    for i, kept in zip(query.columns, query.kept, strict=True):
        labels, codes = columns[i], np.flatnonzero(kept).tolist()
        few = codes if len(codes) <= 3 else (codes[0], codes[-1])
        parts.append(f"{names[i]} in {(', ' if len(codes) <= 3 else ', …, ').join(labels[code] for code in few)}")
    return "; ".join(parts)
