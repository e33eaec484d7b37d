"""The L1 and L2 errors of the PrivABN paper (Lan, Hong, Chen, Cai, Wang, 2021). Private to the holder.

With N random queries, each for the table of α columns, and T_i(D) the table of the i-th in shares of the rows:

    L1 = (1/N) Σ_i Σ_j |T_i⁽ʲ⁾(D) − T_i⁽ʲ⁾(D̃)|            definition 4, equation (14)
    L2 = (1/N) Σ_i √( Σ_j (T_i⁽ʲ⁾(D) − T_i⁽ʲ⁾(D̃))² )        definition 5, equation (15)

Definition 4 speaks of the j-th row of the dataset. Rows of a synthetic table have no counterparts among the real
ones, and the paper's experiments compare answers to α-way queries, so j runs over the rows of the queried table here
as in definition 5; L1 is then twice the average total variation distance. Shares, not counts: the paper's L2 errors
of about 0.01 can be nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from understudy._core.errors import OptionError
from understudy._core.randomness import streams
from understudy.evaluation._counts import Chosen, choose_groups, joint_counts
from understudy.evaluation._interval import mean_interval
from understudy.evaluation._kernels import share_differences
from understudy.evaluation._measure import QUERIES_GROUP, Direction, MeasureInput, Need
from understudy.evaluation._pair import Pair, Progress
from understudy.evaluation._reference import References
from understudy.evaluation._result import MeasureResult
from understudy.evaluation._verdict import number, off_by

Floats = npt.NDArray[np.float64]

QUERIES = 200
_LONGEST_L2 = sqrt(2)
_FORMULAS = {
    "L1": "PrivABN's L1 error: sum of absolute differences of shares, averaged over the queries",
    "L2": "PrivABN's L2 error: root of the sum of squared differences of shares, averaged over the queries",
}


def measure_l1_l2(
    pair: Pair,
    references: References,
    *,
    ways: Sequence[int] = (3,),
    queries: int = QUERIES,
    seed: int = 0,
    progress: Progress | None = None,
) -> list[MeasureResult]:
    """The L1 and L2 errors over random α-way queries: results "L1 3-way", "L2 3-way" and so on.

    The paper asks 200 queries, with α of 3, 7 and 12 (NLTCS, ACS) and of 4, 6 and 8 (Retail). Where a table has
    fewer than so many groups of α columns, all of them are asked once; an α beyond the number of columns is left out.

    >>> from understudy.evaluation import make_references, read_pair
    >>> from understudy.schema import Schema
    >>> schema = Schema.from_dict({"fields": [{"name": n, "categories": ["x", "y"]} for n in "ab"]})
    >>> real, fake = pa.table({"a": list("xxyy"), "b": list("xxyy")}), pa.table({"a": list("xyxy"), "b": list("xxyy")})
    >>> pair = read_pair(real, fake, schema)
    >>> [(p.name, p.value) for p in measure_l1_l2(pair, make_references(pair), ways=[2])]
    [('L1 2-way', 1.0), ('L2 2-way', 0.5)]
    """
    if not ways or any(way < 1 for way in ways):
        raise OptionError(f"ways must be whole numbers from 1 on, at least one of them; got {list(ways)}.")
    if queries < 1:
        raise OptionError(f"queries must be at least 1; got {queries}.")
    found: list[MeasureResult] = []
    for way in sorted(set(ways)):
        if way > len(pair.domain):
            continue
        chosen = choose_groups(len(pair.domain), way, queries, streams(seed).get("evaluate", "queries", str(way)))
        errors = _errors(pair, references, chosen, way, progress)
        found += [
            _result(pair, way, chosen, kind, errors[i], most)
            for i, (kind, most) in enumerate({"L1": 2.0, "L2": _LONGEST_L2}.items())
        ]
    return found


class PrivABNErrors:
    """How wrong answers to random queries are, as the PrivABN paper counts."""

    name = "PrivABN's errors"
    group = QUERIES_GROUP
    direction: Direction = "less"
    synonym = "PrivABN"
    needs: frozenset[Need] = frozenset()

    def compute(self, given: MeasureInput) -> Sequence[MeasureResult]:
        """What it finds."""
        return measure_l1_l2(given.pair, given.references, seed=given.seed, progress=given.progress)


PRIVABN_ERRORS = PrivABNErrors()


def _errors(pair: Pair, references: References, chosen: Chosen, way: int, progress: Progress | None) -> Floats:
    """[L1 or L2, table, query]; the last two tables are the references."""
    tables = [pair.real, *pair.synthetic, references.fresh_sample, references.independent_columns]
    errors = np.empty((2, len(tables) - 1, len(chosen.groups)))
    told = None if progress is None else lambda done, total: progress(f"asking {way}-way queries", done, total)
    for joint in joint_counts(tables, chosen.groups, progress=told):
        for row, counts in enumerate(joint.counts[1:]):
            absolute, squared = share_differences(joint.counts[0], counts, float(tables[0].n), float(tables[row + 1].n))
            errors[:, row, joint.position] = absolute, sqrt(squared)
    return errors


def _result(pair: Pair, way: int, chosen: Chosen, kind: str, errors: Floats, most: float) -> MeasureResult:
    synthetic = errors[:-2].mean(axis=0)
    order = np.argsort(-synthetic, kind="stable")
    groups = [tuple(pair.names[a] for a in chosen.groups[i]) for i in order.tolist()]
    value, fresh, independent = float(synthetic.mean()), float(errors[-2].mean()), float(errors[-1].mean())
    columns: dict[str, pa.Array] = {f"column_{i + 1}": pa.array([group[i] for group in groups]) for i in range(way)}
    rows = {"error": synthetic, "fresh_sample": errors[-2], "independent_columns": errors[-1]}
    columns |= {name: pa.array(numbers[order]) for name, numbers in rows.items()}
    worst = float(synthetic[order[0]])
    return MeasureResult(
        PRIVABN_ERRORS,
        f"{kind} {way}-way",
        f"How wrong are answers to {way}-way queries, as PrivABN's authors count it?",
        definition=_FORMULAS[kind],
        value=value,
        fresh_sample=fresh,
        independent_columns=independent,
        score=1.0 - value / most,
        scope=chosen.scope.replace("table", "query").replace("querys", "queries"),
        worst=(groups[0], worst),
        interval=mean_interval(errors[:-2].mean(axis=1).tolist()),
        details=pa.table(columns),
        unit="number",
        verdict=off_by(
            f"{kind} error of {way}-way queries",
            value,
            (groups[0], worst),
            fresh,
            independent if way > 1 else None,
            shown=number,
        ),
        from_zero=True,
    )
