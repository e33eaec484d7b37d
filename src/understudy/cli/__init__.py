"""The command line: parse, call, show progress. Everything heavy is imported inside the commands, so `--help` is fast."""

from understudy.cli._main import main

__all__ = ["main"]
