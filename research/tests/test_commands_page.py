"""docs/research/experiments.md names every command of `research` and every option there is, and none that is not."""

from __future__ import annotations

import re

import pytest
import typer.main
from tests.docs.blocks import PROJECT

from research._cli import app

PAGE = (PROJECT / "docs" / "research" / "experiments.md").read_text(encoding="utf-8")
SECTIONS: dict[str, str] = dict(
    re.findall(r"^### `research ([a-z]+)`\n(.*?)(?=^#+ |\Z)", PAGE, re.MULTILINE | re.DOTALL)
)
COMMANDS = typer.main.get_command(app).commands


def test_there_is_one_section_for_each_command():
    assert sorted(SECTIONS) == sorted(COMMANDS)


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_a_section_names_exactly_the_options_of_its_command(name):
    options = {o for parameter in COMMANDS[name].params for o in parameter.opts if o.startswith("-")}
    rows = [line for line in SECTIONS[name].splitlines() if line.startswith("| `-")]
    written = {word for row in rows for word in re.findall(r"`(--?[a-z][a-z-]*)", row.split("|")[1])}
    assert written == options - {"--help", "-h"}
