"""Drafts: what is guessed from a table, and that every guess is marked."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from understudy._core.errors import TableError
from understudy.schema import Schema
from understudy.tables import check_table, draft_schema


def drafted(values: list[Any]) -> dict[str, Any]:
    schema = draft_schema(pa.table({"x": values}))
    assert schema.draft_fields == ("x",)
    return schema["x"].to_dict()


def test_types_are_guessed_from_texts() -> None:
    assert drafted(["true", "false"] * 9)["type"] == "boolean"
    assert drafted(["TRUE", "FALSE"] * 9)["trueValues"] == ["TRUE"]
    assert drafted(["1", "2", "1"])["categories"] == [1, 2]
    assert drafted([str(i) for i in range(17, 91)] * 2)["constraints"] == {"minimum": 0, "maximum": 100}
    assert drafted([f"{i / 8}" for i in range(100)] * 2)["decimals"] == 3
    assert drafted(["2020-01-05", "2023-02-01"] * 2)["constraints"] == {
        "minimum": "2020-01-01",
        "maximum": "2023-12-31",
    }
    assert drafted(["31/01/2020", "01/02/2020"] * 2)["format"] == "%d/%m/%Y"
    assert drafted(["01/31/2020", "01/02/2020"] * 2)["format"] == "%m/%d/%Y"
    assert drafted(["20200131", "20200201"] * 2) | {"name": ""} == {
        "name": "", "type": "date", "format": "%Y%m%d", "bins": "auto", "origin": "draft",
        "constraints": {"minimum": "2020-01-01", "maximum": "2020-02-29"},
    }  # fmt: skip
    assert drafted(["2020-01-05 10:00:00", "2020-01-05 11:00:01"] * 2)["format"] == "%Y-%m-%d %H:%M:%S"
    assert drafted(["2020-01-05T10:00:00", "2020-01-05T11:00:00"] * 2)["type"] == "datetime"
    assert drafted(["b", "a", "b"])["categories"] == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("2020-01-01T10:00:05", None),
        ("2020-01-01T10:00", "%Y-%m-%dT%H:%M"),
        ("2020-01-01 10:00", "%Y-%m-%d %H:%M"),
        ("2020-01-01 10:00:05", "%Y-%m-%d %H:%M:%S"),
        ("2020-01-01T10:00:05Z", "%Y-%m-%dT%H:%M:%SZ"),
        ("2020-01-01 10:00:05.123456", "%Y-%m-%d %H:%M:%S.%f"),
        ("13.03.2020 10:00", "%d.%m.%Y %H:%M"),
        ("13/03/2020", "%d/%m/%Y"),
        ("2020-03-13", None),
    ],
)
def test_a_guessed_format_writes_every_text_as_it_was(text: str, pattern: str | None) -> None:
    field = drafted([text, "NA"] * 2)
    assert field.get("format") == pattern
    schema = draft_schema(pa.table({"x": [text] * 2}))
    assert schema["x"].type in ("date", "datetime")
    assert not any("written in another way" in note for note in schema["x"].comments)
    assert check_table(pa.table({"x": [text] * 2}), schema).ok


def test_moments_that_no_format_writes_back_are_remarked_on() -> None:
    for texts in (["1/2/2020", "13/12/2020"], ["2020-01-01T23:59:59.5", "2020-01-31 23:59:59.123"]):
        table = pa.table({"x": texts * 2})
        schema = draft_schema(table)
        assert "some cells are written in another way" in schema["x"].comments[1]
        assert check_table(table, schema).ok


def test_years_of_two_digits_stay_texts() -> None:
    schema = draft_schema(pa.table({"x": ["12.03.20", "13.04.21", "13.04.21"]}))
    assert schema["x"].type == "string"
    assert "two-digit years" in schema["x"].comments[-1]
    assert drafted(["0020-03-12", "0021-03-12"] * 2)["type"] == "string"


def test_numbers_too_large_for_64_bits_stay_texts() -> None:
    large = [2**63 + i for i in range(25)] * 2
    for column in ([str(i) for i in large], pa.array(large, pa.uint64()), ["1e30", "5.5"], [1e20, 2.0, 2.0]):
        table = pa.table({"x": column})
        schema = draft_schema(table)
        assert schema["x"].type == "string"
        assert "too large" in schema["x"].comments[-1]
        assert check_table(table, schema).ok
    for column in ([10**17 + i for i in range(25)], [-(10**18) + 9, 10**18 - 9, *range(25)]):
        table = pa.table({"x": column * 2})
        assert draft_schema(table)["x"].type == "integer"
        assert check_table(table, draft_schema(table)).ok


def test_codes_with_leading_zeros_stay_texts() -> None:
    assert drafted(["01", "02", "10"] * 2)["categories"] == ["01", "02", "10"]


def test_missing_cells_and_words_for_missing() -> None:
    assert drafted(["a", "", "b"])["constraints"] == {"required": False}
    field = drafted([str(i) for i in range(1, 80, 2)] + ["NA", ""])
    assert field["missingValues"] == ["", "NA"]
    assert field["constraints"]["required"] is False
    assert drafted(["NA", "b"])["missingValues"] == ["NA", ""], "as the table writes it, so that synthetic rows do too"
    assert drafted(["NA", "true"] * 9)["missingValues"] == ["NA", ""]
    for word in ("?", "-", ".", "N/A", "null", "NULL", "nan", " ?"):
        assert drafted(["a", word, "b"])["missingValues"] == [word, ""]
    assert "categories" not in drafted(["NA"] * 9)


def test_a_word_for_missing_may_be_a_value() -> None:
    assert drafted(["NA", "FR", "DE"])["categories"] == ["DE", "FR", "NA"]
    assert drafted(["+", "-", "+"])["categories"] == ["+", "-"]


def test_typed_columns_keep_their_type() -> None:
    frame = pd.DataFrame(
        {
            "flag": [True, False] * 30,
            "whole": np.arange(60) * 7 % 50,
            "holes": [1.0, np.nan] * 30,
            "real": np.linspace(0, 1, 60),
            "day": pd.to_datetime(["2020-01-05", "2024-03-01"] * 30),
            "moment": pd.to_datetime(["2020-01-05 10:30", "2024-03-01 00:00"] * 30),
            "kind": pd.Categorical(["a", "b"] * 30),
        }
    )
    schema = draft_schema(frame)
    assert [f.type for f in schema.fields] == [
        "boolean", "integer", "integer", "number", "date", "datetime", "string",
    ]  # fmt: skip
    assert schema["day"].bins is not None
    assert schema["day"].labels[0].startswith(date(2020, 1, 1).isoformat())
    assert check_table(frame, schema).ok


def test_every_field_has_a_comment_that_says_what_was_guessed(tmp_path: Path) -> None:
    schema = draft_schema(pa.table({"a": ["x", "y"], "n": [1, 2], "empty": ["", ""], "d": ["01/02/2020"] * 2}))
    schema.save(tmp_path / "s.yaml")
    text = (tmp_path / "s.yaml").read_text()
    assert text.startswith("# Draft: ")
    assert text.count("# Guess: ") == 5
    assert "Every cell is missing" in text
    assert "day and month could be the other way round" in text
    assert text.count("origin: draft") == 4


def test_a_draft_of_nothing_is_refused(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b\n")
    with pytest.raises(TableError, match="no rows"):
        draft_schema(tmp_path / "t.csv")
    (tmp_path / "t.csv").write_text("a,a\n1,2\n")
    with pytest.raises(TableError, match="names must differ"):
        draft_schema(tmp_path / "t.csv")


def test_a_draft_fits_its_own_table(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    n = 400
    frame = pd.DataFrame(
        {
            "money": np.round(rng.lognormal(8, 2, n), 2),
            "tiny": rng.normal(0, 1e-6, n),
            "big": rng.integers(-(10**12), 10**12, n),
            "few": rng.choice([0.5, 1.5], n),
            "year": rng.integers(1950, 2020, n),
            "text": rng.choice(["a,b", 'q"q', "x\ny"], n),
        }
    )
    frame.to_csv(tmp_path / "t.csv", index=False)
    for source in (frame, tmp_path / "t.csv"):
        schema = draft_schema(source)
        report = check_table(source, schema)
        assert report.ok, report.faults
        assert schema["year"].type == "year"


def test_the_digits_of_categories_are_kept_where_they_are_all_alike() -> None:
    assert drafted(["1.50", "2.25", "NA"] * 5)["decimals"] == 2
    assert "decimals" not in drafted(["1.5", "2.25"] * 5)
    assert "decimals" not in drafted([1.5, 2.25] * 5)


@pytest.mark.parametrize(
    "column",
    [
        ["inf"] * 9,
        [np.inf] * 9,
        ["NA"] * 9,
        ["9999-12-31", "9998-01-01"],
        pa.array([0, 2**62], pa.timestamp("us", "UTC")),
        pa.array([-(2**62)] * 5, pa.timestamp("s")),
        pa.array([1, 2], pa.timestamp("ns")),
        pa.array([b"a\xff"] * 9),
        pa.array([b"a"] * 9),
        pa.array([1, 2], pa.time64("ns")),
        pa.nulls(3),
    ],
)
def test_odd_columns_can_be_drafted(column: Any) -> None:
    schema = draft_schema(pa.table({"x": column, "y": ["a"] * len(column)}))
    assert schema.draft_fields == ("x", "y")
    assert Schema.from_dict(schema.to_dict()) == schema


def test_a_column_without_a_name_is_told_by_its_place(tmp_path: Path) -> None:
    """As R's write.csv and pandas' to_csv begin a file unless told otherwise."""
    path = tmp_path / "people.csv"
    path.write_text('"","age","sex"\n"1",31,"F"\n"2",58,"M"\n')
    with pytest.raises(TableError, match=r"column 1 has no name.*row.names = FALSE, index=False"):
        draft_schema(path)
    path.write_text("age,sex,age\n31,F,31\n")
    with pytest.raises(TableError, match="'age'"):
        draft_schema(path)


def test_a_taxonomy_by_one_character_is_told_in_the_singular() -> None:
    codes = [f"{letter}{12 * number:02d}" for letter in "ABCDEFGH" for number in range(8)]
    said = " ".join(draft_schema(pa.table({"icd": codes * 3}))["icd"].comments)
    assert "taxonomy by their first character." in said
