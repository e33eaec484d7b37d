"""A network model as parts of a file, and back: structure, conditionals, and noisy counts with their noise level."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, TypedDict

import numpy as np

from understudy._core.errors import InternalError
from understudy.models._network_model import NetworkModel
from understudy.models._protocol import Array, Parts, PartsReader
from understudy.models._reading import (
    MAX_COUNT,
    plain_axes,
    read_axes,
    read_fraction,
    read_items,
    read_probabilities,
    read_whole,
)
from understudy.models._structure import Network, Node
from understudy.privacy import Measurement, NoiseLevel
from understudy.schema import Domain, Encoding, Marginal, Recoding, recode

_ENCODINGS: tuple[Encoding, ...] = ("hierarchical", "vanilla", "binary", "gray")
_LEAST_FACTOR = Fraction(1, 10**9)
# Where draws still fit a 64-bit integer: the scale b of Laplace noise, the variance of Gaussian.
_MAX_SCALES = {"laplace": Fraction(10**15)} | dict.fromkeys(("gaussian", "knorm", "balanced"), Fraction(10**30))


def network_to_parts(model: NetworkModel) -> Parts:
    """All parts of a network model."""
    arrays: dict[str, Array] = {_table(i): table for i, table in enumerate(model.conditionals)}
    arrays |= {_count(i): measurement.counts for i, measurement in enumerate(model.measurements)}
    arrays |= {_error(i): spread for i, spread in enumerate(model.spreads)}
    document = {
        **({"errors": True} if model.spreads else {}),
        "encoding": _encoding_of(model.recoding),
        "n": model.n,
        "nodes": [{"child": node.child, "parents": plain_axes(node.parents)} for node in model.network.nodes],
        "measurements": [
            {
                "axes": plain_axes(measurement.marginal.axes),
                "noise": measurement.noise.kind,
                "scale": str(measurement.noise.scale),
                **({"shape": str(measurement.noise.shape)} if measurement.noise.shape else {}),
                **({"factors": _plain_factors(measurement)} if measurement.factors else {}),
            }
            for measurement in model.measurements
        ],
    }
    return Parts(document, arrays)


def network_from_parts(parts: PartsReader, domain: Domain) -> NetworkModel:
    """The network model again. The structure is checked whole before the first table is unpacked."""
    document = parts.document
    if document["encoding"] not in _ENCODINGS:
        raise ValueError("an unknown encoding")
    listed, measured = read_items(document["nodes"]), read_items(document["measurements"])
    expected = {_table(i) for i in range(len(listed))} | {_count(i) for i in range(len(measured))}
    if document.get("errors"):
        expected |= {_error(i) for i in range(len(listed))}
    if parts.names != expected:
        raise ValueError("tables that are missing, or that nothing refers to")
    recoding = recode(domain, document["encoding"])
    target = recoding.target
    nodes = tuple(Node(read_whole(item["child"]), read_axes(item["parents"])) for item in listed)
    network = Network(target, nodes)
    plans = [_read_plan(item, target) for item in measured]
    if plans:
        _check_measured(nodes, [plan["marginal"] for plan in plans])
    conditionals = [read_probabilities(parts, _table(i), network.shape(node)) for i, node in enumerate(nodes)]
    measurements = [_measurement(parts, i, plan, target) for i, plan in enumerate(plans)]
    with_errors = enumerate(nodes) if document.get("errors") else ()
    spreads = [read_probabilities(parts, _error(i), network.shape(node)) for i, node in with_errors]
    return NetworkModel(network, conditionals, recoding, measurements, read_whole(document["n"]), spreads=spreads)


def _check_measured(nodes: Sequence[Node], marginals: Sequence[Marginal]) -> None:
    """Every family must be part of some measured table."""
    holding: dict[int, list[Marginal]] = {}
    for marginal in marginals:
        for attribute in marginal.attributes:
            holding.setdefault(attribute, []).append(marginal)
    for node in nodes:
        if not any(marginal.refines(node.marginal) for marginal in holding.get(node.child, ())):
            raise ValueError("a family that no measured table holds")


class _Plan(TypedDict):
    """What is said of a measured table, before its counts are unpacked."""

    marginal: Marginal
    noise: NoiseLevel
    factors: tuple[tuple[Fraction, ...], ...]


def _read_plan(item: Any, domain: Domain) -> _Plan:
    marginal = Marginal(read_axes(item["axes"]))
    for axis in marginal.axes:
        if axis.attribute >= len(domain) or axis.level >= domain[axis.attribute].n_levels:
            raise ValueError("a count table over an attribute or level that is not there")
    kind, scale = item["noise"], read_fraction(item["scale"])
    if kind != "none" and not 1 / _MAX_SCALES[kind] < scale < _MAX_SCALES[kind]:
        raise ValueError("noise that no count could carry")
    shape = read_fraction(item["shape"]) if "shape" in item else Fraction(0)
    if not 0 <= shape <= 1:
        raise ValueError("noise larger on average than its spread")
    factors = _factors(item["factors"], marginal.shape(domain)) if "factors" in item else ()
    return {"marginal": marginal, "noise": NoiseLevel(kind=kind, scale=scale, shape=shape), "factors": factors}


def _measurement(parts: PartsReader, index: int, plan: _Plan, domain: Domain) -> Measurement:
    counts = parts.array(_count(index), np.int64, plan["marginal"].shape(domain))
    if counts.size and max(abs(int(counts.min())), abs(int(counts.max()))) > MAX_COUNT:
        raise ValueError("a count too large to be one")
    return Measurement(counts=counts, **plan)


def _plain_factors(measurement: Measurement) -> list[list[str]]:
    return [[str(factor) for factor in along] for along in measurement.factors]


def _factors(value: Any, shape: Sequence[int]) -> tuple[tuple[Fraction, ...], ...]:
    factors = tuple(tuple(read_fraction(factor) for factor in read_items(along)) for along in read_items(value))
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
    return f"table-{index:05d}"


def _count(index: int) -> str:
    return f"count-{index:05d}"


def _error(index: int) -> str:
    return f"error-{index:05d}"
