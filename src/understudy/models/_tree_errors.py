"""How far noise may have moved what a junction tree answers: the tree fitted again to tables with redrawn noise.

Each redrawn table is what the tree itself has there, with fresh noise of the size that the measurement had. The fit
goes a few rounds from the tree as it is, and moves as noise would have moved it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from understudy._core.randomness import Streams
from understudy.models._inference import Floats
from understudy.models._tree_values import CliqueTree, TreeMeasurement, Within, rows_measured
from understudy.models._treefit import FittedTable, TreeFit
from understudy.models._uncertainty import REPLICATES
from understudy.models._within_errors import RIDGE, redrawn_table

_SWEEPS = 3


def redrawn_trees(
    tree: CliqueTree, measurements: tuple[TreeMeasurement, ...], n: int, within: Sequence[Within | None] = ()
) -> list[CliqueTree]:
    """Trees as they might have come out under other noise; none if nothing is known of the noise.

    `n` may count parts of rows (`rows_measured`).

    >>> tree = CliqueTree((2,), ((0,),), (-1,), (np.array([0.25, 0.75]),))
    >>> noisy = TreeMeasurement(marginal=(0,), values=np.array([24.0, 77.0]), variance=4.0, interaction=False)
    >>> spread = np.std([other.beliefs[0][0] for other in redrawn_trees(tree, (noisy,), 100)])
    >>> bool(0.005 < spread < 0.03)
    True
    """
    homes = [_home(tree, measured) for measured in measurements]
    used = [(m, home) for m, home in zip(measurements, homes, strict=True) if home is not None and m.variance > 0]
    used.sort(key=lambda one: -len(one[0].marginal))  # single columns last: they are known best
    rng, rows = Streams(0).get("tree", "errors"), rows_measured(n, measurements)
    found = []
    for number in range(REPLICATES if used else 0):
        fit = TreeFit(tree.sizes, total=rows)
        for table in _as_potentials(tree):
            fit.add(table)
        for measured, home in used:
            values = redrawn_table(measured, _table(tree, home, measured) * rows, within, number, rng)
            ridge = RIDGE * measured.variance
            fit.add(FittedTable(measured.marginal, values, ridge=ridge, interaction=measured.interaction))
        fit.improve(sweeps=_SWEEPS)
        found.append(fit.to_tree())
    return found


def _home(tree: CliqueTree, measured: TreeMeasurement) -> int | None:
    """The smallest clique that holds a table; None if none does, or the table is the only one it can be."""
    wanted = set(measured.marginal)
    holding = [c for c, clique in enumerate(tree.cliques) if wanted <= set(clique)]
    if not holding or measured.values.size < 2 or len(wanted) > 3:
        return None
    return min(holding, key=lambda c: tree.beliefs[c].size)


def _table(tree: CliqueTree, home: int, measured: TreeMeasurement) -> Floats:
    clique = tree.cliques[home]
    summed = tree.beliefs[home].sum(axis=tuple(i for i, a in enumerate(clique) if a not in measured.marginal))
    return np.asarray(summed)


def _as_potentials(tree: CliqueTree) -> list[FittedTable]:
    """The tree's own distribution as potentials that stay as they are: of each clique, given what it shares."""
    found = []
    for clique, shared, belief in zip(tree.cliques, tree.separators, tree.beliefs, strict=True):
        away = tuple(i for i, a in enumerate(clique) if a not in shared)
        given = belief.sum(axis=away, keepdims=True) if shared else np.ones(())
        with np.errstate(divide="ignore", invalid="ignore"):
            potentials = np.where(belief > 0, np.log(belief) - np.log(given), -np.inf)
        found.append(FittedTable(clique, belief, ridge=0.0, fixed=True, potentials=potentials.reshape(-1)))
    return found
