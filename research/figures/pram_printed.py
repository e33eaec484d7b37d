"""PRAM-BN's formulas where the printed form and what holds differ: exact, and on randomised rows."""

from __future__ import annotations

from functools import partial

from research._experiment import Claim, Experiment, Finding, Panel, Results, Run, Scale, Verdict
from research._rules import Decided
from research.tasks import TABLE_2_COLUMNS

_FORMS = ("as printed", "repaired")
_SHARES = (0.05, 0.2, 0.35, 0.5, 0.65, 0.8, 0.95)
_BIAS = "bias"
_NOTHING = 1e-9
_RUNS = 20
_NODES = tuple(float(number) for number in range(1, len(TABLE_2_COLUMNS) + 1))


def _runs(scale: Scale) -> list[Run]:
    nodes = [
        Run(
            series=f"{form}{words}",
            x=number,
            seed=0,
            task="pram order of factors",
            params={"node": int(number) - 1, "as_printed": form == "as printed", "runs": runs},
            group="order",
        )
        for number in _NODES
        for words, runs in (("", 0), (f", mean of {_RUNS} runs", _RUNS))
        for form in _FORMS
    ]
    return nodes + [
        Run(
            series=form,
            x=share,
            seed=0,
            task="pram marginal matrix",
            params={"share": share, "as_printed": form == "as printed"},
            group="marginal",
        )
        for share in _SHARES
        for form in _FORMS
    ]


def _unbiased(results: Results, group: str, xs: tuple[float, ...], form: str, words: str) -> Finding:
    """Whether the bias is nothing everywhere."""
    found = {x: results.mean(_BIAS, form, x, group) for x in xs}
    off = [x for x in xs if found[x] > _NOTHING]
    worst = max(xs, key=lambda x: found[x])
    verdict: Verdict = "contradicted" if off else "reproduced"
    why = f"no bias in {len(xs) - len(off)} of {len(xs)} {words}"
    if off:
        where = f"node {TABLE_2_COLUMNS[int(worst) - 1]}" if group == "order" else f"share {worst:g}"
        why += f"; the largest is {found[worst]:.3f} ({where})"
    return Finding(verdict=verdict, why=why + ".")


def _claims(sentence: str, group: str, xs: tuple[float, ...], words: str, how: str) -> list[Claim]:
    return [
        Claim(
            sentence=sentence,
            rule=Decided(
                text=f"{how} Reproduced if no case has a bias, but for rounding; contradicted if any has, since it is "
                "arithmetic; not reproduced if it was not computed.",
                by=partial(_unbiased, group=group, xs=xs, form=form, words=words),
            ),
            form=form,
        )
        for form in _FORMS
    ]


EXPERIMENT = Experiment(
    name="pram-printed",
    paper="PRAM-BN",
    where="Theorem 1 and section IV",
    title="What is printed, and what holds: bias of un-mixed parameters",
    x="node, in the order of Table II",
    datasets=(),
    runs=_runs,
    panels=(
        Panel(title="(a) order of the factors", measure=_BIAS, y="largest bias", group="order", joined=False),
        Panel(
            title="(b) case (d), marginal matrix",
            measure=_BIAS,
            y="bias of a share",
            group="marginal",
            x="share of the other column",
        ),
    ),
    claims=(
        *_claims(
            "N̂ = (Pᵗ)⁻¹Ñ with P = Pⁱ ⊗ P^Pa and cells l = K(j − 1) + k is an unbiased estimator (Theorems 1 and 2).",
            "order",
            _NODES,
            "nodes of Table II",
            "Un-mix the expected randomised counts of each node of the declared network by the Kronecker product in "
            "the printed order, or in the one that belongs to the cells' numbers (repaired).",
        ),
        *_claims(
            "In case (d) we can get the marginal transition probability matrix from that of the combined variable.",
            "marginal",
            _SHARES,
            "shares of the other column",
            "Un-mix one column of a pair that was randomised as one by the mean of its matrices, or by the pair's "
            "counts, summed afterwards (repaired).",
        ),
    ),
    quick_seeds=1,
    full_seeds=1,
    log_x=False,
)
