"""Kinds of case: plan files of parties, and what a plan is made from."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from tests.fuzz.mutations import TOKENS, odd_value, spoil_text, spoil_value
from understudy.randomize import Plan, plan, read_block, report
from understudy.schema import Schema

FIELDS = (("smoker", ("no", "yes")), ("ill", ("a", "b", "c")), ("region", ("N", "E", "S", "W")), ("one", ("x",)))
ASKED = (
    "epsilon=0.7",
    "gamma=3",
    "p=0.1",
    "p=0.1/0.25",
    "groups=a b|c; p=0.2",
    "invariant=0.8",
    "invariant=0.8; distribution=0.2 0.3 0.5",
    "matrix=0.9 0.1|0.3 0.7",
    "matrix=in/m.csv",
    "none",
)


@cache
def _schema() -> Schema:
    return Schema.from_dict({"name": "party", "fields": [{"name": n, "categories": list(c)} for n, c in FIELDS]})


@cache
def _plan() -> Plan:
    return plan(_schema(), epsilon=9, blocks={"ill": "p=0.1/0.2", "smoker": "p=0.1"}, public=["region"])


def make_plan(rng: Random) -> Any:
    """A plan's file as text, or what a plan is asked for."""
    choice = rng.randrange(4)
    if choice == 0:
        return {"text": spoil_text(rng, _plan().to_yaml())}
    if choice == 1:
        return {"text": json.dumps(spoil_value(rng, json.loads(json.dumps(_plan().to_dict()))))}
    names = [name for name, _ in FIELDS]
    blocks = []
    for _ in range(rng.choice((0, 1, 1, 2))):
        how = rng.choice(ASKED)
        columns = ",".join(rng.sample(names, rng.choice((1, 1, 2))))
        blocks.append(f"{columns}: {spoil_text(rng, how) if rng.random() < 0.3 else how}")
    options: dict[str, Any] = {rng.choice(("epsilon", "gamma", "p")): rng.choice(("1.1", 3, "0.1", odd_value(rng)))}
    if rng.random() < 0.3:
        options[rng.choice(("public", "columns", "party", "max_cells", "epsilon"))] = rng.choice(
            (rng.sample(names, 2), rng.choice(TOKENS), odd_value(rng))
        )
    return {"blocks": blocks, "options": options, "matrix": spoil_text(rng, "a,b\n0.9,0.1\n0.2,0.8\n")}


def run_plan(given: Any, folder: Path) -> None:
    """Read or make the plan, report on it, and read back what it writes."""
    if "text" in given:
        path = folder / "in" / "p.plan.yaml"
        path.write_bytes(given["text"].encode("utf-8", "surrogatepass"))
        made = Plan.load(path)
    else:
        (folder / "in" / "m.csv").write_bytes(given["matrix"].encode("utf-8", "surrogatepass"))
        asked = [text.replace("in/m.csv", str(folder / "in" / "m.csv")) for text in given["blocks"]]
        made = plan(_schema(), blocks=dict(read_block(text, _schema().names) for text in asked), **given["options"])
    json.dumps(report(made).to_dict(), allow_nan=False)
    made.save(folder / "out" / "again.yaml")
    assert Plan.load(folder / "out" / "again.yaml").fingerprint == made.fingerprint, "it reads back as another plan"
