"""Write the tables of docs/research/cost-of-soundness.md and experiments.md from the results of experiments.

    research run privabn-fig3 hpprivbayes-fig5 soundness-leak --same --out docs/research/experiments
    python scripts/make_cost_tables.py [RESULTS] [PAGE...]

Each stands between `<!-- table: NAME -->` and `<!-- end -->`; all else on a page is left as it is.
"""

from __future__ import annotations

import csv
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean

RESULTS = Path("docs/research/experiments")
PAGES = tuple(Path("docs/research") / name for name in ("cost-of-soundness.md", "experiments.md"))
_SLOT = re.compile(r"<!-- table: ([\w-]+) -->\n.*?<!-- end -->", re.DOTALL)

WHAT = {
    1: ("PrivABN", "synthetic rows alone"),
    2: ("PrivABN", "the model's conditionals"),
    3: ("PrivABN", "the network"),
    4: ("HPPrivBayes", "which column comes first"),
    5: ("HPPrivBayes", "synthetic rows alone"),
    6: ("HPPrivBayes", "how far a table is off"),
    7: ("HPPrivBayes", "how far a common value is off"),
    10: ("JTree", "which pairs pass its test at ε₁ = 0.2, of 16 columns"),
}


class Values:
    """The means of an experiment's results."""

    def __init__(self, folder: Path, name: str) -> None:
        self._found: dict[tuple[str, str, str, float], list[float]] = {}
        with (folder / name / "results.csv").open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                key = (row["group"], row["series"], row["measure"], float(row["x"]))
                self._found.setdefault(key, []).append(float(row["value"]))

    def mean(self, series: str, measure: str, x: float, group: str = "") -> float:
        """Over the repetitions of a point."""
        return fmean(self._found[group, series, measure, x])

    def shown(self, series: str, measure: str, x: float, group: str = "", *, digits: str = ".3f") -> str:
        """It, to so many digits; nothing where nothing was run."""
        found = self._found.get((group, series, measure, x))
        return "" if found is None else format(fmean(found), digits)

    def series(self, measure: str, group: str = "") -> list[str]:
        """The lines of a panel, in their order."""
        return list(dict.fromkeys(s for g, s, m, _ in self._found if (g, m) == (group, measure)))


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """As Markdown, numbers to the right."""
    marks = ["---", *["--:" if re.match(r"[\d.]", cell) else "---" for cell in rows[0][1:]]]
    return "\n".join("| " + " | ".join(row) + " |" for row in (head, marks, *rows))


def beside(printed: float, repaired: float, other: float) -> list[str]:
    """Three errors, and how many times the printed one the repaired one is."""
    return [*(f"{value:.4f}" for value in (printed, repaired, other)), f"{repaired / printed:.2f}"]


_HEAD = ("table", "ε", "printed", "repaired", "PrivBayes", "repaired / printed")


def privabn(folder: Path) -> str:
    """PrivABN's L2 errors."""
    values, rows = Values(folder, "soundness-leak"), []
    for group in ("NLTCS", "ACS"):
        for x in (0.01, 0.05, 0.1, 1.0):
            found = [
                values.mean(series, "L2 3-way", x, group)
                for series in ("PrivABN as printed", "PrivABN repaired", "PrivBayes")
            ]
            rows.append([f"{group}, 3-way", f"{x:g}", *beside(*found)])
    return table(_HEAD, rows + _retail(folder, "PrivABN"))


def jtree(folder: Path) -> str:
    """JTree's L2 errors."""
    return table(_HEAD, _retail(folder, "JTree"))


def _retail(folder: Path, method: str) -> list[list[str]]:
    values = Values(folder, "privabn-fig3")
    return [
        [
            f"Retail, {way}-way",
            f"{epsilon:g}",
            *beside(*(values.mean(s, "L2 error", way, f"ε = {epsilon:g}") for s in lines)),
        ]
        for lines in [(f"{method} as printed", f"{method} repaired", "PrivBayes")]
        for epsilon in (0.1, 1.0)
        for way in (4, 6, 8)
    ]


def hpprivbayes(folder: Path) -> str:
    """HPPrivBayes' distances of marginals."""
    values, rows = Values(folder, "hpprivbayes-fig5"), []
    lines = ("HPPrivBayes as printed", "HPPrivBayes repaired", "PrivBayes")
    for way in (2, 3):
        for x in (0.2, 0.6, 1.0):
            found = [values.mean(series, f"Q{way}", x) for series in lines]
            rows.append([f"Adult, {way}-way", f"{x:g}", *beside(*found)])
    return table(_HEAD, rows)


