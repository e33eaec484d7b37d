"""Whether cells are what the schema allows, and whether rows keep the dependencies it declares.

A cell is invalid if it lies outside the declared range or categories, is not of the declared type, or is missing where
nothing may be. Dependencies are judged on codes, so values in one bin are not told apart:

- `{determines: […], column: …}`: for each combination of determining codes, the value that most rows of the same table
  have with it is the one that follows (the smallest code in a tie), and a row with another breaks it. Whether it is
  also the one that most real rows have is told apart from that, as "determined values": a release keeps such a
  dependency in every row by a map that it had to learn with noise. Combinations that no real row has do not count.
  Where a `map` is declared, that is the right one, and combinations it does not list count as kept.
- `{missing: …, when: …}` and `{impossible: …}`: a row breaks it if its codes do.
- `{lower: …, upper: …}`: a row breaks it if the smallest value of the one code is larger than the largest of the other,
  so that no values of these bins would keep it. Rows where it depends on the values inside the bins are undecided and
  count as kept. Rows with a special, missing or other value in either column are not judged, and count as kept.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
import pyarrow as pa

from understudy.charts import tidy
from understudy.evaluation._measure import VALIDITY_GROUP, Direction, MeasureInput, Need
from understudy.evaluation._pair import Pair, Progress
from understudy.evaluation._reference import References
from understudy.evaluation._result import MeasureResult
from understudy.evaluation._scales import Ints, Scale, scales_of
from understudy.evaluation._summary import over_tables
from understudy.evaluation._verdict import columns_named, points
from understudy.schema import Dependency, Determines, InOrder, checks_of
from understudy.tables import Table


@dataclass(frozen=True)
class Kept:
    """How the rows of a table keep one dependency, as shares of its rows."""

    broken: float
    undecided: float = 0.0


def measure_validity(pair: Pair, references: References, *, progress: Progress | None = None) -> list[MeasureResult]:
    """The result "validity", "dependencies" if there are any, "determined values" if some have no declared map.

    >>> import pyarrow as pa
    >>> from understudy.evaluation import make_references, read_pair
    >>> from understudy.schema import Schema
    >>> schema = Schema.from_dict({"fields": [{"name": "sex", "categories": ["F", "M"]}]})
    >>> pair = read_pair(pa.table({"sex": ["M", "F", "M"]}), pa.table({"sex": ["M", "X"]}), schema)
    >>> print(measure_validity(pair, make_references(pair))[0].verdict)
    50.0 % of cells and 50.0 % of rows hold something that the schema does not allow, most in `sex`; in the real table \
