"""Running a command: every mistake of a user ends in one sentence and exit code 2, an interrupt in 130.

A command is first run, and what became of it is then told. Whatever the way out, what was booked in a ledger is told
with it: that is asked of the receipts, since an exception may be lost or replaced on its way.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

import typer

from understudy._core.errors import InternalError, UserError
from understudy._core.memory import memory_limit
from understudy._core.receipts import receipts_kept
from understudy.cli._app import app
from understudy.cli._commands import InterruptedRunError, ReaderGoneError
from understudy.cli._interrupts import INTERRUPTED, INTERRUPTS, NOTHING
from understudy.cli._show import say_error
from understudy.cli._streams import output_failure

# Typer may bring a click of its own, so its base error is found through a class that typer does export.
_UsageError: type[Exception] = next(
    base for base in typer.BadParameter.__mro__ if base.__name__ == "ClickException" and issubclass(base, Exception)
)

NO_OUTPUT = 1
USER_MISTAKE = 2
OUR_BUG = 70


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How a command ended: its exit code and what to say, which is nothing if all went well."""

    code: int
    sentence: str = ""


class Command:
    """One command, of this program or of another one with the same manners: first attempted, then told about."""

    def __init__(self, arguments: list[str], program: typer.Typer | None = None) -> None:
        self._arguments, self._program = arguments, app if program is None else program
        self._name = str(self._program.info.name)
        self._ending: Ending | None = None
        INTERRUPTS.begin()

    def attempt(self) -> None:
        """Do what was asked, as far as that goes."""
        self._ending = self._attempt()

    def tell(self) -> int:
        """Say how it ended, and what stays booked if that was not well; the exit code."""
        ending = self._ending or _interrupted()  # by a second signal, on the way out
        if ending.sentence:
            words = [ending.sentence, *INTERRUPTS.receipts.sentences()]
            say_error(" ".join(words), as_json="--json" in self._arguments, program=self._name)
            output_failure()
        return ending.code

    def _attempt(self) -> Ending:
        try:
            with receipts_kept(INTERRUPTS.receipts):
                result = self._program(self._arguments, prog_name=self._name, standalone_mode=False)
        except (InterruptedRunError, typer.Abort, KeyboardInterrupt):
            return _interrupted()
        except typer.Exit as stop:
            return _printed(int(stop.exit_code))
        except UserError as error:
            return Ending(code=USER_MISTAKE, sentence=str(error))
        except _UsageError as error:
            return Ending(code=USER_MISTAKE, sentence=_usage_sentence(error, self._name))
        except ReaderGoneError:
            return _not_printed(BrokenPipeError())
        except (Exception, SystemExit) as error:
            return _unexpected(error)
        return _printed(int(result) if isinstance(result, int) else 0)


def run(arguments: list[str], program: typer.Typer | None = None) -> int:
    """Run one command and tell how it ended; the exit code.

    >>> run(["no-such-command"])
    2
    """
    command = Command(arguments, program)
    command.attempt()
    return command.tell()


def _interrupted() -> Ending:
    return Ending(code=INTERRUPTED, sentence=f"interrupted; {INTERRUPTS.what_is_done()}")


def _printed(code: int) -> Ending:
    """The ending of a command that did what it should, if its result reached whoever reads it."""
    failure = output_failure()
    return Ending(code=code) if failure is None else _not_printed(failure)


def _not_printed(failure: OSError) -> Ending:
    complete = _complete()
    if isinstance(failure, BrokenPipeError):
        # As with `| head`: no fault, and nobody to tell, unless something was booked.
        output_failure()
        told = f"whoever read the result has gone.{complete}" if INTERRUPTS.receipts.sentences() else ""
        return Ending(code=0, sentence=told)
    reason = (failure.strerror or type(failure).__name__).lower()
    return Ending(code=NO_OUTPUT, sentence=f"the result cannot be written to standard output: {reason}.{complete}")


def _complete() -> str:
    done = INTERRUPTS.what_is_done()
    return "" if done == NOTHING else f" But {done}"


def _unexpected(error: BaseException) -> Ending:
    # click makes an exit of a reader that has gone, wherever no command of ours runs: in its help
    failure = output_failure() if isinstance(error, OSError | SystemExit) else None
    if failure is not None:
        return _not_printed(failure)
    booked = INTERRUPTS.receipts.sentences()
    if os.environ.get("UNDERSTUDY_DEBUG"):
        for sentence in booked:
            if sentence not in getattr(error, "__notes__", []):
                error.add_note(sentence)
        raise error
    if INTERRUPTS.stopping:  # a library was cut short, and what it left undone failed next
        return _interrupted()
    if isinstance(error, MemoryError):
        return Ending(code=USER_MISTAKE, sentence=f"{_out_of_memory()}{_complete()}")
    bug = error if isinstance(error, InternalError) else InternalError(f"{type(error).__name__}: unexpected.")
    again = "Rehearse it with --seed 1 and" if booked else "Run it again with"
    return Ending(code=OUR_BUG, sentence=f"{bug} {again} UNDERSTUDY_DEBUG=1 to see where.{_complete()}")


def _out_of_memory() -> str:
    limit = memory_limit()
    told = (
        "" if limit is None else f": the process may have {limit >> 20:,} MB at most, and some 256 MB are always needed"
    )
    return f"there was not enough memory{told}. Give it more, or leave out columns with many values."


def _usage_sentence(error: BaseException, name: str) -> str:
    """Typer's complaint as one sentence that says where help is."""
    format_message = getattr(error, "format_message", None)
    message = str(format_message() if callable(format_message) else error).strip()
    context = getattr(error, "ctx", None)
    command = getattr(context, "command_path", name)
    if type(error).__name__ == "NoArgsIsHelpError":  # its message is the whole help
        message = "Missing command"
    stop = "" if message.endswith(("?", "!")) else "."
    return f"{message.rstrip('.')}{stop} See '{command} --help'."
