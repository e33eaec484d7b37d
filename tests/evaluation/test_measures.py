"""Measures are a list: what one declares is all that reports, pages, files and the screen go by."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest

import understudy as us
from tests.evaluation.made_up import MadeUpMeasure
from understudy.cli._main import run
from understudy.evaluation import (
    MEASURES,
    Group,
    Measure,
    MeasureInput,
    Report,
    compute_measures,
    make_references,
    read_pair,
)
from understudy.schema import Schema

SCHEMA = {"name": "t", "fields": [{"name": name, "categories": ["x", "y"]} for name in "ab"]}
REAL = pa.table({"a": ["x", "x", "y", "y"] * 25, "b": ["x", "x", "y", "y"] * 25})
SYNTHETIC = pa.table({"a": ["x", "y", "x", "y"] * 20, "b": ["x", "x", "y", "y"] * 20})
NAME, VERDICT = "surplus of rows", "The synthetic table has 80 rows, the real one 100."


def report_with(monkeypatch: pytest.MonkeyPatch, measure: Measure) -> Report:
    """What `evaluate` reports with one measure more on the list."""
    monkeypatch.setattr("understudy.evaluation._measures.MEASURES", (*MEASURES, measure))
    return us.evaluate(REAL, SYNTHETIC, SCHEMA, classifiers=False)


def test_a_measure_added_to_the_list_is_in_the_file_the_page_and_the_dataframe(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    report = report_with(monkeypatch, MadeUpMeasure())
    assert report.find(NAME).value == 0.2
    saved = json.loads(report.save(tmp_path / "report.json").read_text(encoding="utf-8"))["results"]
    found = next(one for one in saved if one["name"] == NAME)
    assert (found["group"], found["direction"], found["synonym"], found["value"]) == ("tables", "less", None, 0.2)
    page = report.html()
    assert page.count(VERDICT) == 1
    assert page.index("<h3>Are there as many rows?</h3>") < page.index(VERDICT)
    assert NAME in report.table.column("name").to_pylist()


def test_a_measure_added_to_the_list_is_on_the_screen(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("understudy.evaluation._measures.MEASURES", (MadeUpMeasure(),))
    pa.csv.write_csv(REAL, tmp_path / "real.csv")
    pa.csv.write_csv(SYNTHETIC, tmp_path / "synthetic.csv")
    (tmp_path / "schema.json").write_text(json.dumps(SCHEMA))
    files = [str(tmp_path / name) for name in ("real.csv", "synthetic.csv")]
    assert run(["evaluate", *files, "--schema", str(tmp_path / "schema.json")]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert f"{NAME} 0.2000 0.0000 0.0000" in out
    assert VERDICT in out


def test_a_synonym_is_shown_last_and_in_short_under_whose_terms_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    page = report_with(monkeypatch, MadeUpMeasure(synonym="RowMetrics")).html()
    assert "The same under names you may know</b> (SDMetrics, RowMetrics)" in page
    assert "Are there as many rows?" not in page
    assert page.count(VERDICT) == 1


def test_a_group_with_a_heading_has_a_section_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    group = Group("counting", heading="Counting rows", lead="Rows were counted.")
    page = report_with(monkeypatch, MadeUpMeasure(group=group)).html()
    section = page[page.index('<section id="counting">') :]
    assert "<h2>Counting rows</h2>" in section
    assert "Rows were counted." in section
    assert section.index(VERDICT) < section.index("</section>")


@pytest.mark.parametrize("direction", ["less", "more", "nearer"])
def test_the_direction_decides_the_rating(monkeypatch: pytest.MonkeyPatch, direction: str) -> None:
    # 0.2 where a fresh sample shows 0: too much of a bad thing, more than enough of a good one
    page = report_with(monkeypatch, MadeUpMeasure(direction=direction)).html()  # type: ignore[arg-type]
    tone = page[: page.index(VERDICT)].rsplit('<div class="verdict tone-', 1)[1].split('"', 1)[0]
    assert tone == {"less": "far", "more": "close", "nearer": "far"}[direction]


def test_a_measure_is_left_out_where_what_it_needs_is_not_there() -> None:
    pair = read_pair(REAL, SYNTHETIC, Schema.from_dict(SCHEMA))
    given = MeasureInput(pair=pair, references=make_references(pair), classifiers=False)
    assert compute_measures(given, [MadeUpMeasure()])
    assert not compute_measures(given, [MadeUpMeasure(needs=frozenset({"classifiers"}))])
    assert not compute_measures(given, [MadeUpMeasure(needs=frozenset({"network"}))])


def test_every_measure_declares_itself_in_full_and_names_are_its_own() -> None:
    assert len({measure.name for measure in MEASURES}) == len(MEASURES)
    for measure in MEASURES:
        assert measure.direction in ("less", "more", "nearer")
        assert isinstance(measure.group, Group)
        assert measure.synonym is None or measure.synonym
    pair = read_pair(REAL, SYNTHETIC, Schema.from_dict(SCHEMA))
    found = compute_measures(MeasureInput(pair=pair, references=make_references(pair)))
    assert len({one.name for one in found}) == len(found)
