"""Reviews: what a reply makes of a field, and what stays of the file around it."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from understudy._core.errors import OptionError, SchemaError, UserError
from understudy.schema import Review, Schema
from understudy.schema._replies import replied
from understudy.schema._review import in_words

DRAFT = """\
# Draft: every domain below was read off the table.
# mine: from the code book of 2023
name: people   # a remark beside the name
missingValues: ['']

fields:
# Guess: range.
# see page 12
- name: age
  type: integer      # in years
  constraints:
    minimum: 17
    maximum: 90      # the eldest
  bins: auto
  special: [999]
  origin: draft

# Guess: categories, as rows have them.
- name: region
  title: Where people live
  categories: [North,
    South]
  origin: draft      # of the table
- {name: size, categories: [S, M, L], categoriesOrdered: true, origin: draft}
- origin: draft
  name: seen
  type: date
  constraints: {minimum: 2020-01-01, maximum: 2020-12-31}
# the last one
- name: sure
  type: boolean
"""


@pytest.fixture
def review(tmp_path: Path) -> Review:
    path = tmp_path / "people.schema.yaml"
    path.write_text(DRAFT)
    return Review(path=path)


def field_after(review: Review, name: str, reply: str) -> dict[str, Any]:
    review.answer(name, reply)
    return review.schema[name].to_dict()


def test_accepting_changes_the_mark_and_takes_the_guess_away(review: Review) -> None:
    assert review.waiting == ("age", "region", "size", "seen")
    assert review.remarks("age") == ("range.",)
    for name in review.waiting:
        review.answer(name, "y")
    gone = (
        "# Draft: every domain below was read off the table.\n",
        "# Guess: range.\n",
        "# Guess: categories, as rows have them.\n",
    )
    expected = DRAFT.replace("origin: draft", "origin: declared")
    for line in gone:
        expected = expected.replace(line, "")
    assert review.path.read_text() == expected
    assert review.waiting == ()


def test_an_answer_changes_its_field_alone_and_keeps_comments(review: Review) -> None:
    review.answer("age", "0 to 120; clip")
    review.answer("region", "North, South, East")
    review.answer("seen", "2019-01-01 to 2024-12-31")
    text = review.path.read_text()
    for comment in ("# mine", "# a remark beside", "# see page 12", "# in years", "# of the table", "# the last one"):
        assert comment in text
    schema = review.schema
    assert schema["age"].to_dict()["constraints"] == {"minimum": 0, "maximum": 120}
    assert schema["age"].outside == "clip"
    assert schema["age"].special[0].value == 999
    assert [c.value for c in schema["region"].categories] == ["North", "South", "East"]
    assert schema["region"].properties["title"] == "Where people live"
    assert schema.names == ("age", "region", "size", "seen", "sure")
    assert schema["sure"].origin == "declared"


def test_leaving_out_says_so_and_lets_the_table_have_the_column(review: Review) -> None:
    for name in ("region", "age", "size", "seen"):
        review.leave_out(name)
    text = review.path.read_text()
    assert review.schema.names == ("sure",)
    assert review.schema.extra_columns_allowed
    assert "# Left out: region (in review)." in text
    assert "# the last one" in text
    assert "Draft:" not in text
    with pytest.raises(OptionError, match="only field"):
        review.leave_out("sure")


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("0..120", {"constraints": {"minimum": 0, "maximum": 120}, "bins": "auto"}),
        ("0..30", {"constraints": {"minimum": 0, "maximum": 30}, "bins": 31}),
        ("-5 - 40", {"constraints": {"minimum": -5, "maximum": 40}}),
        ("0 998", {"constraints": {"minimum": 0, "maximum": 998}}),
        ("0 to 2000", {"special": None}),
        ("0 to 99; special -1=never, 999", {"special": [{"value": -1, "label": "never"}, 999]}),
        ("18, 19, 20", {"categories": [18, 19, 20], "bins": None, "special": None, "constraints": None}),
        ("y; missing ?", {"missingValues": ["?", ""]}),
        ("y; other", {"outside": "other"}),
        ("0 to 9; required", {"constraints": {"minimum": 0, "maximum": 9, "required": True}}),
    ],
)
def test_replies_on_numbers(review: Review, reply: str, expected: dict[str, Any]) -> None:
    field = field_after(review, "age", reply)
    assert {key: field.get(key) for key in expected} == expected
    assert field["origin"] == "declared"


def test_a_last_day_is_meant_whole_among_moments(tmp_path: Path) -> None:
    ends = {"minimum": "2013-01-01T00:00:00", "maximum": "2013-06-30T23:59:59"}
    path = tmp_path / "s.yaml"
    draft = {"name": "at", "type": "datetime", "format": "%Y-%m-%dT%H:%M:%SZ", "constraints": ends, "origin": "draft"}
    Schema.from_dict({"fields": [draft]}).save(path)
    told = Review(path=path).answer("at", "2013-01-01 to 2013-12-31")
    assert told == "datetime, 2013-01-01T00:00:00Z to 2013-12-31T23:59:59Z"


def test_replies_on_texts(review: Review, tmp_path: Path) -> None:
    field = field_after(review, "region", '+ "East, far", West; other')
    assert field["categories"] == ["North", "South", "East, far", "West"]
    assert field_after(review, "region", "low < medium < high")["categoriesOrdered"] is True
    assert field_after(review, "region", "jan, feb, mar")["categoriesOrdered"] is True, "everybody knows that order"
    assert "categoriesOrdered" not in field_after(review, "region", "jan, feb, mar; unordered")
    codes = tmp_path / "codes.txt"
    codes.write_text("".join(f"{i:05}\n" for i in range(501, 560)))
    assert "taxonomy" in field_after(review, "region", f"@{codes}")


@pytest.mark.parametrize(
    ("name", "reply"),
    [("age", "x to y"), ("age", "120 to 0"), ("age", "0 to inf"), ("age", "5"), ("age", "0 to 1e30"), ("age", "a, b"),
     ("age", "y; special 20"), ("region", "North"), ("region", "North, North"), ("region", "y; clip"),
     ("region", "@no-such-file"), ("seen", "2020-13-01 to 2021-01-01"), ("nobody", "y")],
)  # fmt: skip
def test_a_reply_that_makes_no_field_changes_nothing(review: Review, name: str, reply: str) -> None:
    with pytest.raises(UserError):
        review.answer(name, reply)
    assert review.path.read_text() == DRAFT


def test_a_field_without_a_domain_cannot_be_accepted(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    path.write_text("fields:\n- {name: a, origin: draft}\n- name: b\n  type: integer\n  origin: draft\n")
    review = Review(path=path)
    for name in ("a", "b"):
        with pytest.raises(OptionError, match="no public domain"):
            review.answer(name, "y")
    review.answer("b", "0 to 9")
    review.answer("a", "x, y")
    assert review.waiting == ()


_BOOLEAN = "name: b, type: boolean, origin: draft"
_STYLES = [
    "fields:\n- &one {name: a, categories: &c [x, y], origin: draft}\n- {name: b, categories: *c, origin: draft}\n",
    "fields:\n- &one\n  name: a\n  categories: [x, y]\n  origin: draft\n- <<: *one\n  name: b\n",
    f"{{fields: [{{name: a, categories: [x, y], origin: draft}}, {{{_BOOLEAN}}}]}}",
    "fields:\n  - name: a\n    categories:\n    # first\n    - x\n    - y\n    origin: draft\n"
    "  - name: b\n    type: boolean\n    origin: draft",
    f"fields:\r\n- name: a\r\n  categories: [x, y]\r\n  origin: draft\r\n- {{{_BOOLEAN}}}\r\n",
    f'fields: [{{"name": "a", "categories": ["x", "y"], "origin": "draft"}}, {{{_BOOLEAN}}}]',
]


@pytest.mark.parametrize("text", _STYLES)
def test_any_style_of_file_comes_out_as_meant(tmp_path: Path, text: str) -> None:
    path = tmp_path / "s.yaml"
    path.write_bytes(text.encode())
    review = Review(path=path)
    b = review.schema["b"].to_dict()
    review.answer("a", "x, y, z")
    assert [c.value for c in review.schema["a"].categories] == ["x", "y", "z"]
    assert review.schema["b"].to_dict() == b
    review.answer("b", "y")
    assert review.waiting == ()


def test_json_stays_json_and_private_stays_private(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    path.write_text(json.dumps({"fields": [{"name": "a", "type": "boolean", "origin": "draft"}]}))
    path.chmod(0o600)
    Review(path=path).answer("a", "y")
    assert json.loads(path.read_text())["fields"][0]["origin"] == "declared"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_data_package_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "datapackage.json"
    path.write_text(
        json.dumps({"resources": [{"name": "t", "schema": {"fields": [{"name": "a", "type": "boolean"}]}}]})
    )
    with pytest.raises(SchemaError, match="file of its own"):
        Review(path=path)


def test_a_rule_keeps_its_columns(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    Schema.from_dict(
        {
            "fields": [{"name": n, "type": "boolean", "origin": "draft"} for n in "ab"],
            "dependencies": [{"determines": ["a"], "column": "b"}],
        }
    ).save(path)
    before = path.read_text()
    with pytest.raises(SchemaError):
        Review(path=path).leave_out("b")
    assert path.read_text() == before


def test_decimals_are_shown_and_may_be_replied() -> None:
    bounds = {"minimum": 0, "maximum": 90}
    fields = [{"name": "x", "type": "number", "decimals": 3, "constraints": bounds}]
    fields.append({"name": "n", "type": "integer", "constraints": bounds})
    schema = Schema.from_dict({"fields": fields})
    assert in_words(schema["x"]) == "number, 0 to 90 with 3 decimals"
    reply = replied(schema["x"], "0 to 50; decimals 1")
    assert reply["decimals"] == 1
    assert in_words(Schema.from_dict({"fields": [reply]})["x"]) == "number, 0 to 50 with 1 decimal"
    for name, reply in (("x", "y; decimals many"), ("n", "y; decimals 1")):
        with pytest.raises(OptionError, match="Expected digits after the point"):
            replied(schema[name], reply)


def test_a_reply_with_more_decimals_than_numbers_have_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    ends = {"minimum": 0, "maximum": 90}
    Schema.from_dict({"fields": [{"name": "x", "type": "number", "constraints": ends, "origin": "draft"}]}).save(path)
    with pytest.raises(SchemaError, match=r"decimals: 15 is more than numbers in its range .*\. Use 13 at most"):
        Review(path=path).answer("x", "0 to 100; decimals 15")
