"""Doing the runs of an experiment: those that are not done yet, on several processes, each kept when it is finished."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from math import isfinite
from multiprocessing import get_context, parent_process
from pathlib import Path
from threading import Thread
from typing import Any, TypeAlias

from research._code import code_version
from research._data import data_hash
from research._experiment import Run
from research.tasks import TASKS, Values
from understudy._core.errors import TableError
from understudy.rehearsal import RunStore, fingerprint

Progress: TypeAlias = Callable[[str, int, int], None]
STAGE = "running"
_POLL = 0.25  # seconds between looks for an interrupt


def _facts(run: Run, folder: Path) -> dict[str, Any]:
    facts = {"task": run.task, "params": dict(run.params), "seed": run.seed, "code": code_version()}
    names = [value for name, value in sorted(run.params.items()) if name == "dataset"]
    return facts | {"data": [data_hash(name, folder) for name in names]}


def do_runs(
    runs: Sequence[Run], store: RunStore, folder: Path, *, jobs: int, progress: Progress | None = None
) -> tuple[list[tuple[Run, Values]], float]:
    """All runs with their values, and the CPU seconds of all; those that the store lacks are computed first.

    Each is stored as it is finished, under all that its values depend on.
    """
    keys = [fingerprint(**_facts(run, folder)) for run in runs]
    left = {key: run for key, run in zip(keys, runs, strict=True) if key not in store.values}

    def tell() -> None:
        if progress is not None and left:
            progress(STAGE, sum(key in store.values for key in left), len(left))

    for key, values, seconds in _computed(left, folder, jobs, tell):
        _refuse_no_number(left[key], values)
        store.add(key, {**_facts(left[key], folder), "seconds": round(seconds, 3)}, values)
        tell()
    done = [(run, store.values[key]) for key, run in zip(keys, runs, strict=True)]
    return done, sum(store.seconds.get(key, 0.0) for key in set(keys))


def _refuse_no_number(run: Run, values: Values) -> None:
    """A verdict must not rest on values that are none, such as the mean over no tables at all."""
    if odd := [name for name, value in values.items() if not isfinite(value)]:
        raise TableError(
            f"the run of {run.series} at {run.x:g} on '{run.params.get('dataset', 'no table')}' came to no number for "
            f"{', '.join(odd)}. Is that the papers' table? If it is, this is a fault of ours: please report it."
        )


def _computed(
    left: dict[str, Run], folder: Path, jobs: int, look: Callable[[], None]
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
