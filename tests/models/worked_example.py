"""The kind of model that docs/contributing.md shows, taken from the page."""

from functools import cache
from typing import Any

from tests.docs.blocks import PROJECT, blocks


@cache
def columns_model() -> Any:
    """The class `ColumnsModel`, as somebody would add it who has read that page."""
    [text] = [
        block.text for block in blocks(PROJECT / "docs" / "contributing.md") if "class ColumnsModel" in block.text
    ]
    names: dict[str, Any] = {"__name__": "worked_example"}
    exec(compile(text, "docs/contributing.md", "exec"), names)
    return names["ColumnsModel"]