def audits(folder: Path) -> str:
    """The ε that trials proved."""
    values, rows = Values(folder, "soundness-leak"), []
    for row, (paper, what) in WHAT.items():
        printed, repaired = (values.mean(form, "proved", row) for form in ("as printed", "repaired"))
        claimed = values.mean("as printed", "claimed", row)
        odds = "" if printed <= 0 else f"{2.718281828**printed:,.0f} : 1"
        rows.append([f"{paper}, row {row}: {what}", f"{claimed:g}", f"{printed:.2f}", odds, f"{repaired:.2f}"])
    return table(("what is looked at", "claimed ε", "printed: proved", "as odds", "repaired: proved"), rows)


def exact(folder: Path) -> str:
    """Losses of PrivABN's printed tables."""
    values, rows = Values(folder, "soundness-leak"), []
    for x in (0.05, 0.1, 0.4, 1.0):
        found = [
            values.mean(series, "loss", x, "records")
            for series in ("median of 100 records", "worst of 100 records", "worst case: a star")
        ]
        over = values.mean("median of 100 records", "beyond", x, "records")
        rows.append(
            [f"{x:g}", *(f"{value:,.3g}" if value < 100 else f"{value:,.0f}" for value in found), f"{100 * over:.0f} %"]
        )
    return table(("claimed ε", "median record", "worst of 100", "worst case", "records beyond ε"), rows)


def pairs(folder: Path) -> str:
    """Losses of JTree's printed test."""
    values = Values(folder, "soundness-leak")
    widths = (4, 6, 8, 12, 16)
    rows = [
        [words, *(f"{values.mean(series, 'loss', d, 'columns'):.2f}" for d in widths)]
        for words, series in (
            ("loss at ε₁ = 0.2, which is JTree at ε = 1", "JTree's test at ε₁ = 0.2, as in ε = 1"),
            ("loss at ε₁ = 1, the test alone", "JTree's test alone at ε₁ = 1"),
        )
    ]
    return table(["columns", *map(str, widths)], rows)


def alpha_way(folder: Path) -> str:
    """Errors of three-way marginals on the two binary tables."""
    places = (("privbayes-fig12", 0.4), ("privbayes-fig12", 0.8), ("privbayes-fig12", 1.6), ("privbayes-fig13", 0.4))
    values = {name: Values(folder, name) for name, _ in places}
    rows = [
        [line, *(values[name].shown(line, "Q3", x) for name, x in places)]
        for line in values["privbayes-fig12"].series("Q3")
    ]
    return table(("", "NLTCS, ε = 0.4", "ε = 0.8", "ε = 1.6", "ACS, ε = 0.4"), rows)


def pram_links(folder: Path) -> str:
    """Links in error of structures learnt from randomised columns."""
    values, xs = Values(folder, "pram-fig5"), (0.1, 0.2, 0.25, 0.3, 0.35)
    rows = [
        [line, *(values.shown(line, "links in error", x, group, digits=".1f") for x in xs)]
        for group in ("Bayesian score", "BIC")
        for line in values.series("links in error", group)
    ]
    return table(("p", *map(str, xs)), rows)


def correlated(folder: Path) -> str:
    """How far 10,000 counts are off."""
    values, xs = Values(folder, "correlated-fig1"), (0.1, 0.3, 1.0)
    rows = [
        [line, *(values.shown(line, "deviation", x, "ε", digits=".3g") for x in xs)]
        for line in values.series("deviation", "ε")
    ]
    return table(("", *(f"ε = {x:g}" for x in xs)), rows)


TABLES: dict[str, Callable[[Path], str]] = {
    "privabn": privabn,
    "hpprivbayes": hpprivbayes,
    "jtree": jtree,
    "audits": audits,
    "exact": exact,
    "pairs": pairs,
    "alpha-way": alpha_way,
    "pram-links": pram_links,
    "correlated": correlated,
}


def filled(page: str, folder: Path) -> str:
    """The page with its tables written anew."""
    return _SLOT.sub(lambda slot: f"<!-- table: {slot[1]} -->\n{TABLES[slot[1]](folder)}\n<!-- end -->", page)


def main(arguments: Sequence[str]) -> None:
    """Fill the pages."""
    folder = Path(arguments[0]) if arguments else RESULTS
    for page in map(Path, arguments[1:]) if len(arguments) > 1 else PAGES:
        page.write_text(filled(page.read_text(encoding="utf-8"), folder), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
