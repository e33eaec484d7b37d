"""`publish`: one call from a private table to a release folder."""

from __future__ import annotations

import os
import shutil
import warnings
from pathlib import Path
from typing import Any

from understudy._api._fit import Progress, fit_model
from understudy._api._settings import Number, RunSettings, SchemaLike, check_run, demo_source
from understudy._core.errors import OptionError, OutputError
from understudy._core.numbers import whole_number
from understudy._core.receipts import charges_noted
from understudy.methods import Method
from understudy.privacy import Ledger, PrivacyWarning
from understudy.release import CardFacts, Format, PublishedModel, Release, fill_release, make_release, whole_folder
from understudy.tables import Source, open_source

_SPARE = 16 << 20


def publish(
    source: object,
    *,
    schema: SchemaLike | None = None,
    epsilon: Number,
    delta: Number | None = None,
    out: str | os.PathLike[str] = "release",
    method: str | Method = "privbayes",
    n: int | None = None,
    neighbours: str = "replace-one",
    ledger: Ledger | str | os.PathLike[str] | None = None,
    dataset: str | None = None,
    cap: Number | None = None,
    delta_cap: Number | None = None,
    seed: int | None = None,
    trust_draft: bool = False,
    overwrite: bool = False,
    format: Format | None = None,
    noise: str = "exact",
    diagnostic: str | None = None,
    no_guarantee: bool = False,
    unit: str | None = None,
    card: CardFacts | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Release:
    """Publish a table: fit a model under differential privacy, sample from it, write the release folder.

    `source` is a CSV or Parquet file, a pandas, polars or pyarrow table, or the word "demo". Whatever can be checked
    without private rows (options, schema, output folder, the ledger's cap) is checked first; then the table is read,
    the ledger charged, the model fitted. `options` are the method's, such as `k=2`. A `seed` makes a rehearsal, stamped
    NOT PRIVATE and never charged; so is a method as its paper prints it (`privabn-as-printed`, with `no_guarantee`).

    Unit: one row, in the words of `unit`. Neighbours: replace-one by default. Bound: `epsilon`, `delta` for the folder.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     release = publish("demo", epsilon=1, out=f"{folder}/release")
    ...     release.synthetic.name, release.n_rows, release.statement.private
    ('synthetic.csv', 5912, True)
    """
    check_format(format)
    table, declared = demo_source(source, schema)
    settings = check_run(
        schema=declared, epsilon=epsilon, delta=delta, method=method, neighbours=neighbours, ledger=ledger,
        dataset=dataset, cap=cap, delta_cap=delta_cap, seed=seed, noise=noise, trust_draft=trust_draft,
        diagnostic=diagnostic, no_guarantee=no_guarantee, options=options,
        unit=unit or ("one person" if isinstance(source, str) and source == "demo" else "one row"),
    )  # fmt: skip
    n = None if n is None else whole_number(n, "n")
    with charges_noted(), whole_folder(Path(out), overwrite=overwrite) as folder:
        opened = open_source(table)
        _check_room(opened, folder)
        model = _fit(opened, settings, progress)
        names, n_rows = fill_release(
            folder, model, n_rows=n, seed=seed, facts=card, progress=progress,
            format=format or format_like(opened), delimiter=opened.delimiter,
        )  # fmt: skip
    return make_release(Path(out), model, names, n_rows)


def check_format(format: str | None) -> None:
    """Refuse a format that no release has.

    >>> check_format("xlsx")
    Traceback (most recent call last):
    understudy._core.errors.OptionError: format must be csv or parquet. Got 'xlsx' instead.
    """
    if format not in (None, "csv", "parquet"):
        raise OptionError(f"format must be csv or parquet. Got {format!r} instead.")


def format_like(source: Source) -> Format:
    """The input's format: Parquet for Parquet and Arrow files, CSV for CSV and for dataframes.

    >>> from understudy import demo
    >>> format_like(open_source(demo.table_path()))
    'csv'
    """
    return "parquet" if source.kind in ("parquet", "arrow") else "csv"


def _fit(source: Source, settings: RunSettings, progress: Progress | None) -> PublishedModel:
    with warnings.catch_warnings():
        # The statement carries the same warnings, and every face shows them from there.
        warnings.simplefilter("ignore", PrivacyWarning)
        return fit_model(source, settings, progress=progress, note="publish")


def _check_room(source: Source, folder: Path) -> None:
    """Refuse early if the disk has less room than the input takes: budget spent on a full disk is lost."""
    if source.n_bytes is None:
        return
    needed = source.n_bytes + _SPARE
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise OutputError(
            f"the disk has {free >> 20} MiB left where the release would go, and it may need {needed >> 20} MiB. "
            "Nothing was spent. Free some space or choose another --out."
        )
