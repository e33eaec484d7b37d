"""Files that describe a table, as texts and JSON: bounded before they are read, and not trusted to be what they say."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from understudy._core.errors import SchemaError
from understudy.schema._limits import MAX_DEPTH, MAX_DIGITS, MAX_FILE_BYTES, shown
from understudy.schema._yaml import read_yaml


def read_document(path: Path, *, what: str = "schema", command: str = "schema draft") -> Any:
    """The content of a YAML or JSON file; `what` it is, and the `command` that makes one. Raises SchemaError.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.yaml"
    >>> _ = path.write_text("{a: 1, b: [01]}")
    >>> read_document(path)
    {'a': 1, 'b': [1]}
    """
    text = read_text(path, f"there is no {what} file {path}. `understudy {command}` makes one to review.")
    if text.lstrip().startswith("{"):
        try:
            return read_json(text)
        except ValueError as error:
            if isinstance(error, SchemaError) or path.suffix.lower() == ".json":
                raise SchemaError(f"{path.name}: {error}") from None
    try:
        return read_yaml(text)
    except SchemaError as error:
        raise SchemaError(*(f"{path.name}: {fault}" for fault in error.faults)) from None


def read_text(path: Path, missing: str) -> str:
    """The text of a file; `missing` says that there is none. Raises SchemaError."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)  # bounded by reading: a pipe or a device has no size to ask for
        if len(data) > MAX_FILE_BYTES:
            raise SchemaError(f"{path.name} is larger than any schema file may be ({MAX_FILE_BYTES >> 20} MiB).")
        return data.decode("utf-8-sig")
    except FileNotFoundError:
        raise SchemaError(missing) from None
    except OSError as error:
        raise SchemaError(f"cannot read {path}: {error.strerror}.") from None
    except UnicodeDecodeError as error:
        raise SchemaError(f"{path.name} is not UTF-8 text (byte {error.start}). Save it as UTF-8.") from None
    except SchemaError:
        raise
    except ValueError:  # of a name with a null character in it
        raise SchemaError(f"cannot read {shown(str(path))}: no file can have this name.") from None


def read_json(text: str) -> Any:
    """The content of a JSON text. Raises SchemaError where it is hostile, ValueError with a sentence where it is none.

    >>> read_json('{"a": NaN}')
    Traceback (most recent call last):
    understudy._core.errors.SchemaError: NaN is not JSON. Write a number, or a text in quotes.
    """
    try:
        return json.loads(text, parse_int=_int, parse_float=_float, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise ValueError(f"line {error.lineno}: {error.msg}. It is not valid JSON.") from None
    except RecursionError:
        raise SchemaError(
            f"there are more than {MAX_DEPTH} lists and mappings inside each other. Flatten them."
        ) from None


def _int(text: str) -> int | str:
    # What no number could hold stays a text: the field's type decides whether that is an error.
    return int(text) if len(text) <= MAX_DIGITS else text


def _float(text: str) -> float | str:
    return float(text) if len(text) <= MAX_DIGITS and math.isfinite(float(text)) else text


def _refuse_constant(word: str) -> None:
    raise SchemaError(f"{word} is not JSON. Write a number, or a text in quotes.")
