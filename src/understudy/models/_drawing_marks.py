"""The marks that a drawing is made of, as SVG elements: lines, words, labels, colours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil

from understudy._core.markup import escape, quoteattr

INK, QUIET, LINE, WHITE = "#1f2937", "#6b7280", "#d5dae3", "#ffffff"
_WEAK, _STRONG = (196, 204, 222), (49, 46, 129)
_STEEPEST = 0.4  # of a line beside a box: what the gap between boxes leaves room for


@dataclass(frozen=True)
class Curve:
    """A smooth line downwards through points: cubic pieces whose slopes (x by y) are given at the points."""

    points: Sequence[tuple[float, float]]
    slopes: Sequence[float]

    @classmethod
    def through(cls, points: Sequence[tuple[float, float]]) -> Curve:
        """The line through these points."""
        steps = [(x1 - x0) / (y1 - y0) for (x0, y0), (x1, y1) in pairwise(points)]
        inner = []
        for before, after in pairwise(steps):
            # upright where the line turns, gently leaning where it goes on
            lean = 2 * before * after / (before + after) if before * after > 0 else 0.0
            inner.append(max(-_STEEPEST, min(_STEEPEST, lean)))
        return cls(points, [0.0, *inner, 0.0])

    def path(self) -> str:
        """Its drawing, as SVG writes it."""
        parts = [f"M{self.points[0][0]:.1f},{self.points[0][1]:.1f}"]
        for piece in range(len(self.points) - 1):
            (_, _), (ax, ay), (bx, by), (x, y) = self._controls(piece)
            parts.append(f"C{ax:.1f},{ay:.1f} {bx:.1f},{by:.1f} {x:.1f},{y:.1f}")
        return "".join(parts)

    def at(self, t: float) -> tuple[float, float]:
        """A point on the last piece."""
        weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
        controls = self._controls(len(self.points) - 2)
        return sum(w * x for w, (x, _) in zip(weights, controls, strict=True)), sum(
            w * y for w, (_, y) in zip(weights, controls, strict=True)
        )

    def _controls(self, piece: int) -> list[tuple[float, float]]:
        (x0, y0), (x1, y1) = self.points[piece], self.points[piece + 1]
        pull = (y1 - y0) * 0.5
        a = (x0 + self.slopes[piece] * pull, y0 + pull)
        b = (x1 - self.slopes[piece + 1] * pull, y1 - pull)
        return [(x0, y0), a, b, (x1, y1)]


def tag(name: str, *children: str, **attributes: str | float) -> str:
    """An element; text inside `title` and `text` is escaped here, and nowhere else."""
    shown = "".join(f" {key.replace('_', '-')}={quoteattr(_written(value))}" for key, value in attributes.items())
    inside = escape("".join(children)) if name in ("title", "text") else "".join(children)
    return f"<{name}{shown}>{inside}</{name}>" if inside else f"<{name}{shown}/>"


def _written(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:.2f}".rstrip("0").rstrip(".")


def words(x: float, y: float, text: str, *, size: float, fill: str = QUIET, **attributes: str) -> str:
    """Words at a place."""
    return tag("text", text, x=x, y=y, font_size=size, fill=fill, **attributes)


def pill(x: float, y: float, text: str, colour: str) -> str:
    """A label in a frame, around a place."""
    width = 6.0 * len(text) + 10.0
    frame = tag("rect", x=x - width / 2, y=y - 8.5, width=width, height=17, rx=8.5, fill=WHITE, stroke=colour)
    return tag("g", frame, words(x, y + 3.6, text, size=10, text_anchor="middle"))


def bar(colour: str) -> str:
    """The upright bar of a box, for the legend."""
    return tag("rect", y=-11, width=3.5, height=13, rx=1.75, fill=colour)


def stroke(x: float, colour: str, thickness: float) -> str:
    """A short line, for the legend."""
    return tag("line", x1=x, x2=x + 22, y1=-4, y2=-4, stroke=colour, stroke_width=thickness, stroke_linecap="round")


def mix(share: float) -> str:
    """The colour of a line, from weak to strong."""
    red, green, blue = (round(weak + share * (strong - weak)) for weak, strong in zip(_WEAK, _STRONG, strict=True))
    return f"#{red:02x}{green:02x}{blue:02x}"


def plural(count: int, noun: str) -> str:
    """A number of things.

    >>> plural(1, "value"), plural(1200, "dependency")
    ('1 value', '1,200 dependencies')
    """
    many = noun[:-1] + "ies" if noun.endswith("y") else noun + "s"
    return f"{count:,} {noun if count == 1 else many}"


def n_values(size: int) -> str:
    """A number of values."""
    return plural(size, "value")


def shorten(name: str) -> str:
    """A name that fits a box."""
    return name if len(name) <= 26 else name[:25] + "…"


def box_width(name: str, size: int) -> float:
    """How wide the box of an attribute is."""
    return float(ceil(max(84.0, 38 + 8.5 * len(shorten(name)), 38 + 6.2 * len(n_values(size)))))
