"""Parameters from randomised columns: sections VII-A and VII-B of the PRAM-BN paper, and its printed formulas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import log, pi, sqrt
from pathlib import Path
from typing import Any

import numpy as np

from research.tasks._pram_networks import PARTIES, TABLE_2_COLUMNS, declared, rows_of
from research.tasks._pram_randomised import (
    ALONE,
    TABLE_1,
    Floats,
    counts_of,
    parameter_spread,
    plans_for,
    randomised,
    shares,
    symmetric,
    together,
)
from understudy.models import NetworkModel, Node
from understudy.randomize import Inbox, PartyColumns, TransitionMatrix, UnmixedCounts
from understudy.schema import Axis, Domain, Marginal
from understudy.tables import Table

# Means of Table II and standard deviations in hundredths, node by node, the parents' configurations outermost and each
# node's last value left out, since the others fix it.
_PRINTED: Mapping[str, list[tuple[float, float]]] = {
    "A": [(0.70, 0.70)],
    "T": [(0.10, 0.50), (0.90, 0.77)],
    "S": [(0.50, 0.00)],
    "L": [(0.30, 0.49), (0.39, 0.64), (0.71, 0.57), (0.14, 0.55)],
    "B": [(0.80, 0.77), (0.094, 0.71), (0.16, 0.41), (0.49, 0.73)],
    "E": [(0.25, 0.20), (0.81, 0.90), (0.14, 2.7), (0.51, 1.2), (0.31, 2.6), (0.41, 2.34)],
    "D": [(0.69, 2.2), (0.65, 1.3), (0.11, 3.3), (0.38, 0.77), (0.79, 1.7), (0.39, 5.65)],
    "X": [(0.20, 0.80), (0.60, 1.1)],
    "C": [(0.90, 2.0), (0.38, 1.6), (0.61, 2.6), (0.25, 2.1)],
    "F": [(0.24, 0.73), (0.91, 1.1)],
    "G": [(0.20, 0.30), (0.40, 0.29)],
}
PRINTED_AMPLIFICATION: Mapping[str, float] = {"A": 3, "D": 3, "L": 4.67, "B": 4.67, "E": 4, "X": 3, "C": 9, "F": 9}
"""γ as Table I prints it."""
PARAMETERS = sum(map(len, _PRINTED.values()))
"""Free parameters of Table II."""
FIRST_PARAMETERS = {
    1 + sum(len(_PRINTED[before]) for before in TABLE_2_COLUMNS[:place]): name
    for place, name in enumerate(TABLE_2_COLUMNS)
}
"""The nodes of Table II, by the number of the first parameter of each."""
GAMMA_OF_X = 0.25
"""The p that fits the γ printed for X; its p is printed as 0.4."""
_COVERED = 1.959964  # standard deviations, of 95 %
_GRID = tuple(round(0.02 * step, 2) for step in range(1, 25))


def attributes_of(node: Node) -> list[int]:
    """The attributes of a family, the child last."""
    return [axis.attribute for axis in node.marginal.axes]


def inbox_of(table: Table, parties: Any, matrices: Mapping[str, TransitionMatrix]) -> Inbox:
    """What a miner would hold: columns that are randomised already, with the plans they were randomised by."""
    found = []
    people = np.stack([np.arange(table.n, dtype=np.uint64), np.zeros(table.n, dtype=np.uint64)], axis=1)
    for plan in plans_for(table.domain, parties, matrices):
        places = [table.domain.index(name) for name in plan.schema.names]
        domain = Domain(tuple(table.domain[place] for place in places))
        found.append(PartyColumns(plan, Table(domain, tuple(table.columns[place] for place in places)), people))
    return Inbox(found)


def _matrices(setup: str, party: str) -> dict[str, TransitionMatrix]:
    """What is randomised before this party's nodes are learnt: in Setup I nothing of its own."""
    return {name: matrix for name, matrix in TABLE_1.items() if setup == "II" or name not in party}


def _of_family(domain: Domain, node: Node, matrices: Mapping[str, TransitionMatrix]) -> Floats:
    own = [domain[a] for a in attributes_of(node)]
    return together([matrices.get(attribute.name, ALONE[attribute.size]) for attribute in own])


def _free(tables: Mapping[int, Floats]) -> Floats:
    """All parameters in the order of Table II, without each row's last."""
    return np.concatenate([tables[child][..., :-1].ravel() for child in sorted(tables)])


