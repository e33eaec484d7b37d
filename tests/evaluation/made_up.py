"""Reports to look at: of made-up tables, as wide and as hostile as wanted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from understudy.evaluation import (
    LEARNING_GROUP,
    TABLES_GROUP,
    VALIDITY_GROUP,
    BudgetLine,
    Direction,
    Group,
    MeasureInput,
    MeasureResult,
    Need,
    Pair,
    Report,
    ReportFacts,
    make_references,
    make_report,
    measure_associations,
    measure_tables,
    pair_of_codes,
)
from understudy.schema import Schema
from understudy.tables import Table

HOSTILE_NAMES = (
    "<script>alert(1)</script>",
    "\"quoted\" & 'single'",
    "a name of two hundred letters " + "that goes on and on " * 8 + "to the end",
    "two\nlines\tand\u2028more",
    "שלום עולם",
    "\u202egnahc\u202c",
    "🧑‍⚕️ nurse",
    "</svg></style><img src=x onerror=alert(2)>",
    "{{ 7 * 7 }}{% raw %}",
    "`code` **bold** | pipe",
    "Ünïcödé_x",
    "x" * 120,
)
LETTER = """# Privacy statement: people

> **NOT PRIVATE: seeded.** The noise came from a seed.

## What is promised

All files satisfy **ε-differential privacy with ε = 1**. See `privacy.json` and *replace one*.

| mechanism | uses | cost in ε |
|---|--:|--:|
| noise on \\<b\\>counts\\| | 3 | 0.5 |
| **total** | | **1** |

## What it does not promise

- It covers this release only.
- Accuracy is not promised.
"""
NETWORK = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1600 240" width="1600" height="240">'
    '<rect width="1600" height="240" fill="#fbfcfe"/><text x="40" y="60">a wide network</text></svg>'
)


@dataclass(frozen=True)
class MadeUpMeasure:
    """A measure that counts rows, as somebody would write one who has read docs/contributing.md and nothing else."""

    name: str = "rows"
    group: Group = TABLES_GROUP
    direction: Direction = "less"
    synonym: str | None = None
    needs: frozenset[Need] = frozenset()

    def compute(self, given: MeasureInput) -> list[MeasureResult]:
        real, rows = given.pair.real.n, given.pair.first.n
        return [
            MeasureResult(
                self,
                "surplus of rows",
                "Are there as many rows?",
                definition="difference of the numbers of rows, as a share of the real one",
                value=abs(rows - real) / real,
                score=min(rows, real) / max(rows, real),
                fresh_sample=0.0,
                independent_columns=0.0,
                verdict=f"The synthetic table has {rows:,} rows, the real one {real:,}.",
            )
        ]


def made_up_pair(
    names: Sequence[str], *, n_rows: int = 2000, labels: Sequence[str] | None = None, seed: int = 0
) -> Pair:
    """Columns that hang on a hidden one, more loosely in the synthetic table."""
    rng = np.random.default_rng(seed)
    schema = made_up_schema(names, labels)
    sides = []
    for tie in (0.7, 0.5):
        hidden = rng.random(n_rows)
        columns = []
        for i, field in enumerate(schema.fields):
            own = rng.random(n_rows) ** (1 + i % 3)
            mixed = np.where(rng.random(n_rows) < tie * (i % 5 > 0), hidden, own)
            columns.append(np.minimum((mixed * field.size).astype(np.int64), field.size - 1))
        sides.append(Table(schema.domain, tuple(columns)))
    return pair_of_codes(schema, sides[0], [sides[1]])


def made_up_schema(names: Sequence[str], labels: Sequence[str] | None = None) -> Schema:
    """Few categories, many categories, bins and bins that may be missing, in turn."""
    fields: list[dict[str, object]] = []
    for i, name in enumerate(names):
        if labels is not None:
            fields.append({"name": name, "categories": list(labels)})
        elif i % 4 == 1:
            fields.append({"name": name, "categories": [f"category number {j}" for j in range(5 + (7 * i) % 40)]})
        elif i % 4 == 2:
            limits: dict[str, object] = {"minimum": 0, "maximum": 99}
            fields.append({"name": name, "type": "integer", "constraints": limits, "bins": 10 + i % 30})
        elif i % 4 == 3:
            limits = {"minimum": 0, "maximum": 9999, "required": False}
            fields.append({"name": name, "type": "number", "constraints": limits, "bins": 16})
        else:
            fields.append({"name": name, "categories": ["no", "yes", "perhaps"][: 2 + i % 2]})
    return Schema.from_dict({"name": "people", "fields": fields})


def made_up_facts(pair: Pair, **others: object) -> ReportFacts:
    """All that a release folder would tell."""
    known: dict[str, object] = {
        "dataset": "people",
        "rows_real": pair.real.n,
        "rows_synthetic": pair.first.n,
        "n_columns": len(pair.names),
        "created": "2026-01-31",
        "version": "0.1.0",
        "method": "privbayes",
        "epsilon": 1.0,
        "neighbours": "replace-one",
        "privacy_letter": LETTER,
        "network_svg": NETWORK,
        "budgets": (
            BudgetLine(epsilon=0.25, noise_per_cell=32.0, column_error=0.11),
            BudgetLine(
                epsilon=1.0,
                noise_per_cell=8.0,
                column_error=0.05,
                pair_error=0.08,
                independent_error=0.2,
                pairs_kept=12,
                pairs=21,
                relations="survive",
                current=True,
            ),
            BudgetLine(epsilon=4.0, noise_per_cell=2.0, column_error=0.02),
        ),
    }
    return ReportFacts(**{**known, **others})  # type: ignore[arg-type]


def made_up_report(
    names: Sequence[str],
    *,
    ways: Sequence[int] = (1, 2),
    n_rows: int = 2000,
    labels: Sequence[str] | None = None,
    **facts: object,
) -> Report:
    """A report with every section filled."""
    pair = made_up_pair(names, n_rows=n_rows, labels=labels)
    references = make_references(pair)
    measured = measure_tables(pair, references, ways=tuple(ways))
    accuracy = MeasureResult(
        MadeUpMeasure(group=LEARNING_GROUP, direction="more"),
        "classification",
        "Do classifiers learn the same?",
        definition="accuracy on real rows that were held out",
        value=0.79,
        fresh_sample=0.84,
        independent_columns=0.61,
        score=0.79,
        verdict="A classifier trained on synthetic rows is right in 79 % of cases; one trained on real rows in 84 %.",
        interval=(0.78, 0.80),
    )
    alone = MeasureResult(
        MadeUpMeasure(group=VALIDITY_GROUP),
        "validity",
        "Are all rows valid?",
        definition="valid cells",
        value=1.0,
        score=1.0,
        verdict="All are.",
    )
    return make_report(
        pair,
        [*measured, *measure_associations(pair, references), accuracy, alone],
        facts=made_up_facts(pair, **facts),
    )
