"""A finished picture."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from understudy._core.errors import OutputError
from understudy.charts._svg import STYLE


@dataclass(frozen=True)
class Chart:
    """An SVG picture that needs nothing to be shown: no font, no network, no library.

    >>> Chart("<svg/>", 10, 10)._repr_svg_()
    '<svg/>'
    """

    svg: str
    width: int
    height: int

    def _repr_svg_(self) -> str:
        return self.svg

    def inline(self) -> str:
        """The picture without its style sheet, for a page that has `style_rules` once."""
        return self.svg.replace(STYLE, "", 1).strip()

    def save(self, path: str | Path) -> Path:
        """Writes the picture to a file that ends in .svg."""
        target = Path(path)
        if target.suffix.lower() != ".svg":
            raise OutputError(f"charts are written as SVG; got {target.name}. Name a file that ends in .svg.")
        try:
            target.write_text(self.svg, encoding="utf-8")
        except OSError as error:
            raise OutputError(f"cannot write {target}: {error.strerror}. Name another place.") from None
        return target
