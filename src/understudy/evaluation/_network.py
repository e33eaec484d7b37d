"""How much of what a network says of the real table is still there in the synthetic one. Private to the holder."""

from __future__ import annotations

from collections.abc import Sequence
from math import log2

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from understudy._core.errors import OptionError
from understudy.counting import Counts
from understudy.evaluation._counts import sparse_counts
from understudy.evaluation._interval import mean_interval
from understudy.evaluation._measure import NETWORK_GROUP, Direction, MeasureInput, Need
from understudy.evaluation._pair import Pair, Progress
from understudy.evaluation._reference import References
from understudy.evaluation._result import MeasureResult
from understudy.models import HasNetwork, Network
from understudy.schema import Attribute, Axis, Domain, Recoding
from understudy.tables import Table, code_type

Floats = npt.NDArray[np.float64]


def measure_network(
    pair: Pair,
    references: References,
    network: Network,
    *,
    recoding: Recoding | None = None,
    progress: Progress | None = None,
) -> MeasureResult:
    """The sum of the mutual information I(X; parents) over a network's nodes, in bits: how PrivBayes rates a network.

    The value is the synthetic table's sum, `real` in the details the real one's. The real sum is what the network could
    catch; the closer the synthetic sum, the better. Small samples show more of it than there is, so a fresh
    sample may lie above the real sum. Rows with a cell that the schema has no code for are left out.

    Args:
        pair: the real table and the synthetic ones.
        references: the fresh sample and the independent columns to hold it against.
        network: over the schema's domain, or over the target of `recoding`.
        recoding: the map from the schema's domain to the network's, such as `NetworkModel.recoding`.
        progress: called with what is being done, how much of it is done, and how much there is.

    >>> from understudy.evaluation import make_references, read_pair
    >>> from understudy.models import Node
    >>> from understudy.schema import Schema
    >>> schema = Schema.from_dict({"fields": [{"name": n, "categories": ["x", "y"]} for n in "ab"]})
    >>> real, fake = pa.table({"a": list("xxyy"), "b": list("xxyy")}), pa.table({"a": list("xyxy"), "b": list("xxyy")})
    >>> pair = read_pair(real, fake, schema)
    >>> found = measure_network(pair, make_references(pair), Network(schema.domain, (Node(0), Node(1, (Axis(0),)))))
    >>> found.value, found.details["real"].to_pylist()
    (0.0, [1.0, 0.0])
    """
    if _shape(network.domain) != _shape(recoding.target if recoding else pair.schema.domain):
        raise OptionError("the network is over other attributes than the schema. Give the recoding of its model.")
    tables = [pair.real, *pair.synthetic, references.fresh_sample, references.independent_columns]
    inside = [_inside(table, pair.schema.domain) for table in tables]
    lost = sum(table.n for table in tables[:-2]) - sum(table.n for table in inside[:-2])
    coded = [_recoded(table, network.domain, recoding) for table in inside]
    information = np.zeros((len(tables), len(network.nodes)))
    for i, node in enumerate(network.nodes):
        if progress is not None:
            progress("reading the network", i, len(network.nodes))
        if node.parents:
            information[:, i] = _information(coded, node.parents, node.child)
    return _result(network, information, lost)


class NetworkInformation:
    """How much of what the network knows is in the table."""

    name = "network information"
    group = NETWORK_GROUP
    direction: Direction = "nearer"
    synonym = None
    needs: frozenset[Need] = frozenset({"network"})

    def compute(self, given: MeasureInput) -> Sequence[MeasureResult]:
        """What it finds."""
        if not isinstance(given.model, HasNetwork):
            return []
        network, recoding = given.model.network, given.model.recoding
        return [measure_network(given.pair, given.references, network, recoding=recoding, progress=given.progress)]


NETWORK_INFORMATION = NetworkInformation()


def _shape(domain: Domain) -> list[tuple[str, int]]:
    return [(attribute.name, attribute.size) for attribute in domain]


