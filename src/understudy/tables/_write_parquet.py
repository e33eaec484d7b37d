"""Tables as Parquet files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa

from understudy.schema import Schema
from understudy.tables._decode import arrow_schema

_ROW_GROUP = 1 << 20


class ParquetWriter:
    """Writes batches as row groups, with column types from the schema."""

    def __init__(self, path: Path, schema: Schema, metadata: Mapping[str, str], delimiter: str) -> None:
        from pyarrow import parquet

        self._raw = path.open("wb")  # Arrow opens no file whose name is not UTF-8
        self._writer = parquet.ParquetWriter(self._raw, arrow_schema(schema), compression="zstd")
        if metadata:
            self._writer.add_key_value_metadata(dict(metadata))

    def write(self, batch: pa.RecordBatch) -> None:
        """Append these rows."""
        self._writer.write_batch(batch, row_group_size=_ROW_GROUP)

    def close(self) -> None:
        """Write the footer."""
        try:
            self._writer.close()
        finally:
            self._raw.close()
