"""Every way a table can be wrong is a sentence that names the place and never a value."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

from understudy._core.errors import SchemaError, TableError
from understudy.schema import Schema
from understudy.tables import check_table, draft_schema, open_source, read_table

AGE = {"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 99}, "bins": 10}
SEX = {"name": "sex", "type": "string", "categories": ["F", "M"]}
PEOPLE = Schema.from_dict({"fields": [AGE, SEX]})
SECRET = "Zaphod-77"


def schema_of(**field: Any) -> Schema:
    return Schema.from_dict({"fields": [{"name": "x", **field}]})


def csv(tmp_path: Path, content: str | bytes, name: str = "people.csv") -> Path:
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def told(source: Any, schema: Schema, **options: Any) -> str:
    with pytest.raises(TableError) as caught:
        read_table(source, schema, **options)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None or caught.value.__suppress_context__
    return str(caught.value)


def codes(source: Any, schema: Schema) -> list[list[int]]:
    return [column.tolist() for column in read_table(source, schema).columns]


def test_an_empty_file(tmp_path: Path) -> None:
    assert "people.csv is empty" in told(csv(tmp_path, ""), PEOPLE)
    assert "is empty" in told(csv(tmp_path, "\n\n"), PEOPLE)


def test_a_header_without_rows(tmp_path: Path) -> None:
    for content in ("age,sex\n", "age,sex"):
        assert "no rows" in told(csv(tmp_path, content), PEOPLE)
    assert "no rows" in told(pd.DataFrame({"age": [], "sex": []}), PEOPLE)


def test_one_row_and_one_column(tmp_path: Path) -> None:
    assert codes(csv(tmp_path, "age,sex\n5,M\n"), PEOPLE) == [[0], [1]]
    assert codes(csv(tmp_path, "age,sex\n5,M"), PEOPLE) == [[0], [1]]
    assert codes(csv(tmp_path, "x\nb\na\n"), schema_of(categories=["a", "b"])) == [[1, 0]]


def test_an_empty_line_is_a_missing_value_in_a_file_of_one_column(tmp_path: Path) -> None:
    schema = schema_of(categories=["a", "b"], constraints={"required": False})
    assert codes(csv(tmp_path, "x\na\n\nb\n"), schema) == [[0, 2, 1]]


def test_a_column_with_one_value(tmp_path: Path) -> None:
    assert codes(csv(tmp_path, "x\na\na\n"), schema_of(categories=["a"])) == [[0, 0]]


def test_column_names_that_are_twice_or_empty(tmp_path: Path) -> None:
    message = told(csv(tmp_path, "age,sex,age,\n1,F,2,3\n"), PEOPLE)
    assert "column name 'age' appears 2 times" in message
    assert "column 4 has no name" in message
    frame = pd.DataFrame([[1, "F", 2]], columns=["age", "sex", "age"])
    assert "appears 2 times" in told(frame, PEOPLE)


def test_columns_missing_on_either_side_are_both_named(tmp_path: Path) -> None:
    message = told(csv(tmp_path, "agee,sex,zip\n1,F,2\n"), PEOPLE)
    assert "the table has no column 'age', which the schema declares. Did you mean its column 'agee'?" in message
    assert "about column 'agee'" not in message
    assert "the schema says nothing about column 'zip'" in message
    assert "Known: 'age', 'sex'." in message
    assert told(csv(tmp_path, "years,sex\n1,F\n"), PEOPLE).count("'years'") == 1
    assert "Known: 'zip', 'sex', 'job'." in told(csv(tmp_path, "zip,sex,job\n1,F,2\n"), PEOPLE)
    subset = Schema.from_dict({"fieldsMatch": "subset", "fields": [SEX]})
    assert codes(csv(tmp_path, "agee,sex,zip\n1,F,2\n"), subset) == [[0]]


def test_a_file_without_a_header_shows_no_cell(tmp_path: Path) -> None:
    message = told(csv(tmp_path, "Alice,HIV+,34\nBob,HIV-,51\n"), PEOPLE)
    assert message.count("\n") == 0
    assert "none of the columns that the schema declares ('age', 'sex')" in message
    assert "Does its first line name the columns?" in message
    three = Schema.from_dict({"fields": [AGE, SEX, {**SEX, "name": "Alice"}]})
    message = told(csv(tmp_path, "Alice,HIV+,34,HIV+,\nBob,HIV-,51,HIV-,\n"), three)
    assert "the table has no column 'age'" in message
    assert "the table has 2 columns about which the schema says nothing" in message
    assert "columns 2 and 4 have the same name" in message
    assert "HIV" not in message
    assert "34" not in message


def test_columns_are_found_by_name_in_any_order(tmp_path: Path) -> None:
    path = csv(tmp_path, "sex,age\nM,15\n")
    assert codes(path, PEOPLE) == [[1], [1]]
    assert PEOPLE.in_order_of(open_source(path).names).names == ("sex", "age")


def test_outside_is_an_error_that_names_rows_and_no_value(tmp_path: Path) -> None:
    path = csv(tmp_path, f"age,sex\n100,F\n5,{SECRET}\n-1,M\n")
    message = told(path, PEOPLE)
    assert "column 'age': 2 values lie outside the declared 0–99 (rows 1, 3)." in message
    assert "column 'sex': 1 value is not among its 2 categories (row 2)." in message
    assert SECRET not in message
    assert SECRET in told(path, PEOPLE, show_values=True)


def test_outside_may_be_clipped(tmp_path: Path) -> None:
    schema = Schema.from_dict({"fields": [{**AGE, "outside": "clip"}]})
    assert codes(csv(tmp_path, "age\n-5\n100\n99999999999999999999999\ninf\n-inf\n"), schema) == [[0, 9, 9, 9, 0]]


def test_outside_may_be_other(tmp_path: Path) -> None:
    schema = Schema.from_dict({"fields": [{**AGE, "outside": "other"}, {**SEX, "outside": "other"}]})
    assert codes(csv(tmp_path, "age,sex\n-5,F\n7,X\ninf,M\n"), schema) == [[10, 0, 10], [0, 2, 1]]


def test_near_misses_are_hinted_at() -> None:
    message = told(pa.table({"x": [" red", "RED", "blue", "red"]}), schema_of(categories=["red"]))
    assert "3 values are not among its one category" in message
    assert "2 of them would fit but for spaces or capitals" in message
    message = told(pa.table({"x": ["RED"]}), schema_of(categories=["red"]))
    assert "It would fit but for spaces or capitals" in message


def test_missing_where_none_may_be(tmp_path: Path) -> None:
    message = told(csv(tmp_path, "age,sex\n,F\n5,\n"), PEOPLE)
    assert "column 'age': 1 value is missing where none may be (row 1)." in message
    assert "column 'sex': 1 value is missing where none may be (row 2)." in message
    assert "required: false" in message


def test_only_declared_texts_are_missing(tmp_path: Path) -> None:
    schema = schema_of(categories=["None", "N", "?", "nan"], missingValues=["", "NA"])
    assert codes(csv(tmp_path, 'x\nNone\nN\n?\nnan\nNA\n""\n'), schema) == [[0, 1, 2, 3, 4, 4]]


def test_nan_is_missing_and_infinity_is_outside(tmp_path: Path) -> None:
    number = {"type": "number", "constraints": {"minimum": 0, "maximum": 1}, "bins": 2}
    message = told(pa.table({"x": [0.5, np.nan, np.inf]}), schema_of(**number))
    assert "1 value is missing" in message
    assert "1 value lies outside" in message
    assert "missing" in told(csv(tmp_path, "x\n0.5\nNaN\n"), schema_of(**number))
    allowed = schema_of(**number | {"outside": "other", "constraints": {"minimum": 0, "maximum": 1, "required": False}})
    for source in (pa.table({"x": [0.5, np.nan, np.inf]}), csv(tmp_path, "x\n0.5\nnan\ninf\n")):
        assert codes(source, allowed) == [[0, 3, 2]]
    whole = schema_of(type="integer", categories=[1, 2], constraints={"required": False}, outside="other")
    assert codes(pd.DataFrame({"x": [1.0, np.nan, 2.0, np.inf]}), whole) == [[0, 3, 1, 2]]
    assert codes(csv(tmp_path, "x\n1\nnan\n2.0\ninf\n"), whole) == [[0, 3, 1, 2]]


YEAR_2020 = {"minimum": "2020-01-01", "maximum": "2020-12-31"}


@pytest.mark.parametrize(
    ("field", "good", "bad"),
    [
        ({"type": "integer", "constraints": {"minimum": 0, "maximum": 9}}, "3", ["x", "1.5", "0x1", "1_0"]),
        ({"type": "number", "constraints": {"minimum": 0, "maximum": 9}}, "3.5", ["x", "1,5", "1..2"]),
        ({"type": "boolean"}, "true", ["yes", "2"]),
        ({"type": "date", "constraints": YEAR_2020}, "2020-02-29", ["2020-02-30", "5", "x"]),
        ({"type": "date", "format": "%d/%m/%Y", "constraints": YEAR_2020}, "13/01/2020", ["01/13/2020", "2020"]),
        ({"type": "datetime", "constraints": YEAR_2020}, "2020-02-02T10:00:00Z", ["noon"]),
        ({"type": "year", "constraints": {"minimum": 1990, "maximum": 2020}}, "2000", ["MM", "2000.5"]),
    ],
)
def test_wrong_types_are_counted_by_row(tmp_path: Path, field: dict[str, Any], good: str, bad: list[str]) -> None:
    cells = "".join(f'"{text}"\n' for text in [good, *bad, good])
    message = told(csv(tmp_path, "x\n" + cells), schema_of(**field))
    assert f"{len(bad)} value{'s' if len(bad) > 1 else ''} cannot be read as" in message
    assert f"row{'s' if len(bad) > 1 else ''} {', '.join(str(i + 2) for i in range(len(bad)))}" in message
    assert read_table(csv(tmp_path, f"x\n{good}\n"), schema_of(**field)).n == 1


def test_a_typed_column_of_another_type_is_wrong_throughout() -> None:
    table = pa.table({"x": pa.array([0, 1], pa.int32()).cast(pa.date32())})
    message = told(table, schema_of(type="integer", constraints={"minimum": 0, "maximum": 9}))
    assert "2 values cannot be read as a whole number" in message
    lists = pa.table({"x": [["a"], ["b"], None]})
    assert "column 'x' holds lists" in told(lists, schema_of(categories=["a", "b"], missingValues=[""]))


def test_text_that_is_not_utf8_names_the_byte(tmp_path: Path) -> None:
    message = told(csv(tmp_path, b"age,sex\n5,F\n5,\xe9\n"), PEOPLE)
    assert "position 14 (line 3)" in message
    assert "Convert the file to UTF-8" in message
    assert "line 1" in told(csv(tmp_path, b"ag\xe9,sex\n5,F\n"), PEOPLE)
    assert "UTF-16" in told(csv(tmp_path, "age,sex\n5,F\n".encode("utf-16")), PEOPLE)


def test_a_byte_order_mark_windows_line_ends_and_quoted_newlines(tmp_path: Path) -> None:
    schema = Schema.from_dict({"fields": [AGE, {**SEX, "categories": ["F", "two\nlines", 'a "quote", too']}]})
    content = '\ufeffage,sex\r\n5,"two\nlines"\r\n"15",F\r\n25,"a ""quote"", too"\r\n'
    assert codes(csv(tmp_path, content), schema) == [[0, 1, 2], [1, 0, 2]]


def test_gzip_is_seen_by_its_bytes(tmp_path: Path) -> None:
    packed = gzip.compress(b"age,sex\n5,M\n")
    for name in ("people.csv.gz", "people.csv"):
        assert codes(csv(tmp_path, packed, name), PEOPLE) == [[0], [1]]
    assert "damaged or cut off" in told(csv(tmp_path, gzip.compress(b"age,sex\n" + b"5,M\n" * 999)[:-30]), PEOPLE)


def test_rows_of_another_length_are_named_and_not_shown(tmp_path: Path) -> None:
    message = told(csv(tmp_path, f"age,sex\n5,F\n{SECRET}\n5,F\n5,F,7\n"), PEOPLE)
    assert "2 rows do not have 2 cells like the header (rows 2, 4 after the header)" in message
    assert SECRET not in message
    assert "1 row does not" in told(csv(tmp_path, 'age,sex\n5,F\n"5,F"\n6,M\n'), PEOPLE)


def test_other_delimiters_are_understood(tmp_path: Path) -> None:
    for mark in ";\t|":
        assert codes(csv(tmp_path, f"age{mark}sex\n5{mark}M\n"), PEOPLE) == [[0], [1]]


def test_a_quoted_mark_in_a_name_parts_nothing(tmp_path: Path) -> None:
    assert open_source(csv(tmp_path, '"a,b";c;d\n1;2;3\n')).names == ("a,b", "c", "d")
    assert open_source(csv(tmp_path, '"a;b;c",d\n1,2\n')).names == ("a;b;c", "d")
    assert open_source(csv(tmp_path, '"a,b"\n1\n')).names == ("a,b",)


def test_columns_of_lists_structures_and_lengths_of_time_are_refused(tmp_path: Path) -> None:
    cells = {"lists": [[1], [2]], "structures": [{"a": 1}, None], "lengths of time": pa.array([1, 2], pa.duration("s"))}
    for what, column in cells.items():
        table = pa.table({"x": column})
        pyarrow.parquet.write_table(table, tmp_path / "t.parquet")
        sources = [table, tmp_path / "t.parquet", table.to_pandas(), pl.DataFrame(table)]
        for source in sources:
            for schema in (schema_of(categories=["a"], missingValues=[""]), schema_of(type="boolean")):
                assert f"column 'x' holds {what}" in told(source, schema)
                assert f"column 'x' holds {what}" in check_table(source, schema).faults[0]
            with pytest.raises(TableError, match=f"column 'x' holds {what}"):
                draft_schema(source)


def test_a_category_of_ten_thousand_values(tmp_path: Path) -> None:
    values = [f"value {i}" for i in range(10_000)]
    schema = schema_of(categories=values, categoriesOrdered=True)
    assert schema["x"].attribute.n_levels == 14
    path = csv(tmp_path, "x\n" + "\n".join(reversed(values)) + "\n")
    table = read_table(path, schema)
    assert table.columns[0].dtype == np.uint16
    assert table.columns[0].tolist() == list(range(9_999, -1, -1))
    schema.save(tmp_path / "s.yaml")
    assert Schema.load(tmp_path / "s.yaml") == schema


def test_what_is_no_table_is_refused(tmp_path: Path) -> None:
    assert "there is no file" in told(tmp_path / "none.csv", PEOPLE)
    (tmp_path / "empty").mkdir()
    assert "holds no files" in told(tmp_path / "empty", PEOPLE)
    assert "spreadsheet" in told(csv(tmp_path, b"PK\x03\x04abc", "people.xlsx"), PEOPLE)
    assert "damaged or cut off" in told(csv(tmp_path, b"PAR1abc", "people.parquet"), PEOPLE)
    pyarrow.parquet.write_table(pa.table({"age": [5] * 999, "sex": ["F"] * 999}), tmp_path / "t.parquet")
    content = bytearray((tmp_path / "t.parquet").read_bytes())
    content[4:40] = b"\xff" * 36
    assert "damaged or cut off" in told(csv(tmp_path, bytes(content), "people.parquet"), PEOPLE)
    assert "damaged or cut off" in told(csv(tmp_path, b"ARROW1\0\0abc", "people.feather"), PEOPLE)
    assert "cannot read a table from list" in told([1, 2], PEOPLE)
    multi = pd.DataFrame([[1]], columns=pd.MultiIndex.from_tuples([("a", "b")]))
    assert "several levels" in told(multi, PEOPLE)


def frame_sources(tmp_path: Path) -> dict[str, Any]:
    table = pa.table({"age": [5, 15], "sex": ["M", "F"]})
    pyarrow.parquet.write_table(table, tmp_path / "t.parquet")
    pyarrow.feather.write_feather(table, str(tmp_path / "t.feather"))
    with pa.ipc.new_stream(tmp_path / "t.arrows", table.schema) as stream:
        stream.write_table(table)
    dictionary = table.set_column(1, "sex", table["sex"].dictionary_encode())
    frame = table.to_pandas()
    return {
        "parquet": tmp_path / "t.parquet",
        "feather": str(tmp_path / "t.feather"),
        "arrow stream": tmp_path / "t.arrows",
        "pyarrow": table,
        "batch": table.to_batches()[0],
        "reader": table.to_reader(),
        "dictionary": dictionary,
        "decimal and large text": pa.table(
            {"age": table["age"].cast(pa.decimal128(21, 2)), "sex": table["sex"].cast(pa.large_string())}
        ),
        "text view": table.set_column(1, "sex", table["sex"].cast(pa.string_view())),
        "pandas": frame,
        "pandas category": frame.astype({"sex": "category", "age": "category"}),
        "pandas nullable": frame.astype({"age": "Int64", "sex": "string"}),
        "pandas float": frame.astype({"age": float}),
        "pandas object": frame.astype({"age": object, "sex": object}),
        "pandas unsigned": frame.astype({"age": "uint64"}),
        "polars": pl.from_arrow(table),
        "polars lazy": pl.from_arrow(table).lazy(),  # type: ignore[union-attr]
        "polars categorical": pl.DataFrame(table).with_columns(pl.col("sex").cast(pl.Categorical)),
        "polars narrow": pl.DataFrame(table).with_columns(pl.col("age").cast(pl.Int8)),
    }


def test_every_kind_of_source_gives_the_same_codes(tmp_path: Path) -> None:
    for name, source in frame_sources(tmp_path).items():
        assert codes(source, PEOPLE) == [[0, 1], [1, 0]], name


def test_kinds_are_told_apart(tmp_path: Path) -> None:
    sources = frame_sources(tmp_path)
    kinds = {
        name: open_source(sources[name]).kind for name in ("parquet", "feather", "pyarrow", "pandas", "polars lazy")
    }
    assert list(kinds.values()) == ["parquet", "arrow", "pyarrow", "pandas", "polars"]


def test_missing_cells_of_dataframes() -> None:
    schema = Schema.from_dict({"fields": [{**f, "missingValues": [""]} for f in (AGE, SEX)]})
    frame = pd.DataFrame({"age": pd.array([5, None], "Int64"), "sex": pd.Categorical(["M", None])})
    assert codes(frame, schema) == [[0, 10], [1, 2]]
    assert codes(pl.DataFrame({"age": [5, None], "sex": ["M", None]}), schema) == [[0, 10], [1, 2]]
    assert codes(pa.table({"age": pa.array([5, None]), "sex": pa.array(["M", None]).dictionary_encode()}), schema) == [
        [0, 10],
        [1, 2],
    ]
    assert codes(pd.DataFrame({"age": [5, 15], "sex": [None, None]}), schema) == [[0, 1], [2, 2]]


def test_codes_kept_as_numbers_match_categories_kept_as_texts() -> None:
    schema = schema_of(categories=["0", "1"], missingValues=[""])
    assert codes(pd.DataFrame({"x": [0, 1]}), schema) == [[0, 1]]
    assert codes(pd.DataFrame({"x": [0.0, np.nan, 1.0]}), schema) == [[0, 2, 1]]
    flags = pd.DataFrame({"x": [True, False]})
    assert codes(flags, schema_of(categories=["True", "False"])) == [[0, 1]]
    assert codes(flags, schema_of(categories=["true", "false"])) == [[0, 1]]
    assert codes(flags, schema_of(type="boolean")) == [[1, 0]]
    assert codes(flags, schema_of(type="integer", categories=[0, 1])) == [[1, 0]]
    assert codes(pd.DataFrame({"x": [1, 0]}), schema_of(type="boolean")) == [[1, 0]]


def test_mixed_objects_are_read_as_texts() -> None:
    assert codes(pd.DataFrame({"x": ["a", 1, None]}), schema_of(categories=["a", "1"], missingValues=[""])) == [
        [0, 1, 2]
    ]


def test_dates_of_dataframes() -> None:
    day = schema_of(type="date", constraints={"minimum": "2020-01-01", "maximum": "2020-12-31"}, bins=12)
    stamps = pd.to_datetime(["2020-01-15", "2020-12-15"])
    assert codes(pd.DataFrame({"x": stamps}), day) == [[0, 11]]
    assert codes(pl.DataFrame({"x": list(stamps.date)}), day) == [[0, 11]]
    local = pd.DataFrame({"x": stamps.tz_localize("Asia/Tokyo")})
    assert codes(local, day) == [[0, 11]]
    moment = schema_of(
        type="datetime", constraints={"minimum": "2020-01-01", "maximum": "2020-12-31"}, bins=12, timezone="Europe/Rome"
    )
    for source in (pd.DataFrame({"x": stamps.tz_localize("Europe/Rome")}), pl.DataFrame({"x": list(stamps)})):
        assert codes(source, moment) == [[0, 11]]
    assert "1 value cannot be read as a date" in told(pd.DataFrame({"x": pd.to_datetime(["2020-01-15 10:00"])}), day)


def test_european_numbers(tmp_path: Path) -> None:
    field = {"type": "number", "constraints": {"minimum": 0, "maximum": 10000}, "bins": 10}
    schema = schema_of(**field, decimalChar=",", groupChar=".")
    assert codes(csv(tmp_path, 'x\n"1.500,5"\n"999,9"\n'), schema) == [[1, 0]]


def test_a_check_tells_all_and_raises_nothing(tmp_path: Path) -> None:
    report = check_table(csv(tmp_path, f"age,sex,zip\n100,{SECRET}\n5,F,1\nx,,1\n".replace("77", "77,1")), PEOPLE)
    assert not report.ok
    assert report.n_rows == 3
    told_as = report.to_dict()
    assert told_as["columns"][0]["problems"] == [
        {"trouble": "wrong type", "count": 1, "first_rows": [3]},
        {"trouble": "outside", "count": 1, "first_rows": [1]},
    ]
    assert report.columns[0].unused == PEOPLE["age"].labels[1:]
    assert any("zip" in fault for fault in report.faults)
    assert SECRET not in str(told_as)
    shown = check_table(pa.table({"age": [100], "sex": [SECRET]}), PEOPLE, show_values=True)
    assert SECRET in str(shown.to_dict())


def test_a_check_names_no_bins_that_are_yet_to_be_found() -> None:
    few, many = ({"type": "integer", "constraints": {"minimum": 0, "maximum": most}} for most in (4, 500))
    rows = pa.table({"x": [1, 2]})
    assert check_table(rows, schema_of(**few)).columns[0].unused == ("0", "3", "4")
    assert check_table(rows, schema_of(**many, special=[-1])).columns[0].unused == ("-1",)


def test_a_check_of_a_fitting_table_is_ok() -> None:
    report = check_table(pa.table({"age": list(range(100)), "sex": ["F", "M"] * 50}), PEOPLE)
    assert report.ok
    assert report.faults == ()
    assert [column.unused for column in report.columns] == [(), ()]
    assert not check_table(pa.table({"age": [], "sex": []}), PEOPLE).ok


def test_row_numbers_go_on_across_batches_and_progress_is_told() -> None:
    n = 600_000
    ages = np.full(n, 5)
    ages[[0, n - 1]] = 100
    seen: list[int] = []
    with pytest.raises(TableError, match=rf"rows 1, {n}\)"):
        read_table(pa.table({"age": ages, "sex": ["F"] * n}), PEOPLE, progress=seen.append)
    assert seen[-1] == n
    assert len(seen) > 1


def test_blank_lines_before_the_header_and_names_with_line_breaks(tmp_path: Path) -> None:
    schema = Schema.from_dict({"fields": [{**SEX, "name": "a\nb"}, {**SEX, "name": "c, d"}]})
    for start, end in (("", "\n"), ("\n\n", "\n"), ("", "\r\n")):
        content = f'{start}"a\nb","c, d"{end}F,M{end}{end}M,M{end}'
        assert codes(csv(tmp_path, content), schema) == [[0, 1], [1, 1]]
    assert "row 2 after" in told(csv(tmp_path, '\n\n"a\nb","c, d"\nF,M\nF\n'), schema)


def test_marks_for_thousands_stand_before_three_digits(tmp_path: Path) -> None:
    field = {"type": "number", "constraints": {"minimum": 0, "maximum": 10_000_000}, "bins": 10}
    schema = schema_of(**field, decimalChar=",", groupChar=".")
    good = ["1.234.567", "12.345,5", "123", " 1.000 ", "5,25", "1234567"]
    assert read_table(csv(tmp_path, "x\n" + "".join(f'"{text}"\n' for text in good)), schema).n == len(good)
    for bad in ("1.5", "1.23", "1234.567", "1..234", ".123", "1.234.", "1,234.567", "12.34.567"):
        message = told(csv(tmp_path, f'x\n"5"\n"{bad}"\n'), schema)
        assert "1 value cannot be read as a number (row 2)" in message
    whole = schema_of(type="integer", constraints={"minimum": 0, "maximum": "9'999"}, groupChar="'", bins=16)
    assert codes(csv(tmp_path, "x\n9'999\n0\n"), whole) == [[15, 0]]
    assert "cannot be read as a whole number (row 1)" in told(csv(tmp_path, "x\n99'99\n"), whole)
    with pytest.raises(SchemaError, match=r"'9.9' is not a number: '\.' may part groups of three digits"):
        schema_of(type="integer", constraints={"minimum": 0, "maximum": "9.9"}, groupChar=".")


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ('age,sex\n1,"F\n2,M\n3,F\n', 2),
        ('age,sex\n1,F\n2,"M""\n3,F\n', 3),
        ('age,sex\n"1,F\n2,M\n', 2),
        ('age,"sex\n1,F\n2,M\n', 1),
        ('\n\n"age,sex\n1,F\n2,M\n', 3),
        ('age,sex\n1,3" F\n2,"M\n3,F\n', 3),
        ('age;sex\r\n1;"F\r\n2;M\r\n', 2),
        ('age,sex\n1,F\n2,"M\n' + "3,F\n" * 700_000, 3),
    ],
)
def test_a_quote_that_is_never_closed_is_told_with_its_line(tmp_path: Path, content: str, line: int) -> None:
    """It used to make one cell of all that follows, and one row of a table."""
    path = csv(tmp_path, content)
    subset = Schema.from_dict({"fieldsMatch": "subset", "fields": [AGE]})
    for call in (lambda: read_table(path, PEOPLE), lambda: read_table(path, subset), lambda: draft_schema(path)):
        with pytest.raises(TableError, match=rf"^people\.csv: a quote in line {line} is never closed") as caught:
            call()
        assert "2,M" not in str(caught.value)


def test_quotes_that_are_closed_may_hold_lines(tmp_path: Path) -> None:
    texts = Schema.from_dict({"fields": [AGE, {**SEX, "categories": ["F\nf", 'M\r\n"m"\n']}]})
    content = 'age,sex\n1,"F\nf"\n2,"M\r\n""m""\n"'
    for end in ("", "\n", "\r\n"):
        assert codes(csv(tmp_path, content + end), texts) == [[0, 0], [0, 1]]
    named = Schema.from_dict({"fields": [AGE, {**SEX, "name": "s\nex"}]})
    assert codes(csv(tmp_path, 'age,"s\nex"\n1,F\n'), named) == [[0], [0]]


DAY = {"type": "date", "constraints": {"minimum": "2023-01-01", "maximum": "2023-12-31"}}
WEIGHT = {"type": "number", "constraints": {"minimum": 0, "maximum": 9999}}


@pytest.mark.parametrize(
    ("field", "cells", "said"),
    [
        (DAY, ["2023-02-30"], "(row 1). It has this form, but there is no such day: correct the cells."),
        ({**DAY, "format": "%d.%m.%Y"}, ["30.02.2023", "31.04.2023"], "They have this form, but there is no such day"),
        (
            DAY,
            ["2023-02-30", "1/2/2023"],
            "1 of them has this form, but there is no such day: correct the cells. Set",
        ),
        (DAY, ["1/2/2023"], "(row 1). Set format"),
        (
            WEIGHT,
            ["12,5"],
            "It looks like a number with other marks: say which part decimals (of type number) and",
        ),
        (WEIGHT, ["1.234,5", "7,1", "heavy"], "2 of them look like numbers with other marks"),
        ({**AGE, "name": "x"}, ["1,234"], "groupChar: '.'."),
        ({**AGE, "name": "x"}, ["12.5"], "(row 1). Correct the cells or the type"),
        (WEIGHT, ["1.2.2023"], "(row 1). Correct the cells or the type"),
    ],
)
def test_cells_that_nearly_can_be_read_are_told_what_is_wrong(
    field: dict[str, Any], cells: list[str], said: str
) -> None:
    assert said in told(pa.table({"x": cells}), schema_of(**{k: v for k, v in field.items() if k != "name"}))


def test_a_nul_byte_is_told_with_its_line(tmp_path: Path) -> None:
    for content, line in (("age,sex\n1,F\n2,M\0\n", 3), ("age,se\0x\n1,F\n", 1), ('age,sex\n1,"\n\0"\n', 3)):
        path = csv(tmp_path, content)
        assert told(path, PEOPLE).startswith(f"people.csv holds a NUL byte in line {line}, which no text has")
        with pytest.raises(TableError, match=f"NUL byte in line {line}"):
            draft_schema(path)


def test_marks_between_cells_that_are_not_known_are_told(tmp_path: Path) -> None:
    for mark in (":", " ", "~"):
        said = told(csv(tmp_path, f"age{mark}sex\n5{mark}F\n"), PEOPLE)
        assert f"read as one column, 'age{mark}sex'" in said
        assert f"parted by '{mark}'. Write the file with a comma, a semicolon, a tab or | between its cells." in said
    said = told(csv(tmp_path, f"5:{SECRET}\n5:F\n"), PEOPLE)
    assert "It was read as one column: cells of a CSV file may be parted by a comma" in said
    assert SECRET not in said


def test_bytes_of_a_last_column_that_is_not_read_may_be_any(tmp_path: Path) -> None:
    subset = Schema.from_dict({"fieldsMatch": "subset", "fields": [AGE]})
    assert codes(csv(tmp_path, b"age,note\n5,\xe9\n15,\0\n25,x\xff\n"), subset) == [[0, 1, 2]]
