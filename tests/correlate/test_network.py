"""The network: its forward pass beside one in plain Python, its degrees, and neurons that do nothing."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from understudy.correlate._network import Network, train


def random_network(
    rng: np.random.Generator, tags: tuple[int, ...] = (0, 1), layers: tuple[int, ...] = (3, 5, 4)
) -> Network:
    sizes = [*layers, len(tags)]
    weights = tuple(rng.normal(size=(one, other)) for one, other in itertools.pairwise(sizes))
    return Network(weights, tuple(rng.normal(size=size) for size in sizes[1:]), tags)


def naive_probabilities(network: Network, pair: list[float]) -> list[float]:
    """Eq. 9, 10 and 13, neuron by neuron."""
    values = pair
    last = len(network.weights) - 1
    for layer, (weight, bias) in enumerate(zip(network.weights, network.biases, strict=True)):
        sums = [
            sum(value * float(weight[i][j]) for i, value in enumerate(values)) + float(bias[j])
            for j in range(len(bias))
        ]
        values = sums if layer == last else [max(0.0, value) for value in sums]
    powers = [math.exp(value - max(values)) for value in values]
    return [power / sum(powers) for power in powers]


@pytest.mark.parametrize("seed", range(5))
def test_the_forward_pass_is_that_of_the_equations(seed: int) -> None:
    rng = np.random.default_rng(seed)
    network = random_network(rng, (-1, 0, 1))
    pairs = rng.random((7, 3))
    expected = [naive_probabilities(network, pair) for pair in pairs.tolist()]
    assert np.allclose(network.probabilities(pairs), expected, atol=1e-5)


@pytest.mark.parametrize("seed", range(5))
def test_dropping_dead_neurons_changes_no_output(seed: int) -> None:
    rng = np.random.default_rng(seed)
    network = random_network(rng)
    network.biases[0][:2] = -100  # two neurons that never fire
    pairs = rng.random((50, 3))
    smaller = network.without_dead_neurons(pairs)
    assert smaller.layers[1] <= network.layers[1] - 2
    assert np.allclose(smaller.probabilities(pairs), network.probabilities(pairs), atol=1e-6)


def test_a_neuron_that_fires_once_is_kept() -> None:
    network = Network((np.array([[1.0, -1.0]]), np.ones((2, 2))), (np.zeros(2), np.zeros(2)), (0, 1))
    assert network.without_dead_neurons([[1.0]]).layers == (1, 1, 2)
    assert network.without_dead_neurons([[1.0], [-1.0]]).layers == (1, 2, 2)


@pytest.mark.parametrize("tags", [(0, 1), (-1, 0, 1)])
def test_degrees_are_expected_tags(tags: tuple[int, ...]) -> None:
    rng = np.random.default_rng(1)
    network = random_network(rng, tags)
    pairs = rng.normal(size=(200, 3)) * 5
    degrees, probabilities = network.degrees(pairs), network.probabilities(pairs)
    assert (np.abs(degrees) <= 1 + 1e-6).all()
    assert np.allclose(degrees, sum(tag * probabilities[:, i] for i, tag in enumerate(tags)), atol=1e-6)
    assert (degrees.min() < 0) == (-1 in tags)


def test_a_trained_network_says_what_scikit_learn_says() -> None:
    from sklearn.neural_network import MLPClassifier

    rng = np.random.default_rng(2)
    features = rng.random((300, 4)).astype(np.float32)
    tags = (features[:, 0] + features[:, 1] > 1).astype(np.int64)
    found = train(features, tags, layers=(8, 4), seed=3)
    center, scale = features.mean(axis=0), features.std(axis=0)
    theirs = MLPClassifier((8, 4), alpha=0.1, batch_size=64, learning_rate_init=2e-3, max_iter=60, random_state=3)
    theirs.set_params(tol=0, n_iter_no_change=100)
    with pytest.warns(Warning, match="Maximum iterations"):
        theirs.fit((features - center) / scale, tags)
    expected = theirs.predict_proba((features - center) / scale)
    assert np.allclose(found.probabilities(features), expected, atol=1e-4)


def test_layers_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="do not fit"):
        Network((np.eye(2),), (np.zeros(2),), (0, 1, 2))
