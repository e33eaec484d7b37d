"""What a report holds, hands back and writes."""

from __future__ import annotations

import errno
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from tests.evaluation.made_up import (
    HOSTILE_NAMES,
    MadeUpMeasure,
    made_up_facts,
    made_up_pair,
    made_up_report,
    made_up_schema,
)
from understudy._core.errors import InternalError, OptionError, OutputError
from understudy._core.randomness import streams
from understudy.evaluation import (
    TABLE_DISTANCES,
    Direction,
    Measure,
    MeasureResult,
    PublicReport,
    Report,
    ReportFacts,
    Shares,
    make_public_report,
    make_references,
    make_report,
    measure_tables,
    pair_of_codes,
    read_pair,
    tone_of,
)
from understudy.evaluation._figures import share_bars
from understudy.evaluation._numbers import Bars
from understudy.evaluation._page import SHOWN_COLUMNS, points
from understudy.evaluation._summaries import tables_to_read
from understudy.schema import Schema
from understudy.tables import Table, read_loosely, read_table

NAMES = ("age", "job", "income", "size", "sex")
PRIVATE = "computed from the real table: do not publish"


def result_of(name: str, measure: Measure = TABLE_DISTANCES, *, value: float, **others: Any) -> MeasureResult:
    return MeasureResult(measure, name, "?", **{"definition": "", "value": value, "score": 0.5, "verdict": ""} | others)


@pytest.fixture(scope="module")
def report() -> Report:
    return made_up_report(NAMES, ways=(1, 2, 3))


class Page(HTMLParser):
    """The tags of a page, whether they are closed in order, and its text."""

    VOID = ("meta", "link", "input", "br", "img")

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def test_the_score_is_the_mean_over_one_two_and_three_columns(report: Report) -> None:
    tables = [report.find(name) for name in ("1-way", "2-way", "3-way")]
    assert report.score == pytest.approx(np.mean([found.score for found in tables]))
    assert report.fresh_sample_score == pytest.approx(np.mean([1 - (found.fresh_sample or 0) for found in tables]))
    assert report.independent_columns_score is not None
    assert report.fresh_sample_score is not None
    assert report.independent_columns_score < report.fresh_sample_score


def test_a_report_without_tables_has_no_score() -> None:
    empty = Report((), ReportFacts(dataset="people", rows_synthetic=1))
    assert (empty.score, empty.fresh_sample_score, empty.independent_columns_score) == (None, None, None)
    assert [verdict.tone.name for verdict in empty.verdicts] == ["unknown"] * 3
    assert "Single columns were not compared." in empty.html()


def test_results_are_one_row_each(report: Report) -> None:
    table = report.table
    assert isinstance(table, pa.Table)
    assert table.column("name").to_pylist() == [known.name for known in report.results]
    assert table.column("value").to_pylist()[1] == report.find("2-way").value


@pytest.mark.parametrize(("kind", "module"), [("pandas", "pandas"), ("polars", "polars"), ("pyarrow", "pyarrow")])
def test_tables_come_in_the_kind_of_the_real_one(kind: str, module: str) -> None:
    library = pytest.importorskip(module)
    columns = {"a": ["x", "y"] * 20, "b": ["x", "x", "y", "y"] * 10}
    schema = Schema.from_dict({"fields": [{"name": name, "categories": ["x", "y"]} for name in "ab"]})
    real = library.table(columns) if kind == "pyarrow" else library.DataFrame(columns)
    pair = read_pair(real, pa.table(columns), schema)
    details = pa.table(
        {"column_1": ["a"], "column_2": ["b"], "distance": [0.1], "fresh_sample": [0.05], "independent_columns": [0.2]}
    )
    found = result_of("2-way", value=0.1, width=2, details=details)
    made = make_report(pair, [found], facts=made_up_facts(pair))
    for table in (made.table, made.details("2-way"), made.worst(5)):
        assert type(table).__module__.split(".")[0] == module


def test_the_worst_tables_are_those_farthest_above_a_fresh_sample(report: Report) -> None:
    worst = report.worst(4).to_pylist()
    excess = [row["distance"] - row["fresh_sample"] for row in worst]
    assert excess == sorted(excess, reverse=True)
    readable = [row["columns"] for row in report.worst(1000).to_pylist() if row["fresh_sample"] <= 0.1]
    assert " × ".join(report.worst_cells[0].columns) == readable[0]
    assert len(report.worst_cells) == 10


