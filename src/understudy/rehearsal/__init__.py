"""Methods tried out on a table with seeded noise: learn, draw rows, measure, and keep what was found run by run.

Nothing here is a release: no ledger is touched, and what comes out is private to whoever holds the real table.
"""

from understudy.rehearsal._distance import answer_distances, table_distances
from understudy.rehearsal._rehearse import rehearse, sample_table
from understudy.rehearsal._store import KEPT, RUNS, RunStore, check_folder, fingerprint, table_hash

__all__ = [
    "KEPT",
    "RUNS",
    "RunStore",
    "answer_distances",
    "check_folder",
    "fingerprint",
    "rehearse",
    "sample_table",
    "table_distances",
    "table_hash",
]
