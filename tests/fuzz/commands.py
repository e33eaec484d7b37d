"""A kind of case: command lines, made of words that belong to a command and of words that do not."""

from __future__ import annotations

import io
import os
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from random import Random
from typing import Any

from tests.fuzz import materials
from tests.fuzz.mutations import TOKENS, WORDS, spoil_text
from understudy import UserError
from understudy.cli._main import run

TABLE, SCHEMA, MODEL, LEDGER = "in/people.csv", "in/people.schema.yaml", "in/model.understudy", "in/budget.db"
VISITS = "in/visits.csv"
PUBLISH = ("publish", TABLE, "--schema", SCHEMA, "--epsilon", "1", "--out", "out/release", "-n", "20")
COMMANDS = (
    PUBLISH,
    (*PUBLISH, "--ledger", LEDGER, "--dataset", "people"),
    (*PUBLISH, "--ledger", "out/new.db", "--dataset", "people", "--cap", "3", "--delta", "1e-6", "--delta-cap", "1e-5"),
    (
        *PUBLISH,
        "--method",
        "privbayes",
        "--option",
        "k=2",
        "--option",
        "theta=4",
        "--seed",
        "1",
        "--unit",
        "one patient",
    ),
    (
        *PUBLISH,
        "--method",
        "hpprivbayes",
        "--sensitive",
        "ill,age",
        "--license",
        "CC0",
        "--creator",
        "me",
        "--url",
        "x",
    ),
    ("publish", VISITS, *PUBLISH[2:], "--unit", "person", "--max-rows", "2", "--bounding", "weigh"),
    (*PUBLISH, "--groups", "in/groups.csv", "--max-rows", "3", "--delta", "1e-6"),
    (*PUBLISH, "--method", "privabn", "--format", "parquet", "--json", "--neighbours", "add-remove"),
    ("plan", TABLE, "--schema", SCHEMA, "--epsilon", "1", "--method", "jtree", "--neighbours", "replace-one"),
    ("plan", "--schema", SCHEMA, "--epsilon", "1/3", "--rows", "1e4", "--method", "privbayes", "--k", "2", "--json"),
    ("randomize", "plan", "--schema", SCHEMA, "--epsilon", "1.1", "-o", "out/p.plan.yaml", "--block", "ill: none"),
    ("schema", "check", TABLE, SCHEMA, "--json"),
    ("schema", "draft", TABLE, "--out", "out/draft.yaml"),
    ("schema", "draft", TABLE, "--sdv", "in/sdv.json"),
    ("schema", "import-sdv", "in/sdv.json", "--out", "out/sdv.yaml"),
    ("sample", MODEL, "-n", "10", "--out", "out/rows.csv", "--seed", "3", "--where", "age=30..40, region=North"),
    ("sample", MODEL, "-n", "1e1", "--out", "out/rows.parquet"),
    ("query", MODEL, "ill | region=North, age=30..40", "--json"),
    ("export", MODEL, "--out", "out/network.bif"),
    ("draw", MODEL, "--out", "out/network.svg"),
    ("show", MODEL, "--json"),
    ("ledger", "show", LEDGER, "--dataset", "people"),
    ("ledger", "cap", LEDGER, "--dataset", "people", "--cap", "20", "--note", "agreed"),
    ("ledger", "verify", LEDGER, "--head", "ab"),
    ("methods", "--json"),
    ("evaluate", TABLE, "in/release", "--no-classifiers", "--ways", "1", "--html", "out/report.html", "--seed", "1"),
    ("evaluate", "in/release", "--public", "--json", "out/report.json"),
    ("compare", TABLE, "--schema", SCHEMA, "--methods", "uniform", "--epsilons", "1", "--seeds", "1", "--out", "out/c"),
)
STRANGERS = (
    *("--json", "--overwrite", "--help", "--nonsense", "-n", "--seed", "--epsilon", "--option", "--method", "--where"),
    *("--trust-draft", "in", "out", "in/none", "in/empty", "in/sdv.json", TABLE, SCHEMA, MODEL, LEDGER, "demo", "k=2"),
    *("k=", "=", "k=x", "privbayes", "jtree", "mwem", "privabn-as-printed", "beta=1e400", "theta=nan", "x" * 300),
    *("--unit", "person", "--max-rows", "--bounding", "weigh", "--groups", VISITS, "in/groups.csv"),
    *("max_candidates=" + "9" * 30, "out/" + "x" * 300, "no/such/folder/file", "\udcff", "a\udcff=b"),
)


class HalfOutputError(Exception):
    """A refusal that left something behind."""


class WrongExitError(Exception):
    """An exit that is neither success nor a sentence."""


def make_command(rng: Random) -> Any:
    """A command with some of its words changed, dropped, doubled or made up."""
    words = list(rng.choice(COMMANDS))
    for _ in range(rng.choice((0, 1, 1, 1, 2, 3))):
        at = rng.randrange(1, len(words) + 1)
        choice = rng.randrange(6)
        if choice == 0 and at < len(words):
            words[at] = spoil_text(rng, words[at])
        elif choice == 1 and at < len(words):
            words[at] = rng.choice(WORDS)
        elif choice == 2 and at < len(words):
            del words[at]
        elif choice == 3 and at < len(words):
            words[at] = rng.choice(STRANGERS)
        elif choice == 4:
            words.insert(at, rng.choice(STRANGERS))
        else:
            words.insert(at, rng.choice(TOKENS))
    return {"words": [_kept_inside(word) for word in words]}


def _kept_inside(word: str) -> str:
    """The word, if it were a path, as one inside the folder of the case; and as a command line can hold it."""
    inside = word.replace("\x00", "")[:30_000].replace("../", "./")
    return f".{inside}" if inside.startswith(("/", "~")) else inside


def run_command(given: Any, folder: Path) -> None:
    """Run it where all its files are; a refusal is a sentence, exit code 2 and no new file."""
    write_inputs(folder)
    before, here = names_in(folder), Path.cwd()
    output, errors = io.StringIO(), io.StringIO()
    os.chdir(folder)
    try:
        with redirect_stdout(output), redirect_stderr(errors):
            code = run(given["words"])
    finally:
        os.chdir(here)
    told = errors.getvalue()
    if code not in (0, 2) or "Traceback" in told or (code == 2 and "understudy: " not in told):
        raise WrongExitError(f"exit code {code}: {told[-500:]!r}")
    new = sorted(names_in(folder) - before)
    if code == 2 and new:
        raise HalfOutputError(f"exit code 2 and {new[:5]}: {told[-300:]!r}")
    if parts := [name for name in new if ".part" in name]:
        raise HalfOutputError(f"left behind: {parts[:5]}")
    if code == 2:
        raise UserError(told)


def write_inputs(folder: Path) -> None:
    """Put every file that the commands name where they look for it."""
    files = {
        "people.csv": materials.csv_text().encode(),
        "visits.csv": materials.visits_text().encode(),
        "groups.csv": materials.groups_text().encode(),
        "people.schema.yaml": materials.SCHEMA_TEXT.encode(),
        "model.understudy": materials.release_files()["model.understudy"],
        "budget.db": materials.ledger_file(),
        "sdv.json": materials.sdv_text().encode(),
        "empty": b"",
        **{f"release/{name}": data for name, data in materials.release_files().items()},
    }
    for name in ("in/release", "out"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        (folder / "in" / name).write_bytes(data)


def names_in(folder: Path) -> set[str]:
    """Everything that is in a folder, at any depth."""
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}
