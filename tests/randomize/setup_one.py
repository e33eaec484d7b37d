"""A network like the paper's, split over three parties, and rows drawn from it: what tests of Setup I share."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from understudy._core.randomness import Rng, Streams

PARENTS: dict[str, tuple[str, ...]] = {
    "asia": (),
    "smoke": (),
    "tub": ("asia",),
    "lung": ("smoke",),
    "bronc": ("smoke",),
    "either": ("tub", "lung"),
    "xray": ("either",),
    "dysp": ("either", "bronc"),
}
HOLDERS: dict[str, tuple[str, ...]] = {
    "travel": ("asia", "tub"),
    "clinic": ("smoke", "lung", "bronc"),
    "imaging": ("either", "xray", "dysp"),
}
LABELS = dict.fromkeys(PARENTS, ("no", "yes")) | {"bronc": ("none", "mild", "severe")}


def schema_of(party: str) -> dict[str, Any]:
    """A party's schema."""
    fields = [{"name": name, "categories": list(LABELS[name])} for name in HOLDERS[party]]
    return {"name": party, "fields": fields}


def conditionals() -> dict[str, np.ndarray]:
    """Probabilities that no value makes certain or next to impossible."""
    rng = Streams(11).get("conditionals")
    found = {}
    for name, parents in PARENTS.items():
        shape = tuple(len(LABELS[parent]) for parent in parents)
        table = np.empty((*shape, len(LABELS[name])))
        for cell in product(*map(range, shape)):
            table[cell] = 0.12 + rng.dirichlet(np.ones(len(LABELS[name]))) * (1 - 0.12 * len(LABELS[name]))
        found[name] = table
    return found


def rows(n: int, rng: Rng) -> dict[str, np.ndarray]:
    """Codes drawn from the network."""
    tables, codes = conditionals(), {}
    for name, parents in PARENTS.items():
        table = tables[name][tuple(codes[parent] for parent in parents)]
        table = np.broadcast_to(table, (n, len(LABELS[name])))
        codes[name] = (rng.random(n)[:, None] > table.cumsum(axis=1)[:, :-1]).sum(axis=1)
    return codes


def bif() -> str:
    """The links as a BIF file, without probabilities."""
    lines = ["network asia { }"]
    for name, labels in LABELS.items():
        lines.append(f"variable {name} {{ type discrete [ {len(labels)} ] {{ {', '.join(labels)} }}; }}")
    for name, parents in PARENTS.items():
        given = f" | {', '.join(parents)}" if parents else ""
        lines.append(f"probability ( {name}{given} ) {{ }}")
    return "\n".join(lines) + "\n"
