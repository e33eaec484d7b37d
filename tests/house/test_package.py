"""What is shipped, and how many tests stand behind it."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests.house.sources import PACKAGE, PROJECT, SHIPPED, TESTS, every_test, tracked_files

# A floor, raised now and then: a suite that silently collects half of itself still passes.
FEWEST_TEST_FUNCTIONS = 1200


def test_the_wheel_carries_the_demo_the_types_and_every_module(tmp_path: Path) -> None:
    pytest.importorskip("hatchling")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    [wheel] = tmp_path.glob("understudy-*.whl")
    with zipfile.ZipFile(wheel) as file:
        names = set(file.namelist())
    expected = {"demo/demo.csv.gz", "demo/demo.schema.yaml", "demo/SOURCE.md", "py.typed", "privacy/proof.md"}
    expected |= {str(source.path.relative_to(PACKAGE)) for source in SHIPPED}
    assert {name for name in expected if f"understudy/{name}" not in names} == set()
    assert not any(name.startswith(("tests/", "benchmarks/", "docs/", "research/")) for name in names)


def test_a_clone_has_none_of_the_files_that_the_readme_makes() -> None:
    """A newcomer's first command writes them, and refuses to write over those of somebody else."""
    readme = (PROJECT / "README.md").read_text(encoding="utf-8")
    made = {"demo-release", *re.findall(r"(?:--out|-o) ([\w.-]+)", readme)}
    tracked = [path.relative_to(PROJECT) for path in tracked_files()]
    assert {"release", "more.parquet"} < made
    assert [path for path in tracked if path.parts[0] in made or ".NOT-PRIVATE." in path.name] == []


def test_no_tracked_file_is_a_link() -> None:
    """A link leads somewhere on one machine, and git puts it in the place of whatever stands there on another."""
    tracked_files()  # skips outside a checkout
    told = subprocess.run(["git", "ls-files", "-s"], cwd=PROJECT, capture_output=True, text=True, check=True).stdout
    assert [line for line in told.splitlines() if line.startswith("120000")] == []


def test_no_test_is_skipped_for_want_of_a_package() -> None:
    """All that the tests ask for is locked and installed: a skipped test is green and says nothing."""
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [Requirement(line) for line in project["optional-dependencies"]["dev"]]
    here = [one.name for one in wanted if one.marker is None or one.marker.evaluate()]
    locked = re.findall(r"^([a-z0-9.-]+)==", (PROJECT / "requirements.lock").read_text(encoding="utf-8"), re.MULTILINE)
    assert [name for name in here if name.lower() not in locked] == []
    assert [name for name in here if not _installed(name)] == []


def _installed(name: str) -> bool:
    try:
        return bool(version(name))
    except PackageNotFoundError:
        return False


def test_the_suite_has_not_shrunk() -> None:
    """A function counts if it states or expects something itself."""
    found = [node.name for _, node in every_test() if any(_checks(part) for part in ast.walk(node))]
    assert len(found) >= FEWEST_TEST_FUNCTIONS


def _checks(node: ast.AST) -> bool:
    called = ast.unparse(node.func).rpartition(".")[2] if isinstance(node, ast.Call) else ""
    return isinstance(node, ast.Assert) or called in ("raises", "warns")


def test_every_test_folder_is_a_package() -> None:
    """Otherwise two files of one name hide each other."""
    folders = {source.path.parent for source in TESTS}
    assert [folder.name for folder in folders if not (folder / "__init__.py").exists()] == []


def test_the_packages_of_the_demo_are_those_that_everybody_is_tested_with() -> None:
    every, demo = (
        set(re.findall(r"^[a-z0-9.-]+==[^ ]+", (PROJECT / name).read_text(encoding="utf-8"), re.MULTILINE))
        for name in ("requirements.lock", "requirements-demo.lock")
    )
    assert demo < every
