"""Processes that start warm: each a fork of one that has imported what commands need, which takes a second otherwise.

Streams, signals, folders, limits and the exit code are those of a process of its own. What a test says about the start
of the interpreter (what is imported when, encodings and streams as they are found) needs `subprocess`.
"""

from __future__ import annotations

import atexit
import json
import os
import runpy
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import IO, Any

PRELOADED = ("understudy.cli._main", "understudy.cli._publish", "understudy._api", "understudy.randomize")
ROOT = Path(__file__).parents[1]


class WarmProcess:
    """A process that runs `python -m understudy words`, or `python -c code words`; used as one of `subprocess`."""

    def __init__(
        self,
        words: Sequence[str],
        *,
        cwd: Path | str = ".",
        code: str | None = None,
        env: Mapping[str, str] | None = None,
        stdout: int | None = None,
        stderr: int | None = None,
    ) -> None:
        given = {"words": [*words], "cwd": str(Path(cwd).resolve()), "code": code, "env": dict(env or os.environ)}
        self.returncode: int | None = None
        pipes = [os.pipe() if wanted is None else None for wanted in (stdout, stderr)]
        ends = [pipe[1] if pipe else wanted for pipe, wanted in zip(pipes, (stdout, stderr), strict=True)]
        self._status, theirs = socket.socketpair()
        socket.send_fds(_parent(), [b"x"], [theirs.fileno(), *(end for end in ends if end is not None)])
        theirs.close()
        for pipe in filter(None, pipes):
            os.close(pipe[1])
        self.stdout, self.stderr = (os.fdopen(pipe[0], encoding="utf-8") if pipe else None for pipe in pipes)
        self._status.sendall(json.dumps(given).encode() + b"\n")
        self._told = self._status.makefile()
        self.pid = int(self._told.readline())

    def send_signal(self, number: int) -> None:
        """As a shell sends it."""
        os.kill(self.pid, number)

    def kill(self) -> None:
        """At once, without a last word."""
        self.send_signal(signal.SIGKILL)

    def wait(self, timeout: float = 600) -> int:
        """Its exit code, once it has ended: minus the signal that ended it."""
        if self.returncode is None:
            self._status.settimeout(timeout)
            self.returncode = int(self._told.readline())
            self._told.close()
            self._status.close()
        return self.returncode

    def communicate(self, timeout: float = 600) -> tuple[str, str]:
        """All that it says on both streams until it ends."""
        with ThreadPoolExecutor(2) as readers:
            said = [readers.submit(_all_of, stream) for stream in (self.stdout, self.stderr)]
            self.wait(timeout)
            out, err = (words.result(timeout) for words in said)
        return out, err


def _all_of(stream: IO[str] | None) -> str:
    if stream is None:
        return ""
    with stream:
        return stream.read()


def run_warm(words: Sequence[str], **options: Any) -> subprocess.CompletedProcess[str]:
    """The same, to its end."""
    process = WarmProcess(words, **options)
    out, err = process.communicate()
    return subprocess.CompletedProcess([*words], process.wait(), out, err)


@cache
def _parent() -> socket.socket:
    """The process that is forked, at the other end; it ends when this one does."""
    ours, theirs = socket.socketpair()
    path = os.pathsep.join([str(ROOT), *os.environ.get("PYTHONPATH", "").split(os.pathsep)])
    parent = subprocess.Popen(
        [sys.executable, "-m", "tests.warm", str(theirs.fileno())],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": path.rstrip(os.pathsep)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,  # a fork has these streams, on files of its own: as in a pipe, nothing is sought
        stderr=subprocess.PIPE,
        pass_fds=[theirs.fileno()],
    )
    theirs.close()

    def end() -> None:
        ours.close()
        parent.communicate(timeout=600)

    atexit.register(end)
    return ours


def _next_job(requests: socket.socket) -> dict[str, Any]:
    """Returns in each fork, with what it shall run; the process that is forked goes on until nobody asks any more."""
    while True:
        _, received, _, _ = socket.recv_fds(requests, 1, 3)
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG) != (0, 0):
                pass
        if not received:
            os._exit(0)
        if os.fork() == 0:
            requests.close()
            return _child(socket.socket(fileno=received[0]), *received[1:])
        for descriptor in received:
            os.close(descriptor)


def _child(told: socket.socket, out: int, err: int) -> dict[str, Any]:
    """Returns in a process of its own; this one stays to say how it ended."""
    with told.makefile() as given:
        job: dict[str, Any] = json.loads(given.readline())
    if child := os.fork():
        told.sendall(f"{child}\n".encode())
        os.close(out)
        os.close(err)
        told.sendall(f"{os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])}\n".encode())
        os._exit(0)
    told.close()
    for descriptor, stream in ((out, 1), (err, 2)):
        os.dup2(descriptor, stream)
        os.close(descriptor)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    os.environ.clear()
    os.environ.update(job["env"])
    os.chdir(job["cwd"])
    return job


if __name__ == "__main__":
    for name in PRELOADED:
        import_module(name)
    job = _next_job(socket.socket(fileno=int(sys.argv[1])))
    sys.argv = ["understudy" if job["code"] is None else "-c", *job["words"]]
    if job["code"] is None:
        runpy.run_module("understudy", run_name="__main__", alter_sys=True)
    else:
        exec(compile(job["code"], "<string>", "exec"), {"__name__": "__main__"})
