"""A headless Chromium that can reach nothing but files."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def executable() -> str:
    """The browser to use; the test that asks is skipped where there is none."""
    found = os.environ.get("UNDERSTUDY_BROWSER") or next(filter(None, map(shutil.which, NAMES)), None)
    if found is None or not Path(found).is_file():
        pytest.skip("no Chromium here: run `make browser`, or set UNDERSTUDY_BROWSER to one")
    return found


@contextmanager
def running_browser() -> Iterator[Any]:
    """A browser that is closed again whatever happens."""
    api = pytest.importorskip("playwright.sync_api")
    path = executable()
    with api.sync_playwright() as player:
        browser = player.chromium.launch(executable_path=path)
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def opened(browser: Any, path: Path, *, width: int = 1280, dark: bool = False, script: bool = True) -> Iterator[Any]:
    """The page of a file, and at the end the proof that it asked for nothing else and had nothing to complain about."""
    context = browser.new_context(
        viewport={"width": width, "height": 900},
        color_scheme="dark" if dark else "light",
        offline=True,
        java_script_enabled=script,
    )
    asked: list[str] = []
    complaints: list[str] = []
    try:
        page = context.new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: (complaints.append("a dialog opened"), dialog.dismiss()))
        page.goto(path.as_uri())
        yield page
        assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
        assert complaints == []
    finally:
        context.close()
