"""Fenced blocks of a Markdown page, and how to run them.

Python blocks of one page share a namespace, shell lines run one by one in a folder where `src` is the checkout's, with
the commands of the installed package on the path. A shell line that must fail ends with `# exit code 2`. A block is
left out only where the line before it is `<!-- not run: why -->`; where that says `docs/page.md runs the same`, a test
looks for its lines there. A `text` block after a shell block of the README
shows what its commands print; all of its lines must be among those, numbers apart.
"""

from __future__ import annotations

import glob
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import BytesIO, TextIOWrapper
from pathlib import Path

from understudy.cli._main import run

PROJECT = Path(__file__).parents[2]
_FENCE = re.compile(r"^(```+)\s*([\w-]*)\s*$")
_NOT_RUN = re.compile(r"^<!-- not run: .+ -->$")
_ELSEWHERE = re.compile(r"^<!-- not run: (\S+\.md) runs the same -->$")
_CODE = re.compile(r"#\s*exit code (\d+)\s*$")
RUN = ("python", "sh")


@dataclass(frozen=True)
class Block:
    """One fenced block."""

    page: Path
    line: int
    language: str
    text: str
    runs: bool
    elsewhere: str = ""
    """The page that runs the same commands, if one does."""


def pages() -> list[Path]:
    """Every page that is read by users or contributors, but the schema's, which `tests/schema` runs."""
    names = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"]
    docs = sorted((PROJECT / "docs").rglob("*.md"))
    return [*(PROJECT / name for name in names), *(page for page in docs if page.name != "schema.md")]


def blocks(page: Path) -> list[Block]:
    """The page's fenced blocks, in order."""
    found: list[Block] = []
    lines = page.read_text(encoding="utf-8").splitlines()
    inside: tuple[int, str, str] | None = None
    before = ""
    for number, line in enumerate(lines, start=1):
        fence = _FENCE.match(line.strip())
        if inside is None:
            if fence:
                inside = (number, fence[1], fence[2])
                exempt, same = bool(_NOT_RUN.match(before)), _ELSEWHERE.match(before)
            elif line.strip():
                before = line.strip()
        elif line.strip() == inside[1]:
            text = "\n".join(lines[inside[0] : number - 1])
            runs = inside[2] in RUN and not exempt
            found.append(Block(page, inside[0], inside[2], text, runs=runs, elsewhere=same[1] if same else ""))
            inside, before = None, ""
    assert inside is None, f"{page.name}: the block at line {inside and inside[0]} never ends"
    return found


def commands(block: Block) -> list[str]:
    """The lines of a block of shell commands, continued ones joined, without comments and where they write to."""
    lines = block.text.replace("\\\n", " ").splitlines()
    found = (" ".join(line.partition(" #")[0].split()) for line in lines if not line.lstrip().startswith("#"))
    return [re.sub(r" --out \S+$", "", line) for line in found if line]


def run_page(page: Path, folder: Path, *, leave_out_classifiers: bool = False) -> None:
    """Run all that the page shows, in order; evaluations may leave out the classifiers, which take most of the time."""
    (folder / "src").symlink_to(PROJECT / "src", target_is_directory=True)
    names: dict[str, object] = {"__name__": "page"}
    printed: str | None = None
    for block in blocks(page):
        if block.language == "text" and printed and page == PROJECT / "README.md":
            missing = [line for line in plain_lines(block.text) if line not in plain_lines(printed)]
            assert missing == [], f"{page.name}, line {block.line}: not printed any more"
        printed = None
        if block.runs and block.language == "python":
            # as many empty lines as stand above, so that a traceback names the page's own line
            # as a reader would run it: without the future imports of this module
            exec(compile("\n" * block.line + block.text, str(page), "exec", dont_inherit=True), names)
        elif block.runs:
            printed = run_shell(block, folder, ["--no-classifiers"] if leave_out_classifiers else [])


def plain_lines(text: str) -> list[str]:
    """Lines without numbers, which noise changes, and without the blanks that line them up."""
    return [" ".join(re.sub(r"\d[\d,.]*", "#", line).split()) for line in text.splitlines() if line.strip()]


def run_shell(block: Block, folder: Path, evaluating: Sequence[str] = ()) -> str:
    """Run a block of shell lines, each of which must end with the exit code it says, or 0; what they printed.

    Our own commands run in this process, which saves a start-up each; `tests/cli` starts them as a shell does.
    `evaluating` is added to those that evaluate a table against the real one.
    """
    printed = ""
    for line in block.text.replace("\\\n", " ").splitlines():
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        said = _CODE.search(line)
        words = shlex.split(line, comments=True)
        place = f"{block.page.name}, line {block.line}: {line}"
        if words[0] == "understudy":
            more = evaluating if words[1] == "evaluate" and "--public" not in words else ()
            code, output = _in_this_process([name for word in words[1:] for name in _expanded(word, folder)] + [*more])
        else:
            code, output = _in_a_shell(line, folder)
        assert code == (int(said[1]) if said else 0), f"{place}\nexit code {code}\n{output}"
        printed += output
    return printed


def _expanded(word: str, folder: Path) -> list[str]:
    """The names that a shell would put in place of a pattern."""
    return sorted(glob.glob(word, root_dir=folder)) if "*" in word else [word]


def _in_this_process(words: list[str]) -> tuple[int, str]:
    with TextIOWrapper(BytesIO(), encoding="utf-8", write_through=True) as said:
        with redirect_stdout(said), redirect_stderr(said):
            code = run(words)
        said.seek(0)
        return code, said.read()


def _in_a_shell(line: str, folder: Path) -> tuple[int, str]:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", "-c", line], cwd=folder, env={**os.environ, "PATH": path}, capture_output=True, text=True
    )
    return done.returncode, done.stdout + done.stderr
