"""The page that a release brings for its readers."""

from __future__ import annotations

import io
import re
import shutil
import subprocess
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import understudy as us
from understudy.release import CardFacts, ChargeLine, Statement, about_release, declared_facts
from understudy.release._loading import loading
from understudy.schema import Schema

FIELDS: list[dict[str, Any]] = [
    {"name": "job", "categories": ["a", "b"]},
    {"name": "gain", "type": "integer", "bins": "auto", "constraints": {"minimum": 0, "maximum": 9999}},
    {"name": "age", "type": "integer", "bins": 4, "constraints": {"minimum": 0, "maximum": 99}},
    {"name": "since", "type": "date", "bins": 4, "constraints": {"minimum": "2010-01-01", "maximum": "2020-12-31"}},
    {
        "name": "seen on",
        "type": "date",
        "format": "%d/%m/%Y",
        "bins": 4,
        "constraints": {"minimum": "01/01/2010", "maximum": "31/12/2020"},
    },
]
PACKAGE = {
    "title": "Customers of a bank",
    "licenses": [{"name": "CC-BY-4.0", "path": "https://creativecommons.org/licenses/by/4.0/"}],
    "contributors": [{"title": "Jo Doe", "role": "author"}, {"title": "Ann Other", "role": "contributor"}],
}


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> us.Release:
    rng = np.random.default_rng(1)
    n = 800
    days = pd.Timestamp("2011-01-01") + pd.to_timedelta(rng.integers(0, 3000, n), unit="D")
    table = pd.DataFrame(
        {
            "job": rng.choice(["a", "b"], n),
            "gain": np.where(rng.random(n) < 0.8, 0, rng.integers(1, 9999, n)),
            "age": rng.integers(0, 100, n),
            "since": days.strftime("%Y-%m-%d"),
            "seen on": days.strftime("%d/%m/%Y"),
        }
    )
    schema = {"name": "customers", **PACKAGE, "fields": FIELDS}
    return us.publish(table, schema=schema, epsilon=1, out=tmp_path_factory.mktemp("about") / "release", seed=2)


def test_the_page_says_how_many_rows_noise_hides() -> None:
    fine = ChargeLine(
        what="numbers, value by value", mechanism="…", cost=None, unit="epsilon", noise="variance σ² = 90000 per cell"
    )
    statement = Statement.example(n_rows=10_000, charges=(replace(fine, cost=Fraction(1, 10)),))
    page = about_release(Schema.from_dict({"fields": FIELDS}), statement, table="t.csv", n_rows=9, facts=CardFacts())
    assert "missing from it: noise is some 300 rows (3 % of all) for a value or a stretch of values" in page


@pytest.mark.parametrize("delta", [0, 1e-9])
def test_what_numbers_took_is_a_part_of_the_budget_also_where_the_rest_is_left(delta: float, tmp_path: Path) -> None:
    """Uniform asks for nothing, so what was found of numbers is all that was spent."""
    table = pd.DataFrame({"gain": np.arange(500) % 90})
    us.publish(
        table, schema={"fields": [FIELDS[1]]}, epsilon=1, delta=delta, neighbours="replace-one", method="uniform",
        out=tmp_path / "release", seed=2,
    )  # fmt: skip
    assert "for 10 % of the privacy budget" in (tmp_path / "release" / "README.md").read_text(encoding="utf-8")


def test_it_says_uses_making_loading_licence_and_citation(release: us.Release) -> None:
    page = (release.path / "README.md").read_text(encoding="utf-8")
    assert page.startswith("# Customers of a bank: a synthetic table")
    assert "NOT PRIVATE" in page  # it was seeded
    for words in (
        "## What it may be used for",
        "Not for:",
        "bins and the distribution inside them, found with noise",
        "4 declared bins, evenly filled",
        "for 15 % of the privacy budget",  # gains show 0 alone, and are looked at once more
        "import delimited",
        "Licence: https://creativecommons.org/licenses/by/4.0/",
        "Cite as: Jo Doe (",
        "Contributors: Jo Doe, Ann Other.",
    ):
        assert words in page


