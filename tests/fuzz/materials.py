"""Sound inputs, which the kinds spoil: a schema with every type, a table that fits it, a release made from both."""

from __future__ import annotations

import atexit
import io
import json
import tempfile
from fractions import Fraction
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet

import understudy
from understudy.privacy import PrivacyTerms, PureBudget
from understudy.schema import Schema

SCHEMA_TEXT = """\
# people.schema.yaml
name: people
missingValues: ['', NA]
x-answers: &answers [Yes, No]
fields:
- name: region
  type: string
  categories: [North, South, East, 01]
- name: education
  categories: [None, Primary, Secondary, {value: B, label: Bachelor}, {value: M, label: Master}]
  categoriesOrdered: true
  taxonomy: [[None, Primary], [Secondary, [B, M]]]
- name: age
  type: integer
  constraints: {minimum: 0, maximum: 119}
  bins: 12
  outside: clip
- name: hours
  type: integer
  constraints: {minimum: 0, maximum: 80, required: false}
  bins: {edges: [0, 1, 20, 40, 80], closed: left}
  special: [{value: -1, label: never worked}]
- name: weight
  type: number
  constraints: {minimum: 0, maximum: 250}
  bins: 10
  decimals: 1
- name: seen
  type: date
  format: '%d/%m/%Y'
  constraints: {minimum: '2023-01-01', maximum: '2023-12-31'}
  bins: 4
- name: moment
  type: datetime
  timezone: Europe/Paris
  constraints: {minimum: '2023-01-01T00:00:00', maximum: '2023-12-31T23:59:59'}
  bins: 4
- name: born
  type: year
  constraints: {minimum: 1900, maximum: 2020}
- name: smoker
  type: boolean
  trueValues: [Y]
  falseValues: [N]
- name: ill
  categories: *answers
  sensitivity: high
  sensitivities: {Yes: 3}
  outside: other
brokenRows: mend
dependencies:
- {determines: [region], column: ill}
- {lower: age, upper: hours}
"""

SDV = {
    "METADATA_SPEC_VERSION": "SINGLE_TABLE_V1",
    "primary_key": "id",
    "columns": {
        "id": {"sdtype": "id", "regex_format": "[0-9]+"},
        "age": {"sdtype": "numerical", "computer_representation": "Int64"},
        "seen": {"sdtype": "datetime", "datetime_format": "%Y-%m-%d"},
        "region": {"sdtype": "categorical", "order_by": "alphabetical", "order": ["North", "South"]},
        "smoker": {"sdtype": "boolean"},
        "name": {"sdtype": "first_name", "pii": True},
    },
}


@cache
def schema() -> Schema:
    """The schema of the table."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "people.schema.yaml")
        path.write_text(SCHEMA_TEXT, encoding="utf-8")
        return Schema.load(path)


def schema_content() -> Any:
    """The schema as a JSON-like value."""
    return json.loads(json.dumps(schema().to_dict()))


@cache
def csv_text(n: int = 40) -> str:
    """A table that fits the schema."""
    rng = Random(1)
    lines = ["region,education,age,hours,weight,seen,moment,born,smoker,ill"]
    for _ in range(n):
        day, month = rng.randint(1, 28), rng.randint(1, 12)
        cells = [
            rng.choice(("North", "South", "East", "01")),
            rng.choice(("None", "Primary", "Secondary", "B", "M")),
            rng.randint(0, 130),
            rng.choice(("", "NA", -1, 0, 40, 80)),
            round(rng.uniform(0, 250), 1),
            f"{day:02}/{month:02}/2023",
            f"2023-{month:02}-{day:02}T{rng.randint(0, 23):02}:30:00",
            rng.randint(1900, 2020),
            rng.choice("YN"),
            rng.choice(("Yes", "No", "perhaps", "=1+1")),
        ]
        lines.append(",".join(map(str, cells)))
    return "\n".join(lines) + "\n"


@cache
def visits_text() -> str:
    """The same table with a column that tells whose row is whose."""
    header, *rows = csv_text().splitlines()
    return "\n".join([f"{header},person", *(f"{row},{i % 17}" for i, row in enumerate(rows))]) + "\n"


@cache
def groups_text(n: int = 40) -> str:
    """Its rows, three to a group."""
    return "\n".join(["row,group", *(f"{i},g{i // 3}" for i in range(n))]) + "\n"


@cache
def frame() -> pd.DataFrame:
    """The same table with columns of their own types."""
    found = pd.read_csv(io.StringIO(csv_text()), dtype={"region": str}, keep_default_na=False)
    found["hours"] = pd.to_numeric(found["hours"], errors="coerce").astype("Int64")
    found["seen"] = pd.to_datetime(found["seen"], format="%d/%m/%Y")
    found["moment"] = pd.to_datetime(found["moment"]).dt.tz_localize("Europe/Paris")
    found["smoker"] = found["smoker"] == "Y"
    return found


@cache
def arrow_files() -> dict[str, bytes]:
    """The same table as files of every binary kind."""
    table = pa.Table.from_pandas(frame(), preserve_index=False)
    files = {}
    for name, compression in (("snappy", "snappy"), ("plain", "none"), ("zstd", "zstd")):
        buffer = io.BytesIO()
        pyarrow.parquet.write_table(table, buffer, compression=compression, row_group_size=15)
        files[f"{name}.parquet"] = buffer.getvalue()
    for name, compression in (("lz4", "lz4"), ("plain", "uncompressed")):
        buffer = io.BytesIO()
        pyarrow.feather.write_feather(table, buffer, compression=compression)
        files[f"{name}.feather"] = buffer.getvalue()
    buffer = io.BytesIO()
    with pa.ipc.new_file(buffer, table.schema) as writer:
        writer.write_table(table)
    files["plain.arrow"] = buffer.getvalue()
    return files


@cache
def release_files() -> dict[str, bytes]:
    """A rehearsed release of the table, file by file."""
    with tempfile.TemporaryDirectory() as folder:
        source, out = Path(folder, "people.csv"), Path(folder, "release")
        source.write_text(csv_text(), encoding="utf-8")
        understudy.publish(source, schema=schema(), epsilon=3, out=out, seed=1, n=30)
        return {path.name: path.read_bytes() for path in sorted(out.iterdir())}


@cache
def ledger_file() -> bytes:
    """A ledger with two data sets and some charges."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "budget.db")
        for dataset, epsilon in (("people", Fraction(1, 3)), ("people", Fraction(1)), ("houses", Fraction(1, 2))):
            ledger = understudy.SQLiteLedger(path, dataset=dataset, cap=10)
            ledger.charge(PrivacyTerms(budget=PureBudget(epsilon=epsilon)), method="privbayes")
        return path.read_bytes()


@cache
def kept_folder() -> str:
    """A folder that lives as long as this process."""
    keeper = tempfile.TemporaryDirectory()
    atexit.register(keeper.cleanup)
    return keeper.name


def sdv_text() -> str:
    """The SDV metadata as a file holds it."""
    return json.dumps(SDV)
