"""What is written from the declarations of options is what they give: after a change, `make options`."""

from __future__ import annotations

from scripts.write_options import ARGUMENTS, PAGE, arguments, page


def test_types_of_keyword_arguments_are_those_declared() -> None:
    assert ARGUMENTS.read_text(encoding="utf-8") == arguments()


def test_tables_of_the_command_line_page_are_those_declared() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert page(text) == text
