"""Which code results come from: results of other code are computed anew, never mixed with these."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

import understudy

# What a run's values depend on. Figures, rules, pages and commands are not among it: they only read results.
_ROOMS = ("_core", "schema", "tables", "counting", "privacy", "network", "methods", "evaluation")
_OURS = ("experiments/_data.py", "experiments/tasks", "experiments/svm")


@cache
def code_version() -> str:
    """The package's version, and a hash of the modules that results depend on.

    >>> code_version().count("+")
    1
    """
    root = Path(understudy.__file__).parent
    found = sha256()
    for place in (*_ROOMS, *_OURS):
        path = root / place
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            found.update(file.relative_to(root).as_posix().encode() + b"\0" + file.read_bytes())
    return f"{version('understudy')}+{found.hexdigest()[:12]}"
