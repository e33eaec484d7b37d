"""Sessions of Spark that are opened here. PySpark is an extra, and is imported when it is asked for."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from understudy._core.errors import OptionError
from understudy._core.spark_waiting import count_workers

LOOPBACK = socket.inet_ntoa(socket.INADDR_LOOPBACK.to_bytes(4, "big"))
_MASTER = re.compile(r"local(\[(\d+|\*)(,\s*\d+)?\])?|yarn|(spark|k8s|sc)://\S+")
_SECONDS_TO_CONNECT, _SECONDS_TO_START = 5.0, 60.0
_SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "OFF",  # what it would log of a job that fails may quote cells; the error says what is wrong
    "spark.sql.execution.arrow.maxRecordsPerBatch": str(1 << 17),
}


def open_session(master: str | None) -> tuple[Any, bool]:
    """A Spark session, and whether it was started here: then whoever asked for it has to stop it.

    A session that is active in this process is used; another master than its own is refused. `master` is as Spark has
    it: local[2], spark://host:7077, yarn, k8s://…, or sc://host for Spark Connect. None: as Spark is configured.

    Raises:
        OptionError: if PySpark or Java is missing, or the master cannot be reached.
    """
    sessions = _pyspark()
    active = sessions.getActiveSession()
    if active is not None:
        refuse_another(active, master)
        return active, False
    if master is not None and not _MASTER.fullmatch(master):
        raise OptionError(
            f"'{master}' is no address of a Spark master. Expected such as local[2], spark://host:7077, yarn, "
            "k8s://https://host:6443 or, for Spark Connect, sc://host:15002."
        )
    remote = master is not None and master.startswith("sc://")
    if not remote:
        _refuse_without_java()
    _refuse_unreachable(master)
    return _started(sessions, master, remote=remote), True


def _pyspark() -> Any:
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise OptionError(
            "the engine spark needs PySpark, which is not installed. Run: pip install 'understudy[spark]'."
        ) from None
    return SparkSession


def refuse_another(active: Any, master: str | None) -> None:
    """Refuse another master than that of a session which is there."""
    found = active.conf.get("spark.master", "")
    if master is not None and master != found and not _is_served_by(active, master):
        raise OptionError(
            f"a Spark session is active in this process already, with the master {found or 'of a server'}, so that "
            f"{master} cannot be used. Stop it first, or leave the master out."
        )


def _is_served_by(active: Any, master: str) -> bool:
    """Whether a session is one of Spark Connect at this address: it knows its server, not that server's master."""
    try:
        endpoint = active.client._builder.endpoint
    except Exception:  # it is none, and says so in a way of its own
        return False
    place = re.split("[/;]", master.partition("://")[2])[0]
    return master.startswith("sc://") and endpoint in (place, f"{place}:15002")


def _refuse_without_java() -> None:
    home = os.environ.get("JAVA_HOME")
    if home is not None and not Path(home, "bin", "java").exists():
        raise OptionError(
            f"Spark needs Java, and JAVA_HOME ({home}) has none. Set it to the folder of a Java 17 or newer."
        )
    if home is None and shutil.which("java") is None:
        raise OptionError(
            "Spark needs Java, and there is none. Install Java 17 or newer (Debian: openjdk-17-jre-headless), or name "
            "its folder in JAVA_HOME. A server of Spark Connect (--master sc://host) needs none here."
        )


def _refuse_unreachable(master: str | None) -> None:
    """Refuse a master that nobody answers for: Spark itself would try for minutes."""
    if master is None or not master.startswith(("spark://", "sc://")):
        return
    standard = 7077 if master.startswith("spark://") else 15002
    tried = []
    for place in re.split("[/;]", master.partition("://")[2])[0].split(","):
        bare = ":" not in place.rpartition("]")[2]
        host, _, port = (place, "", str(standard)) if bare else place.rpartition(":")
        try:
            with socket.create_connection((host.strip("[]"), int(port)), timeout=_SECONDS_TO_CONNECT):
                return
        except (OSError, ValueError, OverflowError) as error:
            reason = (getattr(error, "strerror", None) or "no answer") if isinstance(error, OSError) else "no such port"
            tried.append(f"{host} at port {port} ({reason})")
    raise OptionError(
        f"the Spark master {master} cannot be reached. Tried {', '.join(tried)}, for up to {_SECONDS_TO_CONNECT:g} "
        "seconds each. Is it running, and is this the address that it logs? Nothing was charged."
    )


def _started(sessions: Any, master: str | None, *, remote: bool) -> Any:
    builder = sessions.builder.appName("understudy")
    if remote:
        builder = builder.remote(master)
    else:
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # Spark would take whatever python3 is on the path
        for name, value in {**_SETTINGS, **_places(master)}.items():
            builder = builder.config(name, value)
        builder = builder if master is None else builder.master(master)
    interrupts = signal.getsignal(signal.SIGINT)
    try:
        with silenced(), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of PySpark's own, about the versions of others
            session = builder.getOrCreate()
    except Exception as error:
        asked = "as it is configured" if master is None else f"with the master {master}"
        needs = "Java 17 or newer, and a master of the same version as PySpark"
        if remote:
            needs = "a server of the same version as PySpark, and a token where that asks for one (sc://host/;token=…)"
        raise OptionError(
            f"Spark could not be started {asked} ({type(error).__name__}). It needs {needs}. Nothing was charged."
        ) from None
    finally:
        _give_back(interrupts)
    if master is not None and master.startswith("spark://"):
        _await_workers(session, master)
    return session


@contextmanager
def silenced() -> Iterator[None]:
    """What a Java that is started inside tells on the error stream is for nobody: it greets, and warns of itself."""
    try:
        kept = os.dup(2)
    except OSError:  # there is no such stream
        yield
        return
    try:
        with open(os.devnull, "wb") as nowhere:
            os.dup2(nowhere.fileno(), 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def _places(master: str | None) -> dict[str, str]:
    """On this machine alone, nobody else is listened to."""
    own = master is not None and (master.startswith("local") or _is_here(master))
    return {"spark.driver.host": LOOPBACK, "spark.driver.bindAddress": LOOPBACK} if own else {}


def _is_here(master: str) -> bool:
    host = master.partition("://")[2].rpartition(":")[0]
    try:
        return ip_address(socket.gethostbyname(host)).is_loopback
    except (OSError, ValueError):
        return False


def _give_back(interrupts: Any) -> None:
    """What Ctrl-C does is for the program to say, not for Spark."""
    try:
        signal.signal(signal.SIGINT, interrupts)
    except ValueError:  # not in the main thread: then Spark took nothing
        return


def _await_workers(session: Any, master: str) -> None:
    """Refuse a cluster without workers: a job would wait for them without end."""
    until = time.monotonic() + _SECONDS_TO_START
    while count_workers(session.sparkContext) < 1:
        if time.monotonic() > until:
            session.stop()
            raise OptionError(
                f"the Spark master {master} answers, but no worker took up work within {_SECONDS_TO_START:g} seconds. "
                "Are workers registered with it, and have they a core and the memory that is asked for "
                "(spark.executor.memory)? Nothing was charged."
            )
        time.sleep(0.1)
