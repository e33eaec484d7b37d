"""Schema files that were written to harm, or by accident: each ends in one sentence, and soon."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from understudy._core.errors import SchemaError
from understudy.schema import Schema, import_sdv
from understudy.schema._limits import (
    MAX_CELLS,
    MAX_DEPTH,
    MAX_DIGITS,
    MAX_FIELDS,
    MAX_FILE_BYTES,
    MAX_NODES,
    MAX_VALUES,
)

RANGE = {"type": "integer", "constraints": {"minimum": 0, "maximum": 10**12}}
LAUGHS = "a0: &a0 [x, x]\n" + "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 40))
MERGES = "a0: &a0 {x: 1}\n" + "".join(f"a{i}: &a{i} {{<<: [{', '.join([f'*a{i - 1}'] * 9)}]}}\n" for i in range(1, 40))
FIELDS = "fields: [{name: x, type: boolean}]\n"


def told(content: Any) -> str:
    with pytest.raises(SchemaError) as caught:
        Schema.from_dict(content)
    return str(caught.value)


def told_of_file(folder: Path, text: str | bytes, name: str = "s.yaml") -> str:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(SchemaError) as caught:
        Schema.load(path)
    assert len(str(caught.value)) < 1000
    return str(caught.value)


@pytest.mark.parametrize(
    ("field", "words"),
    [
        ({**RANGE, "bins": 2_000_000_000}, f"bins.count must be at most {MAX_VALUES:,}; got 2000000000."),
        ({**RANGE, "bins": {"count": 10**30}}, "bins.count must be at most"),
        ({**RANGE, "bins": {"edges": list(range(MAX_VALUES + 1))}}, "at most 1,000,000 items"),
        ({"categories": ["x"] * (MAX_VALUES + 1)}, "categories must be a list of at most 1,000,000 items"),
        ({**RANGE, "special": [-1] * (MAX_VALUES + 1)}, "special must be a list of at most"),
        ({"categories": [[["a"]]]}, "categories: [['a']] is not a single value."),
        ({"categories": [{"value": {"a": 1}}]}, "is not a single value."),
        ({"categories": [{"value": "a", "label": ["b"]}]}, "the label ['b'] is not a text"),
        ({"type": "integer", "constraints": {"minimum": [0], "maximum": 9}}, "[0]' is not a number"),
        (
            {"type": "number", "constraints": {"minimum": 0, "maximum": float("inf")}},
            "is not a finite number. Give the maximum that is possible",
        ),
        ({"type": "integer", "categories": [10**500]}, "a whole number of more than 400 digits"),
        ({"type": "integer", "categories": ["9" * 100_000]}, "too many for a number"),
        ({"type": "number", "categories": ["0e999999999", "1e999999999"]}, "is not a finite number"),
        ({"type": "number", "bins": {"edges": [0, "1e-350", "2e-350", 1]}}, "holds no number"),
        (
            {"type": "number", "constraints": {"minimum": 0.01, "maximum": 0.04}, "decimals": 1},
            "its range holds no number of 1 decimal. Widen it, or use more decimals",
        ),
        ({"type": "number", "constraints": {"minimum": 0, "maximum": 10**14}, "decimals": 15}, "decimals: 15 is more"),
        ({"type": "date", "format": "%d%d/%m/%Y", "constraints": {"minimum": "2020-01-01"}}, "is not a pattern"),
        ({"type": "date", "constraints": {"exclusiveMinimum": "9999-12-31", "maximum": "9999-12-31"}}, "larger than"),
        ({"type": "date", "constraints": {"minimum": "9999-01-01", "exclusiveMaximum": "0001-01-01"}}, "larger than"),
        (
            {"type": "date", "format": "%d/%m/%Y", "constraints": {"minimum": "0001-01-01", "maximum": "2020-01-01"}},
            "Use the years 1000 to 9999",
        ),
        ({"type": "datetime", "categories": ["0001-01-01T00:00:00+14:00"]}, "beyond the years 1 to 9999"),
        ({"categories": ["a\ud800"]}, "holds half a character"),
        ({"categories": ["a"], 7: 1}, "property 7 is not a text"),
        ({"categories": ["a"], "missingValues": [["a"]]}, "missingValues holds a list or mapping"),
        ({"type": "boolean", "trueValues": [["a"]]}, "trueValues"),
    ],
)  # fmt: skip
def test_a_hostile_field_is_told_in_words(field: dict[Any, Any], words: str) -> None:
    assert words in told({"fields": [{"name": "x", **field}]})


def test_a_name_that_is_no_text_is_told() -> None:
    assert told({"fields": [{"name": ["a"], "type": "boolean"}]}) == "field 1: name must be a text; got ['a']."
    assert "schema: name must be a text; got {'a': 1}." in told({"name": {"a": 1}, "fields": [{"name": "x"}]})


def test_content_without_end_is_told() -> None:
    endless: list[Any] = ["a"]
    endless.append(endless)
    assert f"more than {MAX_DEPTH} lists and mappings" in told({"fields": [{"name": "x", "categories": endless}]})


def test_a_taxonomy_of_900_levels_is_told() -> None:
    tree: list[Any] = ["a", "b"]
    for _ in range(900):
        tree = [tree]
    assert f"more than {MAX_DEPTH}" in told({"fields": [{"name": "x", "categories": ["a", "b"], "taxonomy": tree}]})


def test_fields_and_their_codes_are_bounded_together() -> None:
    many = [{"name": f"x{i}", "type": "boolean"} for i in range(MAX_FIELDS + 1)]
    assert f"at most {MAX_FIELDS:,} are possible" in told({"fields": many})
    wide = [{"name": f"x{i}", **RANGE, "bins": MAX_VALUES} for i in range(2)]
    assert f"at most {MAX_CELLS:,} are possible" in told({"fields": wide})
    deep: list[Any] = [str(i) for i in range(400_000)]
    tree = deep
    for _ in range(70):
        tree = [tree]
    assert "codes in all" in told({"fields": [{"name": "x", "categories": deep, "taxonomy": tree}]})


def test_ten_thousand_bins_and_categories_still_load() -> None:
    numbers = [str(i) for i in range(10_000)]
    schema = Schema.from_dict(
        {
            "fields": [
                {"name": "x", **RANGE, "bins": 10_000},
                {"name": "y", "type": "number", "constraints": {"minimum": 0, "maximum": 1}, "bins": 10_000},
                {"name": "z", "categories": numbers, "taxonomy": [[number] for number in numbers]},
            ]
        }
    )  # fmt: skip
    assert [attribute.size for attribute in schema.domain] == [10_000] * 3


def test_very_many_faults_are_not_all_told() -> None:
    assert "There are 950 faults more." in told({"fields": [{"name": f"x{i}"} for i in range(1000)]})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (FIELDS + LAUGHS, "holds more than 2,000,000 values"),
        (FIELDS + MERGES, "holds more than 2,000,000 values"),
        (FIELDS + "a: &a [*a]\n", "the alias *a stands inside its own anchor"),
        (FIELDS + "a: &a {<<: *a}\n", "the alias *a stands inside its own anchor"),
        (FIELDS + "a: *b\n", "there is no anchor &b above the alias *b"),
        (FIELDS + "a: {<<: 3}\n", "<< merges mappings, and this is none"),
        ("fields: " + "[" * 100_000, f"more than {MAX_DEPTH} lists and mappings"),
        ("fields: " + "{a: " * 100_000, f"more than {MAX_DEPTH} lists and mappings"),
        ("- " * 100_000, f"more than {MAX_DEPTH} lists and mappings"),
        (FIELDS + "a: !!int x\n", "'x' is not what its tag 'tag:yaml.org,2002:int' says"),
        (FIELDS + "a: !!timestamp x\n", "is not known. Remove it"),
        (FIELDS + "a: !!binary x\n", "is not known. Remove it"),
        (FIELDS + "a: !!python/name:os.system x\n", "is not known. Remove it"),
        (FIELDS + "a: !!map [x]\n", "does not belong here"),
        (FIELDS + "? [a]\n: 1\n", "line 2: a list or mapping stands where a key belongs"),
        (FIELDS + "a: &a [1]\n*a : 2\n", "a list or mapping stands where a key belongs"),
        (FIELDS + "a: 1\na: 2\n", "line 3: 'a' is given twice"),
        (FIELDS + "---\nb: 1\n", "a second YAML document begins"),
        (FIELDS + "a: '\x01'\n", "is not valid YAML"),
        ("fields: [{name: x, type: integer, categories: [" + "9" * 4301 + "]}]", "too many for a number"),
        ("fields: [{name: x, type: integer, bins: " + "9" * 4301 + "}]", "bins must be auto, a count such as 16"),
        ("", "a schema needs `fields`"),
        ("3", "a schema needs `fields`"),
    ],
)  # fmt: skip
def test_hostile_yaml_ends_in_a_sentence(tmp_path: Path, text: str, words: str) -> None:
    assert words in told_of_file(tmp_path, text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"a":' * 100_000, "lists and mappings inside each other"),
        ('{"fields": [{"name": "x", "type": "integer", "categories": [' + "9" * 4301 + "]}]}", "too many for a number"),
        ('{"fields": [{"name": "x", "type": "number", "categories": [NaN]}]}', "NaN is not JSON"),
        ('{"fields": [{"name": "x", "type": "number", "categories": [1e999]}]}', "not a finite number"),
        ('{"fields": [{"name": "x", "categories": ["\\ud800"]}]}', "holds half a character"),
        ('{"resources": 3}', "describes 0 tables"),
        ('{"resources": [{"schema": "' + "x" * 300 + '"}]}', "cannot read"),
        ('{"resources": [{"schema": "s\\u0000"}]}', "cannot read"),
        ('{"resources": [{"schema": "s.json"}]}', "no `schema` of its own"),
        ('{"resources": [{"name": ["a"], "schema": {"fields": [{"name": "x", "type": "boolean"}]}}]}', "name must be"),
        ('{"fields": [{"name": "x", "type": "boolean"}', "It is not valid JSON"),
    ],
)  # fmt: skip
def test_hostile_json_ends_in_a_sentence(tmp_path: Path, text: str, words: str) -> None:
    assert words in told_of_file(tmp_path, text, "s.json")


def test_a_file_larger_than_any_schema_is_not_read(tmp_path: Path) -> None:
    assert "larger than any schema file" in told_of_file(tmp_path, b"#" * (17 << 20))
    with pytest.raises(SchemaError, match="larger than any schema file"):
        Schema.load("/dev/zero")


@pytest.mark.parametrize("name", ["x" * 300, "no\0file", "\udcff"])
def test_a_file_name_that_no_system_has_ends_in_a_sentence(tmp_path: Path, name: str) -> None:
    with pytest.raises(SchemaError):
        Schema.load(tmp_path / name)
    with pytest.raises(SchemaError):
        import_sdv(tmp_path / name)


@pytest.mark.parametrize(
    "content",
    [
        "[" * 100_000,
        "3",
        "{}",
        '{"columns": 3}',
        '{"columns": {"a": 3}}',
        '{"tables": {"a": 3}}',
        '{"tables": [3]}',
        '{"columns": {"a": {"sdtype": ["x"], "order": 3}}}',
        '{"columns": {"a": {"sdtype": "datetime", "datetime_format": ["x"]}}}',
        '{"columns": {"a": {"sdtype": "categorical", "order": [[1]]}}}',
        '{"columns": {"a": {"sdtype": "numerical", "computer_representation": 3}}, "primary_key": ["a", {}]}',
    ],
)
def test_hostile_sdv_metadata_gives_a_draft_or_a_sentence(tmp_path: Path, content: str) -> None:
    path = tmp_path / "sdv.json"
    path.write_text(content)
    try:
        found = import_sdv(path).draft_fields
    except SchemaError as error:
        found = error.faults
    assert found == ("a",) or found[0].endswith(".")


def test_anchors_and_merges_within_reason_are_read(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    path.write_text(
        "x-shared: {answers: &answers [Yes, No], question: &question {type: string, outside: other}}\n"
        "fields:\n"
        "- {name: a, <<: *question, categories: *answers}\n"
        "- {<<: [{outside: error}, *question], name: b, categories: *answers, type: !!str string}\n"
        "- &c {<<: *question, outside: error, name: c, categories: *answers}\n"
        "- {<<: *c, name: d}\n"
    )
    schema = Schema.load(path)
    assert [(field.name, field.outside, field.labels) for field in schema.fields] == [
        ("a", "other", ("Yes", "No", "other")),
        ("b", "error", ("Yes", "No")),
        ("c", "error", ("Yes", "No")),
        ("d", "error", ("Yes", "No")),
    ]


def test_numbers_that_no_number_holds_are_texts_of_a_text_column(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    path.write_text("fields: [{name: x, categories: [1e999, " + "7" * 500 + ", 01]}]")
    schema = Schema.load(path)
    assert schema["x"].labels == ("1e999", "7" * 500, "01")
    json.dumps(schema.to_dict(), allow_nan=False)
    schema.save(path)
    assert Schema.load(path) == schema


def test_the_page_tells_every_limit() -> None:
    page = Path(__file__).parents[2].joinpath("docs", "schema.md").read_text(encoding="utf-8")
    table = page.split("## Limits")[1].split("## Tables")[0]
    told_there = [row.split("|")[2].strip() for row in table.splitlines() if row.startswith("| ")][1:]
    limits = [MAX_NODES, MAX_DEPTH, MAX_FIELDS, MAX_VALUES, MAX_CELLS, 2 * MAX_DIGITS]
    assert told_there == [f"{MAX_FILE_BYTES >> 20} MiB", *(f"{limit:,}" for limit in limits)]
