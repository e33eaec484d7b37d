"""What every program of the project has in common: how its commands end, and how its help looks."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperGroup


class InterruptedRunError(Exception):
    """Ctrl-C, or a polite kill."""


class ReaderGoneError(Exception):
    """Whoever read our output has closed the pipe."""


class Commands(TyperGroup):
    """Carries interrupts out as they are: typer would turn them into bare exit codes."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as stop:
            raise InterruptedRunError from stop
        except BrokenPipeError as error:
            raise ReaderGoneError from error


def make_program(name: str, purpose: str) -> typer.Typer:
    """A program without commands yet: `purpose` is the first line of its help.

    >>> make_program("understudy", "Publish tables.").info.name
    'understudy'
    """
    return typer.Typer(
        cls=Commands,
        name=name,
        help=purpose,
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
