"""A real Spark cluster on this machine: a master and workers as processes on loopback.

    python scripts/spark_cluster.py start --workers 2      # prints the master's address, and returns
    python scripts/spark_cluster.py stop

Needs `understudy[spark]` and a Java. Each worker offers one core and a gigabyte. Nothing but loopback is listened on.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

HOST = socket.inet_ntoa(socket.INADDR_LOOPBACK.to_bytes(4, "big"))
_PATIENCE = 120.0
_NOTE = Path(tempfile.gettempdir(), f"understudy-spark-{os.getuid() if hasattr(os, 'getuid') else 0}.json")


@dataclass
class Cluster:
    """A master and its workers. Use it in a `with` block, or call `stop`.

    `Cluster.start(workers=2).master` is the address to give to `--master`.
    """

    master: str
    processes: list[int]
    """The master's process, then one for each worker; each leads a group of its own."""
    folder: Path
    _children: list[subprocess.Popen[bytes]] = field(default_factory=list, repr=False)

    @classmethod
    def start(cls, *, workers: int = 2, memory: str = "1g", environment: dict[str, str] | None = None) -> Cluster:
        """Start the processes, and wait until every worker has registered."""
        folder = Path(tempfile.mkdtemp(prefix="understudy-spark-"))
        cluster = cls("", [], folder)
        try:
            asked = ["--host", HOST, "--port", "0", "--webui-port", "0"]
            log = cluster._launch("master", "org.apache.spark.deploy.master.Master", asked, environment)
            cluster.master = _await(log, r"Starting Spark master at (spark://\S+)")
            for number in range(workers):
                work = folder / f"work-{number}"
                asked = [
                    "--host",
                    HOST,
                    "--webui-port",
                    "0",
                    "--cores",
                    "1",
                    "--memory",
                    memory,
                    "--work-dir",
                    str(work),
                ]
                asked.append(cluster.master)
                log = cluster._launch(f"worker-{number}", "org.apache.spark.deploy.worker.Worker", asked, environment)
                _await(log, r"(Successfully registered with master)")
        except BaseException:
            cluster.stop()
            raise
        return cluster

    def kill_worker(self, number: int = 0) -> None:
        """End a worker and all that it started, without a warning."""
        os.killpg(self.processes[1 + number], signal.SIGKILL)

    def stop(self) -> None:
        """End what is left, workers first, and remove its files."""
        for group in reversed(self.processes):
            _end(group)
        for child in self._children:
            child.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()

    def _launch(self, name: str, kind: str, asked: list[str], environment: dict[str, str] | None) -> Path:
        import pyspark

        home = Path(pyspark.__file__).parent
        settings = {
            **os.environ,
            "SPARK_HOME": str(home),
            "SPARK_LOCAL_IP": HOST,
            "SPARK_DAEMON_MEMORY": "256m",
            "SPARK_NO_DAEMONIZE": "1",
            "PYSPARK_PYTHON": sys.executable,
            **(environment or {}),
        }
        log = self.folder / f"{name}.log"
        with log.open("wb") as written:
            child = subprocess.Popen(
                [str(home / "bin" / "spark-class"), kind, *asked],
                env=settings,
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=written,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self._children.append(child)
        self.processes.append(child.pid)
        return log


def _await(log: Path, words: str) -> str:
    """What a log says once it says it."""
    until = time.monotonic() + _PATIENCE
    while time.monotonic() < until:
        found = re.search(words, log.read_text(encoding="utf-8", errors="replace"))
        if found:
            return found[1]
        time.sleep(0.2)
    last = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-3:]
    raise RuntimeError(f"Spark's {log.stem} did not start within {_PATIENCE:g} s: {' '.join(last)}")


def _end(group: int) -> None:
    """Ask a group of processes to end; make it, where it does not."""
    for sign in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(group, sign)
            until = time.monotonic() + 10
            while time.monotonic() < until:
                os.killpg(group, 0)
                _reap(group)
                time.sleep(0.1)
        except (ProcessLookupError, PermissionError):
            return


def _reap(child: int) -> None:
    with suppress(ChildProcessError):  # it is somebody else's child: `stop` of another process than `start`
        os.waitpid(child, os.WNOHANG)


def main() -> None:
    """Start a cluster and leave it running, or stop the one that was started so."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("what", choices=["start", "stop"])
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--memory", default="1g")
    asked = parser.parse_args()
    if _NOTE.exists():
        note = json.loads(_NOTE.read_text(encoding="utf-8"))
        if asked.what == "start":
            sys.exit(f"a cluster is running already: {note['master']}. Stop it first.")
        Cluster(note["master"], note["processes"], Path(note["folder"])).stop()
        _NOTE.unlink()
    elif asked.what == "stop":
        sys.exit("no cluster was started.")
    if asked.what == "start":
        cluster = Cluster.start(workers=asked.workers, memory=asked.memory)
        note = {"master": cluster.master, "processes": cluster.processes, "folder": str(cluster.folder)}
        _NOTE.write_text(json.dumps(note), encoding="utf-8")
        sys.stdout.write(f"{cluster.master}\n")


if __name__ == "__main__":
    main()
