"""How the code reads: sizes, doors, and what may be imported where."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from tests.house.sources import MODULES, PACKAGE, PROJECT, ROOMS, imported, module_id, tree

RANDOMNESS = PACKAGE / "_core" / "randomness.py"
KERNELS = "_kernels.py"
HEAVY = ("numba", "pyarrow", "pandas", "polars", "networkx", "opendp", "numpy", "pydantic")


@pytest.mark.parametrize("path", MODULES, ids=module_id)
def test_no_module_is_over_400_lines(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 400


@pytest.mark.parametrize("path", [path for path in MODULES if path.name != KERNELS], ids=module_id)
def test_no_function_is_over_60_lines(path: Path) -> None:
    assert {name: length for name, length in _lengths(path) if length > 60} == {}


def _lengths(path: Path) -> list[tuple[str, int]]:
    """Lines of each function, signature and docstring included."""
    functions = [node for node in ast.walk(tree(path)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return [(node.name, (node.end_lineno or node.lineno) - node.lineno + 1) for node in functions]


@pytest.mark.parametrize("path", MODULES, ids=module_id)
def test_numba_is_imported_by_kernels_only(path: Path) -> None:
    if path.name != KERNELS:
        assert {name for name in imported(path) if name.split(".")[0] == "numba"} == set()


@pytest.mark.parametrize("path", MODULES, ids=module_id)
def test_randomness_has_one_home(path: Path) -> None:
    if path != RANDOMNESS:
        assert not any(name.split(".")[0] == "random" for name in imported(path))
        assert not any(name == "numpy.random" or name.startswith("numpy.random.") for name in imported(path))
        attributes = [node for node in ast.walk(tree(path)) if isinstance(node, ast.Attribute)]
        used = [node.lineno for node in attributes if ast.unparse(node) in ("np.random", "numpy.random")]
        assert used == []


@pytest.mark.parametrize("path", MODULES, ids=module_id)
def test_nothing_is_printed_outside_the_command_line(path: Path) -> None:
    if "cli" not in path.parts:
        calls = [node for node in ast.walk(tree(path)) if isinstance(node, ast.Call)]
        assert [call.lineno for call in calls if ast.unparse(call.func) == "print"] == []


@pytest.mark.parametrize("path", MODULES, ids=module_id)
def test_no_module_is_called_utils(path: Path) -> None:
    assert path.stem.strip("_") not in ("utils", "helpers", "common", "misc")


@pytest.mark.parametrize("name", ["understudy", *(f"understudy.{room.name}" for room in ROOMS)])
def test_all_is_sorted_and_real(name: str) -> None:
    module = import_module(name)
    offered = getattr(module, "__all__", [])
    # as ruff sorts it: constants, then classes, then the rest
    order = sorted(offered, key=lambda word: (not word.isupper(), not word[0].isupper(), word))
    assert list(offered) == order
    assert [word for word in offered if not hasattr(module, word)] == []
    assert len(set(offered)) == len(offered)


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.name)
def test_a_room_offers_all_that_its_door_imports(room: Path) -> None:
    if room.name == "_core":
        return  # has no door: its modules are imported by name
    door = tree(room / "__init__.py")
    public = {
        alias.asname or alias.name
        for node in door.body
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("understudy")
        for alias in node.names
    }
    assert public <= set(import_module(f"understudy.{room.name}").__all__)


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
