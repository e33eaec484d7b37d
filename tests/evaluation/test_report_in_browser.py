"""The report as people meet it: in a real browser, wide, narrow, dark, on paper, without a network."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import understudy as us
from tests.evaluation.browser import opened, running_browser
from tests.evaluation.made_up import HOSTILE_NAMES, made_up_report
from understudy.evaluation import PublicReport, Shares

FOLDED = (*("columns", "worst", "associations", "measures", "learning", "network", "budget", "privacy", "reading"),)
SECTIONS = ("verdicts", *FOLDED)
WIDE = [f"variable {i:02d} of the survey" for i in range(50)]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with running_browser() as found:
        yield found


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("reports")
    hostile = made_up_report(HOSTILE_NAMES, labels=HOSTILE_NAMES, dataset=HOSTILE_NAMES[0], stamp=HOSTILE_NAMES[7])
    columns = tuple(Shares(h.name, h.labels, h.synthetic, h.ordered, h.tail) for h in hostile.histograms)
    return {
        "plain": made_up_report(["age", "income", "sex", "site", "education", "visits", "health"]).save(
            folder / "plain.html"
        ),
        "wide": made_up_report(WIDE, n_rows=500).save(folder / "wide.html"),
        "hostile": hostile.save(folder / "hostile.html"),
        "public": PublicReport(hostile.facts, columns).save(folder / "public.html"),
    }


def sideways(page: Any) -> int:
    """How far the page itself can be scrolled sideways."""
    return int(page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", ["plain", "wide", "hostile", "public"])
@pytest.mark.parametrize(
    ("width", "dark"), [(1280, False), (390, True), pytest.param(390, False, marks=pytest.mark.slow)]
)
def test_a_page_fits_its_window_and_asks_for_nothing(
    browser: Any, pages: dict[str, Path], name: str, width: int, dark: bool
) -> None:
    with opened(browser, pages[name], width=width, dark=dark) as page:
        assert sideways(page) == 0
        page.evaluate("document.querySelectorAll('details').forEach(part => { part.open = true; })")
        page.evaluate("scrollTo(0, document.body.scrollHeight)")
        assert sideways(page) == 0


def test_figures_of_dates_fit_a_wide_window_and_folded_parts_leave_no_gap(browser: Any, tmp_path: Path) -> None:
    """Dates are the longest figures there are: eight of them stand in one cell."""
    rng = np.random.default_rng(1)
    days = pd.Timestamp("2012-01-01") + pd.to_timedelta(rng.integers(0, 4000, (300, 2)).ravel(), unit="D")
    limits = {"minimum": "2010-01-01", "maximum": "2024-12-31"}
    names = ["admitted to hospital", "discharged"]
    table = pd.DataFrame(days.to_numpy().reshape(300, 2), columns=names)
    schema = {"fields": [{"name": name, "type": "date", "bins": 6, "constraints": limits} for name in names]}
    release = us.publish(table, schema=schema, epsilon=1, out=tmp_path / "release", seed=1)
    path = us.evaluate(table, release, classifiers=False).save(tmp_path / "report.html")
    for width in (1200, 390):
        with opened(browser, path, width=width) as page:
            heights = page.evaluate(
                "[...document.querySelectorAll('section > details')].map(part => part.parentElement.offsetHeight)"
            )
            assert max(heights) < 150, "folded parts have the height of their headings"
            page.evaluate("document.querySelectorAll('details').forEach(part => { part.open = true; })")
            table_of = "document.querySelector('#numbers .scroll')"
            assert page.evaluate(f"{table_of}.scrollWidth - {table_of}.clientWidth") == 0
            drawn = page.evaluate("document.querySelector('.network svg').getBoundingClientRect().width")
            assert drawn >= 0.59 * float(page.evaluate("document.querySelector('.network svg').getAttribute('width')"))


def test_moments_take_few_lines_and_no_table_is_cut_in_a_window_of_1100(browser: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    limits = {"minimum": "2020-01-01", "maximum": "2020-12-31"}
    names = ["collected from the patient", "reported to the ward"]
    fields = [{"name": name, "type": "datetime", "bins": 6, "constraints": limits} for name in names]
    order = {"lower": names[0], "upper": names[1]}
    sides = []
    for _ in range(2):
        minutes = np.sort(rng.integers(0, 500_000, (400, 2)), axis=1)
        sides.append(pd.DataFrame(pd.Timestamp("2020-01-02") + pd.to_timedelta(minutes.ravel(), unit="min")))
    real, made = (pd.DataFrame(one.to_numpy().reshape(400, 2), columns=names) for one in sides)
    report = us.evaluate(real, made, {"fields": fields, "dependencies": [order]}, classifiers=False)
    with opened(browser, report.save(tmp_path / "report.html"), width=1100) as page:
        page.evaluate("document.querySelectorAll('details').forEach(part => { part.open = true; })")
        heights = page.evaluate("[...document.querySelectorAll('#numbers tbody')].map(part => part.offsetHeight)")
        assert len(heights) == 3
        assert max(heights) < 250, "eight moments in a narrow cell took sixteen lines"
        tables = "[...document.querySelectorAll('.scroll > table')]"
        cut = f"{tables}.filter(one => one.offsetWidth > one.parentNode.clientWidth)"
        assert page.evaluate(f"{cut}.map(one => one.textContent.slice(0, 80))") == []


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", ["plain", "wide", "hostile"])
def test_every_section_is_there_to_see(browser: Any, pages: dict[str, Path], name: str) -> None:
    with opened(browser, pages[name]) as page:
        for section in SECTIONS:
            found = page.locator(f"#{section}")
            found.scroll_into_view_if_needed()
            assert found.is_visible()
        for section in FOLDED:
            fold = page.locator(f"#{section} details.fold")
            assert not fold.evaluate("part => part.open")
            fold.locator("summary").first.click()
            assert fold.evaluate("part => part.open")
        assert page.locator(".banner").first.inner_text().startswith("Private to the holder")


def test_three_verdicts_and_their_pictures_come_first(browser: Any, pages: dict[str, Path]) -> None:
    with opened(browser, pages["plain"]) as page:
        assert page.locator(".answer h2").all_inner_texts() == ["Single columns", "Relations", "Use for models"]
        assert page.locator(".answer svg").count() == 3
        bottom = page.evaluate("document.querySelector('.three').getBoundingClientRect().bottom")
        assert bottom < 1000
    with opened(browser, pages["plain"], width=390) as page:
        cards = page.locator(".answer")
        assert all(cards.nth(i).bounding_box()["width"] > 340 for i in range(3))


def test_a_link_to_a_folded_section_opens_it(browser: Any, pages: dict[str, Path]) -> None:
    with opened(browser, pages["plain"]) as page:
        page.evaluate("location.hash = '#privacy'")
        page.wait_for_function("document.querySelector('#privacy details').open")


def test_the_network_is_dark_where_the_page_is(browser: Any, pages: dict[str, Path]) -> None:
    for dark, wanted in ((True, "invert"), (False, "none")):
        with opened(browser, pages["plain"], dark=dark) as page:
            assert wanted in page.evaluate("getComputedStyle(document.querySelector('.network svg')).filter")


def unfold(page: Any, section: str) -> None:
    page.evaluate(f"document.querySelector('#{section} details.fold').open = true")


def test_searching_hides_the_other_columns_and_opens_the_fold(browser: Any, pages: dict[str, Path]) -> None:
    with opened(browser, pages["wide"]) as page:
        unfold(page, "columns")
        cards = page.locator("[data-column]:visible")
        assert cards.count() == 12
        page.fill("#search", "VARIABLE 3")
        assert cards.count() == 10
        page.fill("#search", "no such column")
        assert cards.count() == 0
        assert page.locator("#no-column").is_visible()
        page.fill("#search", "")
        assert cards.count() == 12


def test_a_table_is_sorted_by_the_column_clicked(browser: Any, pages: dict[str, Path]) -> None:
    with opened(browser, pages["plain"]) as page:
        unfold(page, "measures")
        fold = page.locator(".verdict details").first
        fold.locator("summary").click()
        head = fold.locator("th", has_text="distance")
        for up in (False, True):
            head.click()
            place = head.evaluate("head => head.cellIndex")
            shown = fold.locator(f"tbody tr td:nth-child({place + 1})").all_inner_texts()
            numbers = [float(text) for text in shown]
            assert numbers == sorted(numbers, reverse=not up)


def test_the_heat_maps_of_many_columns_change_places(browser: Any, pages: dict[str, Path]) -> None:
    with opened(browser, pages["wide"]) as page:
        unfold(page, "associations")
        figures = page.locator("#associations .tabs").first.locator("figure")
        assert [figures.nth(i).is_visible() for i in range(3)] == [True, False, False]
        page.locator("#associations .tabs").first.locator("label", has_text="synthetic").click()
        assert [figures.nth(i).is_visible() for i in range(3)] == [False, False, True]


def test_a_page_can_be_read_without_its_script(browser: Any, pages: dict[str, Path]) -> None:
    with opened(browser, pages["wide"], script=False) as page:
        assert page.locator("#verdicts").is_visible()
        page.locator("#columns summary").first.click()
        page.locator("#more-columns summary").click()
        assert page.locator("[data-column]:visible").count() == 50


def test_hostile_names_are_shown_and_never_run(browser: Any, pages: dict[str, Path]) -> None:
    with opened(browser, pages["hostile"]) as page:
        assert page.title().startswith("<script>alert(1)</script>")
        assert page.locator("main img, main script").count() == 0
        assert page.locator("h3", has_text="{{ 7 * 7 }}").count() > 0


def test_on_paper_every_page_says_that_it_is_private(browser: Any, pages: dict[str, Path]) -> None:
    with opened(browser, pages["wide"]) as page:
        page.emulate_media(media="print")
        assert page.locator(".paper-only:visible").count() == len(SECTIONS)
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        assert "@top-center" in pages["wide"].read_text(encoding="utf-8")
        assert page.pdf(prefer_css_page_size=True).startswith(b"%PDF")


def test_fifty_columns_stay_small(browser: Any, pages: dict[str, Path]) -> None:
    assert pages["wide"].stat().st_size < 10_000_000
    with opened(browser, pages["wide"]) as page:
        assert page.evaluate("document.querySelectorAll('*').length") < 40_000


def test_on_a_telephone_no_column_of_what_readers_are_told_of_a_release_is_cut(browser: Any, tmp_path: Path) -> None:
    table = pd.DataFrame({"total_current_balance": np.arange(400) % 90, "kept": np.arange(400) % 2})
    field = {"type": "integer", "bins": 6, "constraints": {"minimum": 0, "maximum": 99_999}}
    schema = {
        "fields": [
            {"name": "total_current_balance", **field},
            {"name": "kept", "categories": [0, 1], "type": "integer"},
        ]
    }
    release = us.publish(table, schema=schema, epsilon=1, out=tmp_path / "release", seed=1)
    path = us.public_report(release).save(tmp_path / "public.html")
    with opened(browser, path, width=390) as page:
        page.evaluate("document.querySelectorAll('details').forEach(part => { part.open = true; })")
        hidden = page.evaluate(
            "[...document.querySelectorAll('.about .scroll')].map(part => part.scrollWidth - part.clientWidth)"
        )
        assert hidden
        assert max(hidden) <= 0
