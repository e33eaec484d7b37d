"""What a comparison found: a table, a figure, a page. All of it is private to the holder."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from understudy._core.errors import OptionError, did_you_mean
from understudy._core.files import NOTHING_LEFT, as_output_error, write_bytes
from understudy._core.notebooks import card, to_pandas
from understudy.charts import Chart, Series, lines
from understudy.evaluation import mean_interval
from understudy.rehearsal import KEPT, RUNS, check_folder
from understudy.tables import PRIVATE

if TYPE_CHECKING:
    import pyarrow as pa

COLUMNS = (
    *("method", "epsilon", "measure", "mean", "low", "high", "interval"),
    *("fresh_sample", "independent_columns", "runs"),
)
FEWEST_FOR_INTERVAL = 5
"""Runs: of fewer, an interval of their mean would be several times as wide as they are apart. Their range is told."""
_WIDE = 20


@dataclass(frozen=True, kw_only=True)
class Run:
    """One rehearsal's errors, by measure."""

    method: str
    epsilon: Fraction
    seed: int
    values: Mapping[str, float]


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Errors of methods at budgets, over seeds, beside a fresh sample and independent columns.

    Private: it was computed from the real table.

    >>> half = Fraction(1, 2)
    >>> runs = [Run(method="uniform", epsilon=half, seed=seed, values={"2-way": 0.25}) for seed in (0, 1)]
    >>> found = Comparison(dataset="d", rows=9, columns=2, version="1", neighbours="replace-one", delta=Fraction(0),
    ...     methods=("uniform",), epsilons=(half,), seeds=(0, 1), scopes={"2-way": "1 table"},
    ...     fresh_sample={"2-way": 0.1}, independent_columns={"2-way": 0.3}, runs=tuple(runs))
    >>> found.rows_of_table()[0]["mean"], found.figure("2-way").width
    (0.25, 640)
    """

    dataset: str
    rows: int
    columns: int
    version: str
    neighbours: str
    delta: Fraction
    methods: tuple[str, ...]
    epsilons: tuple[Fraction, ...]
    seeds: tuple[int, ...]
    scopes: Mapping[str, str]
    fresh_sample: Mapping[str, float]
    independent_columns: Mapping[str, float]
    runs: tuple[Run, ...]
    unit: str = "one row"
    kind: str = "pyarrow"
    """What the real table was; the result comes as the same kind of table."""

    def __repr__(self) -> str:
        return f"Comparison({self.dataset!r}, methods={list(self.methods)}, runs={len(self.runs)}, private)"

    def _repr_html_(self) -> str:
        shown = ("method", "epsilon", "measure", "mean", "fresh_sample", "independent_columns")
        rows = [
            [f"{row[name]:.4g}" if isinstance(row[name], float) else row[name] for name in shown]
            for row in self.rows_of_table()
        ]
        header = [name.replace("_", " ") for name in shown]
        return card(f"Comparison on {self.dataset}", rows, header=header, warning="Private: from the real table.")

    @property
    def measures(self) -> tuple[str, ...]:
        """Names of the measures, such as "2-way"."""
        return tuple(self.scopes)

    def rows_of_table(self) -> list[dict[str, Any]]:
        """One row for each method, budget and measure: the mean over seeds, and what is known of its spread.

        `interval` says what `low` and `high` are: the 95 % interval of the mean by Student's t from five runs on, the
        smallest and largest of two to four runs, nothing of one.
        """
        found = []
        for method in self.methods:
            for epsilon in self.epsilons:
                values = [run.values for run in self.runs if run.method == method and run.epsilon == epsilon]
                for measure in self.measures:
                    each = [value[measure] for value in values]
                    row = (
                        *(method, float(epsilon), measure, sum(each) / len(each), *_spread(each)),
                        *(self.fresh_sample[measure], self.independent_columns[measure], len(each)),
                    )
                    found.append(dict(zip(COLUMNS, row, strict=True)))
        return found

    @property
    def table(self) -> Any:
        """The rows as a table: pandas or polars if the real table was, else pyarrow."""
        table = self._arrow()
        if self.kind == "pandas":
            return table.to_pandas()
        if self.kind == "polars":
            import polars

            return polars.from_arrow(table)
        return table

    def to_pandas(self) -> Any:
        """The rows as a pandas dataframe, whatever the real table was."""
        return to_pandas(self.rows_of_table())

    def _arrow(self) -> pa.Table:
        import pyarrow as pa

        kinds = {"method": pa.string(), "measure": pa.string(), "interval": pa.string(), "runs": pa.int64()}
        rows = self.rows_of_table()
        return pa.table(
            {name: pa.array([row[name] for row in rows], kinds.get(name, pa.float64())) for name in COLUMNS}
        )

    def figure(self, measure: str | None = None) -> Chart:
        """Error against budget, a line for each method, with both references. The first measure by default."""
        wanted = self.measures[0] if measure is None else measure
        if wanted not in self.measures:
            raise OptionError(f"there is no measure '{wanted}'. {did_you_mean(wanted, self.measures)}")
        rows = [row for row in self.rows_of_table() if row["measure"] == wanted]
        bands = {"fresh sample": self.fresh_sample[wanted], "independent columns": self.independent_columns[wanted]}
        levels = [*(row["mean"] for row in rows), *bands.values()]
        # a method far off would press all others into one line
        wide = min(levels) > 0 and max(levels) > _WIDE * min(levels)
        return lines(
            [_series(method, [row for row in rows if row["method"] == method]) for method in self.methods],
            x_label="privacy budget ε",
            y_label="average total variation distance" + (", logarithmic" if wide else ""),
            title=f"{self.dataset}: error of {wanted} tables (private)",
            log_x=True,
            log_y=wide,
            bands=bands,
        )

    def to_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON."""
        return {
            "private": PRIVATE,
            "dataset": self.dataset,
            "rows": self.rows,
            "columns": self.columns,
            "version": self.version,
            "neighbours": self.neighbours,
            "unit": self.unit,
            "delta": float(self.delta),
            "methods": list(self.methods),
            "epsilons": [float(epsilon) for epsilon in self.epsilons],
            "seeds": list(self.seeds),
            "measures": {
                name: {
                    "measure": "average total variation distance",
                    "scope": scope,
                    "fresh_sample": self.fresh_sample[name],
                    "independent_columns": self.independent_columns[name],
                }
                for name, scope in self.scopes.items()
            },
            "table": self.rows_of_table(),
            "runs": [
                {"method": run.method, "epsilon": float(run.epsilon), "seed": run.seed, "values": dict(run.values)}
                for run in self.runs
            ],
        }

    def to_csv(self) -> str:
        """The table as CSV text."""
        text = io.StringIO()
        writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(self.rows_of_table())
        return text.getvalue()

    def save(self, folder: str | os.PathLike[str]) -> tuple[Path, ...]:
        """Write `comparison.csv`, `.json`, `.svg` and `.html` into a folder of their own; their paths."""
        from understudy._api._compare_page import page, panels

        out = Path(folder)
        check_folder(out)
        with as_output_error(out):
            out.mkdir(parents=True, exist_ok=True)
        files = {
            "comparison.csv": self.to_csv(),
            "comparison.json": json.dumps(self.to_dict(), indent=2, ensure_ascii=False) + "\n",
            "comparison.svg": panels([self.figure(measure) for measure in self.measures]),
            "comparison.html": page(self),
        }
        left = KEPT if (out / RUNS).is_file() else NOTHING_LEFT
        for name, text in files.items():
            write_bytes(out / name, text.encode(errors="replace"), left=left)
        return tuple(out / name for name in files)


