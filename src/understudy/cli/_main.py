"""Running a command: every mistake of a user ends in one sentence and exit code 2, an interrupt in 130."""

from __future__ import annotations

import os
import sys

import typer

from understudy._core.errors import InternalError, UserError
from understudy.cli._app import app
from understudy.cli._commands import InterruptedRunError, ReaderGoneError
from understudy.cli._interrupts import INTERRUPTED, INTERRUPTS, NOTHING
from understudy.cli._show import say_error

# Typer may bring a click of its own, so its base error is found through a class that typer does export.
_UsageError: type[Exception] = next(
    base for base in typer.BadParameter.__mro__ if base.__name__ == "ClickException" and issubclass(base, Exception)
)

USER_MISTAKE = 2
OUR_BUG = 70


def run(arguments: list[str], program: typer.Typer = app) -> int:
    """Run one command, of this program or of another one with the same manners; the exit code.

    >>> run(["no-such-command"])
    2
    """
    name = str(program.info.name)
    as_json = "--json" in arguments
    INTERRUPTS.outcome = NOTHING
    try:
        result = program(arguments, prog_name=name, standalone_mode=False)
    except InterruptedRunError as stop:
        say_error(" ".join([f"interrupted; {INTERRUPTS.outcome}", *stop.args]), as_json=as_json, program=name)
        return INTERRUPTED
    except (typer.Abort, KeyboardInterrupt):
        say_error(f"interrupted; {INTERRUPTS.outcome}", as_json=as_json, program=name)
        return INTERRUPTED
    except typer.Exit as stop:
        return int(stop.exit_code)
    except UserError as error:
        say_error(" ".join([str(error), *_notes(error)]), as_json=as_json, program=name)
        return USER_MISTAKE
    except _UsageError as error:
        say_error(_usage_sentence(error, name), as_json=as_json, program=name)
        return USER_MISTAKE
    except ReaderGoneError:
        # As with `| head`: no fault, and there is nobody to tell. Python must not complain at exit either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        if os.environ.get("UNDERSTUDY_DEBUG"):
            raise
        if INTERRUPTS.stopping:  # a library was cut short, and what it left undone failed next
            say_error(" ".join([f"interrupted; {INTERRUPTS.outcome}", *_notes(error)]), as_json=as_json, program=name)
            return INTERRUPTED
        bug = error if isinstance(error, InternalError) else InternalError(f"{type(error).__name__}: unexpected.")
        say_error(f"{bug} Run it again with UNDERSTUDY_DEBUG=1 to see where.", as_json=as_json, program=name)
        return OUR_BUG
    return int(result) if isinstance(result, int) else 0


def _notes(error: BaseException) -> list[str]:
    return list(getattr(error, "__notes__", []))


def _usage_sentence(error: BaseException, name: str) -> str:
    """Typer's complaint as one sentence that says where help is."""
    format_message = getattr(error, "format_message", None)
    message = str(format_message() if callable(format_message) else error).strip()
    context = getattr(error, "ctx", None)
    command = getattr(context, "command_path", name)
    stop = "" if message.endswith(("?", "!")) else "."
    return f"{message.rstrip('.')}{stop} See '{command} --help'."
