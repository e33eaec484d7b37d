"""How far the contingency tables of a synthetic table are from the real ones. Private to the holder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from understudy._core.errors import OptionError
from understudy._core.randomness import streams
from understudy.counting import Counts
from understudy.evaluation._by_chance import apart_by_chance, one_share_off
from understudy.evaluation._counts import Chosen, choose_groups, joint_counts
from understudy.evaluation._from_model import ModelTables
from understudy.evaluation._interval import mean_interval
from understudy.evaluation._kernels import crossed_difference, share_differences
from understudy.evaluation._measure import TABLES_GROUP, Direction, MeasureInput, Need
from understudy.evaluation._pair import Pair, Progress
from understudy.evaluation._reference import References
from understudy.evaluation._result import MeasureResult
from understudy.evaluation._verdict import MARGIN, beside_references, columns_named, points
from understudy.evaluation._whole import whole_counts
from understudy.models import Model
from understudy.options import MAX_TABLES

Floats = npt.NDArray[np.float64]

MODEL_TABLES = 200
_WORDS = {1: "Single columns", 2: "Two-way tables", 3: "Three-way tables", 4: "Four-way tables"}
_QUESTIONS = {1: "Does each column look right?", 2: "Do pairs of columns agree?"}


def total_variation(real: Counts, other: Counts) -> float:
    """The total variation distance ½ Σ |p − q| between the shares of two flat tables of counts, whatever their sums.

    It is the largest difference between the shares of rows that any group of cells has in the two. Exact but for one
    rounding, as long as the product of the sums stays below 2⁶².

    >>> total_variation(np.array([1, 1, 0]), np.array([2, 0, 2]))
    0.5
    """
    n, m = int(real.sum()), int(other.sum())
    if n * m < 1 << 62:
        return int(crossed_difference(real, other, n, m)) / (2 * n * m)
    return float(share_differences(real, other, float(n), float(m))[0]) / 2


def measure_tables(
    pair: Pair,
    references: References,
    *,
    ways: Sequence[int] = (1, 2, 3),
    max_tables: int = MAX_TABLES,
    seed: int = 0,
    model: Model | None = None,
    progress: Progress | None = None,
) -> list[MeasureResult]:
    """The total variation distance of all α-way tables: on average, at worst, and table by table.

    One result for each α in `ways`, named "1-way", "2-way" and so on; an α beyond the number of columns has none.
    With several synthetic tables the distances are means over them, and `interval` is that of their averages.

    Args:
        pair: the real table and the synthetic ones.
        references: the fresh sample and the independent columns to hold it against.
        ways: how many columns the tables have.
        max_tables: of each α. If there are more, so many are drawn at random, and `scope` says so. The default takes
            all 19,600 three-way tables of 50 columns: 100,000 rows take some ten seconds on two cores.
        seed: of that draw, and of the draw of the tables that the model is asked for.
        model: asked for the same tables, or for 200 of each α drawn at random: distances without sampling error.
        progress: called with what is being done, how much of it is done, and how much there is.

    >>> from understudy.evaluation import make_references, read_pair
    >>> from understudy.schema import Schema
    >>> schema = Schema.from_dict({"fields": [{"name": n, "categories": ["x", "y"]} for n in "ab"]})
    >>> real, fake = pa.table({"a": list("xxyy"), "b": list("xxyy")}), pa.table({"a": list("xyxy"), "b": list("xxyy")})
    >>> pair = read_pair(real, fake, schema)
    >>> [(p.name, p.value) for p in measure_tables(pair, make_references(pair))]
    [('1-way', 0.0), ('2-way', 0.5)]
    """
    if not ways or any(way < 1 for way in ways):
        raise OptionError(f"ways must be whole numbers from 1 on, at least one of them; got {list(ways)}.")
    if max_tables < 1:
        raise OptionError(f"max_tables must be at least 1; got {max_tables}.")
    answers = None if model is None else ModelTables(pair, model)
    found = []
    for way in sorted(set(ways)):
        if way > len(pair.domain):
            continue
        chosen = choose_groups(len(pair.domain), way, max_tables, streams(seed).get("evaluate", "tables", str(way)))
        distances = _distances(pair, references, chosen, way, progress)
        if answers is not None:
            rng = streams(seed).get("evaluate", "model", str(way))
            distances.asked = answers.distances(chosen.groups, MODEL_TABLES, rng, progress)
        found.append(_result(pair, way, chosen, distances))
    return found


class TableDistances:
    """How far tables of so many columns are from the real ones."""

    name = "tables"
    group = TABLES_GROUP
    direction: Direction = "less"
    synonym = None
    needs: frozenset[Need] = frozenset()

    def compute(self, given: MeasureInput) -> Sequence[MeasureResult]:
        """What it finds."""
        return measure_tables(
            given.pair,
            given.references,
            ways=given.ways,
            max_tables=given.max_tables,
            seed=given.seed,
            model=given.model,
            progress=given.progress,
        )


TABLE_DISTANCES = TableDistances()


@dataclass
class _Distances:
    """Row t: the t-th synthetic table; the last two rows: the references. One column for each contingency table."""

    all: Floats
    by_chance: Floats
    """How far apart two samples of one population would be."""
    asked: Floats | None = None
    """From the model; NaN where it was not asked."""
    one_share: Floats | None = None
    """Of single columns, how far one share is off beyond chance: the mean over the synthetic tables."""

    @property
    def synthetic(self) -> Floats:
        """The mean over the synthetic tables."""
        return np.asarray(self.all[:-2].mean(axis=0))

    def beyond_chance(self, distances: Floats) -> float:
        """How much larger these are than chance makes them, on average over all tables."""
        # what chance does and what is wrong do not add up: their squares do
        return float(np.sqrt(np.maximum(0.0, distances**2 - (MARGIN * self.by_chance) ** 2)).mean())


def _distances(pair: Pair, references: References, chosen: Chosen, way: int, progress: Progress | None) -> _Distances:
    tables = [pair.real, *pair.synthetic, references.fresh_sample, references.independent_columns]
    found = np.empty((len(tables) - 1, len(chosen.groups)))
    by_chance, one_share = np.empty(len(chosen.groups)), np.zeros(len(chosen.groups))
    told = None if progress is None else lambda done, total: progress(f"comparing {way}-way tables", done, total)
    if pair.whole is None:
        joints = joint_counts(tables, chosen.groups, progress=told)
    else:
        rng = streams(references.seed).get("evaluate", "references", str(way))
        joints = whole_counts(pair.whole, chosen.groups, rng, pair.faults.synthetic[0].n_rows, tables)
    for joint in joints:
        real = joint.counts[0]
        by_chance[joint.position] = apart_by_chance(real, int(joint.counts[1].sum()))
        for row, counts in enumerate(joint.counts[1:]):
            found[row, joint.position] = total_variation(real, counts)
        if way == 1:
            one_share[joint.position] = np.mean([one_share_off(real, counts) for counts in joint.counts[1:-2]])
    return _Distances(found, by_chance, one_share=one_share if way == 1 else None)


def _result(pair: Pair, way: int, chosen: Chosen, distances: _Distances) -> MeasureResult:
    synthetic, fresh, independent = distances.synthetic, distances.all[-2], distances.all[-1]
    worst = int(synthetic.argmax())
    columns = tuple(pair.names[a] for a in chosen.groups[worst])
    value = float(synthetic.mean())
    asked = _asked(distances, synthetic, chosen)
    by_chance = float(distances.by_chance.mean())
    return MeasureResult(
        TABLE_DISTANCES,
        f"{way}-way",
        _QUESTIONS.get(way, f"Do groups of {['', '', '', 'three', 'four'][way] if way < 5 else way} columns agree?"),
        definition="average total variation distance",
        value=value,
        fresh_sample=float(fresh.mean()),
        independent_columns=float(independent.mean()),
        by_chance=by_chance,
        beyond_chance=None if way == 1 else (distances.beyond_chance(synthetic), distances.beyond_chance(independent)),
        from_model=asked.value,
        score=1.0 - value,
        scope=chosen.scope + asked.scope,
        width=way,
        worst=(columns, float(synthetic[worst])),
        interval=mean_interval(distances.all[:-2].mean(axis=1).tolist()),
        details=_details(pair, way, chosen, distances),
        verdict=_verdict(
            way, value, float(fresh.mean()), float(independent.mean()), by_chance, columns, float(synthetic[worst])
        )
        + asked.said,
        from_zero=True,
    )


class _Asked(NamedTuple):
    """What the model answered on average, on which of the tables, and a sentence about it."""

    value: float | None = None
    scope: str = ""
    said: str = ""


def _asked(distances: _Distances, synthetic: Floats, chosen: Chosen) -> _Asked:
    if distances.asked is None or np.isnan(distances.asked).all():
        return _Asked()
    some = ~np.isnan(distances.asked)
    value, same, n = float(distances.asked[some].mean()), float(synthetic[some].mean()), int(some.sum())
    said = f" Asked directly, without drawing rows, the model differs by {points(value)}"
    if n == len(chosen.groups):
        return _Asked(value, "", f"{said}.")
    scope = f"; the model was asked for {n:,} of them, drawn at random"
    return _Asked(value, scope, f"{said} on {n:,} of these tables, where the rows differ by {points(same)}.")


def _verdict(
    way: int, value: float, fresh: float, independent: float, by_chance: float, columns: tuple[str, ...], worst: float
) -> str:
    what = _WORDS.get(way, f"{way}-way tables")
    if worst == 0:
        return f"{what}: no difference at all." + (f" {beside_references(value, fresh)}" if fresh else "")
    # A column drawn on its own is as good as a fresh sample of it, so for single columns that says nothing.
    beside = beside_references(value, fresh, independent if way > 1 else None, by_chance=by_chance)
    return (
        f"{what}: differences of {points(value)} points on average, {points(worst)} at worst, in "
        f"{columns_named(columns)}. {beside}"
    )


def _details(pair: Pair, way: int, chosen: Chosen, distances: _Distances) -> pa.Table:
    """One row for each contingency table, worst first."""
    order = np.argsort(-distances.synthetic, kind="stable")
    names = np.array(pair.names, dtype=object)
    groups = np.array(chosen.groups, dtype=np.int64).reshape(-1, way)[order]
    columns = {f"column_{i + 1}": pa.array(names[groups[:, i]], pa.string()) for i in range(way)}
    columns["distance"] = pa.array(distances.synthetic[order])
    columns["fresh_sample"], columns["independent_columns"] = (
        pa.array(distances.all[-2][order]),
        pa.array(distances.all[-1][order]),
    )
    columns["by_chance"] = pa.array(distances.by_chance[order])
    if distances.one_share is not None:
        columns["one_share"] = pa.array(distances.one_share[order])
    if distances.asked is not None:
        asked = distances.asked[order]
        columns["from_model"] = pa.array(asked, mask=np.isnan(asked))
    return pa.table(columns)