def test_its_lines_for_pandas_load_the_table(release: us.Release, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (release.path / "README.md").read_text(encoding="utf-8")
    code = re.search(r"```python\n(.*?)```", page, re.DOTALL)
    assert code is not None
    text = release.synthetic.read_text(encoding="utf-8")
    written = code[1].replace('"synthetic.csv"', "source").replace('"synthetic.NOT-PRIVATE.csv"', "source")
    room: dict[str, Any] = {"source": io.StringIO(text)}
    exec(written, room)  # the lines are ours, of a schema of ours
    rows = room["rows"]
    assert len(rows) == release.n_rows
    assert rows["since"].dt.year.between(2010, 2020).all()
    assert rows["seen on"].dt.year.between(2010, 2020).all()


TRICKY: list[dict[str, Any]] = [
    {"name": "zip", "categories": ["01234", "56789"]},
    {"name": "answer", "categories": ["NA", "none", "T"]},
    {"name": "half", "categories": ["1", "2", "many"], "constraints": {"required": False}, "missingValues": ["-"]},
    {"name": "bmi", "type": "number", "decimals": 1, "constraints": {"minimum": 5, "maximum": 90, "required": False},
     "bins": 4, "missingValues": ["?", ""]},
    {"name": "visits", "type": "integer", "constraints": {"minimum": 0, "maximum": 9, "required": False}, "bins": 5},
    {"name": "euro", "type": "number", "decimals": 2, "decimalChar": ",", "bins": 4,
     "constraints": {"minimum": 0, "maximum": 99}},
    {"name": "smokes", "type": "boolean", "trueValues": ["yes"], "falseValues": ["no"]},
    {"name": "well", "type": "boolean", "constraints": {"required": False}},
    {"name": "old", "type": "boolean"},
    {"name": "day", "type": "date", "format": "%Y%m%d", "bins": 4,
     "constraints": {"minimum": "20100101", "maximum": "20201231", "required": False}},
]  # fmt: skip


@pytest.fixture(scope="module")
def tricky(tmp_path_factory: pytest.TempPathFactory) -> us.Release:
    """A table whose cells readers take for something else if they are left to guess."""
    home = tmp_path_factory.mktemp("tricky")
    rng = np.random.default_rng(2)
    n = 400
    cells = {
        "zip": rng.choice(["01234", "56789"], n),
        "answer": rng.choice(["NA", "none", "T"], n),
        "half": rng.choice(["1", "2", "-"], n),
        "bmi": rng.choice(["22.5", "31.0", "?"], n),
        "visits": rng.choice(["0", "7", ""], n),
        "euro": rng.choice(["3,50", "98,00"], n),
        "smokes": rng.choice(["yes", "no"], n),
        "well": rng.choice(["true", "false", ""], n),
        "old": rng.choice(["true", "false"], n),
        "day": rng.choice(["20120506", "20190101", ""], n),
    }
    pd.DataFrame(cells).to_csv(home / "tricky.csv", index=False, sep=";")
    schema = {"name": "tricky", "fields": TRICKY}
    return us.publish(home / "tricky.csv", schema=schema, epsilon=20, out=home / "release", seed=2)


def lines_of(release: us.Release, language: str) -> str:
    code = re.search(rf"```{language}\n(.*?)```", (release.path / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert code is not None
    return code[1]


def empty(release: us.Release) -> dict[str, int]:
    """How many cells of each column have no value."""
    rows = pd.read_csv(release.synthetic, sep=";", dtype=str, keep_default_na=False)
    assert set(rows["half"]) <= {"1", "2", "many", "-"}
    missing = {"half": "-", "bmi": "?", "visits": "", "well": "", "day": ""}
    return {name: int((rows[name] == missing.get(name, "never")).sum()) for name in rows}


def test_its_lines_for_pandas_leave_nothing_to_guess(tricky: us.Release, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tricky.path)
    room: dict[str, Any] = {}
    exec(lines_of(tricky, "python"), room)
    rows = room["rows"]
    assert rows.isna().sum().to_dict() == empty(tricky)
    assert set(rows["zip"]) == {"01234", "56789"}
    assert set(rows["answer"]) == {"NA", "none", "T"}
    assert {"1", "2"} <= set(rows["half"].dropna())
    assert (rows["bmi"].dtype, rows["visits"].dtype, rows["euro"].dtype) == ("float64", "Int64", "float64")
    assert rows["euro"].max() > 50
    assert (rows["smokes"].dtype, rows["well"].dtype, rows["old"].dtype) == ("boolean", "boolean", "bool")
    assert rows["day"].dt.year.dropna().between(2010, 2020).all()


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="no R on this machine")
def test_its_lines_for_r_leave_nothing_to_guess(tricky: us.Release, tmp_path: Path) -> None:
    told = """
    kinds <- sapply(rows, function(column) class(column)[1])
    for (name in names(rows)) cat(name, kinds[[name]], sum(is.na(rows[[name]])), "\\n")
    stopifnot(identical(sort(unique(rows[["zip"]])), c("01234", "56789")), max(rows[["euro"]]) > 50,
              any(rows[["smokes"]]), !all(rows[["smokes"]]), min(rows[["day"]], na.rm = TRUE) >= as.Date("2010-01-01"))
    """
    (tmp_path / "lines.R").write_text(lines_of(tricky, "r") + told, encoding="utf-8")
    done = subprocess.run(["Rscript", tmp_path / "lines.R"], capture_output=True, text=True, cwd=tricky.path)
    assert done.returncode == 0, done.stderr
    kinds = ["character"] * 3 + ["numeric", "integer", "numeric"] + ["logical"] * 3 + ["Date"]
    wanted = [f"{name} {kind} {n}" for (name, n), kind in zip(empty(tricky).items(), kinds, strict=True)]
    assert [line.strip() for line in done.stdout.splitlines()] == wanted


def test_its_lines_for_stata_name_texts_and_markers(tricky: us.Release) -> None:
    lines = lines_of(tricky, "stata").splitlines()
    assert "stringcols(1 2 3 4 6 7 8 10)" in lines[0]
    assert lines[1:] == [
        'replace half = "" if half == "-"',
        'replace bmi = "" if bmi == "?"',
        "destring bmi, replace",
        "destring euro, replace dpcomma",
    ]


def test_columns_that_stata_renames_are_found_by_their_place() -> None:
    markers = {"in": "?", "age": '"n"', "x" * 33: "$a", "_n": ""}
    fields = [
        {"name": name, "type": "integer", "constraints": {"minimum": 0, "maximum": 9}, "missingValues": [marker]}
        for name, marker in markers.items()
    ]
    lines = loading(Schema.from_dict({"fields": fields}), "synthetic.csv").split("```stata\n")[1].splitlines()
    assert lines[1:12] == [
        "unab names : _all",
        "local name : word 1 of `names'",
        """replace `name' = "" if `name' == "?\"""",
        "destring `name', replace",
        """replace age = "" if age == `""n""'""",
        "destring age, replace",
        "local name : word 3 of `names'",
        """replace `name' = "" if `name' == "\\$a\"""",
        "destring `name', replace",
        "```",
        "",
    ]


def test_the_public_page_shows_it(release: us.Release, tmp_path: Path) -> None:
    text = us.public_report(release.path).save(tmp_path / "public.html").read_text(encoding="utf-8")
    for words in ("What it may be used for", "How to load it", "<pre><code>import pandas", "Licence and citation"):
        assert words in text
    alone = us.public_report(release.model).html()
    assert "What it may be used for" in alone
    assert "Jo Doe" in alone  # the model's schema knows


def test_what_the_publisher_says_goes_before_what_the_schema_says() -> None:
    said = declared_facts(PACKAGE, CardFacts(license="CC0", creator="The bank"))
    assert (said.license, said.creator, said.title) == ("CC0", "The bank", "Customers of a bank")
    assert declared_facts({"licenses": "MIT", "contributors": None}, CardFacts()).license == "MIT"
    assert declared_facts({"licenses": [{}], "contributors": [3], "title": 7}, CardFacts()) == CardFacts()


def test_without_a_licence_it_says_so_and_hostile_names_stay_text() -> None:
    name = "a|b\n``` <script>"
    schema = Schema.from_dict({"fields": [{"name": name, "type": "date", "bins": 2, "constraints": {
        "minimum": "2010-01-01", "maximum": "2020-12-31"}}]})  # fmt: skip
    page = about_release(schema, Statement.example(), table="synthetic.csv", n_rows=3, facts=CardFacts())
    assert "not stated by the publisher" in page
    assert len(re.findall(r"^```", page, re.MULTILINE)) == 6


def test_codes_among_numbers_are_named_with_what_they_stand_for() -> None:
    """Who loads the table would take 999 for a speed. No spending at all is a number."""
    bounds = {"minimum": 1, "maximum": 500}
    marked = {"special": [{"value": 999, "label": "not recorded"}, 0]}
    fields = [{"name": "speed", "type": "integer", "bins": 4, "constraints": bounds, **marked}]
    page = about_release(
        Schema.from_dict({"fields": fields}), Statement.example(), table="synthetic.csv", n_rows=9, facts=CardFacts()
    )
    assert "special 999 (not recorded), 0" in page
    assert "to be left out of means and quantiles: speed = 999." in page


def test_moments_are_said_to_lose_their_hour_of_day() -> None:
    ends = {"minimum": "2020-01-01T00:00:00", "maximum": "2020-12-31T23:59:59"}
    at = {"name": "at", "type": "datetime", "constraints": ends, "bins": 12}
    page = _page({"fields": [at, {"name": "sex", "categories": ["f", "m"]}]})
    assert "- hour of day and weekday of at: moments lie evenly" in page
    assert "hour of day" not in _page({"fields": FIELDS})


def _page(schema: dict[str, Any]) -> str:
    read = Schema.from_dict(schema)
    return about_release(read, Statement.example(), table="synthetic.csv", n_rows=100, facts=CardFacts())
