"""Write what follows from the declarations of options: `python -m scripts.write_options`.

The types of keyword arguments, in `understudy/_api/_arguments.py`, for editors and type checkers; and the tables of
options in `docs/cli.md`. A test holds both against the declarations.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from textwrap import wrap
from typing import Any

from understudy.methods import AS_PRINTED, BASELINES, METHODS, Adaptive, HPPrivBayes, PrivABN, PrivBayes
from understudy.options import (
    AnswerOptions,
    CompareOptions,
    CorrelateOptions,
    EvaluateOptions,
    MethodFlags,
    OneOf,
    Option,
    OutlookOptions,
    PlanOptions,
    PublishOptions,
    RunOptions,
    YesNo,
    options_of,
)

PROJECT = Path(__file__).parents[1]
ARGUMENTS = PROJECT / "src/understudy/_api/_arguments.py"
PAGE = PROJECT / "docs/cli.md"
ESTIMATORS = (Adaptive, PrivBayes, PrivABN, HPPrivBayes)

_INDENT: dict[str, Any] = {"initial_indent": "    ", "subsequent_indent": "    ", "break_long_words": False}
_HEAD = '''"""Keyword arguments as types, for editors and type checkers. Written by `scripts.write_options`."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from os import PathLike
from typing import Literal, Required, TypeAlias, TypedDict

from understudy.methods import Method
from understudy.privacy import Ledger

