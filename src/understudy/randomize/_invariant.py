"""Matrices of the invariant form, which depend on the table: worked out in a pass of their own."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np

from understudy.randomize._draw import block_codes
from understudy.randomize._forms import invariant_matrix
from understudy.randomize._plan import Plan
from understudy.tables import Source, code_batches


def with_matrices(plan: Plan, opened: Source) -> Plan:
    """The plan with every matrix in it; the table is read only if one depends on it.

    >>> import pyarrow as pa
    >>> from understudy.randomize import plan
    >>> from understudy.tables import open_source
    >>> made = plan({"name": "hospital", "fields": [{"name": "smokes", "type": "boolean"}]}, p="0.1", blocks={
    ...     "smokes": "invariant=0.8"})
    >>> found = with_matrices(made, open_source(pa.table({"smokes": [True, False, False]})))
    >>> found.blocks[0].matrix.size, found.blocks[0].from_data
    (2, True)
    """
    open_blocks = [block for block in plan.blocks if block.matrix is None]
    if not open_blocks:
        return plan
    counts = [np.zeros(block.cells, dtype=np.int64) for block in open_blocks]
    places = [[plan.schema.names.index(name) for name in block.columns] for block in open_blocks]
    for batch in code_batches(opened, plan.schema):
        for block, found, of_block in zip(open_blocks, counts, places, strict=True):
            cells = block_codes([batch.codes[i] for i in of_block], block.sizes)
            found += np.bincount(cells, minlength=block.cells)
    made = {
        block.columns: replace(block, matrix=invariant_matrix(found.tolist(), Fraction(block.keep)), from_data=True)
        for block, found in zip(open_blocks, counts, strict=True)
    }
    return replace(plan, blocks=tuple(made.get(block.columns, block) for block in plan.blocks))
