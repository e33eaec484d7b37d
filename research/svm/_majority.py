"""Majority: always answers what most training rows answer."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from research.svm._features import FeatureMap
from research.svm._machine import LinearClassifier
from research.svm._targets import SvmTarget
from understudy.privacy import Noise
from understudy.tables import Table


def majority(train: Table, target: SvmTarget, *, epsilon: Fraction, noise: Noise) -> LinearClassifier:
    """A constant answer, ε-differentially private: yes if the noisy number of yes-rows is above half of all rows.

    Unit: one row. Neighbours: one row replaced, so the number of rows n is public. *Proof.* Replacing a row moves the
    number of yes-rows by at most 1; discrete Laplace noise of scale 1/ε on it is ε-DP (`privacy/proof.md`, section 3),
    and comparing with the public n/2 is post-processing. ∎ Exact integer noise: nothing is lost to floating point.
    With rows added or removed instead, n would be private: 2·yes − n then moves by 1, and the same noise on *it*
    would do; that form is not offered, as the papers fix n.

    >>> from understudy.privacy import make_noise
    >>> from understudy.schema import Attribute, Domain
    >>> table = Table(Domain((Attribute(name="y", size=2), Attribute(name="a", size=2))), (np.ones(99, dtype=int),) * 2)
    >>> yes = SvmTarget(name="y", column=0, positive=frozenset({1}))
    >>> majority(table, yes, epsilon=Fraction(1), noise=make_noise(seed=1)).error(table)
    0.0
    """
    encode = FeatureMap(train.domain, target)
    yes = np.array([int(encode.truth(train).sum())], dtype=np.int64)
    noisy = int(noise.laplace(yes, 1 / epsilon)[0])
    weights = np.zeros(encode.width)
    weights[-1] = 1.0 if 2 * noisy > train.n else -1.0
    return LinearClassifier(target, weights)
