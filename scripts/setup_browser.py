"""Find a Chromium for the tests that open reports in a browser, or install Debian's where that is possible.

    python -m scripts.setup_browser

Never fails: without a browser those tests are skipped, and this says so. UNDERSTUDY_BROWSER may name an executable.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from scripts.debian import install_packages

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
WITHOUT = (
    "Tests that open a report will be skipped. Install Chromium, or name one: UNDERSTUDY_BROWSER=/path/to/chromium."
)


def main() -> None:
    """Say which browser the tests will use."""
    named = os.environ.get("UNDERSTUDY_BROWSER")
    if named:
        found = named if Path(named).is_file() else None
        say(f"{named}" if found else f"UNDERSTUDY_BROWSER names no file. {WITHOUT}")
        return
    found = find() or install()
    say(f"{found}" if found else f"no Chromium found. {WITHOUT}")


def say(text: str) -> None:
    """One line for whoever runs `make`."""
    sys.stdout.write(f"browser: {text}\n")


def find() -> str | None:
    """The first browser on the path."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


def install() -> str | None:
    """Debian's package, where we may install it; None where we may not, or where that fails."""
    return find() if install_packages(["chromium", "fonts-dejavu-core", "fonts-noto-color-emoji"], say) else None


if __name__ == "__main__":
    main()
