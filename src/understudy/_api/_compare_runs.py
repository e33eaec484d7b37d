"""One run of a comparison: a rehearsal of a method at a budget, and how far its table is from the real one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from hashlib import sha256
from importlib.metadata import version
from typing import Any

import numpy as np
import numpy.typing as npt

from understudy._api._compare_numbers import Yardstick
from understudy._api._fit import numbers_first
from understudy._api._unit import rule_of
from understudy._core.randomness import Streams, streams
from understudy.counting import Counter, open_counter
from understudy.evaluation import (
    choose_groups,
    draw_fresh_sample,
    draw_independent_columns,
    reference_coins,
)
from understudy.methods import BASELINES, Method, label_method
from understudy.models import DrawsRows, Model
from understudy.options import MAX_TABLES
from understudy.privacy import ONE_ROW, Curator, PrivacyTerms, PrivacyUnit
from understudy.rehearsal import answer_distances, fingerprint, rehearse, sample_table, table_distances, table_hash
from understudy.schema import Schema
from understudy.tables import Table

REFERENCE_SEED = 0


@dataclass(frozen=True, kw_only=True)
class Task:
    """What one run has to do."""

    method: Method
    terms: PrivacyTerms
    seed: int

    @property
    def label(self) -> str:
        """The method with its options, as people write it."""
        return label_method(self.method)

    @cached_property
    def facts(self) -> dict[str, Any]:
        """All that tells this run from others on the same table."""
        kind: Any = type(self.method)
        return {
            "method": self.method.name,
            "options": {field.name: str(getattr(self.method, field.name)) for field in fields(kind)},
            "epsilon": str(self.terms.budget.epsilon),
            "delta": str(self.terms.budget.delta),
            "neighbours": self.terms.neighbours.value,
            "seed": self.seed,
        } | ({} if self.terms.unit == ONE_ROW else {"unit": self.terms.unit.sentence})


@dataclass(frozen=True, kw_only=True, eq=False)
class Bench:
    """The real table, read once, and what runs on it are measured by."""

    schema: Schema
    table: Table
    """The rows as they are counted: where bins are to be found, cells of a public grid."""
    ways: tuple[int, ...]
    max_tables: int = MAX_TABLES
    units: npt.NDArray[np.int64] | None = None
    """The unit of each row, where a column tells units apart."""

    @cached_property
    def setting(self) -> dict[str, Any]:
        """All that results depend on besides the run: table, schema, version, measures."""
        return {
            "table": table_hash(self.table),
            "schema": fingerprint(schema=self.schema.to_dict()),
            "version": version("understudy"),
            "measures": {"ways": list(self.ways), "max_tables": self.max_tables, "seed": REFERENCE_SEED},
        } | ({} if self.units is None else {"units": sha256(self.units.tobytes()).hexdigest()})

    def key(self, task: Task | None) -> str:
        """The run's fingerprint, or that of the references."""
        return fingerprint(**self.setting, run="references" if task is None else task.facts)

    @cached_property
    def yardstick(self) -> Yardstick | None:
        """The bins that all runs are measured in, where each finds its own."""
        return Yardstick.of(self.schema, self.table)

    @cached_property
    def measured(self) -> Table:
        """The rows as runs are measured against them."""
        return self.table if self.yardstick is None else self.yardstick.sorted_in(self.table)

    @cached_property
    def groups(self) -> dict[int, Any]:
        """The groups of columns whose tables are compared, for each way: those that `evaluate` takes."""
        coins = streams(REFERENCE_SEED)
        n = len(self.table.domain)
        return {
            way: choose_groups(n, way, self.max_tables, coins.get("evaluate", "tables", str(way))) for way in self.ways
        }

    def distances(self, others: Sequence[Table]) -> list[dict[str, float]]:
        """For each table the average total variation distance from the real one, by measure."""
        found: list[dict[str, float]] = [{} for _ in others]
        for way, chosen in self.groups.items():
            each = table_distances(self.measured, others, chosen.groups)
            for values, row in zip(found, each, strict=True):
                values[f"{way}-way"] = float(row.mean())
        return found

    @cached_property
    def _all_rows(self) -> Counter:
        return open_counter(self.measured)

    def distances_of_answers(self, answers: Model) -> dict[str, float]:
        """The same from what a model answers, without drawing rows."""
        return {
            f"{way}-way": float(np.mean(answer_distances(self._all_rows, answers, chosen.groups)))
            for way, chosen in self.groups.items()
        }

    def references(self) -> dict[str, float]:
        """Every measure on the references: a fresh sample of real rows, and independent columns."""
        fresh, independent = reference_coins(REFERENCE_SEED)
        tables = [draw_fresh_sample(self.measured, fresh), draw_independent_columns(self.measured, independent)]
        low, high = self.distances(tables)
        return {f"fresh sample {name}": value for name, value in low.items()} | {
            f"independent columns {name}": value for name, value in high.items()
        }

    def counter(self, unit: PrivacyUnit, seed: int) -> Counter:
        """The rows as `publish` with this seed counts them: of each unit no more than its bound."""
        rule = rule_of(unit, seed)
        if rule is None or self.units is None:
            return open_counter(self.table)
        table, weights = rule.bounded(self.table, self.units)
        return open_counter(table, weights=weights)

    def run(self, task: Task, counter: Counter) -> dict[str, float]:
        """Rehearse: fit with seeded noise, sample as many rows as a release would have, measure. Touches no ledger.

        The sample is the one that `publish` with the same seed writes. A baseline is asked for its answers instead.
        """
        terms, found = task.terms, self.schema

        def first(curator: Curator) -> Curator:
            nonlocal found
            found, asked = numbers_first(curator, self.schema)
            return asked

        learnt = rehearse(
            counter,
            task.method,
            terms.budget,
            seed=task.seed,
            neighbours=terms.neighbours,
            unit=terms.unit,
            first=first,
        )
        yardstick = self.yardstick
        if task.method.name in BASELINES or not isinstance(learnt, DrawsRows):
            return self.distances_of_answers(learnt if yardstick is None else yardstick.answers(learnt, found))
        rows = sample_table(learnt, max(1, round(learnt.n / terms.unit.parts)), Streams(task.seed))
        return self.distances([rows if yardstick is None else yardstick.drawn(rows, found, task.seed)])[0]


def split_references(values: Mapping[str, float], kind: str) -> dict[str, float]:
    """Those of the fresh sample, or those of independent columns, by measure.

    >>> split_references({"fresh sample 2-way": 0.1, "independent columns 2-way": 0.3}, "fresh sample")
    {'2-way': 0.1}
    """
    return {name.removeprefix(f"{kind} "): value for name, value in values.items() if name.startswith(f"{kind} ")}
