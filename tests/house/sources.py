"""The files that the house rules are about."""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]
PACKAGE = PROJECT / "src" / "understudy"
RESEARCH = PROJECT / "research"
ROOMS = sorted(path.parent for path in PACKAGE.glob("*/__init__.py"))


@dataclass(frozen=True)
class Source:
    """A Python file, or a made-up one that stands where `path` says."""

    path: Path
    text: str

    @classmethod
    def read(cls, path: Path) -> Source:
        """The file as it is."""
        return cls(path, path.read_text(encoding="utf-8"))

    @cached_property
    def tree(self) -> ast.Module:
        """The file, parsed."""
        return ast.parse(self.text)

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """All that is in it, looked through once for all rules."""
        return tuple(ast.walk(self.tree))

    @cached_property
    def names(self) -> frozenset[str]:
        """Every name that its code uses, attributes too."""
        return frozenset(
            node.id if isinstance(node, ast.Name) else node.attr
            for node in self.nodes
            if isinstance(node, ast.Name | ast.Attribute)
        )

    @cached_property
    def module(self) -> tuple[str, ...]:
        """Its dotted name, in parts: `("understudy", "privacy", "_noise")`."""
        parts = self.path.relative_to(PROJECT).with_suffix("").parts
        parts = parts[1:] if parts[0] == "src" else parts
        return parts[:-1] if parts[-1] == "__init__" else parts

    def at(self, line: int, what: str) -> str:
        """A place to look at, as editors understand it."""
        return f"{self.path.relative_to(PROJECT)}:{line}: {what}"

    def imports(self) -> Iterator[tuple[int, str]]:
        """Full names of all that the file imports, inside functions too, and the lines where."""
        for node in self.nodes:
            if isinstance(node, ast.Import):
                yield from ((node.lineno, alias.name) for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)

    def calls(self) -> Iterator[tuple[int, str, ast.Call]]:
        """Each call, and what is called, as written."""
        for node in self.nodes:
            if isinstance(node, ast.Call):
                yield node.lineno, ast.unparse(node.func), node

    def functions(self) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
        """Each function and method, those inside others too."""
        for node in self.nodes:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield node


def _read_all(*folders: Path) -> list[Source]:
    return [Source.read(path) for folder in folders for path in sorted(folder.rglob("*.py"))]


SHIPPED = _read_all(PACKAGE)
TESTS = _read_all(PROJECT / "tests", RESEARCH / "tests")
STUDIES = [source for source in _read_all(RESEARCH) if not source.path.is_relative_to(RESEARCH / "tests")]
TOOLS = _read_all(PROJECT / "benchmarks", PROJECT / "scripts")


def every_test() -> Iterator[tuple[Source, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Every test there is, in both folders."""
    for source in TESTS:
        if source.path.name.startswith("test_"):
            yield from ((source, node) for node in source.functions() if node.name.startswith("test_"))


def tracked_files() -> list[Path]:
    """Text files under version control; the test that asks is skipped outside a checkout."""
    try:
        done = subprocess.run(["git", "ls-files", "-z"], cwd=PROJECT, capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not a git checkout")
    paths = [PROJECT / name for name in done.stdout.decode().split("\0") if name]
    return [path for path in paths if path.is_file() and path.suffix not in (".gz", ".png", ".parquet", ".db")]
