"""The model file as a container: a zip of JSON documents and plain numeric arrays, safe to open.

Nothing in it is code, and nothing is trusted before it is checked: number, names and sizes of the members, their
hashes, and the type and shape of each array. The same content always makes the same bytes.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from understudy._core.errors import ModelFileError

Array: TypeAlias = npt.NDArray[Any]  # of float64 or int64: the two types that are ever written

FORMAT = "understudy-model/1"
MAX_MEMBERS = 20_000
MAX_DOCUMENT = 64 << 20
MAX_TOTAL = 1 << 30
MAX_FILE = 1 << 30
_NAME = re.compile(r"[a-z]{1,20}(-[0-9]{5})?\.(json|npy)", re.ASCII)
_DTYPES = {"<f8": np.float64, "<i8": np.int64}
_EARLIEST = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True, kw_only=True)
class Archive:
    """The unpacked content: JSON documents and arrays by member name."""

    documents: Mapping[str, Any]
    arrays: Mapping[str, Array]

    def document(self, name: str) -> Any:
        """The JSON document of this name."""
        if name not in self.documents:
            raise ModelFileError(f"this model file lacks its part '{name}'. Ask its publisher for the file again.")
        return self.documents[name]

    def array(self, name: str, dtype: npt.DTypeLike, shape: tuple[int, ...]) -> Array:
        """The array of this name, which must have this type and shape."""
        found = self.arrays.get(name)
        if found is None or found.dtype != dtype or found.shape != shape:
            raise ModelFileError(f"the table '{name}' in this model file is missing or has another shape than it must.")
        return found


def pack(archive: Archive) -> bytes:
    """The archive as bytes, the same ones each time.

    >>> archive = Archive(documents={"schema.json": {"fields": []}}, arrays={"table-00000.npy": np.eye(2)})
    >>> pack(archive) == pack(archive), unpack(pack(archive)).arrays["table-00000.npy"].tolist()
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
        for name, data in {"manifest.json": _json_bytes(manifest), **members}.items():
            info = zipfile.ZipInfo(name, date_time=_EARLIEST)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.create_system = 3
            info.external_attr = 0o644 << 16
            file.writestr(info, data)
    return buffer.getvalue()


def unpack(data: bytes) -> Archive:
    """The archive in these bytes, checked; raises ModelFileError for anything else."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as file:
            raw = _members(file)
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, OSError, RuntimeError, NotImplementedError) as error:
        if isinstance(error, ModelFileError):
            raise
        raise ModelFileError(
            "this is not a whole understudy model file: it is truncated, damaged or something else. "
            "Copy it again, or ask its publisher for it."
        ) from error
    _check_manifest(raw)
    return Archive(
        documents={name: _read_json(name, part) for name, part in raw.items() if name.endswith(".json")},
        arrays={name: _read_array(name, part) for name, part in raw.items() if name.endswith(".npy")},
    )


def read_archive(path: Path) -> Archive:
    """The archive in this file."""
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


def _members(file: zipfile.ZipFile) -> dict[str, bytes]:
    infos = file.infolist()
    if len(infos) > MAX_MEMBERS:
        raise ModelFileError(f"this model file has {len(infos)} parts, more than the {MAX_MEMBERS} it may have.")
    names = [info.filename for info in infos]
    odd = next((name for name in names if not _NAME.fullmatch(name)), None)
    if odd is not None or len(set(names)) != len(names):
        raise ModelFileError("this model file has parts with names that understudy never writes. Do not trust it.")
    too_big = any(info.file_size > MAX_DOCUMENT for info in infos if info.filename.endswith(".json"))
    if too_big or sum(info.file_size for info in infos) > MAX_TOTAL:
        raise ModelFileError("this model file unpacks to more than any model needs. Do not trust it.")
    return {info.filename: _read_member(file, info) for info in infos}


def _read_member(file: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    if info.compress_type not in (zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED) or info.flag_bits & 0x1:
        raise ModelFileError("this model file is packed in a way that understudy never uses. Do not trust it.")
    with file.open(info) as member:
        # One byte more than declared: a member that lies about its size is found without unpacking all of it.
        data = member.read(info.file_size + 1)
    if len(data) != info.file_size:
        raise ModelFileError("a part of this model file is not as long as it says. Do not trust it.")
    return data


def _check_manifest(raw: dict[str, bytes]) -> None:
    manifest = _read_json("manifest.json", raw.pop("manifest.json", b"null"))
    if not isinstance(manifest, dict) or not isinstance(manifest.get("format"), str):
        raise ModelFileError("this zip file has no manifest of understudy, so it is not a model file.")
    if manifest["format"] != FORMAT:
        raise ModelFileError(
            f"this model file has format '{manifest['format'][:40]}', and this version of understudy reads '{FORMAT}'. "
            "Update understudy."
        )
    expected = {name: {"bytes": len(data), "sha256": _digest(data)} for name, data in raw.items()}
    if manifest.get("members") != expected:
        raise ModelFileError(
            "the parts of this model file do not match its manifest: it was damaged or changed after it was written."
        )


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _json_bytes(document: Any) -> bytes:
    return json.dumps(document, ensure_ascii=False, allow_nan=False, sort_keys=True, indent=1).encode()


def _read_json(name: str, data: bytes) -> Any:
    try:
        return json.loads(data.decode(), parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise ModelFileError(f"the part '{name}' of this model file is not the JSON that it should be.") from error


def _no_constant(word: str) -> None:
    raise ValueError(f"{word} is not JSON")


def _array_bytes(array: Array) -> bytes:
    buffer = io.BytesIO()
    plain = np.ascontiguousarray(array)
    np.lib.format.write_array(buffer, plain.astype(plain.dtype.newbyteorder("<")), version=(1, 0), allow_pickle=False)
    return buffer.getvalue()


def _read_array(name: str, data: bytes) -> Array:
    """An array of plain doubles or 64-bit integers; the header is parsed as a literal, never evaluated."""
    fault = ModelFileError(f"the table '{name}' of this model file is not a plain array of numbers.")
    stream = io.BytesIO(data)
    try:
        if np.lib.format.read_magic(stream) != (1, 0):
            raise fault
        shape, fortran, dtype = np.lib.format.read_array_header_1_0(stream, max_header_size=1000)
    except (ValueError, EOFError, TypeError, SyntaxError, RecursionError, MemoryError) as error:
        raise fault from error
    wanted = _DTYPES.get(dtype.str)
    n_cells = 1
    for size in shape:
        n_cells *= size
    if wanted is None or fortran or min(shape, default=1) < 0 or 8 * n_cells != len(data) - stream.tell():
        raise fault
    array = np.frombuffer(data, dtype=wanted, offset=stream.tell()).reshape(shape)
    array.setflags(write=False)
    return array
