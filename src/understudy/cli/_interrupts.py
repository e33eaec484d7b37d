"""Ctrl-C that is never lost.

An interrupt is an exception in whatever Python code runs at that moment. If that is a callback out of a C library
(the compiler's, while it loads cached kernels), Python can only print it and go on. So an interrupt is also remembered:
it is raised again a moment later, and progress reports look for it, the last one just before the release is put in
place.
"""

from __future__ import annotations

import _thread
import math
import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from understudy._core.receipts import Receipts

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

INTERRUPTED = 130
NOTHING = "nothing was written."
_AGAIN_AFTER = 0.05
_INSISTS_AFTER = 1.0  # seconds: whoever sends another signal then means that the way out takes too long
_HANGUP: signal.Signals | None = getattr(signal, "SIGHUP", None)  # the terminal was closed; Windows has no such signal


class Interrupts:
    """Whether somebody asked the run to stop: `asked` until it does, `stopping` ever after.

    `outcome` and `receipts` say what there is to tell then: what the command finished so far, and what it booked.

    >>> interrupts = Interrupts()
    >>> interrupts.check()  # nobody did
    >>> interrupts.asked
    False
    """

    def __init__(self) -> None:
        self.asked = False
        self.outcome: str | Callable[[], str] = NOTHING
        self.receipts = Receipts()
        self.stopping = False
        self._last = -math.inf
        self._others = sys.unraisablehook

    def install(self) -> None:
        """Take over the signals and the hook for exceptions that nobody can catch."""
        self._others = sys.unraisablehook
        sys.unraisablehook = self._unraisable
        signal.signal(signal.SIGTERM, self._stop)
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # else it is ignored on purpose
            signal.signal(signal.SIGINT, self._stop)
        if _HANGUP is not None and signal.getsignal(_HANGUP) is signal.SIG_DFL:  # else this is a run under nohup
            signal.signal(_HANGUP, self._stop)

    def begin(self) -> None:
        """A new command: nothing is written yet, and nothing booked."""
        self.outcome, self.receipts = NOTHING, Receipts()

    def what_is_done(self) -> str:
        """What the command finished so far, as a sentence."""
        return self.outcome() if callable(self.outcome) else self.outcome

    def check(self) -> None:
        """Stop here if that was asked for and got lost."""
        if self.asked:
            self.asked = False
            raise KeyboardInterrupt

    def _stop(self, number: int, frame: object) -> None:
        """A polite kill or a closed terminal is an interrupt too: temporary files are removed on the way out.

        Another one right after it changes nothing: it would only cut that way short, and what there is to tell.
        """
        now = time.monotonic()
        if now > self._last + _INSISTS_AFTER:
            self.asked = self.stopping = True
            self._last = now
            raise KeyboardInterrupt

    def _unraisable(self, lost: UnraisableHookArgs) -> None:
        if not issubclass(lost.exc_type, KeyboardInterrupt):
            if not self.stopping:  # else something was cut short while it cleaned up, and there is nothing to learn
                self._others(lost)
            return
        # Not at once: it would be raised in this very function, and be lost again.
        again = threading.Timer(_AGAIN_AFTER, self._again)
        again.daemon = True
        again.start()

    def _again(self) -> None:
        if self.asked:
            self._last = -math.inf
            _thread.interrupt_main()


INTERRUPTS = Interrupts()


def wait_for_input() -> None:
    """Return once there is something to read on standard input; an interrupt is raised whenever it comes.

    One that comes just before a read begins would be told only after it, with the next line that somebody types.
    """
    if os.name != "posix":
        return  # where only sockets can be waited for
    told, tells = os.pipe()
    os.set_blocking(tells, False)
    before = signal.set_wakeup_fd(tells, warn_on_full_buffer=False)
    try:
        select.select([sys.stdin, told], [], [])
    finally:
        signal.set_wakeup_fd(before)
        os.close(told)
        os.close(tells)
