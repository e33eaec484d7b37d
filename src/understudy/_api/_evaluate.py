"""`evaluate`: how good a synthetic table is, beside the real one. What it returns is private to the holder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any, Unpack

from understudy import demo
from understudy._api._arguments import EvaluateArguments
from understudy._api._evaluated import (
    EvaluatedRelease,
    open_evaluated,
    open_release,
    refuse_release_itself,
    refuse_swapped,
)
from understudy._api._fit import Progress
from understudy._api._options import read_options, takes
from understudy._api._settings import refuse_ways
from understudy._core.errors import OptionError
from understudy.evaluation import (
    MeasureInput,
    Pair,
    PublicReport,
    Report,
    ReportFacts,
    check_targets,
    compute_measures,
    make_public_report,
    make_references,
    make_report,
    read_pair,
)
from understudy.options import EvaluateOptions
from understudy.schema import SchemaLike
from understudy.tables import Table, read_loosely, read_table

NO_CLASSIFIERS = (
    'Classifiers were left out: scikit-learn is not installed. To have them: pip install "understudy[evaluate]".'
)
_FEW_ROWS = 50


@takes(EvaluateOptions)
def evaluate(
    real: Any,
    synthetic: Any,
    schema: SchemaLike | None = None,
    *,
    progress: Progress | None = None,
    **options: Unpack[EvaluateArguments],
) -> Report:
    """Hold a synthetic table against the real one. Private: never publish what comes out of the real table.

    `real` is the private table: a file, a pandas, polars or pyarrow table, or the word "demo" or "demo-visits".
    `synthetic` is a release folder, what `publish` returned, a model or its file, a table of any tool, or a list of
    such tables (of several seeds, say) for confidence intervals. `schema` says what is public about the columns; a
    release brings its own. Of `ways`, those count that there are columns for. `holdout` is a table like `real`.
    `progress` is called with a stage, how much of it is done, and how much there is.

    >>> import pyarrow as pa
    >>> schema = {"name": "t", "fields": [{"name": name, "categories": ["x", "y"]} for name in "ab"]}
    >>> real, fake = pa.table({"a": list("xxyy"), "b": list("xxyy")}), pa.table({"a": list("xyxy"), "b": list("xxyy")})
    >>> report = evaluate(real, fake, schema, classifiers=False)
    >>> report.find("1-way").value, report.find("2-way").value
    (0.0, 0.5)
    """
    asked = read_options(EvaluateOptions, options)
    trained = find_spec("sklearn") is not None if asked.classifiers is None else asked.classifiers
    note = NO_CLASSIFIERS if asked.classifiers is None and not trained else None
    _refuse_idle(trained, note or "Turn them on.", targets=asked.targets, holdout=asked.holdout)
    refuse_swapped(real, synthetic)
    table, otherwise = demo.bundled(real) or (real, None)
    evaluated = open_evaluated(synthetic, schema, draws=asked.draws, seed=asked.seed, otherwise=otherwise)
    widths = _widths(asked.ways, len(evaluated.schema.fields))
    pair, held_out = _read(table, evaluated, asked, progress)
    refuse_release_itself(pair, evaluated)
    given = MeasureInput(
        pair=pair,
        references=make_references(pair, seed=asked.seed),
        model=None if evaluated.model is None else evaluated.model.model,
        ways=widths,
        max_tables=asked.max_tables,
        classifiers=trained,
        targets=asked.targets,
        holdout=held_out,
        seed=asked.seed,
        progress=progress,
    )
    return make_report(pair, compute_measures(given), facts=_facts(pair, evaluated, note))


def public_report(release: Any) -> PublicReport:
    """A page about a release for its readers. No real table is read: it may be published with the release.

    >>> import pyarrow as pa
    >>> import understudy as us
    >>> schema = {"name": "t", "fields": [{"name": "smokes", "type": "boolean"}]}
    >>> model = us.PrivBayes(epsilon=1.0).fit(pa.table({"smokes": [True, False] * 50}), schema).model_
    >>> public_report(model).to_dict()["public"]
    'made from the release alone: may be published with it'
    """
    evaluated = open_release(release)
    table = read_table(evaluated.tables[0], evaluated.schema)
    values = read_loosely(evaluated.tables[0], evaluated.schema, values=True).values
    return make_public_report(evaluated.schema, table, facts=evaluated.facts(rows_synthetic=table.n), values=values)


def _refuse_idle(trained: bool, advice: str, **given: Any) -> None:
    """Options of classifiers that would do nothing."""
    for name, value in given.items():
        if value is not None and not trained:
            raise OptionError(f"--{name} ({name}=…) is for classifiers, which are left out. {advice}")


def _widths(ways: Sequence[int], n_columns: int) -> tuple[int, ...]:
    """Those of the widths that there are columns for; an error if there are none such."""
    fitting = tuple(sorted({way for way in ways if way <= n_columns}))
    if not fitting:
        refuse_ways(ways, n_columns)
    return fitting


def _facts(pair: Pair, evaluated: EvaluatedRelease, note: str | None) -> ReportFacts:
    real, first = pair.faults.real.n_rows, pair.faults.synthetic[0].n_rows
    few = min(real, first)
    chance = f"With no more than {few:,} row{'s' if few > 1 else ''}, much of what is seen here is chance."
    facts = evaluated.facts(
        rows_real=real,
        rows_synthetic=first,
        n_synthetic=len(pair.synthetic),
        notes=tuple(said for said in (chance if few < _FEW_ROWS else None, _streamed(pair), note) if said),
    )
    return facts if facts.created else replace(facts, created=_today(), version=version("understudy"))


def _streamed(pair: Pair) -> str | None:
    """What was had of all rows, and what of some, where the tables did not fit into memory."""
    if pair.whole is None:
        return None
    rows = " and ".join(f"{table.n:,}" for table in (pair.real, pair.first))
    return (
        "The tables do not fit into memory, so they were streamed. Cells that do not fit the schema and the distances "
        "of tables (of up to two million cells) are of all rows; all else is of "
        f"{rows} rows of them (real and synthetic), drawn at random."
    )


def _read(
    real: Any, evaluated: EvaluatedRelease, asked: EvaluateOptions, progress: Progress | None
) -> tuple[Pair, Table | None]:
    """All tables in one domain; the held-out rows, read beside the others, are taken out again."""
    tables = list(evaluated.tables) if asked.holdout is None else [*evaluated.tables, asked.holdout]
    last = None if asked.holdout is None else "held-out table"
    pair = read_pair(
        real, tables, evaluated.schema, last_called=last, memory=asked.memory, seed=asked.seed, progress=progress
    )
    if asked.targets is not None:
        check_targets(pair, asked.targets)  # before the work of minutes
    return (pair, None) if asked.holdout is None else (pair.without_last(), pair.synthetic[-1])


def _today() -> str:
    return datetime.now(UTC).date().isoformat()
