"""docs/cli.md names every command and every option there is, and none that is not."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
import typer.main

from tests.docs.blocks import PROJECT
from understudy.cli._app import app

PAGE = (PROJECT / "docs" / "cli.md").read_text(encoding="utf-8")


def _commands(command: object, path: tuple[str, ...]) -> Iterator[tuple[str, object]]:
    children = getattr(command, "commands", None)
    if children is None:
        yield " ".join(path), command
        return
    for name, child in children.items():
        yield from _commands(child, (*path, name))


COMMANDS = dict(_commands(typer.main.get_command(app), ("understudy",)))
_SECTION = re.compile(r"^#+ `(understudy [a-z -]+)`\n(.*?)(?=^#+ |\Z)", re.MULTILINE | re.DOTALL)
SECTIONS: dict[str, str] = dict(_SECTION.findall(PAGE))


def test_there_is_one_section_for_each_command() -> None:
    assert sorted(SECTIONS) == sorted(COMMANDS)


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_a_section_names_exactly_the_options_of_its_command(name: str) -> None:
    options = {
        option
        for parameter in COMMANDS[name].params  # type: ignore[attr-defined]
        for option in (*parameter.opts, *parameter.secondary_opts)
        if option.startswith("-")
    } - {"--help", "-h"}
    rows = [line for line in SECTIONS[name].splitlines() if line.startswith("| `-")]
    written = {word for row in rows for word in re.findall(r"`(--?[a-z][a-z-]*)", row.split("|")[1])}
    assert written == options


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_a_section_names_the_defaults_of_its_command(name: str) -> None:
    for parameter in COMMANDS[name].params:  # type: ignore[attr-defined]
        default = parameter.default
        told = isinstance(default, str | float) and not isinstance(default, bool) and default != ""
        if told and parameter.opts[0].startswith("-"):
            [row] = [line for line in SECTIONS[name].splitlines() if f"`{parameter.opts[-1]}" in line]
            assert f"`{default:g}`" in row if isinstance(default, float) else f"`{default}`" in row
