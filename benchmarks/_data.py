"""The benchmark tables, as codes."""

from __future__ import annotations

import csv
import gzip
import json
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

ROOT = Path(__file__).resolve().parent.parent
Codes = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Encoded:
    """A table of codes, one column an attribute, with its public sizes."""

    name: str
    columns: tuple[str, ...]
    sizes: tuple[int, ...]
    codes: Codes

    @property
    def n(self) -> int:
        return int(self.codes.shape[0])

    def write(self, folder: Path) -> tuple[Path, Path]:
        """The two files a peer's runner reads."""
        folder.mkdir(parents=True, exist_ok=True)
        table, sizes = folder / f"{self.name}.csv", folder / f"{self.name}.sizes.json"
        write_codes(table, self.columns, self.codes)
        sizes.write_text(json.dumps(dict(zip(self.columns, self.sizes, strict=True))))
        return table, sizes


def data_folder() -> Path:
    """`UNDERSTUDY_DATA`, by default the folder of shared data beside the project."""
    return Path(os.environ.get("UNDERSTUDY_DATA", ROOT.parent / "shared" / "data"))


def find(name: str, *endings: str) -> Path | None:
    """The first file of that name and one of those endings."""
    return next((path for path in (data_folder() / f"{name}{end}" for end in endings) if path.exists()), None)


def schema_path(name: str) -> Path:
    """The table's schema file."""
    path = find(name, ".schema.yaml")
    if path is None:
        raise FileNotFoundError(f"no {name}.schema.yaml in the data folder: set UNDERSTUDY_DATA")
    return path


def load(name: str) -> Encoded:
    """A table whose values are integer codes already (nltcs, acs, *_privbayes16)."""
    table, schema = find(name, ".csv", ".csv.gz"), find(name, ".schema.json")
    if table is None or schema is None:
        raise FileNotFoundError(f"no table '{name}' in the data folder: set UNDERSTUDY_DATA")
    attributes = json.loads(schema.read_text())["attributes"]
    columns, codes = read_codes(table)
    if columns != tuple(attribute["name"] for attribute in attributes):
        raise ValueError(f"{name}: the table's columns are not its schema's")
    return Encoded(name, columns, tuple(len(attribute["values"]) for attribute in attributes), codes)


def read_codes(path: Path) -> tuple[tuple[str, ...], Codes]:
    """Header and integer cells of a CSV file."""
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as lines:
        columns = tuple(next(csv.reader(lines)))
        return columns, np.loadtxt(lines, dtype=np.int64, delimiter=",", ndmin=2)


def write_codes(path: Path, columns: tuple[str, ...], codes: Codes) -> None:
    """The reverse of `read_codes`."""
    np.savetxt(path, codes, fmt="%d", delimiter=",", header=",".join(columns), comments="")
