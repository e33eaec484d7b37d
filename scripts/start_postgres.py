"""Start a PostgreSQL server to throw away: on loopback, in a folder of its own, for tests, benchmarks and trying out.

    python -m scripts.start_postgres             start one, print its address, stop it on Ctrl-C
    python -m scripts.start_postgres --install   only see to it that there is one; Debian's, where it may be installed

`--install` never fails: without a server the tests that need one are skipped, and this says so.
"""

from __future__ import annotations

import argparse
import glob
import ipaddress
import os
import pwd
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scripts.debian import install_packages

WITHOUT = "Tests of PostgreSQL will be skipped. Install the package postgresql, or put initdb and pg_ctl on the path."
LOOPBACK = str(ipaddress.IPv4Address(0x7F000001))
OWNER, DATABASE = "owner", "postgres"
_SETTINGS = {
    "listen_addresses": LOOPBACK,
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "max_wal_size": "2GB",
    "shared_buffers": "128MB",
}


class NoServerError(Exception):
    """Why there is no server on this machine."""


def main() -> None:
    """Start a server until somebody stops it, or only see to it that one is there."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--install", action="store_true", help="see to it that there is one, and start nothing")
    if asked.parse_args().install:
        found = find() or install()
        say(str(found) if found else f"none found. {WITHOUT}")
        return
    if find() is None:
        install()
    try:
        with server() as address:
            say(f"{address}\nStop it with Ctrl-C; all that is in it is gone then.")
            while True:
                time.sleep(3600)
    except KeyboardInterrupt:
        say("stopped.")
    except NoServerError as why:
        sys.exit(f"postgres: {why}")


def say(text: str) -> None:
    """A line for whoever runs `make`."""
    sys.stdout.write(f"postgres: {text}\n")
    sys.stdout.flush()


def find() -> Path | None:
    """The folder of initdb and pg_ctl: the newest that Debian's packages put there, or one on the path."""
    places = sorted(glob.glob("/usr/lib/postgresql/*/bin"), key=_version, reverse=True)
    on_path = shutil.which("initdb")
    places += [] if on_path is None else [str(Path(on_path).parent)]
    return next(
        (Path(place) for place in places if all(Path(place, one).is_file() for one in ("initdb", "pg_ctl"))), None
    )


def _version(place: str) -> float:
    try:
        return float(Path(place).parent.name)
    except ValueError:
        return 0.0


def install() -> Path | None:
    """Debian's package, where we may install it; None where we may not, or where that fails."""
    return find() if install_packages(["postgresql"], say) else None


@contextmanager
def server(**settings: str) -> Iterator[str]:
    """A server as long as the block runs; its address, with a password of its own. Raises NoServerError if none can be.

    `settings` are of postgresql.conf.
    """
    programs = find()
    if programs is None:
        raise NoServerError(f"there is no PostgreSQL here. {WITHOUT}")
    with tempfile.TemporaryDirectory(prefix="postgres-", ignore_cleanup_errors=True) as place:
        folder, user = Path(place), _user()
        password = secrets.token_urlsafe(12)
        (folder / "password").write_text(password + "\n", encoding="utf-8")
        if user is not None:  # the server refuses to run as root: a user that can reach the folder
            entry = pwd.getpwnam(user)
            for path in (folder, folder / "password"):
                os.chown(path, entry.pw_uid, entry.pw_gid)
        port = _free_port()
        made = ("-D", "data", "-U", OWNER, "-A", "scram-sha-256", "--pwfile", "password", "-E", "UTF8", "--locale=C")
        _run(user, folder, programs / "initdb", *made, "--no-sync")
        told = {**_SETTINGS, "port": str(port), "unix_socket_directories": str(folder), **settings}
        control = (programs / "pg_ctl", "-D", "data", "-w", "-s")
        options = " ".join(f"-c {name}={value}" for name, value in told.items())
        _run(user, folder, *control, "-l", "log", "-o", options, "start")
        try:
            yield f"postgresql://{OWNER}:{password}@{LOOPBACK}:{port}/{DATABASE}"
        finally:
            _run(user, folder, *control, "-m", "immediate", "stop")


def _user() -> str | None:
    """Whom to run the server as, where that cannot be oneself."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            pwd.getpwnam(name)
        except KeyError:
            continue
        return name
    raise NoServerError("the server refuses to run as root, and there is no user postgres here.")


def _free_port() -> int:
    with socket.socket() as asked:
        asked.bind((LOOPBACK, 0))
        return int(asked.getsockname()[1])


def _run(user: str | None, folder: Path, *command: object) -> None:
    group = None if user is None else pwd.getpwnam(user).pw_gid
    done = subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        user=user,
        group=group,
        extra_groups=None if user is None else [],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,  # no pipe: the server that pg_ctl starts would hold it open
        stderr=subprocess.DEVNULL,
    )
    if done.returncode != 0:
        raise NoServerError(f"{Path(str(command[0])).name} failed with {done.returncode}.")


if __name__ == "__main__":
    main()
