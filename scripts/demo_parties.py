"""Three parties that may not pool their columns learn one network together: `make demo-parties`.

    python scripts/demo_parties.py [FOLDER]

A hospital, an insurer, an employer and a miner work in folders of their own, each command in a process of its own. Only
files travel, and this script says which. At the end it does what nobody in earnest could: it pools the true columns,
and holds the miner's answer against them.
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import understudy as us
from understudy import demo

EPSILON = "1.5"
"""Of each party. Three of them make 4.5 for one person, which is little protection. But of some 5,500 people at 1 each
nothing is seen at all, and at 1.5 the two strongest links are. A trusted curator would need a fraction of it."""
PARTIES = ("hospital", "insurer", "employer")
QUESTION = ("doctor_visits", "medical_spending")


def main(folder: str = "demo-parties") -> int:
    """Play it, and say where to look."""
    home = Path(folder).resolve()
    for name in (*PARTIES, "miner"):
        shutil.rmtree(home / name, ignore_errors=True)
    demo.write_parties(home)
    (home / "miner" / "inbox").mkdir(parents=True)
    tell(
        "Three folders hold different columns about the same people. The hospital makes a secret, and hands it to the\n"
        "other two by courier. The miner never gets it."
    )
    understudy(home / "hospital", "randomize", "secret", "-o", "shared.secret")
    for name in PARTIES[1:]:
        shutil.copy(home / "hospital" / "shared.secret", home / name)
    for name in PARTIES:
        randomise(home, name)
    mine(home / "miner")
    compare(home)
    return 0


def randomise(home: Path, name: str) -> None:
    """One party: a plan, the randomised file, and both handed to the miner."""
    public = ["--public", "sex"] if name == "employer" else []
    plan, sent = f"{name}.plan.yaml", Path("outbox", f"{name}.parquet")
    schema = f"{name}.schema.yaml"
    tell(f"\nThe {name} decides how to randomise, and does it. Table, schema and secret stay where they are.")
    told = understudy(
        home / name, "randomize", "plan", "--schema", schema, "--epsilon", EPSILON, *public, "-o", plan, show=False
    )
    tell("".join(f"  {line}\n" for line in told.splitlines() if line.startswith("The whole record")), end="")
    apply = ["randomize", "apply", f"{name}.csv", "--plan", plan, "--key", "person_id"]
    understudy(home / name, *apply, "--secret-file", "shared.secret", "--study", "demo", "-o", str(sent))
    shutil.copy(home / name / plan, home / "miner")
    shutil.copy(home / name / sent, home / "miner" / "inbox")


def mine(home: Path) -> None:
    """The miner: a report on the plans, a table with error bars, a network, and rows drawn from it."""
    plans, files = [f"{name}.plan.yaml" for name in PARTIES], [f"inbox/{name}.parquet" for name in PARTIES]
    tell("\nThe miner has three plans and three randomised files. What do the plans promise together?")
    understudy(home, "randomize", "report", *plans)
    tell("\nHow do visits, which the hospital knows, go with spending, which the insurer knows?")
    understudy(home, "randomize", "estimate", *files, "--marginal", ",".join(QUESTION))
    tell("\nOne network of all columns, and rows that look like the three tables joined.")
    understudy(home, "randomize", "learn", *files, "--out", "study")
    understudy(home, "sample", "study/model.understudy", "-n", "10000", "-o", "joint.csv")
    understudy(home, "query", "study/model.understudy", "medical_spending | doctor_visits=0")


def compare(home: Path) -> None:
    """What pooled columns would have said: only a demo can."""
    import pandas as pd

    tables = [pd.read_csv(home / name / f"{name}.csv") for name in PARTIES]
    pooled = tables[0].merge(tables[1], on="person_id").merge(tables[2], on="person_id")
    visits, spending = pooled["doctor_visits"] == 0, pooled["medical_spending"] == 0
    model = us.load(home / "miner" / "study" / "model.understudy")
    answer = model.query("medical_spending | doctor_visits=0")
    found = dict(zip(answer.labels[0], answer.probabilities, strict=True))
    tell(
        f"\nOf people without a visit, {spending[visits].mean():.0%} truly spent nothing; the miner says "
        f"{found['0']:.0%}, and never saw a true value. Of all people it is {spending.mean():.0%}."
    )
    tell(f"Read {home / 'miner' / 'study'}: README.md first, then PRIVACY.md; network.svg is the picture.")


def understudy(folder: Path, *words: str, show: bool = True) -> str:
    """One command in a process of its own, in one party's folder, told as that party would type it."""
    tell(f"{folder.name}$ understudy {shlex.join(words)}")
    command = [sys.executable, "-m", "understudy", *words]
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.returncode)
    if show:
        tell("".join(f"  {line}\n" for line in done.stdout.splitlines() if line.strip()), end="")
    return done.stdout


def tell(text: str, end: str = "\n") -> None:
    """On the screen, in order with what the commands print."""
    sys.stdout.write(text + end)
    sys.stdout.flush()


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:2]))
