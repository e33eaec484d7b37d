"""Doing the runs of an experiment: those that are not done yet, on several processes, each kept when it is finished."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from math import isclose, isfinite
from multiprocessing import get_context, parent_process
from pathlib import Path
from threading import Thread
from typing import Any, TypeAlias

from research._data import data_hash
from research._experiment import Run, method_of
from research.tasks import TASKS, TIMES, Values
from understudy._core.errors import TableError
from understudy.rehearsal import RunStore, fingerprint

Progress: TypeAlias = Callable[[str, int, int], None]
STAGE = "running"
AGAIN = "doing runs again"
FROM = "from"
"""Under which a run that was taken from an experiment's results notes its name."""
_POLL = 0.25  # seconds between looks for an interrupt
_SAME = 1e-9  # of a number: processors differ in the order in which they add


@dataclass(frozen=True, kw_only=True)
class Done:
    """A run with its values, and the CPU seconds that it took."""

    run: Run
    values: Values
    seconds: float


def facts_of(run: Run, folder: Path) -> dict[str, Any]:
    """All that a run's values depend on but the code."""
    facts = {"task": run.task, "params": dict(run.params), "seed": run.seed}
    names = [value for name, value in sorted(run.params.items()) if name == "dataset"]
    return facts | {"data": [data_hash(name, folder) for name in names]}


def do_runs(
    runs: Sequence[Run], store: RunStore, folder: Path, *, jobs: int, progress: Progress | None = None
) -> list[Done]:
    """All runs with their values and CPU seconds; those that the store lacks are computed first.

    Each is stored as it is finished, under all that its values depend on but the code. Whether stored runs are still
    what the code computes is found out by doing one of each method again, the cheapest: where it gives other numbers,
    all runs of that method are forgotten. Runs that were taken from the results of an experiment are tried apart from
    others: one may be of other code than the next.
    """
    keys = [fingerprint(**facts_of(run, folder)) for run in runs]
    named = dict(zip(keys, runs, strict=True))
    _forget_other_code({key: run for key, run in named.items() if key in store.values}, store, folder, jobs, progress)
    left = {key: run for key, run in named.items() if key not in store.values}

    def tell() -> None:
        if progress is not None and left:
            progress(STAGE, sum(key in store.values for key in left), len(left))

    for key, values, seconds in _computed(left, folder, jobs, tell):
        _refuse_no_number(left[key], values)
        facts = {**facts_of(left[key], folder), "version": version("understudy"), "seconds": round(seconds, 3)}
        store.add(key, facts, values)
        tell()
    return [
        Done(run=run, values=store.values[key], seconds=store.seconds(key)) for key, run in zip(keys, runs, strict=True)
    ]


def _forget_other_code(
    stored: Mapping[str, Run], store: RunStore, folder: Path, jobs: int, progress: Progress | None
) -> None:
    cheapest: dict[tuple[object, ...], str] = {}
    for key in sorted(stored, key=store.seconds):
        cheapest.setdefault((stored[key].method, store.facts[key].get(FROM)), key)
    again = {key: stored[key] for key in cheapest.values()}
    done = 0

    def tell() -> None:
        if progress is not None and again:
            progress(AGAIN, done, len(again))

    for key, values, _ in _computed(again, folder, jobs, tell):
        done += 1
        if differing(store.values[key], values):
            for other, facts in list(store.facts.items()):
                if method_of(facts.get("task", ""), facts.get("params", {})) == again[key].method:
                    store.forget(other)
    tell()


def differing(stored: Values, found: Values) -> list[str]:
    """The names under which a run, done again, gives another number; times are never the same, and are left out.

    >>> differing({"Q3": 0.25, "cpu_seconds": 3.0}, {"Q3": 0.25000000000000001, "cpu_seconds": 2.0})
    []
    >>> differing({"Q3": 0.25}, {"Q3": 0.26}), differing({"Q3": 0.25}, {"Q4": 0.25})
    (['Q3'], ['Q3', 'Q4'])
    """
    names = [name for name in dict.fromkeys([*stored, *found]) if name not in TIMES]
    return [
        name
        for name in names
        if name not in stored
        or name not in found
        or not isclose(stored[name], found[name], rel_tol=_SAME, abs_tol=_SAME)
    ]


def _refuse_no_number(run: Run, values: Values) -> None:
    """A verdict must not rest on values that are none, such as the mean over no tables at all."""
    if odd := [name for name, value in values.items() if not isfinite(value)]:
        raise TableError(
            f"the run of {run.series} at {run.x:g} on '{run.params.get('dataset', 'no table')}' came to no number for "
            f"{', '.join(odd)}. Is that the papers' table? If it is, this is a fault of ours: please report it."
        )


def _computed(
    left: Mapping[str, Run], folder: Path, jobs: int, look: Callable[[], None]
) -> Iterator[tuple[str, Values, float]]:
    """Keys with values and CPU seconds, as they are finished."""
    if jobs == 1 or len(left) < 2:
        for key, run in left.items():
            look()
            yield key, *compute(run.task, dict(run.params), run.seed, folder)
        return
    with _workers(min(jobs, len(left))) as pool:
        waiting = iter(left.items())
        running: dict[Future[tuple[Values, float]], str] = {}
        while True:
            # few are handed out at a time, so that an interrupt need not wait for many
            while len(running) < 2 * jobs and (following := next(waiting, None)) is not None:
                key, run = following
                running[pool.submit(compute, run.task, dict(run.params), run.seed, folder)] = key
            if not running:
                return
            finished, _ = wait(running, timeout=_POLL, return_when=FIRST_COMPLETED)
            look()
            for future in finished:
                yield running.pop(future), *future.result()


@contextmanager
def _workers(jobs: int) -> Iterator[ProcessPoolExecutor]:
    """Processes that count on one thread each, leave interrupts to us, and are gone when we are."""
    pool = ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=_prepare)
    try:
        yield pool
    except BaseException:
        processes = list((pool._processes or {}).values())
        pool.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.terminate()
        raise
    pool.shutdown()


def _prepare() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_leave_with_parent, daemon=True).start()
    os.environ["UNDERSTUDY_THREADS"] = "1"
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"


def _leave_with_parent() -> None:
    """Killed, it can end no process of its own; each would wait for work for ever."""
    if (parent := parent_process()) is not None:
        parent.join()
        os._exit(1)


def compute(task: str, params: dict[str, Any], seed: int, folder: Path) -> tuple[Values, float]:
    """One run's values, and the CPU seconds it took."""
    begun = time.process_time()
    values = TASKS[task](params, seed, folder)
    return values, time.process_time() - begun