Number: TypeAlias = "Fraction | float | str | Decimal"
'''


def methods_with() -> dict[str, dict[str, Option]]:
    """Every option of methods that can be published, by its name, then by the method's."""
    found: dict[str, dict[str, Option]] = {}
    for name, kind in {**METHODS, **BASELINES, **AS_PRINTED}.items():
        for option in options_of(kind):
            found.setdefault(option.name, {})[name] = option
    return found


# -- types of keyword arguments ---------------------------------------------------------------------------------------
def arguments() -> str:
    """The module of types."""
    run = [option for option in options_of(RunOptions) if option.name != "method"]
    [method] = [option for option in options_of(PlanOptions) if option.name == "method"]
    plan_names = {option.name for option in options_of(PlanOptions)}
    outlook = [option for option in options_of(OutlookOptions) if option.name != "method"]
    own = options_of(PublishOptions)[len(options_of(RunOptions)) :]
    union = [_joined(by_method) for by_method in methods_with().values()]
    classes = [
        _typed("PlanArguments", "TypedDict", "Options of every run.", [o for o in run if o.name in plan_names]),
        _typed("RunArguments", "PlanArguments", "Options of a fit.", [o for o in run if o.name not in plan_names]),
        _typed("MethodArguments", "TypedDict", "The method, and the options that methods have.", [method, *union]),
        _typed("PlanAndMethodArguments", "MethodArguments", "Options of `plan`.", outlook),
        _typed("PublishArguments", "RunArguments, MethodArguments", "Options of `publish`.", own),
        *(
            _typed(f"{kind.__name__}Arguments", "RunArguments", f"Options of `{kind.__name__}`.", options_of(kind))
            for kind in ESTIMATORS
        ),
        _typed(
            "AnswerArguments",
            "RunArguments",
            "Options of `answer`.",
            options_of(AnswerOptions)[len(options_of(RunOptions)) :],
        ),
        _typed("EvaluateArguments", "TypedDict", "Options of `evaluate`.", options_of(EvaluateOptions)),
        _typed("CompareArguments", "TypedDict", "Options of `compare`.", options_of(CompareOptions)),
    ]
    return "\n\n".join([_HEAD, *classes])


def _joined(by_method: Mapping[str, Option]) -> Option:
    """One option for several methods: the one that may be None, if there is one."""
    options = list(by_method.values())
    return next((option for option in options if option.default is None), options[0])


def _typed(name: str, bases: str, doc: str, options: Iterable[Option]) -> str:
    lines = [f"class {name}({bases}, total=False):", f'    """{doc}"""', ""]
    for option in options:
        typed = f"Required[{option.typed}]" if option.required else option.typed
        lines += [f"    {option.name}: {typed}", *wrap(f'"""{option.help}"""', 120, **_INDENT)]
    return "\n".join(lines).rstrip() + "\n"


# -- tables of docs/cli.md --------------------------------------------------------------------------------------------
_SCHEMA = "| `--schema`, `-s` | The schema file: what is public about the table. The demo has its own. |\n"
_ROWS = "| `--rows` | Number of rows; needed under add-remove, where the true number is private. |\n"
_JSON = "| `--json` | Print JSON. |\n"
_OPTION = (
    "| `--option` | Any [option of the method](#understudy-methods), as `name=value`; may be given several times. |\n"
)
_REPORT = (
    "| `--schema`, `-s` | Schema file, for a synthetic table without a model beside it. |\n"
    "| `--html` | Write the report as one page to this file. |\n"
    "| `--json` | Write every number to this file; without a name, or with `-`, to the screen. |\n"
    "| `--public` | The page for the release's readers: made without the real table, may be published. |\n"
)
_FILES = "| `--overwrite` | Replace files that are there. |\n"
_DRAFT = "| `--schema`, `-s` | The schema file. The demo has its own; drafts will do, since nothing is published. |\n"
_RESULTS = (
    "| `--csv` | Write the table of results to this file as well. |\n"
    "| `--overwrite` | Replace the file of `--csv` if it is there. |\n"
)
_QUERIES = "| `--queries`, `-q` | The workload: a CSV with a column `query`, or a text with a query a line. |\n"
_GROUPS = (
    "| `--out`, `-o` | The file of groups to write: `.parquet`. Nobody else can read it. |\n"
    "| `--overwrite` | Replace the file if it is there. |\n"
)
# of each command: the rows before the declared options, the declarations, and the rows after them
_COMMANDS: dict[str, tuple[str, tuple[type, ...], str]] = {
    "plan": (_SCHEMA + _ROWS, (OutlookOptions, MethodFlags), _OPTION + _JSON),
    "publish": (_SCHEMA, (PublishOptions, MethodFlags), _OPTION + _JSON),
    "answer": (_SCHEMA + _QUERIES, (AnswerOptions,), _JSON),
    "evaluate": (_REPORT, (EvaluateOptions,), _FILES),
    "compare": (_DRAFT, (CompareOptions,), _RESULTS + _JSON),
    "correlate": ("", (CorrelateOptions,), _GROUPS + _JSON),
}


def page(text: str) -> str:
    """The page with its tables of options written anew."""
    for name, table in tables().items():
        begin, end = f"<!-- options: {name} -->", "<!-- end -->"
        pattern = re.compile(re.escape(begin) + r"\n.*?" + re.escape(end), re.DOTALL)
        text, found = pattern.subn(partial(_put, f"{begin}\n\n{table}\n{end}"), text)
        if found != 1:
            raise SystemExit(f"docs/cli.md has {found} places for the options of {name}, not one.")
    return text


def _put(text: str, _: re.Match[str]) -> str:
    return text


def tables() -> dict[str, str]:
    """Every generated table, by its name on the page."""
    found = {
        name: "| option | |\n|---|---|\n"
        + first
        + "".join(_row(option) for kind in kinds for option in options_of(kind) if option.flags)
        + last
        for name, (first, kinds, last) in _COMMANDS.items()
    }
    lines = [
        f"| {f'`{name}`' if i == 0 else ''} | `{option.name}` | {_said(option)} |\n"
        for name, kind in {**METHODS, **BASELINES, **AS_PRINTED}.items()
        for i, option in enumerate(options_of(kind))
    ]
    return found | {"methods": "| method | option | |\n|---|---|---|\n" + "".join(lines)}


def _row(option: Option) -> str:
    return f"| {', '.join(f'`{flag}`' for flag in option.flags)} | {_said(option)} |\n"


def _said(option: Option) -> str:
    """Its help, what it may be where that is a list of words, and its default."""
    words = option.constraint.choices if isinstance(option.constraint, OneOf) else ()
    choices = "" if all(w in option.help for w in words) else f" One of {', '.join(f'`{w}`' for w in words)}."
    plain = not option.written or isinstance(option.constraint, YesNo)
    return option.help + choices + ("" if plain else f" Default: `{option.written}`.")


def main() -> None:
    """Write both files."""
    ARGUMENTS.write_text(arguments(), encoding="utf-8")
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
