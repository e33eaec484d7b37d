"""The page that a release brings for its readers."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import understudy as us
from understudy.release import CardFacts, Statement, about_release, declared_facts
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


def test_it_says_uses_making_loading_licence_and_citation(release: us.Release) -> None:
    page = (release.path / "README.md").read_text(encoding="utf-8")
    assert page.startswith("# Customers of a bank: a synthetic table")
    assert "NOT PRIVATE" in page  # it was seeded
    for words in (
        "## What it may be used for",
        "Not for:",
        "bins and the distribution inside them, found with noise",
        "4 declared bins, evenly filled",
        "for 10 % of the privacy budget",
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