def _inside(table: Table, domain: Domain) -> Table:
    """The rows whose every cell has a code in the schema."""
    if all(mine.size == theirs.size for mine, theirs in zip(table.domain, domain, strict=True)):
        return table
    kept = np.ones(table.n, dtype=bool)
    for column, attribute in zip(table.columns, domain, strict=True):
        kept &= column < attribute.size
    return Table(domain, tuple(column[kept] for column in table.columns))


def _recoded(table: Table, domain: Domain, recoding: Recoding | None) -> Table:
    return table if recoding is None else Table(domain, tuple(recoding.encode(table.columns)))


def _information(tables: Sequence[Table], parents: tuple[Axis, ...], child: int) -> list[float]:
    """I(child; parents) of each table, in bits."""
    # By keys, not by setting out all cells: families can be wide.
    seen = [_generalised(table, (*parents, Axis(child))) for table in tables]
    places = tuple(range(len(parents)))
    joint = sparse_counts(seen, (*places, len(parents)))
    above, below = sparse_counts(seen, places), sparse_counts(seen, (len(parents),))
    return [
        max(0.0, _entropy(a) + _entropy(b) - _entropy(both)) for a, b, both in zip(above, below, joint, strict=True)
    ]


def _generalised(table: Table, axes: tuple[Axis, ...]) -> Table:
    """Only these columns, each at its level."""
    attributes, columns = [], []
    for axis in axes:
        attribute, codes = table.domain[axis.attribute], table.columns[axis.attribute]
        size = attribute.size_at(axis.level)
        attributes.append(Attribute(name=attribute.name, size=size))
        columns.append(attribute.groups_at(axis.level).astype(code_type(size))[codes] if axis.level else codes)
    return Table(Domain(tuple(attributes)), tuple(columns))


def _entropy(counts: Counts) -> float:
    """In bits; 0 for a table without rows."""
    some = counts[counts > 0].astype(np.float64)
    n = float(some.sum())
    return log2(n) - float(some @ np.log2(some)) / n if n else 0.0


def _result(network: Network, information: Floats, lost: int) -> MeasureResult:
    real, synthetic = information[0], information[1:-2].mean(axis=0)
    sums = information.sum(axis=1)
    total, value = float(sums[0]), float(sums[1:-2].mean())
    order = np.argsort(-np.abs(real - synthetic), kind="stable")
    names = [network.domain[node.child].name for node in network.nodes]
    parents = [", ".join(network.domain[axis.attribute].name for axis in node.parents) for node in network.nodes]
    worst = int(order[0])
    family = (names[worst], *(network.domain[axis.attribute].name for axis in network.nodes[worst].parents))
    return MeasureResult(
        NETWORK_INFORMATION,
        "network information",
        "Is what the network knows still in the table?",
        definition="sum of the mutual information between each column and its parents, in bits",
        value=value,
        fresh_sample=float(sums[-2]),
        independent_columns=float(sums[-1]),
        score=1.0 if total == value else max(0.0, 1.0 - abs(total - value) / max(total, value)),
        scope=f"all {len(network.nodes)} nodes" + (f"; {lost:,} rows outside the schema left out" if lost else ""),
        worst=(family, float(abs(real - synthetic)[worst])),
        interval=mean_interval(sums[1:-2].tolist()),
        details=pa.table(
            {
                "column": [names[i] for i in order],
                "parents": [parents[i] for i in order],
                "real": real[order],
                "synthetic": synthetic[order],
                "fresh_sample": information[-2][order],
                "independent_columns": information[-1][order],
            }
        ),
        unit="number",
        verdict=_verdict(total, value, float(sums[-2]), float(sums[-1])),
    )


def _verdict(real: float, value: float, fresh: float, independent: float) -> str:
    if real == 0:
        return "The network links no columns, or links that tell nothing of the real table."
    carried = f"The network's links carry {value:.2f} bits in the synthetic table and {real:.2f} in the real one"
    beside = f"A fresh sample of as many rows would show {fresh:.2f}, independent columns {independent:.2f}."
    if value > real:
        return (
            f"{carried}: all of it, and {value - real:.2f} bits that are not there. Chance and noise look like ties "
            f"between columns too, so more than the real ones is no better. {beside}"
        )
    return f"{carried}: {100 * value / real:.0f} %. {beside}"
