"""Counts, weights and units of a part of the rows, small enough to travel between machines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa

from understudy.counting._counter import Counts
from understudy.counting._units import Weights


def pack_counts(tables: Sequence[Counts]) -> bytes:
    """Counts on their way to the driver: most cells of a part are small or empty.

    >>> unpack_counts(pack_counts([np.array([[1, 0], [0, 300]])]), [(2, 2)])[0].tolist()
    [[1, 0], [0, 300]]
    """
    whole = np.concatenate([np.empty(0, dtype=np.int64), *(table.reshape(-1) for table in tables)])
    return _packed(whole.astype("<i8").tobytes())


def unpack_counts(packed: bytes, shapes: Sequence[tuple[int, ...]]) -> list[Counts]:
    """The tables that were packed, of these shapes."""
    whole = np.frombuffer(_unpacked(packed), dtype="<i8").astype(np.int64)
    ends = np.cumsum([int(np.prod(shape, dtype=np.int64)) for shape in shapes])
    return [part.reshape(shape) for part, shape in zip(np.split(whole, ends[:-1]), shapes, strict=True)]


def pack_weights(weights: Weights) -> bytes:
    """What rows count, on its way to the workers."""
    return _packed(weights.astype("<u4").tobytes())


def unpack_weights(packed: bytes) -> Weights:
    """What rows count.

    >>> unpack_weights(pack_weights(np.array([2, 0], dtype=np.uint32))).tolist()
    [2, 0]
    """
    return np.frombuffer(_unpacked(packed), dtype="<u4").astype(np.uint32)


def unpack_texts(packed: bytes) -> Iterator[pa.Array]:
    """The units of a part's rows."""
    if packed:
        with pa.ipc.open_stream(pa.py_buffer(packed)) as stream:
            yield from (batch.column(0) for batch in stream)


def pack_texts(texts: Sequence[pa.Array]) -> bytes:
    """The units of a part's rows, on their way to the driver.

    >>> [column.to_pylist() for column in unpack_texts(pack_texts([pa.array(["a", None])]))]
    [['a', None]]
    """
    if not texts:
        return b""
    sink = pa.BufferOutputStream()
    schema = pa.schema([("unit", pa.large_string())])
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.ipc.new_stream(sink, schema, options=options) as stream:
        for array in texts:
            stream.write_batch(pa.RecordBatch.from_arrays([array.cast(pa.large_string())], schema=schema))
    packed: bytes = sink.getvalue().to_pybytes()
    return packed


def _packed(data: bytes) -> bytes:
    packed: bytes = pa.compress(data, codec="zstd", asbytes=True)
    return len(data).to_bytes(8, "little") + packed


def _unpacked(packed: bytes) -> bytes:
    size = int.from_bytes(packed[:8], "little")
    data: bytes = pa.decompress(packed[8:], decompressed_size=size, codec="zstd", asbytes=True) if size else b""
    return data
