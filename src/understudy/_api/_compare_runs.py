"""One run of a comparison: a rehearsal of a method at a budget, and how far its table is from the real one."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from importlib.metadata import version
from typing import Any

import numpy as np

from understudy._api._compare_store import fingerprint, table_hash
from understudy._core.randomness import Streams, streams
from understudy.counting import MemoryCounter
from understudy.evaluation import MAX_TABLES, ceiling_table, choose_groups, floor_table, joint_counts, total_variation
from understudy.methods import BASELINES, Method, flaw_of, label_method
from understudy.models import Answers, Model
from understudy.privacy import Budget, Neighbours, PrivacyWarning, make_noise, open_curator
from understudy.schema import Marginal, Schema
from understudy.tables import Table

REFERENCE_SEED = 0


@dataclass(frozen=True, kw_only=True)
class Task:
    """What one run has to do."""

    method: Method
    budget: Budget
    neighbours: Neighbours
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
            "epsilon": str(self.budget.epsilon),
            "delta": str(self.budget.delta),
            "neighbours": self.neighbours.value,
            "seed": self.seed,
        }


@dataclass(frozen=True, kw_only=True, eq=False)
class Bench:
    """The real table, read once, and what runs on it are measured by."""

    schema: Schema
    table: Table
    ways: tuple[int, ...]
    max_tables: int = MAX_TABLES

    @cached_property
    def setting(self) -> dict[str, Any]:
        """All that results depend on besides the run: table, schema, version, measures."""
        return {
            "table": table_hash(self.table),
            "schema": fingerprint(schema=self.schema.to_dict()),
            "version": version("understudy"),
            "measures": {"ways": list(self.ways), "max_tables": self.max_tables, "seed": REFERENCE_SEED},
        }

    def key(self, task: Task | None) -> str:
        """The run's fingerprint, or that of the floor and the ceiling."""
        return fingerprint(**self.setting, run="references" if task is None else task.facts)

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
            each = np.empty((len(others), len(chosen.groups)))
            for joint in joint_counts([self.table, *others], chosen.groups):
                for row, counts in enumerate(joint.counts[1:]):
                    each[row, joint.position] = total_variation(joint.counts[0], counts)
            for row, values in enumerate(found):
                values[f"{way}-way"] = float(each[row].mean())
        return found

    def distances_of_answers(self, answers: Answers) -> dict[str, float]:
        """The same from what a model answers, without drawing rows."""
        counter, found = MemoryCounter(self.table), {}
        for way, chosen in self.groups.items():
            each = []
            for group in chosen.groups:
                marginal = Marginal.of(*group)
                [real] = counter.count([marginal])
                asked = answers.marginal(marginal, errors=False).probabilities
                each.append(float(np.abs(real / self.table.n - asked).sum()) / 2)
            found[f"{way}-way"] = float(np.mean(each))
        return found

    def references(self) -> dict[str, float]:
        """Floor and ceiling of every measure: a fresh sample of real rows, and independent columns."""
        coins = streams(REFERENCE_SEED)
        floor = floor_table(self.table, coins.get("evaluate", "floor"))
        ceiling = ceiling_table(self.table, coins.get("evaluate", "ceiling"))
        low, high = self.distances([floor, ceiling])
        return {f"floor {name}": value for name, value in low.items()} | {
            f"ceiling {name}": value for name, value in high.items()
        }

    def run(self, task: Task, counter: MemoryCounter) -> dict[str, float]:
        """Rehearse: fit with seeded noise, sample as many rows as there are, measure. Touches no ledger.

        The sample is the one that `publish` with the same seed writes. A baseline is asked for its answers instead.
        """
        learnt = self.rehearse(task, counter)
        if task.method.name in BASELINES or not isinstance(learnt, Model):
            return self.distances_of_answers(learnt)
        return self.distances([sample_table(learnt, self.table.n, Streams(task.seed))])[0]

    def rehearse(self, task: Task, counter: MemoryCounter) -> Answers:
        """What the method learns in this run."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PrivacyWarning)
            curator = open_curator(
                counter,
                budget=task.budget,
                neighbours=task.neighbours,
                noise=make_noise(seed=task.seed),
                no_guarantee=flaw_of(task.method) is not None,
                method=task.method.name,
            )
            return task.method.fit(curator, streams=Streams(task.seed))


def sample_table(model: Model, n: int, coins: Streams) -> Table:
    """Rows drawn from a model, as one table of codes."""
    batches = list(model.sample_codes(n, streams=coins))
    columns = (np.concatenate([batch[i] for batch in batches]) for i in range(len(model.domain)))
    return Table(model.domain, tuple(columns))


def split_references(values: Mapping[str, float], kind: str) -> dict[str, float]:
    """The floors, or the ceilings, by measure.

    >>> split_references({"floor 2-way": 0.1, "ceiling 2-way": 0.3}, "floor")
    {'2-way': 0.1}
    """
    return {name.removeprefix(f"{kind} "): value for name, value in values.items() if name.startswith(f"{kind} ")}
