"""What a report says of the release it is about: plain values, filled in by whoever knows them."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any


@dataclass(frozen=True, kw_only=True)
class BudgetLine:
    """What one budget would give, from a plan: nothing is spent to know it. Errors are total variation distances.

    >>> BudgetLine(epsilon=1.0, noise_per_cell=8.0, column_error=0.01).to_dict()["epsilon"]
    1.0
    """

    epsilon: float
    noise_per_cell: float
    """Average size of the noise on one count of a single column, in rows."""
    column_error: float
    """Expected error of a column, on average over all."""
    pair_error: float | None = None
    """Expected error of a pair of columns, on average over all; None where there is none."""
    independent_error: float | None = None
    """That of pairs if columns were drawn independently, without noise."""
    pairs_kept: int | None = None
    """Pairs that come out at most half as far off as that."""
    pairs: int = 0
    relations: str = "unknown"
    """Whether relations survive: "survive", "in part", "lost", or "unknown"."""
    current: bool = False
    """Whether this is the budget that was spent."""

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        return asdict(self)


@dataclass(frozen=True, kw_only=True)
class ReportFacts:
    """What is evaluated, and what is known of how it was made.

    `privacy_letter` is the statement in Markdown, `network_svg` the drawing as `draw` writes it, `stamp` what a run
    without a guarantee is stamped with ("NOT PRIVATE: seeded"), `notes` what a reader must know about the evaluation.

    >>> ReportFacts(dataset="people", rows_real=10, rows_synthetic=10, n_columns=3).public().rows_real is None
    True
    """

    dataset: str
    rows_synthetic: int
    rows_real: int | None = None
    n_columns: int = 0
    n_synthetic: int = 1
    created: str = ""
    version: str = ""
    method: str | None = None
    epsilon: float | None = None
    delta: float | None = None
    neighbours: str | None = None
    unit: str | None = None
    """Who is protected, in the words of the privacy statement."""
    stamp: str | None = None
    privacy_letter: str | None = None
    about: str | None = None
    """The release's page for its readers, in Markdown."""
    network_svg: str | None = None
    directed: bool = True
    """Whether the drawing shows what was drawn given what, or only what hangs together."""
    budgets: tuple[BudgetLine, ...] = ()
    notes: tuple[str, ...] = ()

    def public(self) -> ReportFacts:
        """The same without what belongs to the evaluation: the real table's number of rows, and notes about it."""
        return replace(self, rows_real=None, n_synthetic=1, notes=())

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON; the letter and the drawing have files of their own."""
        return {
            "dataset": self.dataset,
            "rows_real": self.rows_real,
            "rows_synthetic": self.rows_synthetic,
            "columns": self.n_columns,
            "synthetic_tables": self.n_synthetic,
            "created": self.created,
            "version": self.version,
            "method": self.method,
            "epsilon": self.epsilon,
            "delta": self.delta,
            "neighbours": self.neighbours,
            "unit": self.unit,
            "stamp": self.stamp,
            "budgets": [line.to_dict() for line in self.budgets],
            "notes": list(self.notes),
        }
