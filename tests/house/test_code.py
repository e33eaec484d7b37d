"""How the code reads: sizes, doors, and what may be imported where."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib import import_module

import pytest

from tests.house.rules import RULES, Rule, offenders
from tests.house.sources import PROJECT, ROOMS, SHIPPED, STUDIES, TESTS, Source

HEAVY = ("numba", "pyarrow", "pandas", "polars", "networkx", "opendp", "numpy", "pydantic")
DOORS = ["understudy", *(f"understudy.{room.name}" for room in ROOMS), "research"]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.says)
def test_the_rule_holds_in_every_file(rule: Rule) -> None:
    found = offenders(rule)
    assert not found, "\n".join(["", *found])


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.says)
def test_the_rule_finds_a_file_that_breaks_it(rule: Rule) -> None:
    assert list(rule.find(rule.broken)) != []


def test_the_rules_see_all_code() -> None:
    assert len(SHIPPED) > 150
    assert len(STUDIES) > 40
    assert len(TESTS) > 120


def test_what_a_door_offers_is_sorted_and_real() -> None:
    found = []
    for name in DOORS:
        module = import_module(name)
        offered = list(getattr(module, "__all__", []))
        # as ruff sorts it: constants, then classes, then the rest
        if offered != sorted(set(offered), key=lambda word: (not word.isupper(), not word[0].isupper(), word)):
            found.append(f"{name}: not sorted, or twice")
        found += [f"{name}.{word}: not there" for word in offered if not hasattr(module, word)]
    assert found == []


def test_a_room_offers_all_that_its_door_imports() -> None:
    hidden = []
    for room in ROOMS:
        if room.name == "_core":
            continue  # has no door: its modules are imported by name
        door = Source.read(room / "__init__.py")
        offered = set(import_module(f"understudy.{room.name}").__all__)
        for node in door.tree.body:
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("understudy"):
                names = {alias.asname or alias.name for alias in node.names}
                hidden += [door.at(node.lineno, name) for name in sorted(names - offered)]
    assert hidden == []


def test_the_import_contracts_hold() -> None:
    pytest.importorskip("importlinter")
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()"]
    done = subprocess.run([*command, "--no-cache"], cwd=PROJECT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert ", 0 broken" in done.stdout


@pytest.mark.parametrize(
    "statement",
    ["import understudy", "from understudy.cli._main import run; run(['--help'])", "import understudy.cli"],
)
def test_heavy_libraries_are_loaded_only_when_used(statement: str) -> None:
    assert _loaded(statement) == []


def test_the_check_for_heavy_libraries_finds_them() -> None:
    assert "pyarrow" in _loaded("import pyarrow")


def _loaded(statement: str) -> list[str]:
    check = f"{statement}\nimport sys\nprint(*sorted(set({HEAVY!r}) & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()[-1].split()
