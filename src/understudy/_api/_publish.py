"""`publish`: one call from a private table to a release folder."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from typing import TypeVar, Unpack

from understudy import demo
from understudy._api._arguments import PublishArguments
from understudy._api._fit import Progress, fit_model
from understudy._api._options import read_arguments, takes
from understudy._api._settings import RunSettings, demo_source, resolve
from understudy._core.errors import OutputError
from understudy._core.receipts import charges_noted
from understudy.options import PublishOptions, RunOptions
from understudy.privacy import PrivacyWarning
from understudy.release import (
    CardFacts,
    PublishedModel,
    Release,
    Writing,
    fill_release,
    make_release,
    rehearse_writing,
    whole_folder,
)
from understudy.schema import SchemaLike
from understudy.tables import Source, open_source

Asked = TypeVar("Asked", bound=RunOptions)


@takes(PublishOptions)
def publish(
    source: object,
    *,
    schema: SchemaLike | None = None,
    progress: Progress | None = None,
    **options: Unpack[PublishArguments],
) -> Release:
    """Publish a table: fit a model under differential privacy, sample from it, write the release folder.

    `source` is a CSV, Parquet or Arrow file, a folder of them or a pattern such as "visits/*.parquet", a table in a
    database ("postgresql://ann@host/health?table=visits", "clinic.db?table=visits"), a pandas, polars or pyarrow table,
    an Arrow stream, a DuckDB relation, a Spark DataFrame, or the word "demo" or "demo-visits". Whatever can be checked
    without private rows (options, schema, output folder, the ledger's cap) is checked first; then the table is read,
    the ledger charged, the model fitted. Options that are not listed are the method's, such as `k=2`. A `seed` makes a
    rehearsal, stamped NOT PRIVATE and never charged; so is a method as its paper prints it (`privabn-as-printed`, with
    `no_guarantee`).

    Unit: one row, in the words of `unit`. Neighbours: add-remove by default. Bound: `epsilon`, `delta` for the folder.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     release = publish("demo", epsilon=1, out=f"{folder}/release")
    ...     release.synthetic.name, release.statement.private, release.statement.promise.named
    ('synthetic.csv', True, '(ε = 1, δ = 1e-09), add-remove')
    """
    asked = for_bundled(source, read_arguments(PublishOptions, options))
    table, declared = demo_source(source, schema)
    settings, out = resolve(asked, declared), Path(asked.out)
    with charges_noted(), whole_folder(out, overwrite=asked.overwrite) as folder:
        opened = open_source(table)
        _refuse_inside(opened, out)
        wanted = asked.format or format_like(opened)
        _rehearse(folder, opened, settings, asked, wanted)
        model = _fit(opened, settings, progress)
        names, n_rows = fill_release(
            folder, model, n_rows=asked.n, seed=asked.seed, facts=_facts(asked), progress=progress,
            format=wanted, delimiter=opened.delimiter,
        )  # fmt: skip
    return make_release(out, model, names, n_rows)


def for_bundled(source: object, asked: Asked) -> Asked:
    """The unit of a bundled table is known: a row of one, up to five years of the other.

    >>> for_bundled("demo", PublishOptions(epsilon=1)).unit
    'one person'
    """
    if demo.bundled(source) is None or asked.unit is not None or asked.groups is not None:
        return asked
    if source == "demo-visits":
        return replace(asked, unit="person", max_rows=5 if asked.max_rows is None else asked.max_rows)
    return asked if asked.max_rows is not None else replace(asked, unit="one person")


def format_like(source: Source) -> str:
    """The input's format: Parquet for Parquet and Arrow files, CSV for CSV and for dataframes.

    >>> from understudy import demo
    >>> format_like(open_source(demo.table_path()))
    'csv'
    """
    return "parquet" if source.kind in ("parquet", "arrow") else "csv"


def _refuse_inside(source: Source, out: Path) -> None:
    """Refuse to write into the folder that is read: what is written would be a part of the table from then on."""
    if source.folder is not None and out.resolve().is_relative_to(source.folder.resolve()):
        raise OutputError(
            f"'{out}' lies in the folder {source.folder}, all files of which are the table: the release would be read "
            "as a part of it next time. Choose another --out, or name the files with a pattern such as "
            f"'{source.folder}/*.parquet'."
        )


def _facts(asked: PublishOptions) -> CardFacts:
    return CardFacts(license=asked.license, creator=asked.creator, url=asked.url)


def _rehearse(folder: Path, source: Source, settings: RunSettings, asked: PublishOptions, format: str) -> None:
    """Try out the writing: budget that is spent on what cannot be written is lost."""
    writing = Writing(
        schema=settings.schema,
        format=format,
        delimiter=source.delimiter,
        unit=settings.terms.unit.sentence,
        facts=_facts(asked),
    )
    rehearse_writing(folder, writing, n_rows=source.n_rows if asked.n is None else asked.n, n_bytes=source.n_bytes)


def _fit(source: Source, settings: RunSettings, progress: Progress | None) -> PublishedModel:
    with warnings.catch_warnings():
        # The statement carries the same warnings, and every face shows them from there.
        warnings.simplefilter("ignore", PrivacyWarning)
        return fit_model(source, settings, progress=progress, note="publish")
