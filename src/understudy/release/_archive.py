"""The model file as a container: a zip of JSON documents and plain numeric arrays, safe to open.

Nothing in it is code, and nothing is unpacked before it is known to be of a sensible size: first the directory of the
zip, then the manifest, then the documents, each of them bounded; and an array only when the documents have said which
shape it must have. The same content always makes the same bytes.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import isfinite, prod
from pathlib import Path
from typing import Any

import numpy as np

from understudy._core.errors import ModelFileError
from understudy._core.files import can_name_a_file
from understudy.models import KINDS, Array

FORMAT = "understudy-model/1"
MANIFEST, SCHEMA, STATEMENT = "manifest.json", "schema.json", "statement.json"
MAX_MEMBERS = 50_000
"""Two for each of the 10,000 columns that a schema may have, and room for columns that an encoding takes apart."""
MAX_DOCUMENT = 64 << 20
MAX_VALUES = 1 << 21
"""Values in one document: numbers, lists and mappings take far more memory than their text does."""
MAX_TOTAL = 1 << 30
MAX_FILE = 1 << 30
_ARRAY_NAME = re.compile(r"[a-z]{1,20}-[0-9]{5}\.npy", re.ASCII)
_TEXT = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.DOTALL)  # never fails, so it never looks twice
_ENTRY = 46 + 26  # bytes of a member in a zip's directory: its head, and the longest name there is
_END, _END_LENGTH, _LARGE_END = b"PK\x05\x06", 22, b"PK\x06\x07"
_HEADER = 1000  # bytes; numpy writes 118 for any table that a model has
_MAX_DIGITS = 2000
_CHUNK = 1 << 20
_DTYPES: Mapping[Any, str] = {np.float64: "<f8", np.int64: "<i8"}
_EARLIEST = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True, kw_only=True)
class Archive:
    """What is to be written: JSON documents and arrays by member name."""

    documents: Mapping[str, Any]
    arrays: Mapping[str, Array]


def pack(archive: Archive) -> bytes:
    """The archive as bytes, the same ones each time.

    >>> archive = Archive(documents={"schema.json": {"fields": []}}, arrays={"table-00000.npy": np.eye(2)})
    >>> pack(archive) == pack(archive), unpack(pack(archive)).array("table-00000.npy", np.float64, (2, 2)).tolist()
    (True, [[1.0, 0.0], [0.0, 1.0]])
    """
    members = {name: _json_bytes(document) for name, document in sorted(archive.documents.items())}
    members |= {name: _array_bytes(array) for name, array in sorted(archive.arrays.items())}
    manifest = {
        "format": FORMAT,
        "members": {name: {"bytes": len(data), "sha256": _digest(data)} for name, data in members.items()},
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in {MANIFEST: _json_bytes(manifest), **members}.items():
            info = zipfile.ZipInfo(name, date_time=_EARLIEST)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.create_system = 3
            info.external_attr = 0o644 << 16
            file.writestr(info, data, compresslevel=1)  # higher ones take twice as long for one part in fifty
    return buffer.getvalue()


class Members:
    """The members of a model file, each unpacked when it is asked for. Make it with `unpack`."""

    def __init__(self, file: zipfile.ZipFile) -> None:
        self._file = file
        self._infos = _check_members(file.infolist())
        self._digests = _check_manifest(self.document(MANIFEST, sealed=False), self._infos)

    @property
    def names(self) -> frozenset[str]:
        """The names of all members but the manifest."""
        return frozenset(self._infos) - {MANIFEST}

    def document(self, name: str, *, sealed: bool = True) -> Any:
        """The JSON document of this name."""
        if name not in self._infos:
            raise ModelFileError(f"this model file lacks its part '{name}'. Ask its publisher for the file again.")
        return _read_json(name, self._read(name, sealed=sealed))

    def array(self, name: str, dtype: type[np.float64 | np.int64], shape: Sequence[int]) -> Array:
        """The array of this name, which must have this type and shape: its size is looked at before it is unpacked."""
        info, n_bytes = self._infos.get(name), 8 * prod(shape)
        if info is None or not n_bytes < info.file_size <= n_bytes + _HEADER:
            raise ModelFileError(f"the table '{name}' in this model file is missing or has another shape than it must.")
        return _read_array(name, self._read(name), dtype, tuple(shape))

    def _read(self, name: str, *, sealed: bool = True) -> bytearray:
        info = self._infos[name]
        data, filled = bytearray(info.file_size), 0  # memory that is not touched is not taken
        with _as_model_file_error(), self._file.open(info) as member:
            while chunk := member.read(_CHUNK):
                data[filled : filled + len(chunk)] = chunk
                filled += len(chunk)
        if filled != info.file_size or len(data) != info.file_size:
            raise ModelFileError("a part of this model file is not as long as it says. Do not trust it.")
        if sealed and _digest(data) != self._digests[name]:
            raise _changed()
        return data


def unpack(data: bytes) -> Members:
    """The members of the archive in these bytes; raises ModelFileError for anything else."""
    with _as_model_file_error():
        _check_directory(data)
        return Members(zipfile.ZipFile(io.BytesIO(data)))


def read_archive(path: Path) -> Members:
    """The members of the archive in this file."""
    if not can_name_a_file(path):
        raise ModelFileError(f"there is no model file {str(path)!r}: no file can have this name.")
    try:
        if path.is_dir():
            raise ModelFileError(f"'{path}' is a folder. Give the file in it: '{path / 'model.understudy'}'.")
        if path.stat().st_size > MAX_FILE:
            raise ModelFileError(f"'{path}' is larger than any model file may be ({MAX_FILE >> 20} MiB).")
        data = path.read_bytes()
    except FileNotFoundError as error:
        raise ModelFileError(f"there is no model file '{path}'.") from error
    except OSError as error:
        raise ModelFileError(f"cannot read '{path}': {error.strerror or type(error).__name__}.") from error
    return unpack(data)


@contextmanager
def _as_model_file_error() -> Iterator[None]:
    try:
        yield
    except ModelFileError:
        raise
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, OSError, RuntimeError, NotImplementedError) as error:
        raise ModelFileError(
            "this is not a whole understudy model file: it is truncated, damaged or something else. "
            "Copy it again, or ask its publisher for it."
        ) from error


def _check_directory(data: bytes) -> None:
    """Look at the end of the zip for the size of its directory, before the directory is read into objects."""
    end = data[-_END_LENGTH:]
    if len(end) < _END_LENGTH or not end.startswith(_END) or _LARGE_END in data[-_END_LENGTH - 20 : -_END_LENGTH]:
        raise zipfile.BadZipFile("no end that understudy writes")
    if int.from_bytes(end[12:16], "little") > MAX_MEMBERS * _ENTRY:
        raise ModelFileError(f"this model file has more parts than the {MAX_MEMBERS} it may have. Do not trust it.")


def known_documents() -> frozenset[str]:
    """The only JSON documents that a model file may have: these three, and one that is called after the model's kind.

    >>> "network.json" in known_documents(), "notes.json" in known_documents()
    (True, False)
    """
    return frozenset({MANIFEST, SCHEMA, STATEMENT, *(f"{kind}.json" for kind in KINDS)})


def _check_members(infos: Sequence[zipfile.ZipInfo]) -> dict[str, zipfile.ZipInfo]:
    """The members by name, if number, names, sizes and packing are as understudy makes them."""
    if len(infos) > MAX_MEMBERS:
        raise ModelFileError(f"this model file has {len(infos)} parts, more than the {MAX_MEMBERS} it may have.")
    found = {info.filename: info for info in infos}
    if MANIFEST not in found:
        raise ModelFileError("this zip file has no manifest of understudy, so it is not a model file.")
    documents = known_documents()
    known = all(name in documents or _ARRAY_NAME.fullmatch(name) for name in found)
    if not known or len(found) != len(infos):
        raise ModelFileError("this model file has parts with names that understudy never writes. Do not trust it.")
    too_big = any(info.file_size > MAX_DOCUMENT for info in infos if info.filename in documents)
    if too_big or sum(info.file_size for info in infos) > MAX_TOTAL:
        raise ModelFileError("this model file unpacks to more than any model needs. Do not trust it.")
    for info in infos:
        if info.compress_type not in (zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED) or info.flag_bits & 0x1:
            raise ModelFileError("this model file is packed in a way that understudy never uses. Do not trust it.")
    return found


def _check_manifest(manifest: Any, infos: Mapping[str, zipfile.ZipInfo]) -> dict[str, str]:
    """The SHA-256 of each other member, if the manifest lists them with their sizes."""
    if not isinstance(manifest, dict) or not isinstance(manifest.get("format"), str):
        raise ModelFileError("this zip file has no manifest of understudy, so it is not a model file.")
    if manifest["format"] != FORMAT:
        raise ModelFileError(
            f"this model file has format '{manifest['format'][:40]}', and this version of understudy reads '{FORMAT}'. "
            "Update understudy."
        )
    listed = manifest.get("members")
    if not isinstance(listed, dict) or not all(isinstance(member, dict) for member in listed.values()):
        raise _changed()
    sizes = {name: member.get("bytes") for name, member in listed.items()}
    if sizes != {name: info.file_size for name, info in infos.items() if name != MANIFEST}:
        raise _changed()
    return {name: str(member.get("sha256")) for name, member in listed.items()}


def _changed() -> ModelFileError:
    return ModelFileError(
        "the parts of this model file do not match its manifest: it was damaged or changed after it was written."
    )


def _digest(data: bytes | bytearray) -> str:
    return hashlib.sha256(data).hexdigest()


def _json_bytes(document: Any) -> bytes:
    return json.dumps(document, ensure_ascii=False, allow_nan=False, sort_keys=True, indent=1).encode()


def _read_json(name: str, data: bytearray) -> Any:
    """A document; one with too many values, or with numbers that nobody writes, is refused."""
    try:
        if _n_values(data) > MAX_VALUES and _n_values(_TEXT.sub(b"", data)) > MAX_VALUES:
            raise ValueError("more values than any document has")
        return json.loads(data.decode(), parse_constant=_no_constant, parse_int=_read_int, parse_float=_read_float)
    except (ValueError, RecursionError) as error:
        raise ModelFileError(f"the part '{name}' of this model file is not the JSON that it should be.") from error


def _n_values(data: bytes | bytearray) -> int:
    """At least as many values as the document has, read off its punctuation."""
    return sum(data.count(mark) for mark in (b",", b"[", b"{"))


def _no_constant(word: str) -> None:
    raise ValueError(f"{word} is not JSON")


def _read_int(digits: str) -> int:
    if len(digits) > _MAX_DIGITS:
        raise ValueError("a number of too many digits")
    return int(digits)


def _read_float(digits: str) -> float:
    found = float(digits)
    if not isfinite(found):
        raise ValueError("a number beyond all floats")
    return found


def _array_bytes(array: Array) -> bytes:
    buffer = io.BytesIO()
    plain = np.ascontiguousarray(array)
    np.lib.format.write_array(buffer, plain.astype(plain.dtype.newbyteorder("<")), version=(1, 0), allow_pickle=False)
    return buffer.getvalue()


def _read_array(name: str, data: bytearray, dtype: type[np.float64 | np.int64], shape: tuple[int, ...]) -> Array:
    """An array of plain doubles or 64-bit integers; the header is parsed as a literal, never evaluated."""
    fault = ModelFileError(f"the table '{name}' of this model file is not a plain array of numbers as it must be.")
    stream = io.BytesIO(data[: _HEADER + 100])
    try:
        if np.lib.format.read_magic(stream) != (1, 0):
            raise fault
        found, fortran, stored = np.lib.format.read_array_header_1_0(stream, max_header_size=_HEADER)
    except Exception as error:  # numpy parses the header as Python, which may fail in very many ways
        raise fault from error
    start = stream.tell()
    if found != shape or fortran or stored.str != _DTYPES[dtype] or 8 * prod(shape) != len(data) - start:
        raise fault
    array = np.frombuffer(data, dtype=dtype, offset=start).reshape(shape)
    array.setflags(write=False)
    return array
