"""A junction tree as parts of a file, and back: cliques with beliefs, merged values, and what was measured."""

from __future__ import annotations

from understudy.models._merged_parts import MergedPlan, merged_to_parts, name
from understudy.models._protocol import Parts, PartsReader
from understudy.models._reading import read_items, read_probabilities, read_rows, read_whole
from understudy.models._tree_model import TreeModel
from understudy.models._tree_values import CliqueTree, check_shape
from understudy.schema import Domain


def tree_to_parts(model: TreeModel) -> Parts:
    """All parts of a junction tree."""
    tree = model.tree
    said, arrays = merged_to_parts(model.within, model.measurements)
    beliefs = {name("belief", c): belief for c, belief in enumerate(tree.beliefs)}
    document = {
        "n": model.n,
        "cliques": [list(clique) for clique in tree.cliques],
        "parents": [parent + 1 for parent in tree.parents],
        **said,
    }
    return Parts(document, {**beliefs, **arrays})


def tree_from_parts(parts: PartsReader, domain: Domain) -> TreeModel:
    """The junction tree again. All that is said of its shape is checked before the first table is unpacked."""
    document = parts.document
    cliques = [tuple(map(read_whole, read_items(clique))) for clique in read_items(document["cliques"])]
    # in the file 0 is no parent, and 1 the first clique
    parents = [read_whole(parent) - 1 for parent in read_items(document["parents"])]
    plan = MergedPlan.of(document, domain)
    if parts.names != plan.names | {name("belief", c) for c in range(len(cliques))}:
        raise ValueError("tables that are missing, or that nothing refers to")
    sizes = plan.sizes
    check_shape(sizes, cliques, parents)
    beliefs = [
        read_probabilities(parts, name("belief", c), tuple(sizes[a] for a in clique))
        for c, clique in enumerate(cliques)
    ]
    tree = CliqueTree(sizes, tuple(cliques), tuple(parents), tuple(beliefs))
    n, within, measurements = read_rows(document["n"]), plan.within(parts), plan.measurements(parts)
    return TreeModel(domain, n, tree=tree, within=within, measurements=measurements)
