"""The command line: parse, call, show progress. Heavy imports happen inside the commands, so `--help` is fast."""

from understudy.cli._start import main

__all__ = ["main"]
