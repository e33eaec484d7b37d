"""Whatever the documentation shows, runs."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from fractions import Fraction
from pathlib import Path

import pytest
import yaml

from tests.docs.blocks import PROJECT, blocks, commands, pages, plain_lines, run_page, run_shell
from understudy.cli._publish import WHAT
from understudy.release import Statement

RUNNING = [page for page in pages() if any(block.runs for block in blocks(page))]
WITH_CLASSIFIERS = ("evaluation",)
# Those that users need first run in the fast suite.
FIRST = ("README", "cli", "python", "schema", "numbers", "faq")
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=() if page.stem in FIRST else pytest.mark.slow, id=page.stem) for page in RUNNING],
)
def test_every_snippet_of_a_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run_page(page, tmp_path, leave_out_classifiers=page.stem in WITH_CLASSIFIERS)


@pytest.mark.slow
@pytest.mark.parametrize("name", WITH_CLASSIFIERS)
def test_a_page_with_classifiers_runs_as_it_stands(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run_page(PROJECT / "docs" / f"{name}.md", tmp_path)


def test_few_blocks_are_left_out() -> None:
    left_out = [b for page in pages() for b in blocks(page) if b.language in ("python", "sh") and not b.runs]
    assert len([b for b in left_out if not b.elsewhere]) <= 8, [f"{b.page.name}:{b.line}" for b in left_out]


def test_what_another_page_runs_is_there() -> None:
    shown = [b for page in pages() for b in blocks(page) if b.elsewhere]
    assert shown
    for block in shown:
        there = {command for b in blocks(PROJECT / block.elsewhere) if b.runs for command in commands(b)}
        missing = [command for command in commands(block) if command not in there]
        assert missing == [], f"{block.page.name}, line {block.line}: {block.elsewhere} does not run this"


def test_the_pages_that_users_need_first_do_run() -> None:
    assert {"README.md", "docs/python.md", "docs/cli.md"} <= {str(page.relative_to(PROJECT)) for page in RUNNING}


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.stem)
def test_blocks_name_their_language(page: Path) -> None:
    assert [b.line for b in blocks(page) if not b.language] == []


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.stem)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    broken = []
    for target in _LINK.findall(text):
        if target.startswith(("http:", "https:", "mailto:")):
            continue
        file, _, anchor = target.partition("#")
        place = (page.parent / file).resolve() if file else page
        if not place.exists() or (anchor and anchor not in _anchors(place)):
            broken.append(target)
    assert broken == []


def test_the_readme_shows_a_release_as_the_screen_does() -> None:
    readme = (PROJECT / "README.md").read_text(encoding="utf-8")
    shown = next(part for part in re.findall(r"```text\n(.*?)```", readme, re.DOTALL) if part.startswith("Published"))
    promise = Statement.example(
        epsilon=Fraction(3), delta=Fraction(1, 10**9), neighbours="add-remove", n_public=False, unit="one person"
    ).promise
    assert f"Promise: {promise.meaning}" in shown.splitlines()
    files = dict(re.findall(r"^ (\S+\.\S+) {2,}(.+)$", shown, re.MULTILINE))
    assert len(files) == len(re.findall(r"^ \S+\.\S+ {2,}", shown, re.MULTILINE))
    assert files.pop("synthetic.csv").endswith(" synthetic rows")
    assert files == {name: what for name, what in WHAT.items() if name != "protection.svg"}


def test_every_page_is_linked_from_the_readme() -> None:
    readme = (PROJECT / "README.md").read_text(encoding="utf-8")
    linked = {target.partition("#")[0] for target in _LINK.findall(readme)}
    expected = {str(page.relative_to(PROJECT)) for page in (PROJECT / "docs").glob("*.md")}
    assert expected | {"docs/research/README.md"} <= linked


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="no R on this machine")
def test_the_lines_of_r_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shown = blocks(PROJECT / "docs" / "r-and-stata.md")
    run_shell(next(b for b in shown if b.runs), tmp_path)
    (tmp_path / "page.R").write_text("\n".join(b.text for b in shown if b.language == "r"), encoding="utf-8")
    done = subprocess.run(["Rscript", "page.R"], capture_output=True, text=True)
    if "no package called" in done.stderr:
        pytest.skip("R lacks jsonlite")
    assert done.returncode == 0, done.stderr
    assert "Ord.factor" in done.stdout
    assert "with epsilon 2" in done.stdout


def test_the_citation_is_of_this_version() -> None:
    cited = yaml.safe_load((PROJECT / "CITATION.cff").read_text(encoding="utf-8"))
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert (cited["version"], cited["license"]) == (project["version"], project["license"])


def test_every_page_of_research_is_linked_from_its_index() -> None:
    index = PROJECT / "docs" / "research" / "README.md"
    linked = {target.partition("#")[0] for target in _LINK.findall(index.read_text(encoding="utf-8"))}
    assert {page.name for page in index.parent.glob("*.md")} - {"README.md"} <= linked


def _anchors(page: Path) -> set[str]:
    """Anchors as GitHub makes them: lower case, punctuation dropped, blanks to hyphens."""
    headings = _HEADING.findall(page.read_text(encoding="utf-8"))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_there_is_one_place_for_the_benchmark_table() -> None:
    page = (PROJECT / "docs" / "research" / "benchmarks.md").read_text(encoding="utf-8")
    _, rest = page.split("<!-- benchmark table: begin -->")
    table, _ = rest.split("<!-- benchmark table: end -->")
    assert table.strip()


def test_lines_are_compared_without_numbers_and_blanks() -> None:
    assert plain_lines("Good   33.7%  29.2% to 38.2%\n\n a 5,912 b") == ["Good #% #% to #%", "a # b"]
