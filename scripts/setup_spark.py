"""Find a Java for the tests on Spark, or install Debian's where that is possible.

    python -m scripts.setup_spark

Never fails: without a Java those tests are skipped, and this says so. JAVA_HOME may name one.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from scripts.debian import install_packages

LEAST = 17
PACKAGE = "openjdk-17-jre-headless"
WITHOUT = f"Tests on Spark will be skipped. Install Java {LEAST} or newer, or name one: JAVA_HOME=/path/to/java."


def main() -> None:
    """Say which Java the tests will use."""
    found = find() or install()
    say(found if found else f"no Java {LEAST} found. {WITHOUT}")


def say(text: str) -> None:
    """One line for whoever runs `make`."""
    sys.stdout.write(f"spark: {text}\n")


def find() -> str | None:
    """The Java that Spark would take, if it is new enough."""
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home, "bin", "java")) if home else shutil.which("java")
    if java is None:
        return None
    try:
        told = subprocess.run([java, "-version"], capture_output=True, text=True).stderr
    except OSError:
        return None
    version = re.search(r'version "(\d+)', told)
    return java if version and int(version[1]) >= LEAST else None


def install() -> str | None:
    """Debian's package, where we may install it; None where we may not, or where that fails."""
    return find() if install_packages([PACKAGE], say) else None


if __name__ == "__main__":
    main()
