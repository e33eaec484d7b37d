"""What the network learns from: labelled pairs, or pairs that are made of the table itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from understudy._core.randomness import Rng, Streams
from understudy.correlate._compare import Features
from understudy.correlate._labels import Labels
from understudy.correlate._mixture import SAME, first_guesses
from understudy.correlate._network import Network, train
from understudy.correlate._records import Records
from understudy.correlate._texts import Ints

LAYERS = (64, 32)
_SAMPLE = 200_000  # candidate pairs that first guesses are made of
_SURE, _MOST = 0.9, 40_000
_RANDOM = 5_000
_COPY_WEIGHT = 0.05


@dataclass(frozen=True, eq=False)
class Lesson:
    """Pairs with tags and weights."""

    features: Features
    tags: Ints
    weights: npt.NDArray[np.float64]


def learn(
    records: Records, originals: Ints, pairs: tuple[Ints, Ints], labels: Labels | None, streams: Streams
) -> Network:
    """The network for these records: by labels if there are any, by pairs of the table's own otherwise."""
    made = _made_pairs(records, originals, pairs, streams.get("random pairs"))
    if labels is None:
        lesson = _self_made(records, made, pairs, streams.get("lesson"))
    else:
        lesson = _labelled(records, made, labels)
    seed = int(streams.get("network").integers(2**31))
    return train(lesson.features, lesson.tags, layers=LAYERS, seed=seed, weights=lesson.weights)


def _made_pairs(records: Records, originals: Ints, pairs: tuple[Ints, Ints], rng: Rng) -> tuple[Features, Features]:
    """Pairs of rows and their copies, which belong together, and random pairs that share no key, which do not."""
    n = records.n_rows
    copies = np.arange(n, n + len(originals))
    one = rng.integers(n, size=_RANDOM)
    other = (one + rng.integers(1, n, size=_RANDOM)) % n
    drawn = np.minimum(one, other) * n + np.maximum(one, other)
    strange = ~np.isin(drawn, pairs[0] * n + pairs[1])
    if strange.any():
        strangers = records.features(one[strange], other[strange])
    else:  # a tiny table: records that have nothing in common
        strangers = np.zeros((1, len(records.feature_names)), dtype=np.float32)
    return records.features(originals, copies), strangers


def _labelled(records: Records, made: tuple[Features, Features], labels: Labels) -> Lesson:
    """Labelled pairs; copies and random pairs stand beside them, lightly, for what nobody labelled."""
    copies, strangers = made
    parts = [records.features(labels.first, labels.second), copies, strangers]
    tags = [labels.tags, np.ones(len(copies), dtype=np.int64), np.zeros(len(strangers), dtype=np.int64)]
    light = _COPY_WEIGHT * labels.n_pairs / (len(copies) + len(strangers))
    weights = [np.ones(labels.n_pairs), np.full(len(copies), light), np.full(len(strangers), light)]
    return Lesson(np.concatenate(parts), np.concatenate(tags), np.concatenate(weights))


def _self_made(records: Records, made: tuple[Features, Features], pairs: tuple[Ints, Ints], rng: Rng) -> Lesson:
    """Copies, random pairs, and those candidate pairs of which first guesses are sure."""
    copies, strangers = made
    drawn = rng.permutation(len(pairs[0]))[:_SAMPLE]
    features = records.features(pairs[0][drawn], pairs[1][drawn])
    parts: list[Any] = [copies, strangers]
    tags: list[Any] = [np.ones(len(copies), dtype=np.int64), np.zeros(len(strangers), dtype=np.int64)]
    weights: list[Any] = [np.full(len(copies), _COPY_WEIGHT), np.ones(len(strangers))]
    if len(drawn):
        guesses = first_guesses(records.steps(features), records.steps(copies), records.steps(strangers))[:, SAME]
        for tag, sure in ((1, guesses > _SURE), (0, guesses < 1 - _SURE)):
            kept = np.flatnonzero(sure)[:_MOST]
            parts.append(features[kept])
            tags.append(np.full(len(kept), tag, dtype=np.int64))
            weights.append(np.ones(len(kept)))
    return Lesson(np.concatenate(parts), np.concatenate(tags), np.concatenate(weights))
