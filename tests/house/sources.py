"""The files that the house rules are about."""

from __future__ import annotations

import ast
import subprocess
from functools import cache
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]
PACKAGE = PROJECT / "src" / "understudy"
MODULES = sorted(PACKAGE.rglob("*.py"))
ROOMS = sorted(path.parent for path in PACKAGE.glob("*/__init__.py"))


def module_id(path: Path) -> str:
    """A module as people write it."""
    return ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")


@cache
def tree(path: Path) -> ast.Module:
    """The module, parsed."""
    return ast.parse(path.read_text(encoding="utf-8"))


def imported(path: Path) -> set[str]:
    """Full names of all that a module imports, inside functions too."""
    found: set[str] = set()
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
    return found


def tracked_files() -> list[Path]:
    """Text files under version control; the test that asks is skipped outside a checkout."""
    try:
        done = subprocess.run(["git", "ls-files", "-z"], cwd=PROJECT, capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not a git checkout")
    paths = [PROJECT / name for name in done.stdout.decode().split("\0") if name]
    return [path for path in paths if path.is_file() and path.suffix not in (".gz", ".png", ".parquet", ".db")]
