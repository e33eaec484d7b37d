"""What is written: docstrings with examples, and nothing in the files that belongs to one machine."""

from __future__ import annotations

import inspect
import re
import tomllib
from importlib import import_module

import pytest

from tests.house.sources import PROJECT, ROOMS, tracked_files

NAMES = [
    (door, name)
    for door in (*(f"understudy.{room.name}" for room in ROOMS), "research")
    for name in getattr(import_module(door), "__all__", [])
]
FUNCTIONS = [
    (room, name)
    for room, name in NAMES
    if inspect.isfunction(getattr(import_module(room), name)) or inspect.isclass(getattr(import_module(room), name))
]
# Their examples would have to start a process, open a terminal or write a folder, or they are protocols and plain
# records that others make.
WITHOUT_EXAMPLE = 0.22


def test_every_public_name_has_a_docstring_of_its_own() -> None:
    without = []
    for room, name in FUNCTIONS:
        text = getattr(import_module(room), name).__doc__
        if text is None or text.startswith(f"{name}("):  # the second is what dataclass makes up
            without.append(f"{room}.{name}")
    assert without == []


def test_most_public_names_show_an_example_that_runs() -> None:
    without = [f"{room}.{name}" for room, name in FUNCTIONS if not _has_example(getattr(import_module(room), name))]
    assert len(without) <= WITHOUT_EXAMPLE * len(FUNCTIONS), without


def _has_example(value: object) -> bool:
    if ">>>" in (value.__doc__ or ""):
        return True
    return inspect.isclass(value) and any(">>>" in (inspect.getdoc(member) or "") for member in vars(value).values())


# spelt in pieces, so that this file does not name them either
OF_ONE_MACHINE = {
    "home folder": r"/(?:home|Users)/[a-z]",
    "root's folder": "/ro" + r"ot/",
    "scratch folder": "/tm" + r"p/[a-z]",
    "work folder": "/wo" + r"rk/",
    "package index": r"https?://[^\s]*(?:py" + "pi|simple/|/pack" + r"ages/)",
    "local address": r"\b(?:127\.0\.0\.1|local" + r"host|10\.\d+\.\d+\.\d+|192\.168\.\d+\.\d+)\b",
}


@pytest.mark.parametrize(
    "text", ["/ro" + "ot/x", "see /wo" + "rk/main", "https://py" + "pi.org/simple/numba", "at local" + "host"]
)
def test_the_search_for_machines_finds_them(text: str) -> None:
    assert any(re.search(pattern, text) for pattern in OF_ONE_MACHINE.values())


def test_no_file_names_a_machine_or_a_package_index() -> None:
    found = []
    for path in tracked_files():
        text = path.read_text(encoding="utf-8", errors="replace")
        found += [
            f"{path.relative_to(PROJECT)}: {what}"
            for what, pattern in OF_ONE_MACHINE.items()
            if re.search(pattern, text)
        ]
    assert found == []


def test_nothing_is_left_for_later() -> None:
    marks = re.compile(r"\b(?:TO" + r"DO|FIX" + r"ME|XX" + r"X|HA" + r"CK)\b|NotImplemented" + "Error\\(")
    left = [
        f"{path.relative_to(PROJECT)}:{number}"
        for path in tracked_files()
        if path.suffix in (".py", ".md", ".toml", ".yaml")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if marks.search(line)
    ]
    assert left == []


def test_the_change_log_has_this_version_and_kinds_in_order() -> None:
    version = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    text = (PROJECT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"\n## {version}\n" in text
    order = ["privacy", "output", "breaking", "added", "fixed"]
    for section in text.split("\n## ")[1:]:
        kinds = re.findall(r"^\*\*(\w+)\*\*$", section, re.MULTILINE)
        assert kinds == [kind for kind in order if kind in kinds]
