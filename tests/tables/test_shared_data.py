"""The public benchmark tables load with their schemas as they are, and give the codes of the PrivBayes authors."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from understudy.schema import Schema
from understudy.tables import check_table, draft_schema, read_table

DATA = Path(os.environ.get("UNDERSTUDY_DATA", Path(__file__).parents[2] / ".." / "shared" / "data"))
NAMES = sorted(path.name.removesuffix(".schema.yaml") for path in DATA.glob("*.schema.yaml"))

pytestmark = pytest.mark.skipif(not NAMES, reason="no benchmark data: set UNDERSTUDY_DATA to their folder")


def table_path(name: str) -> Path:
    return next(path for path in (DATA / f"{name}.csv", DATA / f"{name}.csv.gz") if path.exists())


def described(name: str) -> dict[str, dict[str, object]]:
    content = json.loads((DATA / f"{name}.schema.json").read_text())
    return {attribute["name"]: attribute for attribute in content["attributes"]}


@pytest.mark.parametrize("name", NAMES)
def test_levels_have_the_published_sizes(name: str) -> None:
    schema = Schema.load(DATA / f"{name}.schema.yaml")
    for attribute in schema.domain:
        known = described(name)[attribute.name]
        taxonomy = known.get("taxonomy")
        sizes = taxonomy["level_sizes"] if isinstance(taxonomy, dict) else known.get("level_sizes")
        if sizes is not None:
            assert [attribute.size_at(level) for level in range(attribute.n_levels)] == sizes, attribute.name


@pytest.mark.parametrize("name", NAMES)
def test_every_table_fits_its_schema(name: str) -> None:
    schema = Schema.load(DATA / f"{name}.schema.yaml")
    content = json.loads((DATA / f"{name}.schema.json").read_text())
    report = check_table(table_path(name), schema)
    assert report.ok, report.faults
    assert report.n_rows == content["rows"]
    assert len(schema.fields) == content["columns"]


@pytest.mark.parametrize("name", [name for name in ("adult", "br2000") if name in NAMES])
def test_codes_equal_those_of_the_authors(name: str) -> None:
    content = Schema.load(DATA / f"{name}.schema.yaml").to_dict()
    for field in content["fields"]:
        if "bins" in field:  # the authors take the data's own ends
            known = described(name)[field["name"]]
            field["constraints"] = {"minimum": known["min"], "maximum": known["max"]}
    ours = read_table(table_path(name), Schema.from_dict(content))
    theirs = read_table(table_path(f"{name}_privbayes16"), Schema.load(DATA / f"{name}_privbayes16.schema.yaml"))
    for attribute, mine, other in zip(ours.domain, ours.columns, theirs.columns, strict=True):
        assert (mine == other).all(), attribute.name


@pytest.mark.parametrize("name", [name for name in ("adult", "nltcs") if name in NAMES])
def test_a_draft_fits_the_table_it_was_drawn_from(name: str) -> None:
    drafted = draft_schema(table_path(name))
    assert drafted.names == Schema.load(DATA / f"{name}.schema.yaml").names
    assert drafted.draft_fields == drafted.names
    assert check_table(table_path(name), drafted).ok
