"""Networks for other tools: BIF files, networkx graphs, pgmpy models.

None of these formats knows levels of generalisation. So an attribute that some child sees in coarser groups gets a
helper node, `age@1` for level 1 of age, that is a plain function of it, and the child depends on the helper.

A model under a binary or Gray encoding is exported as it is: a network over bits. `age:0` is the highest bit of the
code of age, or of its Gray code.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, TypeAlias

import numpy as np

from understudy._core.errors import UserError
from understudy.models._inference import Floats
from understudy.models._protocol import HasNetwork
from understudy.schema import Axis, regroup

Labels: TypeAlias = Sequence[Sequence[str]]
_SPELT_OUT = (  # signs that make a label what it is, and that BIF has no place for
    (r"[\[(](-?[\w.]+), (-?[\w.]+)[\])]", r"\1_to_\2"),
    (r"(?<=\w)\s*[–—]\s*(?=[\w\-])", "_to_"),
    (r"[–—−]", "-"),
    (r"<=|≤", "le_"),
    (r">=|≥", "ge_"),
    (r"<", "lt_"),
    (r">", "gt_"),
)


@dataclass(frozen=True, eq=False, kw_only=True)
class PlainNode:
    """A node of a network without levels: `table` has one axis per parent, then one for the node's own states."""

    name: str
    states: tuple[str, ...]
    parents: tuple[str, ...]
    table: Floats
    attribute: int
    level: int


def plain_nodes(model: HasNetwork, labels: Labels | None = None) -> list[PlainNode]:
    """The model as nodes without levels, parents first. `labels` has one label per leaf code, one list per attribute.

    >>> from understudy.models import Network, NetworkModel, Node
    >>> from understudy.schema import Attribute, Domain, Level, recode
    >>> age = Attribute(name="age", size=3, coarser=(Level(groups=(0, 0, 1)),))
    >>> domain = Domain((age, Attribute(name="sex", size=2)))
    >>> network = Network(domain, (Node(0), Node(1, (Axis(0, 1),))))
    >>> model = NetworkModel(network, ([0.5, 0.25, 0.25], [[0.5, 0.5], [1, 0]]), recode(domain, "hierarchical"), (), 1)
    >>> [(node.name, node.parents) for node in plain_nodes(model)]
    [('age', ()), ('age@1', ('age',)), ('sex', ('age@1',))]
    """
    network, domain = model.network, model.network.domain
    states = _states(model, labels)
    taken = {attribute.name for attribute in domain}
    names: dict[Axis, str] = {}
    used = sorted({axis for node in network.nodes for axis in node.parents if axis.level})
    nodes: list[PlainNode] = []
    for node, table in zip(network.nodes, model.conditionals, strict=True):
        leaf = Axis(node.child)
        names[leaf] = domain[node.child].name
        parents = tuple(names[axis] for axis in node.parents)
        nodes.append(_plain(names[leaf], states[node.child], parents, table, leaf))
        finer = leaf
        for axis in (axis for axis in used if axis.attribute == node.child):
            names[axis] = _free(f"{names[leaf]}@{axis.level}", taken)
            groups = domain[node.child].groups_at(axis.level)
            grouped = _group_states(states[node.child], groups)
            indicator = np.eye(len(grouped))[regroup(domain, finer, axis)]
            nodes.append(_plain(names[axis], grouped, (names[finer],), indicator, axis))
            finer = axis
    return nodes


def _plain(name: str, states: tuple[str, ...], parents: tuple[str, ...], table: Floats, axis: Axis) -> PlainNode:
    return PlainNode(name=name, states=states, parents=parents, table=table, attribute=axis.attribute, level=axis.level)