def test_the_cells_of_a_worst_table_are_its_largest_differences(report: Report) -> None:
    pair = made_up_pair(NAMES)
    table = report.worst_cells[0]
    places = [pair.names.index(name) for name in table.columns]
    for cell in table.cells:
        for side, share in ((pair.real, cell.real), (pair.first, cell.synthetic)):
            hit = np.ones(side.n, dtype=bool)
            for place, label in zip(places, cell.labels, strict=True):
                hit &= side.columns[place] == pair.labels[place].index(label)
            assert hit.mean() == pytest.approx(share)
    gaps = [abs(cell.real - cell.synthetic) for cell in table.cells]
    assert gaps == sorted(gaps, reverse=True)
    assert 0 < table.explained <= 1


def test_one_bad_column_does_not_fill_the_list_and_sparse_tables_come_last() -> None:
    others = [f"c{i}" for i in range(8)]
    pairs = [("bad", other, 0.5, 0.01) for other in others] + [("fine", other, 0.1, 0.01) for other in others]
    rows = [*pairs, ("many", "more", 0.99, 0.4)]
    names = ("column_1", "column_2", "distance", "fresh_sample")
    details = pa.table({name: [row[i] for row in rows] for i, name in enumerate(names)})
    found = result_of("2-way", value=0.3, width=2, details=details)
    read = [table.columns for table in tables_to_read([found], 17)]
    assert [columns[0] for columns in read] == ["bad"] * 3 + ["fine"] * 3 + ["bad"] * 5 + ["fine"] * 5 + ["many"]
    assert tables_to_read([found], 2) == tables_to_read([found], 17)[:2]
    assert tables_to_read([found], 0) == []


def test_a_table_of_very_many_cells_is_drilled_down_too() -> None:
    """Their product has no place in an array, let alone in 64 bits."""
    labels = [f"v{i}" for i in range(3000)]
    schema = Schema.from_dict({"fields": [{"name": f"c{i}", "categories": labels} for i in range(6)]})
    columns = {f"c{i}": labels[:50] for i in range(6)}
    pair = read_pair(pa.table(columns), pa.table(dict.fromkeys(columns, labels[50:100])), schema)
    details = pa.table({**{f"column_{i + 1}": [f"c{i}"] for i in range(6)}, "distance": [1.0]})
    found = result_of("6-way", value=1.0, width=6, details=details)
    cells = make_report(pair, [found], facts=made_up_facts(pair)).worst_cells[0].cells
    assert cells[0].labels == ("v0",) * 6
    assert (cells[0].real, cells[0].synthetic) == (0.02, 0.0)


def test_unknown_names_are_answered_with_the_known_ones(report: Report) -> None:
    with pytest.raises(OptionError, match="Did you mean '2-way'"):
        report.details("2way")
    with pytest.raises(OptionError, match="Did you mean 'income'"):
        report.figure("incom")
    with pytest.raises(OptionError, match="has no details"):
        report.details("validity")
    with pytest.raises(OptionError, match="has no details"):
        report.figure("validity")


@pytest.mark.parametrize("name", ["1-way", "2-way", "3-way", "mutual information", "Cramér's V", "income", "job"])
def test_results_associations_and_columns_have_a_figure(report: Report, name: str) -> None:
    assert report.figure(name).svg.startswith("<svg")


def test_json_holds_everything_and_says_that_it_is_private(report: Report, tmp_path: Path) -> None:
    found = json.loads(report.save(tmp_path / "report.json").read_text(encoding="utf-8"))
    assert found["private"] == PRIVATE
    assert next(iter(found)) == "private"
    assert found["score"] == report.score
    pairs = next(known for known in found["results"] if known["name"] == "2-way")
    assert len(pairs["details"]["distance"]) == 10
    assert len(found["histograms"]) == len(NAMES)
    assert len(found["worst_tables"]) == 10
    assert found["associations"][0]["columns"] == list(NAMES)


def test_numbers_that_are_none_become_null() -> None:
    details = pa.table({"distance": [float("nan"), 1.0]})
    found = result_of("x", value=float("nan"), score=float("inf"), details=details)
    report = Report((found,), ReportFacts(dataset="people", rows_synthetic=1))
    assert "NaN" not in json.dumps(report.to_dict(), allow_nan=False)
    assert report.to_dict()["results"][0]["details"]["distance"] == [None, 1.0]


def test_reports_are_written_as_html_or_json_only(report: Report, tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"\.html or \.json"):
        report.save(tmp_path / "report.pdf")
    with pytest.raises(OutputError, match="cannot write"):
        report.save(tmp_path / "nowhere" / "report.html")


def test_a_report_that_cannot_be_written_leaves_the_old_one_as_it_was(
    report: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "report.html"
    target.write_text("the old one")

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "no space")

    monkeypatch.setattr("understudy._core.files.os.fsync", full)
    for name in ("report.html", "new.json"):
        with pytest.raises(OutputError, match="the disk is full"):
            report.save(tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]
    assert target.read_text() == "the old one"