def _spread(values: list[float]) -> tuple[float | None, float | None, str]:
    """From where to where, and what that is.

    >>> _spread([0.25]), _spread([0.25, 0.5, 0.375])
    ((None, None, 'none'), (0.25, 0.5, 'range'))
    """
    if len(values) < 2:
        return None, None, "none"
    interval = mean_interval(values) if len(values) >= FEWEST_FOR_INTERVAL else None
    return (min(values), max(values), "range") if interval is None else (*interval, "95 %")


def spread_words(runs: int) -> str:
    """What stands after a mean of so many runs.

    >>> spread_words(1), spread_words(2), spread_words(5)
    ('one run each', 'mean and range of 2 runs', 'mean and 95 % interval over 5 seeds')
    """
    if runs == 1:
        return "one run each"
    return (
        f"mean and range of {runs} runs" if runs < FEWEST_FOR_INTERVAL else f"mean and 95 % interval over {runs} seeds"
    )


def spread_text(row: Mapping[str, Any]) -> str:
    """How far the runs of a row are apart, as it stands after their mean.

    >>> spread_text({"interval": "range", "mean": 0.5, "low": 0.25, "high": 0.75})
    '0.2500–0.7500'
    >>> spread_text({"interval": "95 %", "mean": 0.5, "low": 0.25, "high": 0.75})
    '±0.2500'
    """
    if row["interval"] == "none":
        return ""
    return f"{row['low']:.4f}–{row['high']:.4f}" if row["interval"] == "range" else f"±{row['high'] - row['mean']:.4f}"


def _series(name: str, rows: list[dict[str, Any]]) -> Series:
    known = all(row["low"] is not None for row in rows)
    return Series(
        name,
        [row["epsilon"] for row in rows],
        [row["mean"] for row in rows],
        [max(row["low"], 0.0) for row in rows] if known else None,
        [row["high"] for row in rows] if known else None,
    )
