"""Every benchmark in one run: prints one table, writes `results.md` and `results.json` beside this file.

A quick run writes them to `.bench/` instead. The peers' first runs take about an hour and a half on two cores.

python -m benchmarks.run [--quick] [--fresh] [--stored] [--only NAME …]
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))  # so that `python benchmarks/run.py` works too

from benchmarks._report import ALPHA_WAY_TABLE, FLAGSHIP_BRIEF, FLAGSHIP_TABLE, Line, markdown, read_lines  # noqa: E402
from benchmarks.peers.setup import BENCH  # noqa: E402

SCRIPTS = {
    "speed": "Fit and sample, against peers",
    "alpha_way": "All α-way tables, against peers",
    "flagship": "The default release, against peers",
    "utility": "Utility",
    "fitting": "Post-processing",
    "score_f": "The score F",
    "counting": "Counting",
    "streaming": "Counting in passes",
    "large": "Large tables",
    "postgres": "Counting inside PostgreSQL",
    "spark": "Counting on Spark",
    "scale": "Wide tables",
    "sampling": "Sampling",
    "evaluate": "Evaluation",
    "privabn": "PrivABN",
    "hpprivbayes": "HPPrivBayes: some columns protected better",
    "unit": "People with several rows",
    "randomizing": "Randomising columns before they leave",
    "unmixing": "Un-mixing randomised columns",
    "structure": "Structure from randomised columns",
    "setups": "Parties with a miner and without",
    "answers": "Answering queries",
    "printed": "The correlated-release paper's algorithm, as printed",
    "linkage": "Recognising records that belong together",
}
NOTES = """\
Ratios are within one run, except against peers' runs taken from the store, which may have been made under another load.
Times are CPU time of all threads, children included. Imports and compilation are counted
for nobody, except in the lines that say so and in `sampling`. Peers run in virtual environments of their own, on one
BLAS thread, with the same codes and declared domains; their results are kept in `.bench/results` and reused unless
`--fresh` is given. DataSynthesizer promises pure ε (its tables are calibrated to add/remove neighbours: half the noise
of replace-one), dpmm (ε, δ = 1e-9) by zCDP under add/remove, and ours pure ε under replace-one: the strongest promise.
Distances are total variation, averaged over all pairs of columns and over 200 fixed triples; in the α-way task over all
tables of that width. There each peer stands beside ours under its own promise, which the line names; what each peer was
given is told in `docs/research/peers.md`."""
FAILED = "failed: "
PAGES = (  # scripts that leave tables of their own: the table, the page it goes to, and its mark there
    ("alpha_way", ALPHA_WAY_TABLE, "docs/research/peers.md", "alpha-way table"),
    ("flagship", FLAGSHIP_TABLE, "docs/research/peers.md", "flagship table"),
    ("flagship", FLAGSHIP_BRIEF, "docs/research/benchmarks.md", "flagship table"),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one seed of each peer, fewer seeds and rows of ours")
    parser.add_argument("--fresh", action="store_true", help="repeat the peers' runs that are in the store")
    parser.add_argument("--stored", action="store_true", help="of the peers' runs, use only those in the store")
    parser.add_argument("--only", nargs="+", choices=sorted(SCRIPTS), help="only these")
    parser.add_argument("--out", type=Path, help="folder of results.md and results.json")
    options = parser.parse_args()
    passed = [flag for flag in ("--quick", "--fresh", "--stored") if getattr(options, flag.lstrip("-"))]
    found: dict[str, list[Line]] = {}
    for name, title in SCRIPTS.items():
        if options.only is None or name in options.only:
            print(f"\n## {title}\n", flush=True)
            found[name] = run_one(name, passed)
            print(markdown(found[name]), flush=True)
    # a quick run is no record: it leaves the committed table alone
    folder = options.out or (BENCH if options.quick else HERE)
    write(folder, found, passed, complete=options.only is None)
    for name, table, page, mark in PAGES:
        if folder == HERE and name in found and not any(line.ours.startswith(FAILED) for line in found[name]):
            put_between(HERE.parent / page, mark, table.read_text())
    failed = [line.task for lines in found.values() for line in lines if line.met is False]
    print(f"\n{len(failed)} targets missed" + "".join(f"\n- {task}" for task in failed))


def put_between(page: Path, mark: str, table: str) -> None:
    """Replace what stands between the page's two marks."""
    begin, end = f"<!-- {mark}: begin -->\n", f"<!-- {mark}: end -->\n"
    text = page.read_text()
    if begin in text and end in text:
        page.write_text(text[: text.index(begin) + len(begin)] + table + text[text.index(end) :])


def run_one(name: str, passed: list[str]) -> list[Line]:
    """One script in a process of its own, so that none inherits another's memory or warm caches."""
    with tempfile.TemporaryDirectory() as folder:
        lines = Path(folder, "lines.json")
        command = [sys.executable, "-m", f"benchmarks.{name}", "--json", str(lines), *passed]
        start = time.perf_counter()
        with Path(folder, "told").open("w+") as told:
            done = subprocess.run(command, cwd=HERE.parent, stdout=told, stderr=subprocess.STDOUT, text=True)
            told.seek(0)
            said = [line for line in told.read().splitlines() if line.startswith("notice:")]
            told.seek(0)
            last = (told.read().strip().splitlines() or ["no message"])[-1]
        print("\n".join(said), end="\n" if said else "")
        print(f"{time.perf_counter() - start:.0f} s\n")
        return read_lines(lines) if done.returncode == 0 else [Line(name, f"{FAILED}{last}", met=False)]


def write(folder: Path, found: dict[str, list[Line]], passed: list[str], *, complete: bool) -> None:
    """`results.md` and `results.json`; a partial run replaces only its own parts."""
    folder.mkdir(parents=True, exist_ok=True)
    store = folder / "results.json"
    kept = json.loads(store.read_text())["lines"] if store.exists() and not complete else {}
    everything = {
        name: [Line(**line) for line in kept[name]] if name not in found else found[name]
        for name in SCRIPTS
        if name in found or name in kept
    }
    about = {
        "command": " ".join(["python benchmarks/run.py", *passed]),
        "parts": "" if complete else " Put together from several runs, not one: see docs/research/benchmarks.md.",
        "machine": f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}",
        "version": version("understudy"),
    }
    as_json = {name: [vars(line) for line in lines] for name, lines in everything.items()}
    store.write_text(json.dumps({**about, "lines": as_json}, indent=1, ensure_ascii=False) + "\n")
    made = f"`{about['command']}`, understudy {about['version']}, {about['machine']}.{about['parts']}"
    parts = [f"# Benchmarks\n\n{made}\n\n{NOTES}\n"]
    parts += [f"\n## {SCRIPTS[name]}\n\n{markdown(lines)}\n" for name, lines in everything.items()]
    (folder / "results.md").write_text("".join(parts))


if __name__ == "__main__":
    main()
