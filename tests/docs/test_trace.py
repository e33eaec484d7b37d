"""A newcomer can trace `publish` by the list in docs/architecture.md: ten hops or fewer, each named there as it is."""

from __future__ import annotations

import ast
import re

from tests.docs.blocks import PROJECT

PAGE = (PROJECT / "docs" / "architecture.md").read_text(encoding="utf-8")
HOPS = re.findall(r"^\d+\. `(\w+/\w+\.py): ([\w.]+)`", PAGE, re.MULTILINE)

# who calls whom, by their numbers in the list: publish calls steps 3, 4, 5 and 9 itself
CALLS = [(1, 2), (2, 3), (2, 4), (2, 5), (5, 6), (5, 7), (7, 8), (2, 9)]


def _called(file: str, name: str) -> set[str]:
    """The names that a function calls, also through functions of its own module."""
    tree = ast.parse((PROJECT / "src" / "understudy" / file).read_text(encoding="utf-8"))
    functions = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    aliases = {
        alias.asname: alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.asname
    }
    seen: set[str] = set()
    left = [name.rpartition(".")[2]]
    while left:
        for node in ast.walk(functions[left.pop()]):
            if isinstance(node, ast.Call):
                function = node.func
                word = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
                if word in functions and word not in seen:
                    left.append(word)
                seen.add(aliases.get(word, word))
    return seen


def test_there_are_at_most_ten_hops() -> None:
    assert 5 < len(HOPS) <= 10


def test_each_hop_calls_the_next_one_on_the_list() -> None:
    for caller, callee in CALLS:
        assert HOPS[callee - 1][1].rpartition(".")[2] in _called(*HOPS[caller - 1])