@pytest.mark.parametrize(
    ("ways", "said"),
    [
        ((1,), "No tables of two or more columns were compared."),
        ((2,), "Tables of two columns differ"),
        ((1, 3), "Tables of three columns differ"),
        ((1, 2, 3), "Tables of two and three columns differ"),
    ],
)
def test_the_verdict_on_relations_says_which_tables_it_is_about(ways: tuple[int, ...], said: str) -> None:
    pair = made_up_pair(NAMES)
    measured = measure_tables(pair, make_references(pair), ways=ways)
    assert said in make_report(pair, measured, facts=made_up_facts(pair)).html()


def test_the_page_is_well_formed_private_and_fetches_nothing(report: Report) -> None:
    text = report.html()
    page = Page(text)
    assert page.open == []
    assert text.count("do not publish") >= 9
    links = [value or "" for name, value in page.attributes if name in ("src", "href", "xlink:href", "srcset")]
    assert [link for link in links if not link.startswith(("#", "data:"))] == []
    assert "@import" not in text
    assert "url(" not in text
    assert "default-src 'none'" in text


def test_the_page_says_each_verdict_in_words(report: Report) -> None:
    shown = " ".join("".join(Page(report.html()).words).split())
    for known in report.results:
        assert known.question in shown
        assert " ".join(known.verdict.replace("`", "").split()) in shown
    assert "a wide network" in shown
    assert "All files satisfy ε-differential privacy with ε = 1. See privacy.json and replace one." in shown
    assert "noise on <b>counts|" in shown


@pytest.mark.parametrize("public", [False, True])
def test_hostile_names_and_labels_stay_text(public: bool) -> None:
    report = made_up_report(HOSTILE_NAMES, labels=HOSTILE_NAMES, dataset=HOSTILE_NAMES[7], stamp=HOSTILE_NAMES[0])
    columns = tuple(Shares(h.name, h.labels, h.synthetic) for h in report.histograms)
    text = PublicReport(report.facts, columns).html() if public else report.html()
    page = Page(text)
    assert page.open == []
    assert page.tags.count("script") == 1
    assert "img" not in page.tags
    assert not any(name.startswith("on") for name, _ in page.attributes)
    assert "49" not in [word.strip() for word in page.words]
    assert "\u202e" not in text
    assert "<script>alert(1)</script>" in page.words


def test_a_report_of_one_row_and_one_column_is_written() -> None:
    schema = Schema.from_dict({"fields": [{"name": "only", "categories": ["x", "y"]}]})
    pair = read_pair(pa.table({"only": ["x"]}), pa.table({"only": ["y"]}), schema)
    report = make_report(pair, [], facts=ReportFacts(dataset="one", rows_real=1, rows_synthetic=1))
    assert report.histograms[0].distance == 1.0
    assert Page(report.html()).open == []


def test_a_lone_surrogate_in_a_name_does_not_stop_the_report(tmp_path: Path) -> None:
    report = made_up_report(["ok", "bad"], dataset="bad \ud800 name")
    assert report.save(tmp_path / "report.html").stat().st_size > 0
    assert report.save(tmp_path / "report.json").stat().st_size > 0


@pytest.mark.parametrize(
    ("value", "fresh_sample", "independent_columns", "direction", "tone"),
    [
        (0.02, 0.01, 0.11, "less", "close"),
        (0.05, 0.01, 0.11, "less", "fair"),
        (0.09, 0.01, 0.11, "less", "far"),
        (0.50, 0.01, 0.11, "less", "far"),
        (0.005, 0.01, 0.11, "less", "close"),
        (0.019, 0.009, 0.009, "less", "close"),
        (0.05, 0.009, 0.0085, "less", "fair"),
        (0.20, 0.009, 0.0085, "less", "far"),
        (0.83, 0.84, 0.60, "more", "close"),
        (0.62, 0.84, 0.60, "more", "far"),
        (2.9, 3.0, 0.1, "nearer", "close"),
        (4.2, 3.0, 0.1, "nearer", "fair"),
        (9.0, 3.0, 0.1, "nearer", "far"),
        (0.83, None, None, "more", "unknown"),
        (float("nan"), 0.1, 0.2, "less", "unknown"),
    ],
)
def test_ratings_follow_the_references(
    value: float, fresh_sample: float | None, independent_columns: float | None, direction: Direction, tone: str
) -> None:
    measure = MadeUpMeasure(direction=direction)
    known = result_of("x", measure, value=value, fresh_sample=fresh_sample, independent_columns=independent_columns)
    assert tone_of(known).name == tone


