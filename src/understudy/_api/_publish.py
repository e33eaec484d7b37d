"""`publish`: one call from a private table to a release folder."""

from __future__ import annotations

import os
import shutil
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Unpack

from understudy._api._arguments import PublishArguments
from understudy._api._fit import Progress, charge_note, fit_model
from understudy._api._options import read_arguments, takes
from understudy._api._settings import RunSettings, SchemaLike, demo_source, resolve
from understudy._core.errors import OutputError
from understudy.options import PublishOptions
from understudy.privacy import PrivacyWarning
from understudy.release import CardFacts, Format, PublishedModel, Release, fill_release, make_release, whole_folder
from understudy.tables import delimiter_of, kind_of

_SPARE = 16 << 20


@takes(PublishOptions)
def publish(
    source: object,
    *,
    schema: SchemaLike | None = None,
    progress: Progress | None = None,
    **options: Unpack[PublishArguments],
) -> Release:
    """Publish a table: fit a model under differential privacy, sample from it, write the release folder.

    `source` is a CSV or Parquet file, a pandas, polars or pyarrow table, or the word "demo". Whatever can be checked
    without private rows (options, schema, output folder, the ledger's cap) is checked first; then the table is read,
    the ledger charged, the model fitted. Options that are not listed are the method's, such as `k=2`. A `seed` makes a
    rehearsal, stamped NOT PRIVATE and never charged; so is a method as its paper prints it (`privabn-as-printed`, with
    `no_guarantee`).

    Unit: one row, put into words by `unit`. Neighbours: replace-one by default. Bound: `epsilon` (and `delta`) for the
    whole folder.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     release = publish("demo", epsilon=1, out=f"{folder}/release")
    ...     release.synthetic.name, release.n_rows, release.statement.private
    ('synthetic.csv', 5912, True)
    """
    asked = read_arguments(PublishOptions, options)
    if asked.unit is None and isinstance(source, str) and source == "demo":
        asked = replace(asked, unit="one person")
    table, declared = demo_source(source, schema)
    settings = resolve(asked, declared)
    out, wanted = Path(asked.out), check_format(asked.format, table)
    facts = CardFacts(license=asked.license, creator=asked.creator, url=asked.url)
    with _charges_mentioned() as fitted, whole_folder(out, overwrite=asked.overwrite) as folder:
        _check_room(table, folder)
        delimiter = delimiter_of(table)
        model = _fit(table, settings, progress)
        fitted.append(model)
        names, n_rows = fill_release(
            folder, model, format=wanted, n_rows=asked.n, seed=asked.seed, facts=facts, progress=progress,
            delimiter=delimiter,
        )  # fmt: skip
    return make_release(out, model, names, n_rows)


def check_format(format: Format | None, source: object) -> Format:
    """The format asked for, or the input's: Parquet for Parquet, CSV for CSV and for dataframes.

    >>> from understudy import demo
    >>> check_format(None, demo.table_path()), check_format("parquet", demo.table_path())
    ('csv', 'parquet')
    """
    if format is not None:
        return format
    if isinstance(source, str | os.PathLike):
        return "csv" if kind_of(Path(source)) == "csv" else "parquet"
    return "csv"


def _fit(table: object, settings: RunSettings, progress: Progress | None) -> PublishedModel:
    with warnings.catch_warnings():
        # The statement carries the same warnings, and every face shows them from there.
        warnings.simplefilter("ignore", PrivacyWarning)
        return fit_model(table, settings, progress=progress, note="publish")


def _check_room(table: object, folder: Path) -> None:
    """Refuse early if the disk has less room than the input takes: budget spent on a full disk is lost."""
    if not isinstance(table, str | os.PathLike) or not Path(table).is_file():
        return
    needed = Path(table).stat().st_size + _SPARE
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise OutputError(
            f"the disk has {free >> 20} MiB left where the release would go, and it may need {needed >> 20} MiB. "
            "Nothing was spent. Free some space or choose another --out."
        )


@contextmanager
def _charges_mentioned() -> Iterator[list[PublishedModel]]:
    """Whatever fails once a model is fitted, up to the last rename: say that its charge stays."""
    fitted: list[PublishedModel] = []
    try:
        yield fitted
    except BaseException as error:
        for model in fitted:
            note = charge_note(model.statement)
            if note is not None:
                error.add_note(note)
        raise