0.0 % of cells do.
    """
    if progress is not None:
        progress("validity", 0, 1)
    scales = scales_of(pair)
    found = [_cells(pair, references, scales)]
    if pair.schema.dependencies:
        found.append(_dependencies(pair, references, scales))
    learnt = [one for one in pair.schema.dependencies if isinstance(one, Determines) and not one.table]
    if learnt:
        found.append(_determined(pair, references, learnt))
    return found


class Validity:
    """Whether rows could exist: cells as the schema allows them, dependencies kept."""

    name = "validity"
    group = VALIDITY_GROUP
    direction: Direction = "less"
    synonym = None
    needs: frozenset[Need] = frozenset()

    def compute(self, given: MeasureInput) -> Sequence[MeasureResult]:
        """What it finds."""
        return measure_validity(given.pair, given.references, progress=given.progress)


VALIDITY = Validity()
_LIMITS = 0.02, 0.06  # of determined values that are off: up to the first close to real, up to the second with care


def _cells(pair: Pair, references: References, scales: Sequence[Scale]) -> MeasureResult:
    value, interval = over_tables([_invalid(table, scales) for table in pair.synthetic])
    fresh, independent = _invalid(references.fresh_sample, scales), _invalid(references.independent_columns, scales)
    real, first = pair.faults.real, pair.faults.synthetic[0]
    totals = np.array([column.total for column in first.columns])
    worst = int(totals.argmax())
    flagged = (scale.foreign[column] for scale, column in zip(scales, pair.first.columns, strict=True))
    rows = float(np.mean(reduce(np.logical_or, flagged)))
    extra = f" It has columns that the schema does not: {_listed(first.extra)}." if first.extra else ""
    own = _invalid(pair.real, scales)
    details = pa.table(
        {
            "column": [column.name for column in first.columns],
            "invalid": totals / first.n_rows,
            "missing": [column.missing / first.n_rows for column in first.columns],
            "outside": [column.outside / first.n_rows for column in first.columns],
            "wrong_type": [column.wrong_type / first.n_rows for column in first.columns],
            "real": [column.total / real.n_rows for column in real.columns],
        }
    )
    return MeasureResult(
        VALIDITY,
        "validity",
        "Is every cell what the schema allows?",
        definition="share of cells outside their range or categories, of another type, or missing where none may be",
        value=value,
        score=1 - value,
        verdict=(
            "Every cell is what the schema allows"
            + (f"; in the real table {points(own)} % are not." if own else ", as in the real table.")
            if value == 0
            else f"{points(value)} % of cells and {points(rows)} % of rows hold something that the schema does not "
            f"allow, most in {columns_named([first.columns[worst].name])}; in the real table "
            f"{points(own)} % of cells do."
        )
        + extra,
        fresh_sample=fresh,
        independent_columns=independent,
        scope=f"all {len(scales)} columns",
        worst=((first.columns[worst].name,), float(totals[worst] / first.n_rows)) if value else None,
        interval=interval,
        details=details.take(pa.array(np.argsort(-totals, kind="stable"))),
    )


def _listed(names: Sequence[str], most: int = 5) -> str:
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(columns_named([name]) for name in names[:most]) + more


def _invalid(table: Table, scales: Sequence[Scale]) -> float:
    """The share of cells with a code that the schema does not have."""
    columns = zip(scales, table.columns, strict=True)
    return float(np.mean([scale.foreign[column].mean() if scale.foreign.any() else 0.0 for scale, column in columns]))


def _dependencies(pair: Pair, references: References, scales: Sequence[Scale]) -> MeasureResult:
    declared = pair.schema.dependencies
    judges = [judge_of(dependency, pair, scales) for dependency in declared]
    tables = [*pair.synthetic, references.fresh_sample, references.independent_columns, pair.real]
    found = [[judge(table) for judge in judges] for table in tables]
    broken = np.array([[kept.broken for kept in one] for one in found])
    value, interval = over_tables([float(share) for share in broken[:-3].mean(axis=1)])
    first, fresh, independent, real = broken[0], broken[-3], broken[-2], broken[-1]
    worst = int((first - real).argmax())
    details = pa.table(
        {
            "dependency": [dependency.text for dependency in declared],
            "broken": first,
            "undecided": [kept.undecided for kept in found[0]],
            "real": real,
            "fresh_sample": fresh,
            "independent_columns": independent,
        }
    )
    count = len(declared)
    return MeasureResult(
        VALIDITY,
        "dependencies",
        "Do rows keep what is declared to hold between columns?",
        definition="share of rows that break a declared dependency, on average over dependencies",
        value=value,
        score=1 - value,
        verdict=(
            f"{points(value)} % of rows break a declared dependency"
            + (" on average" if count > 1 else "")
            + f"; in the real table {points(float(real.mean()))} %. A fresh sample of as many rows would show "
            f"{points(float(fresh.mean()))}, independent columns {points(float(independent.mean()))}"
            + (
                f". Worst: {tidy(declared[worst].text)}, broken in {points(float(first[worst]))} % of rows."
                if value
                else "."
            )
        ),
        fresh_sample=float(fresh.mean()),
        independent_columns=float(independent.mean()),
        scope=f"{count} declared dependenc{'ies' if count > 1 else 'y'}, judged on codes",
        worst=(declared[worst].columns, float(first[worst])),
        interval=interval,
        details=details.take(pa.array(np.argsort(real - first, kind="stable"))),
    )


def _determined(pair: Pair, references: References, learnt: Sequence[Determines]) -> MeasureResult:
    """Whether columns that follow from others do so by the real map."""
    tables = [*pair.synthetic, references.fresh_sample, references.independent_columns, pair.real]
    other = np.array([[_follows(table, pair.real, pair, one).broken for one in learnt] for table in tables])
    value, interval = over_tables([float(share) for share in other[:-3].mean(axis=1)])
    first, fresh, independent, real = other[0], other[-3], other[-2], other[-1]
    worst = int(first.argmax())
    wrong = f" Worst: {tidy(learnt[worst].text)}, {points(float(first[worst]))} % of rows." if len(learnt) > 1 else ""
    return MeasureResult(
        VALIDITY,
        "determined values",
        "Where a column follows from others, does it by the real map?",
        definition="share of rows whose value is not the one that most real rows have with what it follows from",
        value=value,
        score=1 - value,
        verdict=(
            f"{points(value)} % of rows have another value than real rows have with the same "
            f"{columns_named(learnt[worst].determines)}"
            + (" or its like, on average" if len(learnt) > 1 else f" in {columns_named([learnt[worst].column])}")
            + f"; independent columns would have {points(float(independent.mean()))} %.{wrong} Which value follows is "
            "learnt with noise, unless the schema has a map."
        ),
        fresh_sample=float(fresh.mean()),
        independent_columns=float(independent.mean()),
        scope=f"{len(learnt)} dependenc{'ies' if len(learnt) > 1 else 'y'} without a declared map, judged on codes",
        worst=(learnt[worst].columns, float(first[worst])),
        interval=interval,
        limits=_LIMITS,
        details=pa.table(
            {
                "dependency": [one.text for one in learnt],
                "other_value": first,
                "real": real,
                "fresh_sample": fresh,
                "independent_columns": independent,
            }
        ).take(pa.array(np.argsort(-first, kind="stable"))),
    )


def judge_of(dependency: Dependency, pair: Pair, scales: Sequence[Scale]) -> Callable[[Table], Kept]:
    """How any table of the pair keeps this dependency."""
    if isinstance(dependency, InOrder):
        return lambda table: _keeps_order(table, pair, dependency, scales)
    if isinstance(dependency, Determines) and not dependency.table:
        return lambda table: _follows(table, table, pair, dependency)
    return lambda table: _keeps_checks(table, pair, dependency)


def _follows(table: Table, known: Table, pair: Pair, dependency: Determines) -> Kept:
    """Whether rows of a table have the value that most rows of a known one have with what it follows from."""
    columns = [pair.domain.index(name) for name in dependency.determines]
    target = pair.domain.index(dependency.column)
    keys = _joint_keys([np.concatenate([known.columns[i], table.columns[i]]) for i in columns])
    there, other = keys[: known.n], keys[known.n :]
    right = np.full(int(keys.max()) + 1, -1, dtype=np.int64)
    width = pair.domain[target].size
    seen, counts = np.unique(there * width + known.columns[target], return_counts=True)
    # The last written wins: the most frequent, and of equals the smallest code.
    order = np.lexsort((-seen, counts))
    right[seen[order] // width] = seen[order] % width
    return Kept(broken=float(np.mean((right[other] >= 0) & (right[other] != table.columns[target]))))


def _keeps_checks(table: Table, pair: Pair, dependency: Dependency) -> Kept:
    """What is declared cell by cell. Rows with a code that the schema does not have are not judged."""
    [(_, checks)] = checks_of(pair.schema.fields, [dependency])
    judged = np.ones(table.n, dtype=np.bool_)
    columns = list(table.columns)
    for name in dependency.columns:
        at, size = pair.domain.index(name), pair.schema[name].size
        judged &= table.columns[at] < size
        columns[at] = np.minimum(table.columns[at], size - 1)
    broken = reduce(np.logical_or, (check.broken(columns) for check in checks))
    return Kept(broken=float(np.mean(broken & judged)))


def _joint_keys(columns: Sequence[Ints]) -> Ints:
    """One number for each combination of codes, 0, 1, …"""
    keys = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        joined = keys * (int(column.max()) + 1) + column
        keys = np.unique(joined, return_inverse=True)[1].astype(np.int64)
    return keys


def _keeps_order(table: Table, pair: Pair, dependency: InOrder, scales: Sequence[Scale]) -> Kept:
    at = pair.domain.index(dependency.lower), pair.domain.index(dependency.upper)
    lower, upper = scales[at[0]], scales[at[1]]
    judged = (lower.places >= 0)[:, None] & (upper.places >= 0)[None, :]
    broken = judged & (lower.low[:, None] > upper.high[None, :])
    undecided = judged & ~broken & (lower.high[:, None] > upper.low[None, :])
    rows = table.columns[at[0]], table.columns[at[1]]
    return Kept(broken=float(broken[rows].mean()), undecided=float(undecided[rows].mean()))