def _learnt(clean: Table, setup: str, seed: int) -> dict[int, Floats]:
    """Every node's conditional, from un-mixed counts."""
    model, mixed, found = declared("table 2"), randomised(clean, TABLE_1, seed), {}
    for party in PARTIES["table 2"]:
        matrices = _matrices(setup, party)
        columns = [
            (mixed if attribute.name in matrices else clean).columns[place]
            for place, attribute in enumerate(clean.domain)
        ]
        inbox = inbox_of(Table(clean.domain, tuple(columns)), PARTIES["table 2"], matrices)
        nodes = [node for node in model.network.nodes if clean.domain[node.child].name in party]
        marginals = [_in(inbox.domain, clean.domain, node) for node in nodes]
        for node, estimate in zip(nodes, UnmixedCounts(inbox).estimates(marginals), strict=True):
            found[node.child] = shares(estimate.counts)
    return found


def _in(here: Domain, there: Domain, node: Node) -> Marginal:
    """A family's marginal in a domain with the same names in another order."""
    return Marginal(tuple(Axis(here.index(there[a].name)) for a in attributes_of(node)))


def _foretold(clean: Table, setup: str) -> dict[int, Floats]:
    """Every parameter's standard deviation by Theorem 2, given the rows."""
    found = {}
    for party in PARTIES["table 2"]:
        for node in declared("table 2").network.nodes:
            if clean.domain[node.child].name in party:
                matrix = _of_family(clean.domain, node, _matrices(setup, party))
                found[node.child] = parameter_spread(counts_of(clean, attributes_of(node)), matrix)
    return found


def parameters(params: Mapping[str, Any], seed: int, folder: Path) -> dict[str, float]:
    """Means and standard deviations over `runs` randomisations of one data set of `rows` rows, in `setup` I or II.

    `mean 1`, `sd 1`, …; `gap 1`, …: the mean less the declared parameter; `off 1`, …: the root mean square of what
    randomising adds, against the clean rows; `covered`: how many of the normal intervals of section V, which should
    hold 95 % of what comes out, did.
    """
    clean = rows_of(declared("table 2"), params["rows"], seed)
    found = np.array([_free(_learnt(clean, params["setup"], 1000 * (seed + 1) + run)) for run in range(params["runs"])])
    model = declared("table 2")
    nodes, true = model.network.nodes, _free({node.child: table for node, table in _tables(model)})
    right = _free({node.child: shares(counts_of(clean, attributes_of(node))) for node in nodes})
    spread = _free(_foretold(clean, params["setup"]))
    moved = spread > 0
    covered = (np.abs(found - right) <= _COVERED * spread)[:, moved].mean()
    return {
        **_numbered("mean", found.mean(axis=0)),
        **_numbered("gap", found.mean(axis=0) - true),
        **_numbered("sd", found.std(axis=0, ddof=1)),
        **_numbered("off", np.sqrt(((found - right) ** 2).mean(axis=0))),
        "covered": float(covered),
    }


def _tables(model: NetworkModel) -> Iterator[tuple[Node, Floats]]:
    for node, table in zip(model.network.nodes, model.conditionals, strict=True):
        yield node, np.asarray(table)


def _numbered(name: str, values: Any) -> dict[str, float]:
    return {f"{name} {number}": round(float(value), 12) for number, value in enumerate(values, start=1)}


