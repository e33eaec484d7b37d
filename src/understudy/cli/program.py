"""The parts of the command line for another program with the same manners; apart from the door, which loads nothing."""

from understudy.cli._commands import make_program
from understudy.cli._interrupts import INTERRUPTS
from understudy.cli._main import run
from understudy.cli._show import Progress, counted, make_table, progress_bars, say, say_json, say_table

__all__ = [
    "INTERRUPTS",
    "Progress",
    "counted",
    "make_program",
    "make_table",
    "progress_bars",
    "run",
    "say",
    "say_json",
    "say_table",
]
