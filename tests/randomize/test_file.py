"""A randomised file says how it was made, and notices what was done to it since."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from understudy._core.errors import OptionError, TableError
from understudy.randomize import Block, Plan, Response, open_randomized
from understudy.randomize._file import Facts, RandomizedWriter
from understudy.schema import Schema

KEY = b"understudy.randomized"
SCHEMA = Schema.from_dict(
    {
        "fields": [
            {"name": "smokes", "categories": ["no", "yes"]},
            {"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 99}, "bins": 10},
        ]
    }
)


def make_plan(keep: Fraction = Fraction(3, 4), name: str = "hospital") -> Plan:
    blocks = (
        Block(columns=("smokes",), sizes=(2,), matrix=Response(2, keep)),
        Block(columns=("age",), sizes=(10,), matrix=Response(10, Fraction(1, 2))),
    )
    return Plan(party=name, schema=SCHEMA, blocks=blocks)


PLAN = make_plan()
CODES = [np.array([0, 1, 1, 0], dtype=np.uint8), np.array([9, 0, 3, 3], dtype=np.uint8)]
PSEUDONYMS = np.arange(64, dtype=np.uint8).reshape(4, 16)


def write(path: Path, *, keyed: bool = True) -> Path:
    with path.open("wb") as file:
        writer = RandomizedWriter(file, PLAN, keyed=keyed)
        for start in (0, 3):
            part = slice(start, start + 3)
            writer.write([column[part] for column in CODES], PSEUDONYMS[part] if keyed else None)
        writer.close(Facts(study="asthma", secret_check="ab"))
    return path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return write(tmp_path / "hospital.parquet")


def test_what_was_written_is_read_again(path: Path) -> None:
    found = open_randomized(path, plan=PLAN)
    assert (found.plan, found.n_rows, found.study, found.secret_check) == (PLAN, 4, "asthma", "ab")
    assert [column.tolist() for column in found.codes().columns] == [column.tolist() for column in CODES]
    pseudonyms = found.pseudonyms()
    assert pseudonyms is not None
    assert pseudonyms.tobytes() == PSEUDONYMS.tobytes()
    assert pseudonyms.shape == (4, 2)


def test_batches_of_any_length_hold_the_same_rows(path: Path) -> None:
    parts = list(open_randomized(path).batches(rows=1))
    assert np.concatenate([part.codes[1] for part in parts]).tolist() == CODES[1].tolist()


def test_a_file_without_keys_has_no_pseudonyms(tmp_path: Path) -> None:
    found = open_randomized(write(tmp_path / "a.parquet", keyed=False))
    assert (found.pseudonyms(), found.codes().n) == (None, 4)


def test_pandas_shows_the_labels(path: Path) -> None:
    frame = parquet.read_table(path).to_pandas()
    assert frame["smokes"].tolist() == ["no", "yes", "yes", "no"]
    assert list(frame["smokes"].cat.categories) == ["no", "yes"]


def test_a_column_named_as_the_pseudonyms_is_refused(tmp_path: Path) -> None:
    schema = Schema.from_dict({"fields": [{"name": "pseudonym", "categories": ["a", "b"]}]})
    block = Block(columns=("pseudonym",), sizes=(2,), matrix=Response(2, Fraction(3, 4)))
    with (tmp_path / "x").open("wb") as file, pytest.raises(OptionError, match="Rename it"):
        RandomizedWriter(file, Plan(party="p", schema=schema, blocks=(block,)), keyed=True)


def rewrite(path: Path, *, table: pa.Table | None = None, said: Any = None) -> None:
    """The file again with other rows, or with something else said about them."""
    old = parquet.read_table(path)
    kept = parquet.read_metadata(path).metadata[KEY]
    told = kept if said is None else said if isinstance(said, bytes) else json.dumps(said).encode()
    table = old if table is None else table
    parquet.write_table(table.replace_schema_metadata({KEY: told}), path)


def said_by(path: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(parquet.read_metadata(path).metadata[KEY])
    return content


def changed_cell(table: pa.Table) -> pa.Table:
    cells = table.column("smokes").combine_chunks()
    flipped = pa.DictionaryArray.from_arrays(pa.array(1 - cells.indices.to_numpy(), pa.uint8()), cells.dictionary)
    return table.set_column(0, "smokes", flipped)


def other_label(table: pa.Table) -> pa.Table:
    cells = table.column("smokes").combine_chunks()
    return table.set_column(0, "smokes", pa.DictionaryArray.from_arrays(cells.indices, pa.array(["no", "maybe"])))


def plain_text(table: pa.Table) -> pa.Table:
    return table.set_column(0, "smokes", pa.array([1, 2, 3, 4]))


def with_missing(table: pa.Table) -> pa.Table:
    return table.set_column(0, "smokes", pa.array(["no", None, "yes", "no"]).dictionary_encode())


def other_pseudonyms(table: pa.Table) -> pa.Table:
    return table.set_column(2, "pseudonym", pa.array([bytes(16)] * 4, pa.binary(16)))


def short_pseudonyms(table: pa.Table) -> pa.Table:
    return table.set_column(2, "pseudonym", pa.array(["a"] * 4))


@pytest.mark.parametrize(
    "change",
    [
        *(changed_cell, other_label, plain_text, with_missing, other_pseudonyms, short_pseudonyms),
        lambda table: table.slice(0, 3),
        lambda table: table.take([1, 0, 2, 3]),
        lambda table: table.drop_columns(["age"]),
        lambda table: table.drop_columns(["pseudonym"]),
        lambda table: table.append_column("extra", pa.array([1, 2, 3, 4])),
        lambda table: table.select(["age", "smokes", "pseudonym"]),
    ],
)
def test_rows_that_were_changed_are_refused(path: Path, change: Any) -> None:
    rewrite(path, table=change(parquet.read_table(path)))
    with pytest.raises(TableError, match=r"hospital\.parquet.*changed after it was made"):
        open_randomized(path).codes()


def test_the_same_rows_written_by_another_program_are_the_same(path: Path) -> None:
    rewrite(path)
    assert open_randomized(path).codes().n == 4


def test_a_dictionary_in_another_order_means_the_same(path: Path) -> None:
    table = parquet.read_table(path)
    turned = pa.array(["yes", "no"])
    cells = pa.DictionaryArray.from_arrays(pa.array([1, 0, 0, 1], pa.uint8()), turned)
    rewrite(path, table=table.set_column(0, "smokes", cells))
    assert open_randomized(path).codes().columns[0].tolist() == CODES[0].tolist()


def test_a_swapped_plan_is_refused(path: Path) -> None:
    said = said_by(path)
    other = make_plan(Fraction(9, 10))
    rewrite(path, said=said | {"plan": other.to_dict()})
    with pytest.raises(TableError, match="another fingerprint"):
        open_randomized(path)
    rewrite(path, said=said | {"plan": other.to_dict(), "fingerprint": other.fingerprint})
    with pytest.raises(TableError, match="changed after it was made"):
        open_randomized(path).codes()


def test_another_plan_than_the_one_given_is_refused(path: Path) -> None:
    with pytest.raises(TableError, match=r"hospital\.parquet was made with another plan"):
        open_randomized(path, plan=make_plan(Fraction(9, 10)))


@pytest.mark.parametrize(
    "lie",
    [
        {"study": "other"},
        {"secret_check": "cd"},
        {"times": 2},
        {"earlier": "1"},
        {"stamp": "x"},
        {"rows": 5},
        {"digest": "0" * 64},
    ],
)
def test_whatever_else_it_says_is_covered_by_the_digest(path: Path, lie: dict[str, Any]) -> None:
    rewrite(path, said=said_by(path) | lie)
    with pytest.raises(TableError, match=r"hospital\.parquet was changed"):
        open_randomized(path).codes()


@pytest.mark.parametrize(
    "said",
    [
        b"not JSON",
        b"\xff\xfe",
        b"[" * 100_000,
        b"[]",
        b"{}",
        b'{"format": 7}',
        b'{"format": "understudy-randomized/1"}',
        b'{"format": "understudy-randomized/1", "plan": {}, "rows": "many"}',
        b'{"rows": ' + b"9" * 5_000 + b"}",
    ],
)
def test_hostile_metadata_end_in_a_sentence(path: Path, said: bytes) -> None:
    rewrite(path, said=said)
    with pytest.raises(TableError, match=r"hospital\.parquet: what it says about itself cannot be read"):
        open_randomized(path)


def test_huge_metadata_are_not_parsed(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("understudy.randomize._file._MOST_BYTES", 10)
    with pytest.raises(TableError, match="cannot be read"):
        open_randomized(path)


def test_another_version_is_named(path: Path) -> None:
    rewrite(path, said=said_by(path) | {"format": "understudy-randomized/9"})
    with pytest.raises(TableError, match="understudy-randomized/9"):
        open_randomized(path)


def test_a_plan_inside_that_is_none_is_told(path: Path) -> None:
    rewrite(path, said=said_by(path) | {"plan": {"format": "?"}})
    with pytest.raises(TableError, match="the plan inside it cannot be read"):
        open_randomized(path)


def test_a_parquet_file_of_somebody_else_is_told(tmp_path: Path) -> None:
    parquet.write_table(pa.table({"a": [1]}), tmp_path / "other.parquet")
    with pytest.raises(TableError, match=r"other\.parquet is no randomised file"):
        open_randomized(tmp_path / "other.parquet")


def test_a_csv_is_no_randomised_file(tmp_path: Path) -> None:
    (tmp_path / "other.csv").write_text("a\n1\n")
    with pytest.raises(TableError, match="no randomised file"):
        open_randomized(tmp_path / "other.csv")


def test_every_cut_ends_in_a_sentence(path: Path) -> None:
    whole = path.read_bytes()
    for end in range(0, len(whole), 97):
        path.write_bytes(whole[:end])
        with pytest.raises(TableError):
            open_randomized(path).codes()
