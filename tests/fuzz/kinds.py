"""All kinds of case, and how many of each make a round."""

from __future__ import annotations

from tests.fuzz.commands import make_command, run_command
from tests.fuzz.descriptions import make_metadata, make_question, make_schema, run_metadata, run_question, run_schema
from tests.fuzz.files import (
    make_arrow,
    make_csv,
    make_ledger,
    make_model,
    make_release,
    run_ledger,
    run_model,
    run_release,
    run_table,
)
from tests.fuzz.frames import make_frame, run_frame
from tests.fuzz.plans import make_plan, run_plan
from tests.fuzz.runner import Kind

KINDS = {
    "schema": Kind(make_schema, run_schema),
    "metadata": Kind(make_metadata, run_metadata),
    "question": Kind(make_question, run_question),
    "plan": Kind(make_plan, run_plan),
    "csv": Kind(make_csv, run_table),
    "arrow": Kind(make_arrow, run_table),
    "frame": Kind(make_frame, run_frame),
    "model": Kind(make_model, run_model),
    "ledger": Kind(make_ledger, run_ledger),
    "release": Kind(make_release, run_release),
    "command": Kind(make_command, run_command),
}
SHARES = {
    "schema": 25,
    "metadata": 10,
    "question": 20,
    "plan": 5,
    "csv": 8,
    "arrow": 8,
    "frame": 6,
    "model": 8,
    "ledger": 4,
    "release": 1,
    "command": 5,
}
"""How many of a hundred cases are of each kind: many where a case takes a millisecond, few where it takes a second."""


def round_of(hundreds: int, *, first: int = 0) -> list[str]:
    """A hundred cases, that many times, with seeds that no other round has."""
    return [
        f"{kind}:{seed}" for kind, share in SHARES.items() for seed in range(first * share, (first + hundreds) * share)
    ]
