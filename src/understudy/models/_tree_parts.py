"""A junction tree as parts of a file, and back: cliques with beliefs, merged values, and what was measured."""

from __future__ import annotations

from math import isfinite, prod
from typing import Any

import numpy as np

from understudy.models._inference import MAX_CELLS
from understudy.models._protocol import Array, Parts, PartsReader
from understudy.models._reading import MAX_AXES, MAX_COUNT, read_items, read_probabilities, read_whole
from understudy.models._tree_model import TreeModel
from understudy.models._tree_values import CliqueTree, TreeMeasurement, Within, check_shape
from understudy.schema import Domain


def tree_to_parts(model: TreeModel) -> Parts:
    """All parts of a junction tree."""
    tree = model.tree
    merged = {a: rare for a, rare in enumerate(model.within) if rare is not None}
    arrays: dict[str, Array] = {_name("belief", c): belief for c, belief in enumerate(tree.beliefs)}
    for i, rare in enumerate(merged.values()):
        arrays[_name("merged", i)], arrays[_name("share", i)] = rare.codes, rare.shares
    arrays |= {_name("measured", i): measured.values for i, measured in enumerate(model.measurements)}
    document = {
        "n": model.n,
        "cliques": [list(clique) for clique in tree.cliques],
        "parents": [parent + 1 for parent in tree.parents],
        "merged": [{"attribute": a, "size": rare.size} for a, rare in merged.items()],
        "measurements": [
            {
                "attributes": list(measured.marginal),
                "variance": float(measured.variance),
                "interaction": measured.interaction,
            }
            for measured in model.measurements
        ],
    }
    return Parts(document, arrays)


def tree_from_parts(parts: PartsReader, domain: Domain) -> TreeModel:
    """The junction tree again. All that is said of its shape is checked before the first table is unpacked."""
    document = parts.document
    cliques = [tuple(map(read_whole, read_items(clique))) for clique in read_items(document["cliques"])]
    # in the file 0 is no parent, and 1 the first clique
    parents = [read_whole(parent) - 1 for parent in read_items(document["parents"])]
    merged, measured = read_items(document["merged"]), read_items(document["measurements"])
    expected = {_name("belief", c) for c in range(len(cliques))}
    expected |= {_name(word, i) for i in range(len(merged)) for word in ("merged", "share")}
    expected |= {_name("measured", i) for i in range(len(measured))}
    if parts.names != expected:
        raise ValueError("tables that are missing, or that nothing refers to")
    sizes = [attribute.size for attribute in domain]
    holders = [_read_attribute(item["attribute"], domain) for item in merged]
    if len(set(holders)) != len(holders):
        raise ValueError("an attribute whose values are merged twice")
    for a, item in zip(holders, merged, strict=True):
        sizes[a] = read_whole(item["size"])
    check_shape(sizes, cliques, parents)
    plans = [_read_plan(item, domain, sizes) for item in measured]
    beliefs = [
        read_probabilities(parts, _name("belief", c), tuple(sizes[a] for a in clique))
        for c, clique in enumerate(cliques)
    ]
    tree = CliqueTree(tuple(sizes), tuple(cliques), tuple(parents), tuple(beliefs))
    within: list[Within | None] = [None] * len(domain)
    for i, a in enumerate(holders):
        codes = parts.array(_name("merged", i), np.int64, (domain[a].size,))
        within[a] = Within(codes, read_probabilities(parts, _name("share", i), (domain[a].size,)))
    measurements = [_measurement(parts, i, plan, sizes) for i, plan in enumerate(plans)]
    return TreeModel(domain, read_whole(document["n"]), tree=tree, within=within, measurements=measurements)


def _read_attribute(value: Any, domain: Domain) -> int:
    attribute = read_whole(value)
    if attribute >= len(domain):
        raise ValueError("an attribute that is not there")
    return attribute


def _read_plan(item: Any, domain: Domain, sizes: list[int]) -> tuple[tuple[int, ...], float, bool]:
    """What is said of a measured table, before its values are unpacked."""
    attributes = tuple(_read_attribute(a, domain) for a in read_items(item["attributes"]))
    variance, interaction = item["variance"], item["interaction"]
    if len(attributes) >= MAX_AXES or prod(sizes[a] for a in attributes) > MAX_CELLS:
        raise ValueError("a measured table larger than any is")
    if not isinstance(variance, float) or not isfinite(variance) or not isinstance(interaction, bool):
        raise TypeError("a measured table without its noise")
    return attributes, variance, interaction


def _measurement(
    parts: PartsReader, index: int, plan: tuple[tuple[int, ...], float, bool], sizes: list[int]
) -> TreeMeasurement:
    attributes, variance, interaction = plan
    values = parts.array(_name("measured", index), np.float64, tuple(sizes[a] for a in attributes))
    if not np.isfinite(values).all() or np.abs(values).max(initial=0.0) > MAX_COUNT:
        raise ValueError("a measured value too large to be one")
    return TreeMeasurement(marginal=attributes, values=values, variance=variance, interaction=interaction)


def _name(word: str, index: int) -> str:
    return f"{word}-{index:05d}"
