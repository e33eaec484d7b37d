"""Packages of Debian that the project's tests need, installed where that is allowed."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Sequence


def install_packages(packages: Sequence[str], say: Callable[[str], None]) -> bool:
    """Install packages with apt-get; False where we may not, or where it cannot be run. What fails is said."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0 or not shutil.which("apt-get"):
        return False
    say(f"installing {packages[0]} with apt-get, once")
    settings = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (["update"], ["install", "-y", "--no-install-recommends", *packages]):
        try:
            done = subprocess.run(["apt-get", "-qq", *command], env=settings, capture_output=True, text=True)
        except OSError as error:
            say(f"apt-get cannot be run: {error.strerror}")
            return False
        if done.returncode != 0:
            last = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
            say(f"apt-get {command[0]} failed: {last}")
    return True
