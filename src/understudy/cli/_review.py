"""`understudy schema review`: one question a field, on a terminal or from a script, each answer written at once."""

from __future__ import annotations

import shlex
import sys
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from understudy._core.errors import OptionError, UserError
from understudy.cli._interrupts import INTERRUPTS, NOTHING, wait_for_input
from understudy.cli._show import counted, say, say_aside, say_json
from understudy.databases import shown_source

if TYPE_CHECKING:
    from understudy.schema import Review, Schema

_SHOWN = 12
_RULES = "# dependencies:"
_CHOICES = "y accept · new values · v all values · l leave out · s skip · q stop · ? help"
_HELP = """\
  y                       accept the guess: only if it is public knowledge, whoever is in the table
  0 to 120                a range, for numbers and dates (also 0..120, 2020-01-01 to 2024-12-31)
  v                       show all values of the guess
  North, South, West      every value it may hold; @codes.txt takes them from a file, one a line
  low < medium < high     the same, in order
  + East                  the values of the guess and these
  … ; clip                what lies outside counts as the nearest end; other: as "other"; error: is refused
  … ; special -1=never    values that stand for something else
  … ; missing ?, NA       cells may be missing, and how that is written; required: they may not
  … ; decimals 1          digits after the point of a number
  … ; ordered             the values have this order; unordered: they have none
  l                       leave the column out of what is published
  s, or nothing           skip it for now
  q, or Ctrl-D            stop here; the same command takes it up again"""


@dataclass
class Asked:
    """What became of the questions so far."""

    declared: list[str]
    left_out: list[str]
    skipped: list[str]

    @property
    def written(self) -> int:
        """Answers in the file."""
        return len(self.declared) + len(self.left_out)

    def told(self, path: Path) -> str:
        """What to say if this is cut short."""
        if not self.written:
            return NOTHING
        return f"{counted(self.written, 'answer is', 'answers are')} in {path}; the same command takes it up again."


def review(
    schema: Path = typer.Argument(..., help="The drafted schema file. Answers are written back to it."),
    table: str | None = typer.Option(None, "--table", help="The table: say at once if it does not fit an answer."),
    as_json: bool = typer.Option(False, "--json", help="Print what became of the fields as JSON, and nothing else."),
) -> None:
    """Review a draft: one question a field, every answer written back at once. Stop and take it up as you like."""
    from understudy.schema import Review

    opened = Review(path=schema)
    if table is not None:
        from understudy.tables import open_source

        open_source(table)  # before the first question: nobody is to answer it in vain
    asked = Asked([], [], [])
    INTERRUPTS.outcome = lambda: asked.told(schema)
    _Talk(opened, asked, table, as_json).run()
    left = opened.waiting
    INTERRUPTS.outcome = f"{schema} is complete." if asked.written else NOTHING
    if as_json:
        say_json({"schema": str(schema), "declared": asked.declared, "left_out": asked.left_out, "drafts": list(left)})
        return
    if left:
        say(f"{counted(len(left), 'field is still a draft', 'fields are still drafts')}. To go on:")
        beside = "" if table is None else f" --table {shlex.quote(shown_source(table))}"
        say(f"  understudy schema review {shlex.quote(str(schema))}{beside}")
        return
    say(f"No field of {schema} is a draft.{_suggested(schema)} Next:")
    given, declared = shlex.quote(shown_source(table or "TABLE.csv")), shlex.quote(str(schema))
    say(f"  understudy schema check {given} {declared}")
    say(f"  understudy plan --schema {declared} --rows 10000 --epsilon 1   # rows: a guess, their number is private")


def _suggested(path: Path) -> str:
    """What is said of rules that a draft found rows to keep, and wrote into comments: no question asks for these."""
    lines = path.read_text(encoding="utf-8").splitlines()
    if _RULES not in lines:
        return ""
    rules = takewhile(lambda line: line.startswith("# - "), lines[lines.index(_RULES) + 1 :])
    few = ", ".join(line.removeprefix("# - ").partition("  #")[0] for line in rules)
    return f" In comments at its top, rules that rows keep: {few}. Take the # away from those that hold for everybody."


