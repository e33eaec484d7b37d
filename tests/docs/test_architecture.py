"""docs/architecture.md tells the rooms that there are, and names and parameters that exist."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType

from tests.docs.blocks import PROJECT

PAGE = (PROJECT / "docs" / "architecture.md").read_text(encoding="utf-8")
PACKAGE = PROJECT / "src" / "understudy"
_SECTION = re.compile(r"^# ([a-z_/ ]+?) -{5,}$(.*?)(?=^# [a-z_/ ]+ -{5,}$|^```)", re.MULTILINE | re.DOTALL)
_NAME = re.compile(r"(\.?)\b([A-Za-z_]\w*)\b(\(?)")
_WORD = re.compile(r"^\*{0,2}([a-z_]\w*)\s*(?=$|[:=])")


def test_the_table_of_rooms_lists_those_that_there_are() -> None:
    written = set(re.findall(r"^\| `([a-z_]+)/` \|", PAGE, re.MULTILINE))
    assert written == {door.parent.name for door in PACKAGE.glob("*/__init__.py")} - {"demo"}


def test_the_outline_names_what_there_is() -> None:
    assert len(_SECTION.findall(PAGE)) >= 8
    assert list(_faults(PAGE)) == []


def test_an_outline_that_went_stale_is_noticed() -> None:
    stale = {
        "Axis(attribute: int": "Axis(column: int",
        "recode(domain, encoding)": "recode_all(domain, encoding)",
        "def fit(self, curator": "def fit_all(self, curator",
        "def plan(self, domain": "def plan(self, table",
    }
    for now, then in stale.items():
        assert now in PAGE
        assert list(_faults(PAGE.replace(now, then))) != [], then


def _faults(page: str) -> Iterator[str]:
    """Whatever the outline calls by a name or a parameter that is not there."""
    for heading, text in _SECTION.findall(page):
        rooms = [import_module(f"understudy.{name.strip(' /')}") for name in heading.split(" and ")]
        owner: object = None  # the class named last: members are looked for there
        for line in text.splitlines():
            code = re.sub(r"^class | ?\(Protocol\)", "", line.partition("#")[0])
            position = 0
            while found := _NAME.search(code, position):
                dotted, name, called = found.groups()
                inside = _inside(code, found.end()) if called else ""
                position = found.end() + len(inside)
                target = getattr(owner, name, None) if dotted else None
                target = target or _find(name, rooms) or getattr(owner, name, None)
                if inspect.isclass(target) and code[found.end() - bool(called) :][:1] in ("(", ".", ":"):
                    owner = owner if code.startswith(" ") else target
                if called and target is None:
                    yield f"{heading}: {name}"
                elif called:
                    words = (_WORD.match(part.strip()) for part in _split(inside))
                    yield from (f"{heading}: {name}({w[1]})" for w in words if w and not _takes(target, w[1]))


def _takes(target: object, parameter: str) -> bool:
    known = inspect.signature(target).parameters  # type: ignore[arg-type]
    return parameter in known or any(one.kind is one.VAR_KEYWORD for one in known.values())


def _find(name: str, rooms: list[ModuleType]) -> object:
    return next((getattr(room, name) for room in rooms if hasattr(room, name)), None)


def _inside(code: str, start: int) -> str:
    depth = 1
    for end in range(start, len(code)):
        depth += (code[end] in "([{") - (code[end] in ")]}")
        if depth == 0:
            return code[start:end]
    return code[start:]


def _split(inside: str) -> list[str]:
    parts, depth = [""], 0
    for letter in inside:
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return parts