def beside(params: Mapping[str, Any], seed: int, folder: Path) -> dict[str, float]:
    """What is put beside the parameters learnt: `what` is "printed", "declared", or "Theorem 2" for `rows` rows.

    "declared" has `mean`, the parameter, and `se`, the standard error of what one data set says of it. "Theorem 2" has
    `sd` for `setup`; with `p of X` that of X's two parameters alone.
    """
    model, rows = declared("table 2"), params.get("rows", 0)
    if params["what"] == "printed":
        means, spreads = zip(*(pair for name in TABLE_2_COLUMNS for pair in _PRINTED[name]), strict=True)
        gaps = np.array(means) - _free({node.child: table for node, table in _tables(model)})
        return _numbered("mean", means) | _numbered("gap", gaps) | _numbered("sd", [spread / 100 for spread in spreads])
    expected = {
        node.child: rows
        * model.marginal(Marginal(tuple(Axis(a) for a in attributes_of(node))), errors=False).probabilities
        for node in model.network.nodes
    }
    if params["what"] == "declared":
        tables = {node.child: table for node, table in _tables(model)}
        errors = {
            child: np.sqrt(tables[child] * (1 - tables[child]) / counts.sum(axis=-1, keepdims=True))
            for child, counts in expected.items()
        }
        return _numbered("mean", _free(tables)) | _numbered("se", _free(errors))
    spreads_of = {}
    for party in PARTIES["table 2"]:
        matrices = _matrices(params["setup"], party)
        if "p of X" in params:
            matrices["X"] = symmetric(2, params["p of X"])
        for node in model.network.nodes:
            if model.domain[node.child].name in party:
                matrix = _of_family(model.domain, node, matrices)
                spreads_of[node.child] = parameter_spread(expected[node.child], matrix)
    every = _numbered("sd", _free(spreads_of))
    return every if "p of X" not in params else {name: every[name] for name in _names_of_x()}


def _names_of_x() -> list[str]:
    before = sum(len(_PRINTED[name]) for name in TABLE_2_COLUMNS[: TABLE_2_COLUMNS.index("X")])
    return [f"sd {before + 1 + i}" for i in range(len(_PRINTED["X"]))]


def parameter_words(number: int) -> str:
    """Which parameter of Table II a number is of.

    >>> parameter_words(1), parameter_words(2), parameter_words(13)
    ('P(A = 0)', 'P(T = 0 | A = 0)', 'P(E = 0 | T = 0, L = 0)')
    """
    model, left = declared("table 2"), number - 1
    for node, table in _tables(model):
        if left < (size := table[..., :-1].size):
            *given, value = np.unravel_index(left, table[..., :-1].shape)
            parents = [f"{model.domain[a].name} = {g}" for a, g in zip(attributes_of(node), given, strict=False)]
            return f"P({model.domain[node.child].name} = {value}{' | ' * bool(parents)}{', '.join(parents)})"
        left -= size
    raise ValueError(f"no parameter {number}")


def amplification(params: Mapping[str, Any], seed: int, folder: Path) -> dict[str, float]:
    """Of each column of Table I: `gamma A`, …, printed and by its matrix; `K* A`, …; and the record's `epsilon`."""
    gammas = {name: float(matrix.amplification or 0) for name, matrix in TABLE_1.items()}
    return {
        **{f"gamma {name}": gamma for name, gamma in gammas.items()},
        **{f"printed {name}": float(gamma) for name, gamma in PRINTED_AMPLIFICATION.items()},
        **{f"K* {name}": float(matrix.least_origins) for name, matrix in TABLE_1.items()},
        "epsilon": sum(map(log, gammas.values())),
        "clear": float(len(declared("table 2").domain) - len(TABLE_1)),
    }


def _of_d(table: Table, p: float, seed: int, *, fitted: bool = False) -> Floats:
    """P(D = 1 | B, C) from randomised columns, B and C slowest: by unbiased counts, or by those of maximum "
    "likelihood."""
    matrices = {attribute.name: symmetric(2, p) for attribute in table.domain}
    inbox = inbox_of(randomised(table, matrices, seed), PARTIES["figure 3"], matrices)
    node = declared("figure 3").network.nodes[3]
    counts, marginals = UnmixedCounts(inbox), [_in(inbox.domain, table.domain, node)]
    found = counts.fitted(marginals, how="likelihood")[0] if fitted else counts.estimates(marginals)[0].counts
    return np.asarray(shares(found)[..., 1].ravel())


def estimates(params: Mapping[str, Any], seed: int, folder: Path) -> dict[str, float]:
    """P(D = 1 | B, C), `00` to `11`, on average over `runs` randomisations at `p` of one data set of `rows` rows.

    Drawn within 0 to 1, as `00`, and by maximum likelihood, as `likely 00`. With the difference from the clean rows,
    not kept to 0 to 1, `off 00`, and a single run's standard deviation by Theorem 2, `sd 00`.
    """
    table, p = rows_of(declared("figure 3"), params["rows"], 0), params["p"]
    counts = counts_of(table, [1, 2, 3])
    clean = shares(counts)[..., 1].ravel()
    coins = range(1000 * (seed + 1), 1000 * (seed + 1) + params["runs"])
    found = np.array([_of_d(table, p, coin) for coin in coins])
    values = {
        "": np.clip(found, 0, 1).mean(axis=0),
        "likely ": np.mean([_of_d(table, p, coin, fitted=True) for coin in coins], axis=0),
        "off ": found.mean(axis=0) - clean,
        "sd ": parameter_spread(counts, together([symmetric(2, p)] * 3))[..., 1].ravel(),
    }
    names = [f"{b}{c}" for b in "01" for c in "01"]
    return {
        f"{word}{name}": round(float(value), 6)
        for word, several in values.items()
        for name, value in zip(names, several, strict=True)
    }