def _states(model: HasNetwork, labels: Labels | None) -> list[tuple[str, ...]]:
    """State names of each attribute of the network: labels where it has a table's own codes, else numbers."""
    result = [tuple(str(code) for code in range(attribute.size)) for attribute in model.network.domain]
    if labels is None:
        return result
    recoding = model.recoding
    for attribute, pieces, given, back in zip(recoding.source, recoding.pieces, labels, recoding.back, strict=True):
        if len(given) != attribute.size:
            raise UserError(f"attribute '{attribute.name}' has {attribute.size} codes, but {len(given)} labels.")
        if len(pieces) == 1:
            result[pieces[0]] = _distinct(str(given[code]) for code in back)
    return result


def _group_states(states: tuple[str, ...], groups: np.ndarray[Any, np.dtype[np.int64]]) -> tuple[str, ...]:
    result = []
    for group in range(int(groups.max()) + 1):
        members = np.flatnonzero(groups == group)
        first, last = states[members[0]], states[members[-1]]
        result.append(first if len(members) == 1 else f"{first}..{last}")
    return _distinct(result)


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    taken.add(name)
    return name


def _distinct(names: Iterable[str], *, fold: bool = False) -> tuple[str, ...]:
    """The names with numbers added where two are the same (ignoring case if `fold`)."""
    taken: set[str] = set()
    result = []
    for name in names:
        candidate, number = name, 2
        while (candidate.lower() if fold else candidate) in taken:
            candidate, number = f"{name}_{number}", number + 1
        taken.add(candidate.lower() if fold else candidate)
        result.append(candidate)
    return tuple(result)


def bif_word(text: str, *, variable: bool) -> str:
    """The text as a word that every reader of BIF takes: ASCII letters, digits, `_`, and in states also `-` and `.`.

    >>> [bif_word(text, variable=False) for text in ("0–7", "(0.5, 1]", "<=2", "café", "1–2..3–4")]
    ['0_to_7', '0.5_to_1', 'le_2', 'cafe', '1_to_2..3_to_4']
    """
    for pattern, plain in () if variable else _SPELT_OUT:
        text = re.sub(pattern, plain, text)
    # accents are dropped, letters without a plain form are not: two texts of one length keep it
    plain = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    word = re.sub(r"[^A-Za-z0-9_]" if variable else r"[^A-Za-z0-9_.\-]", "_", plain) or "_"
    return f"_{word}" if variable and word[0].isdigit() else word


def to_bif(
    model: HasNetwork, labels: Labels | None = None, *, name: str = "understudy", remarks: Sequence[str] = ()
) -> str:
    """The model in the Bayesian Interchange Format, for bnlearn, pgmpy, GeNIe and others.

    `remarks` are comments at its head. Names become plain words; comments give the original where that changed it.
    Generalised parents become helper nodes (`age_1` is level 1 of age). A binary or Gray model is a network over bits.

    >>> from understudy.models import Network, NetworkModel, Node
    >>> from understudy.schema import Attribute, Domain, recode
    >>> domain = Domain((Attribute(name="a", size=2),))
    >>> model = NetworkModel(Network(domain, (Node(0),)), ([0.5, 0.5],), recode(domain, "vanilla"), (), 1)
    >>> print(to_bif(model, [["no", "yes"]]))
    network understudy {
    }
    variable a {
      type discrete [ 2 ] { no, yes };
    }
    probability ( a ) {
      table 0.5, 0.5;
    }
    <BLANKLINE>
    """
    nodes = plain_nodes(model, labels)
    # readers fold case (pgmpy) or not (bnlearn): names that differ in more than case suit both
    words = dict(
        zip(
            (node.name for node in nodes),
            _distinct((bif_word(node.name, variable=True) for node in nodes), fold=True),
            strict=True,
        )
    )
    states = {node.name: _distinct(bif_word(state, variable=False) for state in node.states) for node in nodes}
    lines = [f"// {_one_line(remark)}" for remark in remarks]
    for node in nodes:
        if words[node.name] != node.name:
            lines.append(f"// {words[node.name]}: {_one_line(node.name)}")
        lines += [
            f"// {words[node.name]} = {word}: {_one_line(state)}"
            for word, state in zip(states[node.name], node.states, strict=True)
            if word != state
        ]
    lines += [f"network {bif_word(name, variable=True)} {{", "}"]
    for node in nodes:
        listed = ", ".join(states[node.name])
        lines += [f"variable {words[node.name]} {{", f"  type discrete [ {len(node.states)} ] {{ {listed} }};", "}"]
    for node in nodes:
        lines += _bif_table(node, words[node.name], [words[p] for p in node.parents], [states[p] for p in node.parents])
    return "\n".join(lines) + "\n"


