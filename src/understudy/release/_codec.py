"""A published model as an archive, and back. Holds only what was paid for or declared.

The parts are the schema, the structure and the noisy counts with their noise level, the conditionals made from
them, and the statement.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from understudy._core.errors import InternalError, ModelFileError, SchemaError
from understudy.models import Network, NetworkModel, Node
from understudy.privacy import Measurement, NoiseLevel
from understudy.release._archive import Archive, Array
from understudy.release._statement import Statement
from understudy.schema import Axis, Domain, Encoding, Marginal, Recoding, Schema, recode

_ENCODINGS: tuple[Encoding, ...] = ("hierarchical", "vanilla", "binary", "gray")
_MAX_COUNT = 1 << 53
_LEAST_FACTOR = Fraction(1, 10**9)
# Where draws still fit a 64-bit integer: the scale b of Laplace noise, the variance of Gaussian.
_MAX_SCALES = {"laplace": Fraction(10**15), "gaussian": Fraction(10**30)}


def to_archive(schema: Schema, model: NetworkModel, statement: Statement) -> Archive:
    """All parts of the model file."""
    arrays: dict[str, Array] = {_table(i): table for i, table in enumerate(model.conditionals)}
    arrays |= {_count(i): measurement.counts for i, measurement in enumerate(model.measurements)}
    network = {
        "kind": "network",
        "encoding": _encoding_of(model.recoding),
        "n": model.n,
        "nodes": [{"child": node.child, "parents": _plain_axes(node.parents)} for node in model.network.nodes],
        "measurements": [
            {
                "axes": _plain_axes(measurement.marginal.axes),
                "noise": measurement.noise.kind,
                "scale": str(measurement.noise.scale),
                **({"factors": _plain_factors(measurement)} if measurement.factors else {}),
            }
            for measurement in model.measurements
        ],
    }
    documents = {"schema.json": schema.to_dict(), "network.json": network, "statement.json": statement.to_dict()}
    return Archive(documents=documents, arrays=arrays)


def from_archive(archive: Archive) -> tuple[Schema, NetworkModel, Statement]:
    """The model again, every field checked. Raises ModelFileError."""
    statement = Statement.from_dict(archive.document("statement.json"))
    try:
        content = archive.document("schema.json")
        if "resources" in content:
            raise ValueError("a data package where a table schema belongs")
        schema = Schema.from_dict(content)
        model = _read_model(archive, schema.domain)
    except SchemaError as error:
        raise ModelFileError(f"the schema in this model file is not valid: {error}") from error
    except ModelFileError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, ArithmeticError, RecursionError) as error:
        raise ModelFileError(
            f"the network in this model file is not one that understudy writes ({error}). Do not trust it."
        ) from error
    return schema, model, statement


def _read_model(archive: Archive, domain: Domain) -> NetworkModel:
    document = archive.document("network.json")
    if document["kind"] != "network" or document["encoding"] not in _ENCODINGS:
        raise ValueError("unknown kind or encoding")
    recoding = recode(domain, document["encoding"])
    target = recoding.target
    nodes = tuple(Node(_whole(item["child"]), _axes(item["parents"])) for item in _items(document["nodes"]))
    network = Network(target, nodes)
    conditionals = [_conditional(archive, i, network.shape(node)) for i, node in enumerate(nodes)]
    measurements = [_measurement(archive, i, item, target) for i, item in enumerate(_items(document["measurements"]))]
    expected = {_table(i) for i in range(len(nodes))} | {_count(i) for i in range(len(measurements))}
    if set(archive.arrays) != expected:
        raise ValueError("tables that nothing refers to")
    if measurements and not all(_is_measured(node, measurements) for node in nodes):
        raise ValueError("a family that no measured table holds")
    return NetworkModel(network, conditionals, recoding, measurements, _whole(document["n"]))


def _is_measured(node: Node, measurements: Sequence[Measurement]) -> bool:
    family = Marginal((*node.parents, Axis(node.child)))
    return any(measurement.marginal.refines(family) for measurement in measurements)


def _conditional(archive: Archive, index: int, shape: tuple[int, ...]) -> Any:
    table = archive.array(_table(index), np.float64, shape)
    if not np.isfinite(table).all() or table.min(initial=0.0) < 0 or table.max(initial=0.0) > 1 + 1e-6:
        raise ValueError("a table holds numbers that are no probabilities")
    return table


def _measurement(archive: Archive, index: int, item: Any, domain: Domain) -> Measurement:
    marginal = Marginal(_axes(item["axes"]))
    for axis in marginal.axes:
        if axis.attribute >= len(domain) or axis.level >= domain[axis.attribute].n_levels:
            raise ValueError("a count table over an attribute or level that is not there")
    kind, scale = item["noise"], _fraction(item["scale"])
    if kind != "none" and not 1 / _MAX_SCALES[kind] < scale < _MAX_SCALES[kind]:
        raise ValueError("noise that no count could carry")
    counts: Any = archive.array(_count(index), np.int64, marginal.shape(domain))
    if counts.size and max(abs(int(counts.min())), abs(int(counts.max()))) > _MAX_COUNT:
        raise ValueError("a count too large to be one")
    factors = _factors(item["factors"], marginal.shape(domain)) if "factors" in item else ()
    return Measurement(marginal=marginal, counts=counts, noise=NoiseLevel(kind=kind, scale=scale), factors=factors)


def _plain_factors(measurement: Measurement) -> list[list[str]]:
    return [[str(factor) for factor in along] for along in measurement.factors]


def _factors(value: Any, shape: Sequence[int]) -> tuple[tuple[Fraction, ...], ...]:
    factors = tuple(tuple(_fraction(factor) for factor in _items(along)) for along in _items(value))
    if len(factors) != len(shape) or any(
        along and (len(along) != size or not all(_LEAST_FACTOR <= factor <= 1 for factor in along))
        for along, size in zip(factors, shape, strict=False)
    ):
        raise ValueError("factors of noise that do not fit their table")
    return factors


def _encoding_of(recoding: Recoding) -> str:
    for encoding in _ENCODINGS:
        if recode(recoding.source, encoding) == recoding:
            return encoding
    raise InternalError("a model with an encoding of no known kind cannot be saved.")


def _table(index: int) -> str:
    return f"table-{index:05d}.npy"


def _count(index: int) -> str:
    return f"count-{index:05d}.npy"


def _plain_axes(axes: Iterable[Axis]) -> list[list[int]]:
    return [[axis.attribute, axis.level] for axis in axes]


def _axes(value: Any) -> tuple[Axis, ...]:
    return tuple(Axis(_whole(attribute), _whole(level)) for attribute, level in _items(value))


def _items(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError("a list was expected")
    return value


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _MAX_COUNT:
        raise ValueError("a whole number was expected")
    return value


def _fraction(value: Any) -> Fraction:
    above, _, below = str(value).partition("/")
    if not (above.isdecimal() and above.isascii() and (not below or (below.isdecimal() and below.isascii()))):
        raise ValueError("a fraction was expected")
    return Fraction(int(above), int(below or 1))