def largest_p(params: Mapping[str, Any], seed: int, folder: Path) -> dict[str, float]:
    """`p*`: the smallest p, in steps of 0.02, at which the absolute error exceeds `c`, on average over `runs`.

    It is that of the worst of the four parameters P(D | B, C), against the clean rows. `by` is "runs" of the code, or
    "Theorem 2", which foretells it for the network's expected counts. Where none exceeds it, 0.5.
    """
    table = rows_of(declared("figure 3"), params["rows"], seed)
    counts = counts_of(table, [1, 2, 3])
    clean = shares(counts)[..., 1].ravel()
    for p in _GRID:
        if params["by"] == "Theorem 2":
            off = sqrt(2 / pi) * parameter_spread(counts, together([symmetric(2, p)] * 3))[..., 1].ravel()
        else:
            runs = range(1000 * (seed + 1), 1000 * (seed + 1) + params["runs"])
            off = np.mean([np.abs(_of_d(table, p, run) - clean) for run in runs], axis=0)
        if off.max() > params["c"]:
            return {"p*": p}
    return {"p*": 0.5}


def order_of_factors(params: Mapping[str, Any], seed: int, folder: Path) -> dict[str, float]:
    """The largest error that a node's parameters have on average, `bias`, by Theorem 1's order of factors or ours.

    Parameters: `node`, `as_printed`, `runs`. Without runs it is exact: what is expected of the randomised counts of
    the declared network is un-mixed. Else it is the mean over so many randomisations of 20,000 rows, against the clean
    ones.
    """
    model = declared("table 2")
    node = model.network.nodes[params["node"]]
    family = attributes_of(node)
    own = [TABLE_1.get(model.domain[a].name, ALONE[model.domain[a].size]) for a in family]
    right = together(own)
    matrix = np.kron(own[-1].dense, together(own[:-1])) if params["as_printed"] else right
    if params["runs"]:
        clean = rows_of(model, 20_000, seed)
        counts = counts_of(clean, family)
        seen = [counts_of(randomised(clean, TABLE_1, seed + run), family).ravel() for run in range(params["runs"])]
    else:
        counts = model.marginal(Marginal(tuple(map(Axis, family))), errors=False).probabilities
        seen = [right.T @ counts.ravel()]
    found = np.mean([shares(np.linalg.solve(matrix.T, one).reshape(counts.shape)) for one in seen], axis=0)
    return {"bias": float(np.abs(found - shares(counts)).max())}


def marginal_matrix(params: Mapping[str, Any], seed: int, folder: Path) -> dict[str, float]:
    """The error on average, `bias`, of a column's share if its own matrix is taken from that of a pair (case d).

    Two binary columns are randomised as one: the first flips with a chance of 0.1 where the second is 0, and of 0.4
    where it is 1; the second is kept. `share` of the rows have 1 in the second; three in ten have 1 in the first.
    `as_printed`: by the marginal matrix, for which both values of the second must be thought equally likely; else by
    the pair's counts, summed afterwards. Exact.
    """
    pair = np.zeros((2, 2, 2, 2))
    for second, flip in enumerate((0.1, 0.4)):
        pair[:, second, :, second] = [[1 - flip, flip], [flip, 1 - flip]]
    true = np.outer([0.7, 0.3], [1 - params["share"], params["share"]])
    seen = np.einsum("ab,abcd->cd", true, pair)
    if params["as_printed"]:
        found = np.linalg.solve(pair.sum(axis=3).mean(axis=1).T, seen.sum(axis=1))
    else:
        found = np.linalg.solve(pair.reshape(4, 4).T, seen.ravel()).reshape(2, 2).sum(axis=1)
    return {"bias": float(np.abs(found - true.sum(axis=1)).max())}
