"""Tables as Parquet files."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa

from understudy.schema import Schema
from understudy.tables._decode import arrow_schema

_ROW_GROUP = 1 << 20


class ParquetWriter:
    """Writes batches as row groups, with column types from the schema."""

    def __init__(
        self, path: Path, schema: Schema, metadata: Mapping[str, str], delimiter: str, *, coded: bool = False
    ) -> None:
        from pyarrow import parquet

        self._raw = path.open("wb")  # Arrow opens no file whose name is not UTF-8
        told = dict(metadata)
        if coded:  # a dictionary is how texts are written, and nothing that a reader should see
            told["ARROW:schema"] = b64encode(arrow_schema(schema).serialize().to_pybytes()).decode()
        self._writer = parquet.ParquetWriter(
            self._raw, arrow_schema(schema, coded=coded), compression="zstd", store_schema=not coded
        )
        if told:
            self._writer.add_key_value_metadata(told)

    def write(self, batch: pa.RecordBatch) -> None:
        """Append these rows."""
        self._writer.write_batch(batch, row_group_size=_ROW_GROUP)

    def close(self) -> None:
        """Write the footer."""
        try:
            self._writer.close()
        finally:
            self._raw.close()
