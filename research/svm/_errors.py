"""How often the classifiers of each method are wrong on a benchmark table: what the experiments ask for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TypeAlias

from research._data import load
from research.svm._machine import RBF_ROWS, Kernel, LinearClassifier, misclassification, split
from research.svm._majority import majority
from research.svm._private_erm import private_erm
from research.svm._privgene import privgene
from research.svm._targets import SvmTarget, svm_targets
from understudy._core.errors import OptionError, did_you_mean
from understudy._core.randomness import Streams
from understudy.counting import open_counter
from understudy.evaluation import quiet
from understudy.models import DrawsRows
from understudy.privacy import Noise, Noiseless, make_budget, make_noise, parse_number
from understudy.rehearsal import rehearse, sample_table
from understudy.tables import Table

Trainer: TypeAlias = Callable[[Table, SvmTarget, Fraction, int], LinearClassifier]

NO_PRIVACY = "no-privacy"


def _majority(train: Table, target: SvmTarget, epsilon: Fraction, seed: int) -> LinearClassifier:
    return majority(train, target, epsilon=epsilon, noise=_noise(seed, "majority", target))


def _private_erm(train: Table, target: SvmTarget, epsilon: Fraction, seed: int) -> LinearClassifier:
    return private_erm(train, target, epsilon=epsilon, rng=Streams(seed).get("svm", "tilt", target.name))


def _privgene(train: Table, target: SvmTarget, epsilon: Fraction, seed: int) -> LinearClassifier:
    return privgene(train, target, epsilon=epsilon, noise=_noise(seed, "privgene", target))


def _noise(seed: int, method: str, target: SvmTarget) -> Noise:
    """Noise of its own for each task, so that one can be left out and the others stay."""
    return make_noise(seed=int(Streams(seed).get("svm", method, target.name).integers(1 << 62)))


CLASSIFIERS: Mapping[str, tuple[Trainer, bool]] = {
    "majority": (_majority, True),
    "private-erm": (_private_erm, True),
    "private-erm-single": (_private_erm, False),
    "privgene": (_privgene, True),
}
"""The methods that make one classifier at a time, and whether the budget is split evenly over the tasks."""


def svm_errors(
    dataset: str,
    method: str,
    epsilon: float,
    seed: int,
    folder: Path,
    *,
    kernel: Kernel = "linear",
    most: int = RBF_ROWS,
    one_hot: bool = False,
    independent: bool = False,
    noiseless: Noiseless | None = None,
    targets: Sequence[str] | None = None,
) -> dict[str, float]:
    """For each of the data set's four tasks, the error on 20 % of the rows of what was learnt from the other 80 %.

    `method` is "no-privacy", one of `CLASSIFIERS`, or a method as `read_method` takes it ("privbayes:encoding=gray"):
    it learns one model of the training rows, from which as many rows are drawn, and machines are trained on those.
    The kernel is that of machines trained on rows, at most `most` of them for the RBF kernel; the other classifiers are
    linear. `one_hot` takes the features of the authors' program; `independent` draws each row by itself, as the paper
    does; `noiseless` leaves the noise out of a step of the method; `targets` names the tasks wanted, of the four that
    share the budget. Seeded: a rehearsal.
    """
    data = load(dataset, Path(folder))
    train, test = split(data.table, seed)
    every = svm_targets(dataset, data.schema, Path(folder), one_hot=one_hot)
    wanted = [target for target in every if targets is None or target.name in targets]
    for name in set(targets or ()) - {target.name for target in every}:
        known = did_you_mean(name, [target.name for target in every])
        raise OptionError(f"data set '{dataset}' has no classification task '{name}'. {known}")
    if method in CLASSIFIERS:
        trainer, shared = CLASSIFIERS[method]
        budget = parse_number(epsilon, "epsilon") / (len(every) if shared else 1)
        with quiet():
            return {target.name: trainer(train, target, budget, seed).error(test) for target in wanted}
    if method == NO_PRIVACY:
        rows = train
    else:
        rows = draw_rows(train, method, epsilon, seed, noiseless, independent=independent)
    with quiet():
        return {one.name: misclassification(rows, test, one, kernel=kernel, most=most, seed=seed) for one in wanted}


def draw_rows(
    train: Table,
    method: str,
    epsilon: float,
    seed: int,
    noiseless: Noiseless | None = None,
    *,
    independent: bool = False,
) -> Table:
    """As many synthetic rows as there are, from what a method learns of them with seeded noise.

    >>> import numpy as np
    >>> from understudy.schema import Attribute, Domain
    >>> table = Table(Domain((Attribute(name="a", size=2), Attribute(name="b", size=2))), (np.array([0, 1, 1]),) * 2)
    >>> draw_rows(table, "uniform", 1.0, seed=0).n
    3
    """
    learnt = rehearse(open_counter(train), method, make_budget(epsilon), seed=seed, noiseless=noiseless)
    if not isinstance(learnt, DrawsRows):
        raise OptionError(f"method '{method}' answers tables but draws no rows, so no classifier can be trained on it.")
    return sample_table(learnt, train.n, Streams(seed), independent=independent)
