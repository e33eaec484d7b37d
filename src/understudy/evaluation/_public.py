"""The variant of the report that may be published: nothing in it was computed from the real table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from understudy._core.errors import InternalError
from understudy._core.notebooks import card
from understudy.evaluation._facts import ReportFacts
from understudy.evaluation._number_bars import make_bars
from understudy.evaluation._numbers import DAY, Bars
from understudy.evaluation._report import write_report
from understudy.evaluation._summaries import Shares, table_shares
from understudy.evaluation._supports import Support
from understudy.schema import Field, Schema
from understudy.tables import Kinds, Table, Values

PUBLIC = "made from the release alone: may be published with it"
NOT_PUBLIC = "made from a release without a guarantee of privacy: do not publish either"


@dataclass(frozen=True)
class PublicReport:
    """A page on a release for its readers: what is in the synthetic table, how it was made, how noisy it is.

    It costs no privacy: the synthetic table, the model and the plan are public already. What the facts hold of the
    real table is dropped.

    >>> facts = ReportFacts(dataset="people", rows_real=10, rows_synthetic=4)
    >>> PublicReport(facts, (Shares("sex", ("F", "M"), (0.75, 0.25)),)).to_dict()["columns"][0]["synthetic"]
    [0.75, 0.25]
    """

    facts: ReportFacts
    columns: tuple[Shares, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "facts", self.facts.public())

    def __repr__(self) -> str:
        stamp = "" if self.may_be_published else f", {self.facts.stamp}"
        return f"PublicReport({self.facts.dataset!r}, columns={len(self.columns)}{stamp})"

    def _repr_html_(self) -> str:
        told = [("synthetic rows", f"{self.facts.rows_synthetic:,}"), ("columns", f"{len(self.columns):,}")]
        notes = ["report.save('readers.html') has the page for readers."]
        return card(f"Public page of {self.facts.dataset}", told, notes=notes, warning=self.facts.stamp)

    @property
    def may_be_published(self) -> bool:
        """Whether the release itself may: a rehearsal or a diagnostic has no guarantee of privacy."""
        return self.facts.stamp is None

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, ready for JSON."""
        facts = self.facts.to_dict()
        return {
            "public": PUBLIC if self.may_be_published else NOT_PUBLIC,
            **{key: value for key, value in facts.items() if key not in ("rows_real", "notes")},
            "columns": [
                {"name": column.name, "labels": list(column.labels), "synthetic": list(column.shares)}
                for column in self.columns
            ],
        }

    def html(self) -> str:
        """The report as one page that needs nothing else."""
        from understudy.evaluation._page import public_page

        return public_page(self)

    def save(self, path: str | Path) -> Path:
        """Writes the report to a file: .html to read, .json to use."""
        return write_report(path, html=self.html, values=self.to_dict)


def make_public_report(
    schema: Schema, synthetic: Table, *, facts: ReportFacts, values: Sequence[Values] | None = None
) -> PublicReport:
    """The public report on a synthetic table, read with the schema alone; numbers are drawn from `values` if given.

    A pair's table will not do: which codes it has may depend on the real one.

    >>> import numpy as np
    >>> schema = Schema.from_dict({"fields": [{"name": "sex", "categories": ["F", "M"]}]})
    >>> table = Table(schema.domain, (np.array([0, 0, 1, 0]),))
    >>> make_public_report(schema, table, facts=ReportFacts(dataset="people", rows_synthetic=4)).columns[0].shares
    (0.75, 0.25)
    """
    if synthetic.domain != schema.domain:
        raise InternalError("the table of a public report has other codes than its schema.")
    columns = table_shares(synthetic, schema.fields)
    if values is None:
        return PublicReport(facts, columns)
    drawn = zip(columns, schema.fields, values, strict=True)
    return PublicReport(
        facts, tuple(replace(shares, bars=_bars(field, own), type=field.type) for shares, field, own in drawn)
    )


def _bars(field: Field, values: Values) -> Bars | None:
    """Where a column's numbers or dates lie; None for what is neither. Special values stand apart."""
    if field.bins is None or isinstance(values, Kinds):
        return None
    unit = DAY if field.type == "date" else 1
    special = [float(category.value) * unit for category in field.special]
    numbers = values[~np.isnan(values) & ~np.isin(values, special)]
    return make_bars(Support.of([numbers, numbers]), field.type, [len(values)] * 2)
