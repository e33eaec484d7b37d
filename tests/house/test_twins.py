"""No kernel without a slow twin, and no twin that nobody asks."""

from __future__ import annotations

from tests.house.sources import PROJECT, SHIPPED, TESTS
from tests.naive.twins import TWINS

KERNELS = {".".join(source.module): source for source in SHIPPED if source.path.name == "_kernels.py"}
NAIVE = [source for source in TESTS if source.path.is_relative_to(PROJECT / "tests" / "naive")]


def test_every_kernel_has_a_twin() -> None:
    wanted = {f"{module}.{node.name}" for module, source in KERNELS.items() for node in source.functions()}
    assert wanted == {f"{module}.{name}" for module, twins in TWINS.items() for name in twins}


def test_every_twin_is_compared_with_its_kernel_by_a_test() -> None:
    """A test file that uses the twin, by name, and reaches the room of the kernel."""
    idle = []
    for module, twins in TWINS.items():
        room = ".".join(module.split(".")[:2])
        users = [
            source.names
            for source in TESTS
            if source not in NAIVE and any(name.startswith(room) for _, name in source.imports())
        ]
        idle += [
            f"{name}: {twin.__name__}" for name, twin in twins.items() if not any(twin.__name__ in u for u in users)
        ]
    assert idle == []


def test_twins_share_no_code_with_what_they_check() -> None:
    """Types of the schema are all that they may take from the package."""
    shared = [
        source.at(line, name)
        for source in NAIVE
        for line, name in source.imports()
        if name.startswith(("understudy", "numba")) and not name.startswith("understudy.schema.")
    ]
    assert shared == []