def _bif_table(node: PlainNode, word: str, parents: Sequence[str], states: Sequence[Sequence[str]]) -> list[str]:
    if not parents:
        return [f"probability ( {word} ) {{", f"  table {_numbers(node.table)};", "}"]
    lines = [f"probability ( {word} | {', '.join(parents)} ) {{"]
    for cell in np.ndindex(*node.table.shape[:-1]):
        given = ", ".join(names[code] for names, code in zip(states, cell, strict=True))
        lines.append(f"  ({given}) {_numbers(node.table[cell])};")
    return [*lines, "}"]


def _numbers(row: Floats) -> str:
    return ", ".join(repr(float(p)) for p in row)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def to_networkx(model: HasNetwork, labels: Labels | None = None) -> Any:
    """The model as a `networkx.DiGraph`.

    Nodes carry `size`, `states`, `table` (one axis per parent, in the order of `parents`, then the node), `parents`,
    `attribute` and `level`; helper nodes for generalised parents have a level above 0.

    >>> from understudy.models import Network, NetworkModel, Node
    >>> from understudy.schema import Attribute, Domain, recode
    >>> domain = Domain((Attribute(name="a", size=2), Attribute(name="b", size=2)))
    >>> network = Network(domain, (Node(0), Node(1, (Axis(0),))))
    >>> model = NetworkModel(network, ([0.5, 0.5], [[1, 0], [0, 1]]), recode(domain, "vanilla"), (), 1)
    >>> list(to_networkx(model).edges)
    [('a', 'b')]
    """
    try:
        import networkx
    except ImportError:
        raise UserError("networkx is not installed. Run: pip install 'understudy[networkx]'.") from None
    graph = networkx.DiGraph()
    for node in plain_nodes(model, labels):
        graph.add_node(
            node.name,
            size=len(node.states),
            states=node.states,
            parents=node.parents,
            table=node.table,
            attribute=node.attribute,
            level=node.level,
        )
        graph.add_edges_from((parent, node.name) for parent in node.parents)
    return graph


def to_pgmpy(model: HasNetwork, labels: Labels | None = None) -> Any:
    """The model as a `pgmpy.models.DiscreteBayesianNetwork`, checked by pgmpy itself.

    The same nodes as `to_networkx`, with names and labels as they are.

    >>> to_pgmpy(model, labels).get_cpds("income")  # doctest: +SKIP
    <TabularCPD representing P(income:2 | age@1:4) at 0x7f0c…>
    """
    try:
        from pgmpy.factors.discrete import TabularCPD
        from pgmpy.models import DiscreteBayesianNetwork
    except ImportError:
        raise UserError("pgmpy (1.0 or later) is not installed. Run: pip install 'understudy[pgmpy]'.") from None
    nodes = {node.name: node for node in plain_nodes(model, labels)}
    network = DiscreteBayesianNetwork()
    network.add_nodes_from(nodes)
    for node in nodes.values():
        network.add_edges_from((parent, node.name) for parent in node.parents)
        shape = node.table.shape
        network.add_cpds(
            TabularCPD(
                node.name,
                len(node.states),
                node.table.reshape(prod(shape[:-1]), shape[-1]).T,
                evidence=list(node.parents),
                evidence_card=list(shape[:-1]),
                state_names={name: list(nodes[name].states) for name in (node.name, *node.parents)},
            )
        )
    network.check_model()
    return network
