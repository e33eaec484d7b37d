"""Answers from tables that are measured once: those that the workload needs, with shares by what it asks of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from understudy.answers._fitting import Noted, fit, fit_table
from understudy.answers._found import MEASURED, BatchAnswers, Found, half_width
from understudy.answers._planning import TablesPlan
from understudy.answers._state import QUICK_CELLS, State
from understudy.answers._workload import Workload
from understudy.models import project_to_simplex
from understudy.privacy import Curator, Measurement, NoisyLinear, NoisyTables
from understudy.schema import project

Floats = npt.NDArray[np.float64]

STEPS = 400  # on tables of Adult the loss no longer moves after some 200


def answer_from_tables(curator: Curator, workload: Workload, plan: TablesPlan, state: State) -> Found:
    """Measure the planned tables, make them agree with each other, and read the answers off.

    Unit, neighbours, bound: those of the curator's terms; each table takes its planned share. What follows is
    post-processing. Intervals are those of the raw noisy tables, which are unbiased.
    """
    n = curator.rows
    measured = [
        curator.ask(NoisyTables(marginals=[marginal], what=_what(curator, marginal.attributes)), share=share)[0]
        for marginal, share in zip(plan.marginals, plan.shares, strict=True)
    ]
    noted = [note_table(noisy, n) for noisy in measured]
    state, used = _learn(state, noted)
    fitted = _plausible(state, noted, used)
    answers = []
    for batch in workload.batches:
        which = plan.source_of(batch.marginal)
        source, noise = measured[which].marginal, measured[which].noise
        raw = batch.answers(np.asarray(project(noted[which].shares, source, batch.marginal, workload.domain)))
        best = batch.answers(np.asarray(project(fitted[which], source, batch.marginal, workload.domain)))
        cells = source.n_cells(workload.domain) / batch.marginal.n_cells(workload.domain)
        half = half_width(noise, batch.squares * cells) / n
        answers.append(BatchAnswers.of(best, raw - half, raw + half, MEASURED))
    apart = len(noted) - sum(used)
    notes = (f"{apart:,} of {len(noted):,} tables did not fit the model and stand on their own.",) if apart else ()
    covers = "the noise: in 95 of 100 runs it holds the true share"
    return Found(batches=answers, state=state, covers=covers, notes=notes)


def answer_directly(curator: Curator, workload: Workload, state: State) -> Found:
    """Noise for each query, all of the same size: what is best for a handful of counts."""
    n = curator.rows
    found = curator.ask(NoisyLinear(queries=workload.batches, what="answers"), share=curator.share_left)
    answers, noted, start = [], [], 0
    half = half_width(found.noise, np.ones(1), grid=found.grid)[0] / n
    for batch in workload.batches:
        shares = found.values[start : start + len(batch)] / n
        start += len(batch)
        answers.append(BatchAnswers.of(shares, shares - half, shares + half, MEASURED))
        precision = (n / max(found.deviation, 1e-9)) ** 2
        noted.append(Noted(attributes=batch.marginal.attributes, shares=shares, precision=precision, queries=batch))
    kept = [one for one, fits in zip(noted, which_fit(state, noted), strict=True) if fits]
    covers = "the noise: in 95 of 100 runs it holds the true share"
    return Found(batches=answers, state=fit(state, kept, steps=STEPS), covers=covers)


def note_table(noisy: Measurement, n: int) -> Noted:
    """A noisy table as shares of the rows."""
    precision = n**2 / max(noisy.noise.variance, 1e-12)
    return Noted(attributes=noisy.marginal.attributes, shares=noisy.counts / n, precision=precision)


def which_fit(state: State, noted: Sequence[Noted]) -> list[bool]:
    """Which of the measured things a distribution can take up within its bound, first come, first served."""
    held: list[tuple[int, ...]] = []
    found = []
    most = None if len(noted) == 1 and not state.scopes else QUICK_CELLS
    for one in noted:
        fits = state.fits([*held, one.attributes], most_cells=most)
        found.append(fits)
        held += [one.attributes] if fits else []
    return found


def _learn(state: State, noted: Sequence[Noted]) -> tuple[State, list[bool]]:
    used = which_fit(state, noted)
    kept = [one for one, fits in zip(noted, used, strict=True) if fits]
    alone = len(kept) == 1 and not state.scopes
    return fit_table(state, kept[0]) if alone else fit(state, kept, steps=STEPS), used


def _plausible(state: State, noted: Sequence[Noted], used: Sequence[bool]) -> list[Floats]:
    """Each table from the distribution, or its own nearest plausible one where that does not hold it."""
    read = iter(state.read([one.attributes for one, fits in zip(noted, used, strict=True) if fits]))
    return [
        next(read) if fits else project_to_simplex(one.shares.ravel(), 1.0).reshape(one.shares.shape)
        for one, fits in zip(noted, used, strict=True)
    ]


def _what(curator: Curator, attributes: Sequence[int]) -> str:
    return "table of " + ", ".join(curator.domain[a].name for a in attributes)