class _Talk:
    """Questions and answers."""

    def __init__(self, review: Review, asked: Asked, table: str | None, as_json: bool) -> None:
        self.review, self.asked, self.table = review, asked, table
        self.tell = say_aside if as_json else say
        self.terminal = sys.stdin is not None and sys.stdin.isatty()

    def run(self) -> None:
        """Ask about every field that waits, until somebody wants to stop."""
        waiting = self.review.waiting
        if waiting and self.terminal:
            self.tell("For each field: may everybody know this, without a look at the table? ? shows what to type.")
        for number, name in enumerate(waiting, 1):
            self._show(name, f"{number}/{len(waiting)}")
            if not self._ask(name):
                break

    def _show(self, name: str, place: str) -> None:
        self.tell(f"\n[{place}] {name}: {self.review.guess(name)}")
        for remark in self.review.remarks(name) if self.terminal else ():
            self.tell(f"    {remark}")

    def _ask(self, name: str) -> bool:
        """Ask until there is an answer; False if that is to stop."""
        while True:
            reply = self._line(f"{_CHOICES}\n> ")
            word = "q" if reply is None else reply.strip().lower()
            if reply is None and not self.terminal and not (self.asked.written or self.asked.skipped):
                raise OptionError(
                    "there are no answers on standard input. Run it on a terminal, or give one answer a line."
                )
            if reply is None or word in ("q", "quit", "stop"):
                return False
            if word in ("", "s", "skip"):
                self.asked.skipped.append(name)
                return True
            if word in ("?", "h", "help"):
                self.tell(_HELP)
                continue
            if word in ("v", "values"):
                self.tell(f"  {self.review.guess(name, whole=True)}")
                continue
            try:
                if self._take(name, reply, word):
                    return True
            except UserError as error:
                if not self.terminal:  # the next line is the answer to the next question
                    raise OptionError(f"the answer on '{name}' cannot be taken: {error}") from None
                self.tell(str(error))

    def _take(self, name: str, reply: str, word: str) -> bool:
        """Write an answer, unless the table does not fit it and that is not wanted."""
        if word in ("l", "leave", "leave out", "out", "drop"):
            self.review.leave_out(name)
            self.asked.left_out.append(name)
            self.tell("  left out.")
            return True
        faults, unseen = self._misfits(self.review.after(name, reply), name)
        for sentence in (*faults, *unseen):
            self.tell(f"  {sentence}")
        if faults and self.terminal:
            kept = self._line("Keep the answer all the same? y/n > ")
            if kept is None or kept.strip().lower() not in ("y", "yes"):
                return False
        self.tell(f"  declared: {self.review.answer(name, reply)}")
        self.asked.declared.append(name)
        return True

    def _misfits(self, schema: Schema, name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """What of the table does not fit an answer; and which values that are new with it no row has."""
        if self.table is None:
            return (), ()
        from understudy.tables import check_table

        alone = schema.only([name])
        loose = replace(alone, properties={**alone.properties, "fieldsMatch": "subset"})
        report = check_table(self.table, loose)
        new = {one.label for one in schema[name].categories} - set(self.review.schema[name].labels)
        unused = [label for column in report.columns for label in column.unused if label in new]
        shown = ", ".join(unused[:_SHOWN]) + (", …" if len(unused) > _SHOWN else "")
        return report.faults, (f"no row has {shown}. That is fine if it is possible.",) if unused else ()

    def _line(self, prompt: str) -> str | None:
        """The next line; None at the end."""
        if self.terminal and self.tell is say:
            print(prompt, end="", flush=True)
            try:
                wait_for_input()
                return input()
            except EOFError:
                print()
                return None
        if self.terminal:
            self.tell(prompt)
        try:
            line = sys.stdin.readline()
        except (OSError, ValueError, AttributeError):  # it was closed, or cannot be read
            return None
        return line.rstrip("\n") if line else None
