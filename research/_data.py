"""The benchmark tables of the papers, found in a folder of the user's and never shipped."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

from understudy._core.errors import TableError, did_you_mean
from understudy.counting import Counter, open_counter
from understudy.schema import Schema
from understudy.tables import Table, read_table

VARIABLE = "UNDERSTUDY_DATA"
DATASETS = {
    "nltcs": "NLTCS",
    "acs": "ACS",
    "adult_privbayes16": "Adult",
    "br2000_privbayes16": "BR2000",
    "retail50": "Retail",
    "adult_hp14": "Adult (14 columns)",
}
"""The tables that experiments use, by file name, with what the papers call them."""


@dataclass(frozen=True, eq=False)
class Dataset:
    """A benchmark table as codes, with its schema."""

    name: str
    schema: Schema
    table: Table
    counter: Counter


def data_folder(given: str | os.PathLike[str] | None = None) -> Path:
    """Where the tables are: as given, or `UNDERSTUDY_DATA`, or `../shared/data`.

    >>> data_folder("somewhere").name
    'somewhere'
    """
    return Path(given if given is not None else os.environ.get(VARIABLE) or Path("..", "shared", "data"))


def table_file(name: str, folder: Path) -> Path:
    """The file of a table.

    >>> table_file("nltcs", Path("no-such-folder"))
    Traceback (most recent call last):
    understudy._core.errors.TableError: the folder of benchmark data 'no-such-folder' does not exist, and the table \
'nltcs' should be in it. Name the folder with --data or in the environment variable UNDERSTUDY_DATA.
    """
    return _file(name, folder, ".csv", ".csv.gz")


def schema_file(name: str, folder: Path) -> Path:
    """The file of a table's schema."""
    return _file(name, folder, ".schema.yaml")


def _file(name: str, folder: Path, *endings: str) -> Path:
    if name not in DATASETS:
        raise TableError(f"no experiment knows a table '{name}'. {did_you_mean(name, DATASETS)}")
    if not folder.is_dir():
        what = "is a file, not a folder," if folder.exists() else "does not exist,"
        raise TableError(
            f"the folder of benchmark data '{folder}' {what} and the table '{name}' should be in it. Name the folder "
            f"with --data or in the environment variable {VARIABLE}."
        )
    for ending in endings:
        if (found := folder / f"{name}{ending}").is_file():
            return found
    wanted = " or ".join(f"{name}{ending}" for ending in endings)
    raise TableError(
        f"'{folder}' has no file {wanted}, which the experiment needs. Put it there, or name another folder with "
        f"--data or in the environment variable {VARIABLE}."
    )


def load(name: str, folder: Path) -> Dataset:
    """The table, read once a process."""
    return _load(name, folder.resolve())


@lru_cache(maxsize=4)
def _load(name: str, folder: Path) -> Dataset:
    path = table_file(name, folder)
    schema = Schema.load(schema_file(name, folder))
    table = read_table(path, schema)
    return Dataset(name, schema, table, open_counter(table))


@lru_cache(maxsize=32)
def data_hash(name: str, folder: Path) -> str:
    """A hash of the table's files, so that results of other data are not taken for these."""
    found = sha256()
    for path in (table_file(name, folder), schema_file(name, folder)):
        found.update(path.read_bytes())
    return found.hexdigest()
