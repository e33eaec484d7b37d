"""How lines look: a method has the same colour, marker and dashes in all figures of a paper.

The colours are those of Okabe and Ito, less their yellow, which is faint on white, and with a darker purple, a grey and
a brown: nine that people without red or green cones tell apart too. Forms of one method share a colour where no panel
has both.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

from research._experiment import Paper

COLOURS = {
    "blue": "#0072b2",
    "vermilion": "#d55e00",
    "green": "#009e73",
    "orange": "#e69f00",
    "purple": "#c46a9f",
    "grey": "#585858",
    "sky": "#56b4e9",
    "brown": "#661100",
    "black": "#1a1a1a",
}
_DASHES: Mapping[str, Any] = {
    "solid": "-",
    "dashed": "--",
    "dash-dot": "-.",
    "dotted": ":",
    "long": (0, (6, 1.5)),
    "fine": (0, (1, 1.2)),
}


@dataclass(frozen=True)
class Look:
    """A line's colour, marker and dashes, by their names; markers are matplotlib's.

    >>> Look("blue", "o", "solid").shade
    '#0072b2'
    """

    colour: str
    marker: str
    dashes: str

    @property
    def shade(self) -> str:
        """The colour, as a figure has it."""
        return COLOURS[self.colour]

    @property
    def pattern(self) -> Any:
        """The dashes, as matplotlib has them."""
        return _DASHES[self.dashes]


_USUAL = (
    Look("blue", "o", "solid"),
    Look("vermilion", "s", "dashed"),
    Look("green", "D", "dash-dot"),
    Look("orange", "^", "dotted"),
    Look("purple", "v", "long"),
    Look("grey", "P", "fine"),
    Look("sky", "X", "solid"),
    Look("brown", "p", "dashed"),
    Look("black", "*", "dash-dot"),
)
"""For lines without a look of their own, in this order."""
_BUDGETS = {
    "ε = 0.1": Look("orange", "^", "dotted"),
    "ε = 0.4": Look("green", "D", "dash-dot"),
    "ε = 1.6": Look("blue", "o", "solid"),
}
_OWN: Mapping[Paper, Mapping[str, Look]] = {
    "PrivBayes": {
        **_BUDGETS,
        "PrivBayes, as printed": Look("blue", "o", "solid"),
        "PrivBayes": Look("sky", "X", "solid"),
        "R": Look("blue", "o", "solid"),
        "F": Look("green", "D", "dash-dot"),
        "I": Look("vermilion", "s", "dashed"),
        "R, tight sensitivity": Look("sky", "X", "dotted"),
        "Hierarchical-R": Look("blue", "o", "solid"),
        "Vanilla-R": Look("green", "D", "dash-dot"),
        "Binary-F": Look("vermilion", "s", "dashed"),
        "Gray-F": Look("orange", "^", "dotted"),
        "BestNetwork": Look("orange", "^", "dashed"),
        "BestMarginal": Look("green", "D", "dash-dot"),
        "Laplace": Look("vermilion", "s", "dashed"),
        "Fourier": Look("green", "D", "dash-dot"),
        "Contingency, clipped whole": Look("orange", "^", "dotted"),
        "Contingency": Look("orange", "<", "dashed"),
        "MWEM, as printed": Look("purple", "v", "long"),
        "MWEM, whole tables": Look("purple", ">", "dash-dot"),
        "Uniform": Look("grey", "P", "fine"),
        "PrivateERM, a feature a value": Look("vermilion", "s", "dashed"),
        "PrivateERM": Look("vermilion", "p", "dash-dot"),
        "PrivateERM (Single), a feature a value": Look("green", "D", "dash-dot"),
        "PrivateERM (Single)": Look("green", "h", "dashed"),
        "PrivGene, reconstructed": Look("purple", "v", "long"),
        "Majority": Look("grey", "P", "fine"),
        "NoPrivacy": Look("black", "*", "fine"),
        "PrivBayes, as printed, RBF kernel": Look("blue", "<", "dotted"),
        "NoPrivacy, RBF kernel": Look("brown", ">", "fine"),
    },
    "PrivABN": {
        "PrivABN as printed": Look("blue", "o", "solid"),
        "PrivABN repaired": Look("sky", "X", "solid"),
        "NoPrivABN as printed": Look("vermilion", "s", "dashed"),
        "NoPrivABN repaired": Look("black", "*", "dotted"),
        "as printed, network without noise": Look("green", "D", "dash-dot"),
        "as printed, tables without noise": Look("orange", "^", "dotted"),
        "as printed, with sensitivity 1/n": Look("purple", "v", "long"),
        "PriView": Look("green", "D", "dash-dot"),
        "PrivBayes, as printed": Look("orange", "^", "dotted"),
        "PrivBayes": Look("orange", "<", "dashed"),
        "JTree as printed": Look("purple", "v", "long"),
        "JTree repaired": Look("purple", ">", "dash-dot"),
        "PrivABN as printed, run": Look("blue", "p", "solid"),
        "PrivABN repaired, run": Look("sky", "h", "solid"),
        "PrivBayes k = 2, run": Look("orange", "<", "dashed"),
        "PrivBayes k = 3, run": Look("brown", ">", "dotted"),
        "GreedyBayes, counted": Look("orange", "^", "solid"),
        "GreedyBayes, C(m+1, k+2)": Look("black", "s", "dashed"),
        "ABN, counted": Look("blue", "o", "solid"),
        "ABN, m²": Look("vermilion", "D", "dash-dot"),
        "NLTCS": Look("green", "P", "solid"),
        "ACS": Look("purple", "X", "dashed"),
        "Retail": Look("grey", "*", "dash-dot"),
    },
    "HPPrivBayes": {
        "HPPrivBayes as printed": Look("blue", "o", "solid"),
        "PrivBayes, plain": Look("vermilion", "s", "dashed"),
        "HPPrivBayes as printed, equal noise": Look("sky", "X", "dash-dot"),
        "PrivBayes, plain, equal noise": Look("orange", "^", "dotted"),
        "original data": Look("black", "*", "fine"),
        "HPPrivBayes repaired": Look("green", "D", "solid"),
        "PrivBayes": Look("purple", "v", "long"),
        "HPPrivBayes repaired, θ-useful": Look("grey", "p", "dashed"),
        "PrivBayes, θ-useful": Look("brown", "<", "dash-dot"),
        "r = 1/6": Look("purple", "v", "long"),
        "r = 1/5": Look("vermilion", "s", "dashed"),
        "r = 1/4": Look("orange", "^", "dotted"),
        "r = 1/3": Look("green", "D", "dash-dot"),
        "r = 1/2": Look("blue", "o", "solid"),
    },
    "PRAM-BN": {
        "η variable": Look("blue", "o", "solid"),
        "η = 1": Look("vermilion", "s", "dashed"),
        "η = 0.99": Look("orange", "^", "dotted"),
        "η calibrated (ours)": Look("purple", "v", "long"),
        "likelihood (ours)": Look("black", "*", "dash-dot"),
        "C* = 1": Look("green", "D", "dash-dot"),
        "C* = 4": Look("sky", "X", "solid"),
        "C* = 8": Look("brown", "p", "dashed"),
        "penalty N/2, as printed": Look("grey", "P", "fine"),
        "C* calibrated (ours)": Look("purple", ">", "dash-dot"),
        "as if clean": Look("grey", "h", "dotted"),
        "printed": Look("vermilion", "D", "dashed"),
        "Setup II, learnt": Look("blue", "o", "solid"),
        "Setup I, learnt": Look("orange", "s", "dashed"),
        "Setup II, Theorem 2": Look("green", "^", "dotted"),
        "Setup I, Theorem 2": Look("purple", "v", "dotted"),
        "Setup II, Theorem 2 with X at p = 0.25": Look("black", "*", "fine"),
        "by the matrix": Look("blue", "X", "solid"),
    },
    "Correlated release": {
        "CS as printed": Look("blue", "o", "solid"),
        "CS, mended reading": Look("vermilion", "s", "dashed"),
        "CS, mended, noise of scale 0.197": Look("green", "D", "dash-dot"),
        "Laplace": Look("orange", "^", "solid"),
        "Laplace, groups of 12": Look("brown", "<", "dashed"),
        "uniform, no data": Look("black", "+", "fine"),
        "ours": Look("purple", "v", "long"),
        "ours, groups of 12": Look("sky", "X", "dotted"),
        "as printed": Look("blue", "p", "solid"),
        "threshold with noise": Look("green", "h", "dash-dot"),
        "noise of Definition 2": Look("vermilion", ">", "dashed"),
        "noise for the whole group": Look("purple", "<", "long"),
        "Definition 2, on Adult": Look("black", "*", "dotted"),
        "tuned to T = 0.02": Look("orange", "^", "dotted"),
        "tuned to T = 0.005": Look("brown", "s", "dashed"),
        "a query that nobody matches": Look("grey", "D", "fine"),
    },
    "Soundness": {
        "as printed": Look("blue", "o", "solid"),
        "repaired": Look("green", "D", "dash-dot"),
        "claimed": Look("black", "P", "fine"),
        "PrivABN as printed": Look("blue", "p", "solid"),
        "PrivABN repaired": Look("sky", "X", "solid"),
        "PrivBayes": Look("orange", "<", "dashed"),
    },
}


def looks_of(names: Iterable[str], paper: Paper) -> dict[str, Look]:
    """A look for each line of a figure, no two alike: its own in this paper, or the first that is free.

    >>> found = looks_of(["PrivBayes, as printed", "a", "b"], "PrivBayes")
    >>> [look.colour for look in found.values()]
    ['blue', 'vermilion', 'green']
    """
    own = _OWN.get(paper, {})
    wanted = list(dict.fromkeys(names))
    found = {name: own[name] for name in wanted if name in own}
    colours = {look.colour for look in found.values()}
    free = [look for look in _USUAL if look.colour not in colours]
    markers = [look.marker for look in _USUAL]
    # beyond nine lines, colours come again, with other markers
    more = (Look(look.colour, marker, look.dashes) for marker, look in product(markers, _USUAL))
    for name in wanted:
        if name not in found:
            taken = set(found.values())
            found[name] = free.pop(0) if free else next(look for look in more if look not in taken)
    return {name: found[name] for name in wanted}
