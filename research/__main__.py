"""The program `research`, also as `python -m research`: nothing is loaded before interrupts are looked after."""

from __future__ import annotations

from understudy.cli import main as start

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Never

    import typer


def main(arguments: Sequence[str] | None = None) -> Never:
    """Run the command line and exit."""
    start(arguments, _program)


def _program() -> typer.Typer:
    from research._cli import app

    return app


if __name__ == "__main__":
    main()
