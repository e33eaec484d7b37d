"""All marginals at once: after one elimination, a pass back through its buckets.

When a variable is summed out, the rest of the product depends on it only through the message it leaves. So the joint
distribution of a bucket is its table, divided by that message and multiplied by the message's true distribution,
which a bucket eliminated later holds. This is calibration of a junction tree, with the buckets as its cliques.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from understudy.models._inference import Bucket, Factor, Floats, Ints, Problem, gather

# where a variable is read from: another variable, through groups of its codes if any
_Reading = tuple[int, "Ints | None"]


@dataclass(frozen=True, eq=False)
class Beliefs:
    """The joint distribution of every bucket.

    >>> coin = Factor((0,), np.array([0.25, 0.75]))
    >>> copy = Factor((0, 1), np.array([[0.9, 0.1], [0.2, 0.8]]))
    >>> beliefs = Beliefs.of(Problem({0: 2, 1: 2}, (coin, copy)))
    >>> beliefs.marginal((1, 0)).round(3).tolist()
    [[0.225, 0.15], [0.025, 0.6]]
    """

    sizes: Mapping[int, int]
    buckets: Sequence[Bucket]
    joints: Mapping[int, Factor]

    @classmethod
    def of(cls, problem: Problem, *, what: str = "the model") -> Beliefs:
        """Calibrate a problem whose total weight is positive."""
        buckets, _ = problem.buckets(what=what)
        joints: dict[int, Factor] = {}
        beliefs = cls(problem.sizes, buckets, joints)
        for step in range(len(buckets) - 1, -1, -1):
            bucket = buckets[step]
            if bucket.factor is None:
                continue
            message = gather(bucket.factor, bucket.links, problem.sizes)
            truth = beliefs._read(message.variables, step + 1)
            ratio = np.divide(truth, message.values, out=np.zeros(message.values.shape), where=message.values > 0)
            n_others = len(bucket.factor.variables) - 1
            flat = ratio.reshape(*ratio.shape[:n_others], -1)
            code = _code([link.groups for link in bucket.links], ratio.shape[n_others:], bucket.factor.values.shape[-1])
            joints[bucket.variable] = Factor(bucket.factor.variables, bucket.factor.values * flat[..., code])
        return beliefs

    def marginal(self, variables: Sequence[int]) -> Floats | None:
        """The distribution over variables that some bucket holds together; None where none does."""
        live = tuple(v for v in variables if self.sizes[v] > 1)
        try:
            values = self._read(live, 0)
        except KeyError:
            return None
        return values.reshape([self.sizes[v] for v in variables])

    def _read(self, variables: tuple[int, ...], step: int) -> Floats:
        """The distribution over variables that are together in the first bucket, from `step` on, of any of them."""
        readings: dict[int, _Reading] = {v: (v, None) for v in variables}
        for bucket in self.buckets[step:]:
            if bucket.source is not None:
                for v, (current, groups) in readings.items():
                    if current == bucket.variable:
                        finer = bucket.source.groups
                        readings[v] = (bucket.source.fine, finer if groups is None else groups[finer])
            elif any(current == bucket.variable for current, _ in readings.values()):
                for link in bucket.links:
                    for v, (current, groups) in readings.items():
                        if current == link.coarse:
                            readings[v] = (link.fine, link.groups if groups is None else groups[link.groups])
                return self._project(self.joints[bucket.variable], readings)
        if readings:
            raise KeyError(variables)
        return np.ones(())

    def _project(self, joint: Factor, readings: Mapping[int, _Reading]) -> Floats:
        """Sum a joint distribution down to the variables read from it."""
        order: list[int] = []
        values = joint.values
        for axis in range(len(joint.variables) - 1, -1, -1):
            source = joint.variables[axis]
            read = [v for v, (current, _) in readings.items() if current == source]
            if not read:
                values = np.add.reduce(values, axis=axis)
                continue
            order = read + order
            if len(read) == 1 and readings[read[0]][1] is None:
                continue
            sizes = tuple(self.sizes[v] for v in read)
            code = _code([self._groups(readings[v]) for v in read], sizes, values.shape[axis])
            values = _merge_axis(values, axis, code, sizes)
        if len(order) != len(readings):
            raise KeyError(tuple(readings))
        return values.transpose([order.index(v) for v in readings])

    def _groups(self, reading: _Reading) -> Ints:
        variable, groups = reading
        return np.arange(self.sizes[variable]) if groups is None else groups


def _code(groups: Sequence[Ints], sizes: Sequence[int], length: int) -> Ints:
    """Each code's place in the product of its groups."""
    code = np.zeros(length, dtype=np.int64)
    for to, size in zip(groups, sizes, strict=True):
        code = code * size + to
    return code


def _merge_axis(values: Floats, axis: int, code: Ints, sizes: tuple[int, ...]) -> Floats:
    """Replace an axis by those of the groups its codes fall in."""
    length = prod(sizes)
    before, after = values.shape[:axis], values.shape[axis + 1 :]
    merged: Floats
    if length == 1:
        merged = np.asarray(values.sum(axis=axis))
    elif length == len(code) and np.array_equal(code, np.arange(length)):
        merged = values
    else:
        merged = np.zeros((length, *before, *after))
        np.add.at(merged, code, np.moveaxis(values, axis, 0))
        merged = np.moveaxis(merged, 0, axis)
    return merged.reshape(*before, *sizes, *after)