def test_two_samples_of_one_population_are_rated_close() -> None:
    schema = Schema.from_dict({"fields": [{"name": name, "categories": list("wxyz")} for name in "abcdefgh"]})
    rng = streams(1).get("samples")
    real, fake = (Table(schema.domain, tuple(rng.integers(4, size=500) for _ in "abcdefgh")) for _ in range(2))
    pair = pair_of_codes(schema, real, [fake])
    for known in measure_tables(pair, make_references(pair)):
        assert tone_of(known).name == "close", known.verdict
        assert "worse" not in known.verdict


def test_shares_are_shown_as_points() -> None:
    assert [points(share) for share in (0.012, 0.00042, 0.0, 1.0, None)] == ["1.2", "0.04", "0.0", "100.0", "–"]


def public_of(real_rows: int, notes: tuple[str, ...]) -> PublicReport:
    schema = made_up_schema(NAMES)
    synthetic = made_up_pair(NAMES).first
    facts = made_up_facts(made_up_pair(NAMES), rows_real=real_rows, notes=notes)
    return make_public_report(schema, synthetic, facts=facts)


def test_the_public_report_does_not_change_with_the_real_table() -> None:
    one, other = public_of(10, ("17 cells are missing",)), public_of(99_999, ())
    assert one.html() == other.html()
    assert one.to_dict() == other.to_dict()


def test_the_public_report_says_that_it_may_be_published(tmp_path: Path) -> None:
    report = public_of(10, ())
    text = report.save(tmp_path / "public.html").read_text(encoding="utf-8")
    assert "May be published" in text
    assert "do not publish" not in text
    assert 'class="us-real"' not in text
    assert json.loads(report.save(tmp_path / "public.json").read_text(encoding="utf-8"))["public"].startswith(
        "made from"
    )


def test_the_page_of_a_release_without_a_guarantee_says_not_to_publish_it() -> None:
    facts = made_up_facts(made_up_pair(NAMES), stamp="NOT PRIVATE: seeded")
    report = make_public_report(made_up_schema(NAMES), made_up_pair(NAMES).first, facts=facts)
    assert "May be published" not in report.html()
    assert "Do not publish" in report.html()
    assert "do not publish" in report.to_dict()["public"]


def test_a_table_read_beside_the_real_one_is_no_source_for_a_public_report() -> None:
    schema = Schema.from_dict({"fields": [{"name": "sex", "categories": ["F", "M"]}]})
    pair = read_pair(pa.table({"sex": ["F", "X"]}), pa.table({"sex": ["F", "M"]}), schema)
    with pytest.raises(InternalError, match="other codes"):
        make_public_report(schema, pair.first, facts=made_up_facts(pair))
    alone = Table(schema.domain, (np.array([0, 1]),))
    assert make_public_report(schema, alone, facts=made_up_facts(pair)).columns[0].labels == ("F", "M")


def test_dates_and_years_of_the_public_page_are_drawn_to_scale() -> None:
    """Six years in one found bin and a day in another were bars of equal width."""
    edges = {"edges": ["2020-01-01", "2025-12-30", "2025-12-31"]}
    fields = [{"name": "day", "type": "date", "bins": edges, "special": ["9999-12-31"]}]
    fields += [{"name": "year", "type": "year", "constraints": {"minimum": 1990, "maximum": 2029}}]
    schema = Schema.from_dict({"fields": fields})
    rows = pa.table({"day": ["2020-01-01", "2025-12-31", "9999-12-31"], "year": ["1990", "1991", "2029"]})
    values = read_loosely(rows, schema, values=True).values
    report = make_public_report(
        schema, read_table(rows, schema), facts=made_up_facts(made_up_pair(NAMES)), values=values
    )
    day, year = (column.bars for column in report.columns)
    assert day is not None
    assert year is not None
    assert len(day.edges) > 10
    assert round(sum(day.synthetic), 6) == 0.666667  # the special value stands apart
    text = report.html()
    assert re.search(r">202\d-\d\d-\d\d<", text)
    assert "1,990" not in text


@pytest.mark.parametrize(("more", "said"), [(1, "Show the other column<"), (2, "Show the other 2 columns<")])
def test_columns_that_are_folded_are_counted_if_there_are_several(more: int, said: str) -> None:
    assert said in made_up_report([f"column {i}" for i in range(SHOWN_COLUMNS + more)]).html()


def test_whole_numbers_that_look_like_years_are_written_as_years_for_readers_too() -> None:
    bars = Bars((1996.5, 1997.5, 1998.5), (0.5, 0.5), (0.4, 0.6), step=1)
    drawn = share_bars(Shares("year", ("1997", "1998"), (0.4, 0.6), ordered=True, bars=bars, type="integer")).svg
    assert re.findall(r"<title>([^<:]*): ", drawn) == ["1997", "1998"]
