"""The deep ReLU network with softmax (Algorithm 1, eq. 9–14): trained by scikit-learn, applied by NumPy.

scikit-learn ends a network for two classes in a logistic function. That is the softmax of the outputs (0, z), and is
kept as such: one more output, which is always 0. Neurons whose output is 0 on every pair seen in training are dropped
with all their weights (step 5), which changes no output on those pairs.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float32]
_LEAST_SPREAD = 0.03  # a feature that hardly varies is not blown up


@dataclass(frozen=True, eq=False)
class Network:
    """Layers W and b (eq. 10), ReLU after each but the last (eq. 9), softmax after that (eq. 13).

    `tags` are the classes: 1 the records belong together, 0 they do not, −1 they are opposed.

    >>> network = Network((np.eye(1, 2, 1),), (np.zeros(2),), (0, 1))
    >>> network.probabilities(np.zeros((1, 1))).tolist()
    [[0.5, 0.5]]
    """

    weights: tuple[Floats, ...]
    biases: tuple[Floats, ...]
    tags: tuple[int, ...]

    def __post_init__(self) -> None:
        for name in ("weights", "biases"):
            parts = tuple(np.ascontiguousarray(part, dtype=np.float32) for part in getattr(self, name))
            object.__setattr__(self, name, parts)
        if len(self.weights) != len(self.biases) or len(self.tags) != len(self.biases[-1]):
            raise ValueError("a network whose layers do not fit together")

    @property
    def layers(self) -> tuple[int, ...]:
        """Neurons of each layer, inputs and outputs included."""
        return (len(self.weights[0]), *(len(bias) for bias in self.biases))

    def probabilities(self, features: npt.ArrayLike) -> Floats:
        """The probability of each tag, for each pair (eq. 13)."""
        last = self._hidden(features)[-1] @ self.weights[-1] + self.biases[-1]
        last -= last.max(axis=1, keepdims=True)
        found: Floats = np.exp(last)
        found /= found.sum(axis=1, keepdims=True)
        return found

    def degrees(self, features: npt.ArrayLike) -> Floats:
        """The degree ϑ in [−1, 1] of each pair: the tag that is to be expected.

        A softmax is never negative, and 2p − 1 would call strangers perfectly opposed. So ϑ is the mean of the tags
        under the softmax: p(together) − p(opposed). Where no pair was labelled as opposed, ϑ is p(together).
        """
        return self.probabilities(features) @ np.array(self.tags, dtype=np.float32)

    def without_dead_neurons(self, features: npt.ArrayLike) -> Network:
        """The network without the neurons whose output is 0 for all of these pairs, which get the same outputs."""
        weights, biases = list(self.weights), list(self.biases)
        for layer, output in enumerate(self._hidden(features)[1:]):
            alive = output.max(axis=0, initial=0) > 0
            weights[layer], biases[layer] = weights[layer][:, alive], biases[layer][alive]
            weights[layer + 1] = weights[layer + 1][alive]
        return Network(tuple(weights), tuple(biases), self.tags)

    def _hidden(self, features: npt.ArrayLike) -> list[Floats]:
        """The inputs, and the outputs of each hidden layer (eq. 9, 10)."""
        outputs = [np.asarray(features, dtype=np.float32)]
        for weight, bias in zip(self.weights[:-1], self.biases[:-1], strict=True):
            output = outputs[-1] @ weight
            output += bias
            outputs.append(np.maximum(output, 0, out=output))
        return outputs


def train(
    features: Floats, tags: npt.NDArray[np.int64], *, layers: tuple[int, ...], seed: int, weights: Any = None
) -> Network:
    """A network trained on pairs with known tags, its dead neurons dropped."""
    from sklearn.neural_network import MLPClassifier

    center, scale = features.mean(axis=0), np.maximum(features.std(axis=0), _LEAST_SPREAD)
    inputs = (features - center) / scale
    few = len(tags) < 2_000
    fitted = MLPClassifier(
        layers,
        alpha=0.1 if few else 1e-3,
        batch_size=min(len(tags), 64 if few else 512),
        learning_rate_init=2e-3,
        max_iter=60 if few else 15,
        tol=0,
        n_iter_no_change=100,
        random_state=seed,
    )
    with _quietly():
        fitted.fit(inputs, tags, sample_weight=weights)
    return _network(fitted, center, scale).without_dead_neurons(features)


def _network(fitted: Any, center: Floats, scale: Floats) -> Network:
    """The network for features as they are: that they were standardised in training goes into its first layer."""
    weights, biases = [*fitted.coefs_], [*fitted.intercepts_]
    biases[0] = biases[0] - (center / scale) @ weights[0]
    weights[0] = weights[0] / scale[:, None]
    if len(fitted.classes_) == 2:  # logistic: the softmax of (0, z)
        weights[-1] = np.concatenate([np.zeros_like(weights[-1]), weights[-1]], axis=1)
        biases[-1] = np.concatenate([[0.0], biases[-1]])
    tags = tuple(int(tag) for tag in fitted.classes_)
    return Network(tuple(weights), tuple(biases), tags)


@contextmanager
def _quietly() -> Iterator[None]:
    """On one thread, since the matrices are small; without the warning that all rounds were used, as they should be."""
    import warnings

    from sklearn.exceptions import ConvergenceWarning
    from threadpoolctl import threadpool_limits

    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield
