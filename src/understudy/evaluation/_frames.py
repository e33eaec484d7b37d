"""Arrow tables of ours as the dataframe the caller works with."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Literal, TypeAlias, get_args

import pyarrow as pa

from understudy._core.errors import OptionError

Kind: TypeAlias = Literal["pandas", "polars", "pyarrow"]


def frame_kind(source: str) -> Kind:
    """The dataframe to hand back for a table read from this: the same library, and pyarrow for files.

    >>> frame_kind("polars"), frame_kind("csv")
    ('polars', 'pyarrow')
    """
    return source if source in get_args(Kind) else "pyarrow"  # type: ignore[return-value]


def as_frame(table: pa.Table, kind: Kind) -> Any:
    """The table as pandas, polars or pyarrow.

    >>> as_frame(pa.table({"a": [1]}), "pandas").shape
    (1, 1)
    """
    if kind == "pyarrow":
        return table
    try:
        library = import_module(kind)
    except ImportError:
        raise OptionError(f"{kind} is not installed. Install it, or ask for kind='pyarrow'.") from None
    return library.from_arrow(table) if kind == "polars" else table.to_pandas()
