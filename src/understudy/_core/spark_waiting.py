"""Waiting for Spark: an interrupt ends it at once, and so does a cluster that has lost all of its workers."""

from __future__ import annotations

import secrets
import threading
import time
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

from understudy._core.errors import TableError, UnderstudyWarning

Found = TypeVar("Found")
SECONDS_WITHOUT_WORKERS = 300.0
"""How long a run waits for another worker once the last is gone: some clusters replace what they lose."""
_TELLS_AFTER = 15.0
_LOOKS_UP, _LOOKS_FOR_WORKERS, _GIVES_UP = 0.2, 1.0, 5.0  # seconds


class SparkCalls:
    """Calls that run jobs of a session, each on a thread of its own.

    On the main thread PySpark would hold an interrupt back until the job is done, and then tell it as a fault of Spark.
    """

    def __init__(self, session: Any) -> None:
        self._session = session
        self._tag = f"understudy-{secrets.token_hex(8)}"

    def run(self, call: Callable[[], Found]) -> Found:
        """What a call gives. If this is interrupted, or no worker is left, its jobs are cancelled first.

        Raises:
            TableError: if there is no worker for too long; and whatever the call raises.
        """
        made = _Made(self._prepared(call))
        workers = _Workers(self._session)
        try:
            made.begin()
            while not made.is_there(_LOOKS_UP):
                workers.look()
        except BaseException:
            self._cancel(made)
            raise
        return made.result()  # type: ignore[no-any-return]

    def _prepared(self, call: Callable[[], Found]) -> Callable[[], Found]:
        """The call with what is set for this thread, such as a pool to run in, and a tag to cancel it by."""
        context, session = _context(self._session), self._session
        inherited = session.getTags() if context is None else _java(context).getLocalProperties().clone()

        def prepared() -> Found:
            if context is None:
                for tag in (*inherited, self._tag):
                    session.addTag(tag)
            else:
                _java(context).setLocalProperties(inherited)
                context.addJobTag(self._tag)
            return call()

        return prepared

    def _cancel(self, made: _Made) -> None:
        """Cancel the jobs, as far as that can be done within a moment: whoever interrupts does not wait for Spark."""
        context, until = _context(self._session), time.monotonic() + _GIVES_UP
        # a session's tags do not reach the jobs of a DataFrame that is collected, but where it is one of Spark Connect
        by_tag = self._session.interruptTag if context is None else context.cancelJobsWithTag

        def cancel() -> None:
            by_tag(self._tag)
            while not made.is_there(_LOOKS_UP) and time.monotonic() < until:  # it may have begun only now
                by_tag(self._tag)

        cancelled = _Made(cancel)
        cancelled.begin()
        cancelled.is_there(_GIVES_UP)


class _Made:
    """What a call gives, made on a thread that nobody has to wait for."""

    def __init__(self, call: Callable[[], Any]) -> None:
        self._call, self._found, self._error = call, None, None  # type: Any, Any, BaseException | None
        self._done = threading.Event()

    def begin(self) -> None:
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        try:
            self._found = self._call()
        except BaseException as error:
            self._error = error
        finally:
            self._done.set()

    def is_there(self, seconds: float) -> bool:
        return self._done.wait(seconds)

    def result(self) -> Any:
        if self._error is not None:
            raise self._error
        return self._found


class _Workers:
    """Whether a cluster still has any, looked at now and then while a job runs."""

    def __init__(self, session: Any) -> None:
        self._context = _watched(session)
        self._next = self._seen = time.monotonic()
        self._told = False

    def look(self) -> None:
        """Warn once the last worker is gone, and raise TableError if none comes for too long."""
        now = time.monotonic()
        if self._context is None or now < self._next:
            return
        self._next = now + _LOOKS_FOR_WORKERS
        if count_workers(self._context) > 0:
            self._seen, self._told = now, False
        elif now - self._seen >= SECONDS_WITHOUT_WORKERS:
            raise TableError(
                f"Spark has had no worker for {SECONDS_WITHOUT_WORKERS:g} seconds: all were lost or taken away. Start "
                "again once the cluster has some; its master's log says what became of them."
            )
        elif now - self._seen >= min(_TELLS_AFTER, SECONDS_WITHOUT_WORKERS) and not self._told:
            self._told = True
            warnings.warn(
                f"Spark has no worker left. Waiting up to {SECONDS_WITHOUT_WORKERS:g} seconds for another.",
                UnderstudyWarning,
                stacklevel=2,
            )


def count_workers(context: Any) -> int:
    """Executors that a Spark context has; where it cannot tell, as once it is stopped, as many as one."""
    try:
        return int(_java(context).getExecutorMemoryStatus().size()) - 1  # the driver is among them
    except Exception:
        return 1


def _watched(session: Any) -> Any:
    """The context whose workers can be lost: none where they are threads of this machine's own Java."""
    context = _context(session)
    return None if context is None or _java(context).isLocal() else context


def _context(session: Any) -> Any:
    """The context of a session; None with Spark Connect, whose client knows nothing of workers."""
    try:
        return session.sparkContext
    except Exception:
        return None


def _java(context: Any) -> Any:
    return context._jsc.sc()
