"""What the network learns from: labelled pairs, or pairs that are made of the table itself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from understudy._core.randomness import Rng, Streams
from understudy.correlate._compare import Features
from understudy.correlate._labels import Labels
from understudy.correlate._mixture import SAME, Agreement, Mixture
from understudy.correlate._network import Network, train
from understudy.correlate._records import Records
from understudy.correlate._texts import Ints

LAYERS = (64, 32)
_SAMPLE = 200_000  # candidate pairs that first guesses are made of
_SURE, _MOST = 0.98, 40_000
_RANDOM = 5_000
_MADE_WEIGHT = 0.05
_LABEL_WEIGHT = 3.0
_AGREEMENT = 0.85


@dataclass(frozen=True, eq=False)
class Lesson:
    """Pairs with tags and weights."""

    features: Features
    tags: Ints
    weights: npt.NDArray[np.float64]

    @classmethod
    def joined(cls, *lessons: Lesson) -> Lesson:
        """Several lessons as one."""
        return cls(
            np.concatenate([one.features for one in lessons]),
            np.concatenate([one.tags for one in lessons]),
            np.concatenate([one.weights for one in lessons]),
        )


@dataclass(frozen=True, eq=False)
class Learnt:
    """A network, and what it learnt from; also the mixture that made first guesses, where there were any."""

    network: Network
    lesson: Lesson
    mixture: Mixture | None
    seed: int

    def revised(self, records: Records, pairs: tuple[Ints, Ints]) -> Network:
        """The network after another lesson: pairs that it took for links, with what the mixture says of them.

        Of a large table only some candidates were in the first lesson, and what looks like a link by chance is rare.
        Where labels mean something else, nothing is revised.
        """
        if self.mixture is None or not len(pairs[0]):
            return self.network
        features = records.features(pairs[0][:_SAMPLE], pairs[1][:_SAMPLE])
        guesses = self.mixture.guesses(records.steps(features))[:, SAME]
        return _trained(Lesson.joined(self.lesson, _guessed(features, guesses)), self.seed)


def learn(
    records: Records, originals: Ints, pairs: tuple[Ints, Ints], labels: Labels | None, streams: Streams
) -> Learnt:
    """A network for these records: by labels if there are any, by pairs of the table's own otherwise."""
    made = _made_pairs(records, originals, pairs, streams.get("random pairs"))
    seed = int(streams.get("network").integers(2**31))
    lesson, mixture = _self_made(records, made, pairs, streams.get("lesson"))
    if labels is not None:
        told = records.features(labels.first, labels.second)
        if mixture is not None and _agrees(mixture, records.steps(told), labels):
            weights = np.full(labels.n_pairs, _LABEL_WEIGHT)
            lesson = Lesson.joined(lesson, Lesson(told, labels.tags, weights))
        else:  # they mean something else by "together": a household, say
            lesson, mixture = _labelled(told, made, labels), None
    return Learnt(_trained(lesson, seed), lesson, mixture, seed)


def _agrees(mixture: Mixture, steps: Agreement, labels: Labels) -> bool:
    """Whether labels mean by "together" what first guesses mean: then these may stand beside them."""
    guessed = mixture.guesses(steps)[:, SAME] > 0.5
    return set(labels.tags.tolist()) == {0, 1} and float((guessed == (labels.tags == 1)).mean()) >= _AGREEMENT


def _trained(lesson: Lesson, seed: int) -> Network:
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


def _labelled(told: Features, made: tuple[Features, Features], labels: Labels) -> Lesson:
    """Labelled pairs; copies and random pairs stand beside them, lightly, for what nobody labelled."""
    copies, strangers = made
    parts = [told, copies, strangers]
    tags = [labels.tags, np.ones(len(copies), dtype=np.int64), np.zeros(len(strangers), dtype=np.int64)]
    light = _MADE_WEIGHT * labels.n_pairs / (len(copies) + len(strangers))
    weights = [np.ones(labels.n_pairs), np.full(len(copies), light), np.full(len(strangers), light)]
    return Lesson(np.concatenate(parts), np.concatenate(tags), np.concatenate(weights))


def _self_made(
    records: Records, made: tuple[Features, Features], pairs: tuple[Ints, Ints], rng: Rng
) -> tuple[Lesson, Mixture | None]:
    """Candidate pairs as first guesses have them; copies and random pairs stand beside them, lightly."""
    copies, strangers = made
    light = Lesson(
        np.concatenate(made),
        np.concatenate([np.ones(len(copies), dtype=np.int64), np.zeros(len(strangers), dtype=np.int64)]),
        np.full(len(copies) + len(strangers), _MADE_WEIGHT),
    )
    drawn = rng.permutation(len(pairs[0]))[:_SAMPLE]
    if not len(drawn):
        return light, None
    features = records.features(pairs[0][drawn], pairs[1][drawn])
    mixture = Mixture.fit(records.steps(features), records.steps(copies), records.steps(strangers))
    guesses = mixture.guesses(records.steps(features))[:, SAME]
    return Lesson.joined(light, _guessed(features, guesses)), mixture


def _guessed(features: Features, guesses: npt.NDArray[np.float64]) -> Lesson:
    """Pairs that are all but certain, as what they are; an open case as both, each for as much as it is likely."""
    together = np.flatnonzero(guesses >= _SURE)[:_MOST]
    apart = np.flatnonzero(guesses <= 1 - _SURE)[:_MOST]
    unsure = np.flatnonzero((guesses < _SURE) & (guesses > 1 - _SURE))[:_MOST]
    chosen = (together, apart, unsure, unsure)
    tags = [np.full(len(rows), tag, dtype=np.int64) for rows, tag in zip(chosen, (1, 0, 1, 0), strict=True)]
    weights = [np.ones(len(together)), np.ones(len(apart)), guesses[unsure], 1 - guesses[unsure]]
    return Lesson(features[np.concatenate(chosen)], np.concatenate(tags), np.concatenate(weights))
