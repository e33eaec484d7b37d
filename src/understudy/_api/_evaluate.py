"""`evaluate`: how good a synthetic table is, beside the real one. What it returns is private to the holder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

from understudy import demo
from understudy._api._evaluated import EvaluatedRelease, open_evaluated, open_release
from understudy._api._fit import Progress
from understudy._api._settings import MOST_WAYS, SchemaLike, read_ways
from understudy._core.errors import OptionError
from understudy._core.numbers import whole_number
from understudy.evaluation import (
    MAX_TABLES,
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
from understudy.tables import Table, read_table

NO_CLASSIFIERS = (
    'Classifiers were left out: scikit-learn is not installed. To have them: pip install "understudy[evaluate]".'
)
_FEW_ROWS = 50


def evaluate(
    real: Any,
    synthetic: Any,
    schema: SchemaLike | None = None,
    *,
    ways: Sequence[int] = (1, 2, 3),
    max_tables: int = MAX_TABLES,
    classifiers: bool | None = None,
    targets: Sequence[str] | None = None,
    holdout: Any = None,
    draws: int = 1,
    seed: int = 0,
    progress: Progress | None = None,
) -> Report:
    """Hold a synthetic table against the real one. Private: never publish what comes out of the real table.

    Args:
        real: the private table: a file, a pandas, polars or pyarrow table, or the word "demo".
        synthetic: a release folder, what `publish` returned, a model or its file, a table of any tool, or a list of
            such tables (of several seeds, say) for confidence intervals.
        schema: what is public about the columns; a release brings its own.
        ways: how many columns the compared tables have: any of 1 to 4, as far as there are columns.
        max_tables: beyond so many tables of one kind, as many are drawn at random.
        classifiers: train classifiers too. Without a word: if scikit-learn is installed.
        targets: the columns that classifiers predict.
        holdout: real rows that were not published, to test classifiers on.
        draws: look at so many tables drawn from the model, for confidence intervals.
        seed: of the fresh sample, the independent columns, and everything drawn. Nothing here is a release.
        progress: called with a stage, how much of it is done, and how much there is.

    >>> import pyarrow as pa
    >>> schema = {"name": "t", "fields": [{"name": name, "categories": ["x", "y"]} for name in "ab"]}
    >>> real, fake = pa.table({"a": list("xxyy"), "b": list("xxyy")}), pa.table({"a": list("xyxy"), "b": list("xxyy")})
    >>> report = evaluate(real, fake, schema, classifiers=False)
    >>> report.find("1-way").value, report.find("2-way").value
    (0.0, 0.5)
    """
    n_draws, seed = whole_number(draws, "draws", least=1), whole_number(seed, "seed")
    trained = find_spec("sklearn") is not None if classifiers is None else classifiers
    _refuse_idle(trained, NO_CLASSIFIERS if classifiers is None else "Turn them on.", targets=targets, holdout=holdout)
    bundled = isinstance(real, str) and real == "demo"
    evaluated = open_evaluated(
        synthetic, schema, draws=n_draws, seed=seed, otherwise=demo.schema_path() if bundled else None
    )
    widths = _widths(ways, len(evaluated.schema.fields))
    pair, held_out = _read(demo.table_path() if bundled else real, evaluated, holdout, targets, progress)
    given = MeasureInput(
        pair=pair,
        references=make_references(pair, seed=seed),
        model=None if evaluated.model is None else evaluated.model.model,
        ways=widths,
        max_tables=max_tables,
        classifiers=trained,
        targets=targets,
        holdout=held_out,
        seed=seed,
        progress=progress,
    )
    facts = _facts(pair, evaluated, NO_CLASSIFIERS if not trained and classifiers is None else None)
    return make_report(pair, compute_measures(given), facts=facts)


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
    return make_public_report(evaluated.schema, table, facts=evaluated.facts(rows_synthetic=table.n))


def _refuse_idle(trained: bool, advice: str, **given: Any) -> None:
    """Options of classifiers that would do nothing."""
    for name, value in given.items():
        if value is not None and not trained:
            raise OptionError(f"--{name} ({name}=…) is for classifiers, which are left out. {advice}")


def _widths(ways: Any, n_columns: int) -> tuple[int, ...]:
    """Those of the widths that there are columns for; an error if there are none such."""
    fitting = tuple(way for way in read_ways(ways, MOST_WAYS) if way <= n_columns)
    return fitting or read_ways(ways, n_columns)


def _facts(pair: Pair, evaluated: EvaluatedRelease, note: str | None) -> ReportFacts:
    few = min(pair.real.n, pair.first.n)
    chance = f"With no more than {few:,} row{'s' if few > 1 else ''}, much of what is seen here is chance."
    facts = evaluated.facts(
        rows_real=pair.real.n,
        rows_synthetic=pair.first.n,
        n_synthetic=len(pair.synthetic),
        notes=tuple(said for said in (chance if few < _FEW_ROWS else None, note) if said),
    )
    return facts if facts.created else replace(facts, created=_today(), version=version("understudy"))


def _read(
    real: Any,
    evaluated: EvaluatedRelease,
    holdout: Any,
    targets: Sequence[str] | None,
    progress: Progress | None,
) -> tuple[Pair, Table | None]:
    """All tables in one domain; the held-out rows, read beside the others, are taken out again."""
    tables = list(evaluated.tables) if holdout is None else [*evaluated.tables, holdout]
    last = None if holdout is None else "held-out table"
    pair = read_pair(real, tables, evaluated.schema, last_called=last, progress=progress)
    if targets is not None:
        check_targets(pair, targets)  # before the work of minutes
    return (pair, None) if holdout is None else (pair.without_last(), pair.synthetic[-1])


def _today() -> str:
    return datetime.now(UTC).date().isoformat()
