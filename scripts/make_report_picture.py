"""Make the README's picture of a report: publish the demo table at ε = 3, evaluate it, photograph the first screen.

Noise differs from run to run, and so do reports. Of five releases the median is shown, by the mean distance of pairs.

    .venv/bin/python scripts/make_report_picture.py

Needs a Chromium: `python -m scripts.setup_browser` finds or installs one.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

import understudy as us
from understudy import demo

PICTURE = Path(__file__).parents[1] / "docs" / "images" / "report.png"
RUNS = 5
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def main() -> None:
    """Write the picture."""
    browser = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if browser is None:
        sys.exit("no Chromium on this machine: run python -m scripts.setup_browser")
    with tempfile.TemporaryDirectory() as folder:
        outs = [Path(folder) / str(run) for run in range(RUNS)]
        releases = [us.publish("demo", schema=demo.health_schema_path(), epsilon=3, out=out) for out in outs]
        reports = [us.evaluate(demo.table_path(), release) for release in releases]
        median = sorted(reports, key=lambda report: report.find("2-way").value)[RUNS // 2]
        photograph(browser, median.save(Path(folder) / "report.html"))


def photograph(browser: str, page: Path) -> None:
    """The top of the page as a desktop shows it."""
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        screen = chromium.new_page(viewport={"width": 1100, "height": 900})
        screen.goto(page.as_uri())
        screen.screenshot(path=PICTURE)
        chromium.close()


if __name__ == "__main__":
    main()
