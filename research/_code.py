"""Which code results come from: results of other code are computed anew, never mixed with these."""

from __future__ import annotations

import ast
import io
import tokenize
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Protocol, TypeGuard

import understudy

# What a run's values depend on. Figures, rules, pages and commands are not among it: they only read results.
_ROOMS = ("_core", "schema", "tables", "counting", "privacy", "models", "methods", "evaluation")
_OURS = ("_data.py", "tasks", "svm")


@cache
def code_version() -> str:
    """The package's version, and a hash of the modules that results depend on: their code, not their comments.

    >>> code_version().count("+")
    1
    """
    found = sha256()
    package, ours = Path(understudy.__file__).parent, Path(__file__).parent
    for root, place in [*((package, room) for room in _ROOMS), *((ours, part) for part in _OURS)]:
        path = root / place
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            found.update(file.relative_to(root).as_posix().encode() + b"\0" + without_comments(file.read_text("utf-8")))
    return f"{version('understudy')}+{found.hexdigest()[:12]}"


def without_comments(source: str) -> bytes:
    """A program's lines without what does not run: comments, docstrings, empty lines.

    >>> without_comments('def one():\\n    "Says 1."\\n\\n    return 1  # so')
    b'def one():\\n    return 1'
    """
    lines = source.splitlines()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column]
    for node in ast.walk(ast.parse(source)):
        if _is_docstring(node):
            lines[node.lineno - 1 : node.end_lineno] = [""] * (node.end_lineno - node.lineno + 1)
    return "\n".join(line.rstrip() for line in lines if line.strip()).encode()


def _is_docstring(node: ast.AST) -> TypeGuard[_Lines]:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


class _Lines(Protocol):
    lineno: int
    end_lineno: int
