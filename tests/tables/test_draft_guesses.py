"""What a draft makes of awkward columns, so that its reviewer has little to do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from understudy._core.errors import SchemaError, TableError
from understudy.schema import Field, Schema, refuse_drafts
from understudy.tables import check_table, draft_schema


def drafted(values: list[Any], name: str = "x") -> Field:
    schema = draft_schema(pa.table({name: values}))
    assert schema.draft_fields == (name,)
    return schema[name]


def left_out(**columns: list[Any]) -> dict[str, str]:
    rows = len(next(iter(columns.values())))
    schema = draft_schema(pa.table({**columns, "kept": ["a", "b"] * (rows // 2)}))
    assert schema.extra_columns_allowed == (len(schema.fields) <= len(columns))
    told = [note.removeprefix("Left out: ") for note in schema.comments if note.startswith("Left out: ")]
    return {name: reason.rstrip(")") for name, _, reason in (note.rstrip(".").partition(" (") for note in told)}


def test_numbers_and_dates_get_automatic_bins() -> None:
    assert drafted([str(i * i) for i in range(100)]).automatic
    assert drafted([i / 7 for i in range(100)]).automatic
    assert drafted([f"2020-{i % 12 + 1:02}-{i % 28 + 1:02}" for i in range(100)]).automatic


def test_what_a_division_left_in_a_few_cells_gives_no_decimals() -> None:
    hours = [f"{i / 10:.1f}" for i in range(1000)]
    field = drafted([*hours, "6.699999999999999"])
    assert field.to_dict()["decimals"] == 1
    assert any("A few have more" in note for note in field.comments)
    assert drafted([*hours, *[f"{i / 1000:.3f}" for i in range(100)]]).to_dict()["decimals"] == 3


def test_heavy_tails_get_generous_ranges_that_say_where_they_come_from() -> None:
    field = drafted([*range(100, 400), 12_345])
    assert field.to_dict()["constraints"] == {"minimum": 0, "maximum": 50_000}
    assert "far beyond the rest" in field.comments[0]
    light = drafted(list(range(100, 400)) * 2)
    assert light.to_dict()["constraints"] == {"minimum": 0, "maximum": 400}
    assert "read off rows" in light.comments[0]
    assert drafted([*range(-40, 41), -9000]).to_dict()["constraints"] == {"minimum": -20_000, "maximum": 40}


@pytest.mark.parametrize(
    ("values", "special", "ends"),
    [
        ([-1, *range(1, 300)], [-1], (0, 300)),
        ([-9, -8, *range(90)], [-9, -8], (0, 100)),
        ([999, *range(80)], [999], (0, 80)),
        ([*[99] * 40, *range(91)], [99], (0, 98)),
        ([-999, *range(-20, 41)], [-999], (-20, 40)),
        ([99_999, *range(0, 40_000, 400)], [99_999], (0, 40_000)),
        ([-1, 9999, *range(300)], [-1, 9999], (0, 300)),
        ([99, *range(1, 6)], [99], (0, 5)),
        (["99.9", *(f"{i / 10}" for i in range(200))], [99.9], (0, 20)),
        ([*range(-9, 90)], None, (-10, 100)),
        ([*range(100)], None, (0, 100)),
        ([-2, -1, 0, 0, 0, *range(1, 30)], None, (-2, 30)),
    ],
)
def test_sentinels_are_special(values: list[Any], special: list[int] | None, ends: tuple[int, int]) -> None:
    table = pa.table({"x": values * 2})
    field = draft_schema(table)["x"].to_dict()
    assert field.get("special") == special
    assert (field["constraints"]["minimum"], field["constraints"]["maximum"]) == ends
    assert check_table(table, draft_schema(table)).ok


def test_days_that_stand_for_something_else_are_special() -> None:
    days = [f"20{i % 20:02}-05-{i % 28 + 1:02}" for i in range(100)]
    field = drafted([*days, "1900-01-01", "9999-12-31"]).to_dict()
    assert field["special"] == ["1900-01-01", "9999-12-31"]
    assert field["constraints"] == {"minimum": "2000-01-01", "maximum": "2019-12-31"}
    assert "special" not in drafted(["1900-01-01", *(f"19{i:02}-06-01" for i in range(1, 99))]).to_dict()
    moments = drafted([*(f"{day}T10:00:00" for day in days), "1900-01-01T00:00:00"]).to_dict()
    assert moments["special"] == ["1900-01-01T00:00:00"]


def test_natural_orders_are_recognised() -> None:
    field = drafted(["mar", "jan", "feb", "jan"])
    assert [c.value for c in field.categories] == ["jan", "feb", "mar"]
    assert field.ordered
    sizes = drafted(["50+", "1-9", "10-49", "unknown"]).to_dict()
    assert sizes["categories"] == ["1-9", "10-49", "50+"]
    assert sizes["missingValues"] == ["unknown", ""], "it has no place in the order"
    assert not drafted(["red", "green"]).ordered


def test_many_texts_in_an_order_may_point_at_people_too() -> None:
    clocks = [f"{minute // 60:02}:{minute % 60:02}" for minute in range(0, 1440, 2)]
    field = draft_schema(pa.table({"seen": clocks * 2}))["seen"]
    assert field.ordered
    assert "720 texts; rare ones may point at people." in str(field.comments)


def test_ranges_that_a_name_stands_for() -> None:
    assert drafted(list(range(24)) * 2, "hour").to_dict()["constraints"] == {"minimum": 0, "maximum": 23}
    seen = drafted(list(range(5, 24)) * 2, "hour").to_dict()
    assert seen["constraints"] == {"minimum": 0, "maximum": 23}, "which hours rows have is not public"
    assert "categories" not in seen
    assert drafted([3, 4, 5, 6, 7, 8, 9] * 2, "month").to_dict()["constraints"] == {"minimum": 1, "maximum": 12}
    assert drafted([20, 30, 40, 50, 60, 70], "age").to_dict()["categories"] == [20, 30, 40, 50, 60, 70]
    assert drafted(list(range(18, 91)) * 2, "age").to_dict()["constraints"] == {"minimum": 0, "maximum": 120}
    for name in ("long", "lng", "lon", "start_long"):
        west = drafted([-93.4 + i / 100 for i in range(40)], name).to_dict()["constraints"]
        assert west == {"minimum": -180, "maximum": 180}, name
    assert drafted([90.1 + i / 100 for i in range(40)], "long_term_debt").to_dict()["constraints"]["minimum"] > 0


def test_moments_that_lose_their_hour_of_day_say_so() -> None:
    def remarks(days: int) -> str:
        moments = np.datetime64("2020-01-01") + np.arange(0, days * 24 * 60, 7).astype("timedelta64[m]")
        return str(drafted(moments.tolist()).comments)

    assert "hour of day and weekday are not kept" in remarks(30)
    assert "weekday" not in remarks(2)


def test_identifiers_and_constants_are_left_out_with_a_remark(tmp_path: Path) -> None:
    ids = [f"P{i:04}" for i in range(50)]
    found = left_out(
        code=ids, number=list(range(1000, 1050)), mail=[f"p{i % 9}@x.org" for i in range(50)], country=["FR"] * 50,
        empty=[""] * 50, nearly=ids[:30] + ids[:20], loop=[f"{i:08x}-0000-0000-0000-{i:012x}" for i in range(25)] * 2,
    )  # fmt: skip
    assert set(found) == {"code", "number", "mail", "country", "empty", "nearly", "loop"}
    assert found["code"].startswith("every value differs")
    assert found["mail"] == "it holds e-mail addresses"
    assert found["country"] == "every row has the same value"
    assert found["loop"] == "it holds UUIDs"
    schema = draft_schema(pa.table({"id": ids, "kept": ["a", "b"] * 25}))
    schema.save(tmp_path / "s.yaml")
    assert "P0001" not in (tmp_path / "s.yaml").read_text()
    assert Schema.load(tmp_path / "s.yaml").names == ("kept",)


def test_numbers_that_all_differ_are_no_identifiers_by_that_alone() -> None:
    assert left_out(population=[i * i * 37 + 11 for i in range(60)]) == {}
    assert left_out(height=[150.5 + i / 7 for i in range(60)]) == {}
    assert "pidnum" in left_out(pidnum=[i * i + 7 for i in range(60)])
    assert "customer_id" in left_out(customer_id=[i * i + 7 for i in range(60)])
    assert "--unit" in left_out(patient_id=[i // 2 * 3 for i in range(600)])["patient_id"]


def test_a_table_of_nothing_else_is_refused_with_the_reasons() -> None:
    with pytest.raises(TableError, match=r"'id': every value differs(.|\n)*No column is left"):
        draft_schema(pa.table({"id": [f"P{i:04}" for i in range(50)]}))


def test_long_lists_of_codes_get_a_taxonomy_by_prefix() -> None:
    zips = [f"{region}{place:03}" for region in ("01", "10", "80") for place in range(1, 60, 2)]
    field = drafted(zips * 3)
    assert field.taxonomy is not None
    assert [level.size for level in field.attribute.coarser][-1] == 3
    icd = [f"{letter}{i:02}{tail}" for letter in "AIJ" for i in range(10, 18) for tail in ("", ".1")]
    assert drafted(icd * 3).taxonomy is not None
    numbers = [10_000 + i * 37 for i in range(100)] * 3
    assert drafted(numbers, "zip").type == "string"
    assert drafted(numbers, "salary").type == "integer"
    assert drafted([f"city of {name}" for name in "abcdefghijklmnopqrstuvwxyz"] * 3).taxonomy is None


def test_other_dates_and_numbers_are_read() -> None:
    for text, pattern in (("05 Jan 2020", "%d %b %Y"), ("Jan 05, 2020", "%b %d, %Y"), ("2020.01.05", "%Y.%m.%d")):
        assert drafted([text] * 3).to_dict()["format"] == pattern
    clock = drafted(["01/31/2020 02:30 PM"] * 3).to_dict()
    assert (clock["type"], clock["format"]) == ("datetime", "%m/%d/%Y %I:%M %p")
    euros = drafted([f"{i},5" for i in range(40)]).to_dict()
    assert (euros["type"], euros["decimalChar"], euros["decimals"]) == ("number", ",", 1)
    thousands = drafted([f"{i},{i:03}" for i in range(1, 60)]).to_dict()
    assert (thousands["type"], thousands["groupChar"]) == ("integer", ",")


@pytest.mark.parametrize(
    ("clock", "kind", "pattern"),
    [
        ("00:00:00", "date", "%Y-%m-%d 00:00:00"),
        ("{:02}:00:00", "datetime", "%Y-%m-%d %H:00:00"),
        ("{:02}:30:00", "datetime", "%Y-%m-%d %H:%M:00"),
        ("{:02}:30:01", "datetime", "%Y-%m-%d %H:%M:%S"),
    ],
)
def test_moments_are_as_fine_as_they_are_written(clock: str, kind: str, pattern: str) -> None:
    field = drafted([f"2020-05-{day:02} {clock.format(day % 24)}" for day in range(1, 30)])
    assert (field.type, field.form.format) == (kind, pattern), "no synthetic row shows a time that no real one can"


def test_rules_are_suggested_and_not_declared(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    start = np.datetime64("2020-01-01") + rng.integers(0, 300, 300)
    branch = rng.integers(0, 8, 300)
    table = pa.table(
        {
            "left": start + rng.integers(0, 30, 300),
            "came": start,
            "branch": [f"b{b}" for b in branch],
            "area": [f"a{b % 3}" for b in branch],
        }
    )
    schema = draft_schema(table)
    assert schema.dependencies == ()
    suggested = [note for note in schema.comments if note.startswith("- ")]
    assert suggested == ["- {lower: came, upper: left}", "- {determines: [branch], column: area}"]
    text = schema.to_yaml()
    for line in ("dependencies:", *suggested):
        text = text.replace(f"# {line}\n", f"{line}\n")
    (tmp_path / "s.yaml").write_text(text)
    assert len(Schema.load(tmp_path / "s.yaml").dependencies) == 2


def suggested(table: dict[str, Any]) -> list[str]:
    notes = list(draft_schema(pa.table(table)).comments)
    return notes[notes.index("dependencies:") + 1 :] if "dependencies:" in notes else []


def test_rules_are_found_wherever_they_stand_in_a_wide_table() -> None:
    rng = np.random.default_rng(2)
    town = rng.integers(0, 30, 2000)
    wide: dict[str, Any] = {f"kind{i}": [f"v{v}" for v in rng.integers(0, 4 + i % 9, 2000)] for i in range(120)}
    wide |= {"town": [f"t{v}" for v in town], "area": [f"a{v % 6}" for v in town], "side": [f"s{v % 3}" for v in town]}
    assert suggested(wide) == [
        "- {determines: [town], column: area}",
        "- {determines: [area], column: side}",
    ], "that a town has one side follows"
    named = suggested({f"c{i}": [f"v{v * (i + 7) % 31}" for v in town] for i in range(20)})
    assert len([line for line in named if line.startswith("- ")]) == 12
    assert " ".join(named[12:]).startswith("These rows keep more: c"), "what is not listed is told"


def test_a_rule_that_one_row_of_many_breaks_is_not_suggested() -> None:
    town = np.arange(15_000) % 30
    area = [f"a{v % 6}" for v in town]
    assert suggested({"town": [f"t{v}" for v in town], "area": area})
    assert not suggested({"town": [f"t{v}" for v in town], "area": [*area[:7001], "a0", *area[7002:]]})


def test_orders_of_numbers_are_asked_about_where_chance_would_break_them() -> None:
    rng = np.random.default_rng(3)
    asked = "  # by definition, or by chance in these rows?"
    total = rng.lognormal(6, 1, 2000).round(2)
    opened = (total * rng.random(2000) ** 0.5).round(2)
    paid = (opened * rng.random(2000)).round(2)
    lines = suggested({"paid_lines": paid, "total_lines": total, "open_lines": opened})
    assert lines == [
        f"- {{lower: open_lines, upper: total_lines}}{asked}",
        f"- {{lower: paid_lines, upper: open_lines}}{asked}",
    ], "the third follows"
    assert not suggested({"paid_lines": paid, "total_lines": np.append(total[:-1], 0)})
    assert not suggested({"age": rng.integers(18, 90, 2000), "income": rng.integers(1000, 90_000, 2000)})
    spent = np.where(rng.random(2000) < 0.3, 0, rng.integers(100, 9000, 2000))
    assert not suggested({"visits": np.where(spent == 0, 0, rng.integers(1, 60, 2000)), "spent": spent})


def test_what_is_asked_about_can_be_declared(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    total = rng.lognormal(6, 1, 2000).round(2)
    table = pa.table({"total": total, "part of the total": (total * rng.random(2000)).round(2)})
    text = draft_schema(table).to_yaml()
    for line in text.splitlines():
        if line.startswith(("# dependencies:", "# - ")):
            text = text.replace(f"{line}\n", f"{line.removeprefix('# ')}\n")
    (tmp_path / "s.yaml").write_text(text)
    assert [one.text for one in Schema.load(tmp_path / "s.yaml").dependencies] == ["part of the total ≤ total"]


_KINDS = st.sampled_from(
    ["count", "money", "float", "tiny", "huge", "date", "moment", "word", "code", "month", "flag", "sentinel", "comma",
     "id", "constant", "mess"]
)  # fmt: skip


def column(kind: str, rows: int, rng: np.random.Generator) -> list[str]:
    whole = rng.integers(0, 10 ** int(rng.integers(1, 7)), rows)
    made: dict[str, Any] = {
        "count": lambda: rng.poisson(3, rows),
        "money": lambda: np.round(rng.lognormal(8, 2, rows), 2),
        "float": lambda: rng.normal(0, 10.0 ** int(rng.integers(-8, 9)), rows),
        "tiny": lambda: [f"{v:.2f}" for v in rng.random(rows) * 0.05],
        "huge": lambda: rng.integers(-(2**62), 2**62, rows),
        "date": lambda: np.datetime64("1950-01-01") + rng.integers(0, 20_000, rows),
        "moment": lambda: np.datetime64("2020-01-01T00:00:00") + rng.integers(0, 10**7, rows),
        "word": lambda: rng.choice(["a b", "c,d", 'q"', "x\ny", "é"], rows),
        "code": lambda: [f"{v:04}" for v in rng.integers(0, 90, rows)],
        "month": lambda: rng.choice(["Jan", "Feb", "Mar"], rows),
        "flag": lambda: rng.choice(["true", "False"], rows),
        "sentinel": lambda: np.where(rng.random(rows) < 0.2, rng.choice([-1, 999, 99, -99]), whole),
        "comma": lambda: [f"{v:.1f}".replace(".", ",") for v in rng.random(rows) * 900],
        "id": lambda: [f"P{i}" for i in range(rows)],
        "constant": lambda: ["x"] * rows,
        "mess": lambda: rng.choice(["1", "-1", "999", "1.5", "2020-01-01", "a", "01"], rows),
    }
    missing = rng.choice(["", "NA", "?", "-"], rows)
    empty = rng.random(rows) < rng.choice([0, 0.2])
    return [str(m) if e else str(v) for v, m, e in zip(made[kind](), missing, empty, strict=True)]


@settings(max_examples=25, deadline=None)
@given(kinds=st.lists(_KINDS, min_size=1, max_size=4), rows=st.integers(1, 120), seed=st.integers(0, 2**31))
def test_a_draft_can_be_loaded_and_fits_its_table(
    kinds: list[str], rows: int, seed: int, tmp_path_factory: Any
) -> None:
    rng = np.random.default_rng(seed)
    columns = {f"{kind}{i}": column(kind, rows, rng) for i, kind in enumerate(kinds)}
    table = pa.table(columns | {"kept": [str(i % 2) for i in range(rows)]})
    schema = draft_schema(table)
    path = tmp_path_factory.mktemp("draft") / "s.yaml"
    schema.save(path)
    loaded = Schema.load(path)
    assert loaded == schema
    assert loaded.draft_fields == loaded.names
    with pytest.raises(SchemaError):
        refuse_drafts(loaded, trust_draft=False)
    if not loaded.incomplete:
        report = check_table(table, loaded)
        assert report.ok, report.faults


FEW = ["Ada", "Ben", "Cleo", "Dan"] * 50


@pytest.mark.parametrize("name", ["first_name", "fake_last_name", "surname", "PatientName", "last name", "forename2"])
def test_names_of_people_are_left_out_however_few_they_are(name: str) -> None:
    assert left_out(**{name: FEW}) == {name: "by its name it holds people's names"}
    assert left_out(**{name: FEW[:4]}) == {name: "by its name it holds people's names"}


@pytest.mark.parametrize(
    "name", ["mrn", "SSN", "nhs_number", "NHSNumber", "passport", "passport_no", "national_id", "iban", "tax_id"]
)
@pytest.mark.parametrize("values", [FEW, [f"{i % 50:05}" for i in range(200)], [i % 50 for i in range(200)]])
def test_numbers_of_people_are_left_out_by_their_name(name: str, values: list[Any]) -> None:
    assert "by its name it is an identifier" in left_out(**{name: values})[name]


@pytest.mark.parametrize(
    "name", ["product_name", "clinic_name", "name", "name_of_country", "passport_country", "national_team", "number"]
)
def test_names_of_other_things_are_kept(name: str) -> None:
    assert left_out(**{name: FEW}) == {}


def test_a_name_alone_is_left_out_only_if_it_has_many_values() -> None:
    assert "people's names" in left_out(name=[f"Person {i % 120}" for i in range(1000)])["name"]
    assert left_out(name=[f"Country {i % 120}" for i in range(10_000)]) == {}
    assert left_out(has_passport=["yes", "no"] * 100, ssn=[0, 1] * 100) == {}


def test_no_rule_is_suggested_for_a_column_that_is_left_out() -> None:
    known = {"first_name": FEW, "sex": ["F", "M", "F", "M"] * 50, "group": ["a", "b", "a", "c"] * 50}
    notes = draft_schema(pa.table(known)).comments
    assert any("determines: [group], column: sex" in note for note in notes)
    assert [note for note in notes if "first_name" in note] == [
        "Left out: first_name (by its name it holds people's names)."
    ]


@pytest.mark.parametrize("as_number", [str, float])
def test_a_column_of_whole_numbers_but_one_gets_no_decimals(as_number: Any) -> None:
    field = drafted([*[as_number(i % 60) for i in range(500)], as_number("6.75")])
    assert field.to_dict()["decimals"] == 0
    assert any("nearly all cells are whole numbers. A few are not" in note for note in field.comments)


def test_whole_numbers_that_pandas_wrote_beside_gaps_are_called_nothing_else() -> None:
    field = drafted([f"{i * 7 % 150}.0" for i in range(300)] + [""])
    assert (field.type, field.missing_allowed) == ("integer", True)
    assert not any("decimals" in note for note in field.comments)


@pytest.mark.parametrize(
    ("amounts", "prices", "told"),
    [
        ("{}.456", "{},25", True),
        ("{}.456", "{}.25", True),
        ("0.{:03}", "{},25", True),
        ("0.{:03}", "{}.25", False),
        ("{}.45", "{},25", False),
        ("{}", "{},25", False),
    ],
)
def test_points_that_may_part_thousands_are_remarked_on(amounts: str, prices: str, told: bool) -> None:
    cells = {
        "amount": [amounts.format(i % 90 + 1) for i in range(200)],
        "price": [prices.format(i) for i in range(200)],
    }
    notes = draft_schema(pa.table(cells))["amount"].comments
    assert any("groupChar: '.'" in note for note in notes) == told
    assert Schema.from_dict(
        {"fields": [{"name": "a", "type": "integer", "groupChar": ".", "categories": ["3.456", 7]}]}
    )
