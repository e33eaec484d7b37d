"""The rules of the house that a look at one file can decide; each comes with a file that breaks it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from tests.house.sources import PACKAGE, PROJECT, RESEARCH, SHIPPED, STUDIES, TESTS, TOOLS, Source

KERNELS = "_kernels.py"
RANDOMNESS = PACKAGE / "_core" / "randomness.py"
COMPILING = PACKAGE / "_core" / "compiling.py"
COMMANDS = (PACKAGE / "cli", RESEARCH / "_cli.py")
# a guard against a test that hangs must not fire on a busy machine
LEAST_GUARD = 300
_CLOCKS = ("perf_counter", "monotonic", "process_time", "thread_time", "perf_counter_ns", "monotonic_ns", "time.time")

Finding = tuple[int, str]


@dataclass(frozen=True)
class Rule:
    """What must hold in some files: a function that finds where it does not, and a file in which it must find that."""

    says: str
    find: Callable[[Source], Iterator[Finding]]
    broken: Source
    among: Sequence[Source] = (*SHIPPED, *STUDIES)


def long_modules(source: Source) -> Iterator[Finding]:
    """Files that hold two ideas."""
    lines = len(source.text.splitlines())
    if lines > 400:
        yield lines, f"{lines} lines"


def long_functions(source: Source) -> Iterator[Finding]:
    """Functions that do not fit on a screen, signature and docstring included."""
    if source.path.name != KERNELS:
        for node in source.functions():
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            if lines > 60:
                yield node.lineno, f"{node.name} has {lines} lines"


def numba_elsewhere(source: Source) -> Iterator[Finding]:
    """Compiled code beside the one module that says how it is compiled, and where it is kept."""
    if source.path != COMPILING:
        yield from ((line, name) for line, name in source.imports() if name.split(".")[0] == "numba")


def stray_randomness(source: Source) -> Iterator[Finding]:
    """Generators that are not passed in."""
    if source.path == RANDOMNESS:
        return
    for line, name in source.imports():
        if name.split(".")[0] == "random" or f"{name}.".startswith("numpy.random."):
            yield line, name
    for node in source.nodes:
        if isinstance(node, ast.Attribute) and node.attr == "random" and ast.unparse(node.value) in ("np", "numpy"):
            yield node.lineno, ast.unparse(node)


def printing(source: Source) -> Iterator[Finding]:
    """Words on a terminal from code that anybody may call."""
    if not any(source.path.is_relative_to(place) for place in COMMANDS):
        yield from ((line, "print") for line, name, _ in source.calls() if name == "print")


def names_without_meaning(source: Source) -> Iterator[Finding]:
    """Drawers for odds and ends."""
    if source.path.stem.strip("_") in ("utils", "helpers", "common", "misc"):
        yield 1, source.path.stem


def silent_modules(source: Source) -> Iterator[Finding]:
    """Modules that do not say what they are for."""
    if not (ast.get_docstring(source.tree) or "").strip():
        yield 1, "no docstring"


def back_doors(source: Source) -> Iterator[Finding]:
    """Private modules and names of another room; `_core` has no door, its modules are shared by design."""
    for line, name in source.imports():
        parts = tuple(name.split("."))
        room = _room(parts)
        private = any(part.startswith("_") and not part.endswith("__") for part in parts[len(room) :])
        if private and parts[:2] != ("understudy", "_core") and source.module[: len(room)] != room:
            yield line, name


def _room(parts: tuple[str, ...]) -> tuple[str, ...]:
    """The room that a name belongs to: a folder of the package or of the research, or one of them whole."""
    home = {"understudy": PACKAGE, "research": RESEARCH}.get(parts[0], PROJECT / parts[0])
    return parts[:2] if len(parts) > 1 and (home / parts[1]).is_dir() else parts[:1]


def clocks_that_decide(source: Source) -> Iterator[Finding]:
    """Tests that turn red where the machine is busy: deadlines, stop-watches, guards that are too tight."""
    for line, name, call in source.calls():
        if name.endswith(_CLOCKS):
            yield line, name
        for keyword in call.keywords:
            value = keyword.value.value if isinstance(keyword.value, ast.Constant) else LEAST_GUARD
            if (keyword.arg == "deadline" and value is not None) or (
                keyword.arg == "timeout" and isinstance(value, int | float) and value < LEAST_GUARD
            ):
                yield line, f"{keyword.arg}={value}"


def curt_names(source: Source) -> Iterator[Finding]:
    """Tests whose names are no sentences."""
    for node in source.functions():
        if node.name.startswith("test_") and node.name.count("_") < 2:
            yield node.lineno, node.name


def _made_up(path: str, text: str) -> Source:
    return Source(PROJECT / path, text)


RULES = [
    Rule("no module is over 400 lines", long_modules, _made_up("src/understudy/long.py", "\n" * 401)),
    Rule(
        "no function is over 60 lines",
        long_functions,
        _made_up("research/long.py", "def f():\n" + "    x = 1\n" * 60),
    ),
    Rule(
        "numba is imported in one place",
        numba_elsewhere,
        _made_up("src/understudy/models/_fast.py", "def f():\n    from numba import njit"),
    ),
    Rule(
        "randomness has one home",
        stray_randomness,
        _made_up("research/dice.py", "import numpy as np\nnp.random.default_rng()"),
    ),
    Rule("only the command line prints", printing, _made_up("research/loud.py", "print(1)")),
    Rule("no module is a drawer for odds and ends", names_without_meaning, _made_up("research/_utils.py", "")),
    Rule("every module says what it is for", silent_modules, _made_up("research/silent.py", "x = 1")),
    Rule(
        "a room is entered by its door",
        back_doors,
        _made_up("src/understudy/cli/_x.py", "from understudy.privacy._noise import x"),
        among=(*SHIPPED, *STUDIES, *TOOLS),
    ),
    Rule(
        "timings decide no test",
        clocks_that_decide,
        _made_up("tests/test_x.py", "wait(timeout=60)"),
        among=TESTS,
    ),
    Rule("names of tests are sentences", curt_names, _made_up("tests/test_x.py", "def test_x(): ..."), among=TESTS),
]


def offenders(rule: Rule) -> list[str]:
    """Every place where a rule is broken."""
    return list(chain.from_iterable((s.at(*found) for found in rule.find(s)) for s in rule.among))
