"""A drawing of a network: one standalone SVG, no dependency, the same every time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil
from textwrap import wrap
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from understudy.models._fitting import consistent_tables, family_tables
from understudy.models._inference import Floats
from understudy.models._layout import Edge, Layout, lay_out
from understudy.models._network_model import NetworkModel
from understudy.models._protocol import HasNetwork
from understudy.schema import Axis

_FONT = "Inter, 'Segoe UI', 'Helvetica Neue', Helvetica, Arial, 'DejaVu Sans', sans-serif"
_INK, _QUIET, _LINE, _PAPER, _WHITE = "#1f2937", "#6b7280", "#d5dae3", "#fbfcfe", "#ffffff"
_ROOT, _CHILD = "#f59e0b", "#4f6bd8"
_WEAK, _STRONG = (196, 204, 222), (49, 46, 129)
_BOX, _ROW, _GAP, _MARGIN = 46.0, 118.0, 26.0, 40.0
_TITLE_LINE, _LEGEND_LINE = 26.0, 22.0
_LEAST_WIDTH = 660.0
_MOST_EDGES = 240  # more lines than this nobody can follow
_STEEPEST = 0.4  # of a line beside a box: what the gap between boxes leaves room for


def edge_strengths(model: HasNetwork) -> dict[Edge, float]:
    """Mutual information in bits between each parent (at the level used) and its child.

    From the measured tables where there are any, as they were processed; else from the model by inference.

    >>> from understudy.models import Network, NetworkModel, Node
    >>> from understudy.schema import Attribute, Domain, recode
    >>> domain = Domain((Attribute(name="a", size=2), Attribute(name="b", size=2)))
    >>> network = Network(domain, (Node(0), Node(1, (Axis(0),))))
    >>> model = NetworkModel(network, ([0.5, 0.5], [[1, 0], [0, 1]]), recode(domain, "vanilla"), (), 1)
    >>> edge_strengths(model)
    {(0, 1): 1.0}
    """
    strengths = {}
    for node, table in zip(model.network.nodes, _families(model), strict=True):
        for i, axis in enumerate(node.parents):
            others = tuple(j for j in range(len(node.parents)) if j != i)
            strengths[axis.attribute, node.child] = _information(table.sum(axis=others))
    return strengths


def _families(model: HasNetwork) -> Sequence[Floats]:
    if not isinstance(model, NetworkModel) or not model.measurements:
        return model.families()
    # large networks tangle: exact inference over all families would cost more than the fit did
    tables = consistent_tables(model.measurements, model.network.domain, model.n)
    joints = family_tables(model.network, model.measurements, tables)
    return [joint / total if (total := joint.sum()) > 0 else joint for joint in joints]


def _strongest(strengths: Mapping[Edge, float], n_nodes: int) -> dict[Edge, float]:
    """All edges of a network that can be drawn legibly; of a larger one the strongest few into each node."""
    if len(strengths) <= _MOST_EDGES:
        return dict(strengths)
    kept: dict[int, int] = {}
    result: dict[Edge, float] = {}
    for edge in sorted(strengths, key=lambda edge: (-strengths[edge], edge)):
        kept[edge[1]] = kept.get(edge[1], 0) + 1
        if kept[edge[1]] <= max(1, _MOST_EDGES // n_nodes):
            result[edge] = strengths[edge]
    return result


def _information(joint: Floats) -> float:
    independent = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
    live = joint > 0
    return max(0.0, float((joint[live] * np.log2(joint[live] / independent[live])).sum()))


def draw_svg(model: HasNetwork, *, title: str = "") -> str:
    """The network as an SVG picture: boxes in layers, parents above children.

    A line is the thicker and darker the more the child tells about the parent (mutual information in what was
    measured). A small label on it says in how many groups the child sees the parent, where not in all its values.

    >>> from understudy.models import Network, NetworkModel, Node
    >>> from understudy.schema import Attribute, Domain, recode
    >>> domain = Domain((Attribute(name="age", size=2), Attribute(name="income", size=2)))
    >>> network = Network(domain, (Node(0), Node(1, (Axis(0),))))
    >>> model = NetworkModel(network, ([0.5, 0.5], [[1, 0], [0, 1]]), recode(domain, "vanilla"), (), 1)
    >>> draw_svg(model, title="People").count("<rect") > 2
    True
    """
    network = model.network
    widths = {a: _box_width(network.domain[a].name, network.domain[a].size) for a in network.order}
    strengths = _strongest(edge_strengths(model), len(network.nodes))
    edges = [(axis.attribute, node.child) for node in network.nodes for axis in node.parents]
    layout = lay_out(network.order, [edge for edge in edges if edge in strengths], widths, gap=_GAP)
    return _Drawing(model, title, layout, widths, strengths).svg()


@dataclass(frozen=True)
class _Drawing:
    model: HasNetwork
    title: str
    layout: Layout
    widths: Mapping[int, float]
    strengths: Mapping[Edge, float]

    @property
    def width(self) -> float:
        return max(self.layout.width, _LEAST_WIDTH) + 2 * _MARGIN

    @property
    def title_lines(self) -> list[str]:
        """The title, wrapped: with a stamp in it, it is longer than a small network is wide."""
        return wrap(self.title, int((self.width - 2 * _MARGIN) / 13.0), break_on_hyphens=False)

    @property
    def top(self) -> float:
        return _MARGIN + 34.0 + max(0, len(self.title_lines) * _TITLE_LINE - 2)

    @property
    def left(self) -> float:
        return _MARGIN + max(0.0, _LEAST_WIDTH - self.layout.width) / 2

    def svg(self) -> str:
        width, legend = self.width, self._legend()
        height = self.top + max(0, self.layout.n_layers - 1) * _ROW + _BOX + 62.0 + _LEGEND_LINE * len(legend)
        # strong edges last, so that they lie on top
        drawn = sorted(self.strengths, key=lambda edge: (self.strengths[edge], edge))
        ports = self._ports()
        curves = {edge: self._curve(edge, *ports[edge]) for edge in drawn}
        name = self.title or "Bayesian network"
        body = [
            _tag("title", name),
            _tag("rect", width=width, height=height, rx=14, fill=_PAPER),
            *self._header(),
            _tag("g", *(self._edge(edge, curves[edge]) for edge in drawn), fill="none", stroke_linecap="round"),
            *self._pills(curves),
            *(self._box(a) for a in self.model.network.order),
            *self._placed(legend, height),
        ]
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
            f'height="{height:.0f}" font-family="{_FONT}" role="img" aria-label={quoteattr(name)}>\n'
            + "\n".join(body)
            + "\n</svg>\n"
        )

    def _centre(self, attribute: int) -> tuple[float, float]:
        return self.layout.x[attribute] + self.left, self._middle(self.layout.layer[attribute])

    def _middle(self, row: int) -> float:
        return self.top + row * _ROW + _BOX / 2

    def _ports(self) -> dict[Edge, tuple[float, float]]:
        """Where each edge leaves its parent and enters its child: spread along the side, so that ends do not cross."""
        sides: tuple[dict[int, list[tuple[float, Edge]]], dict[int, list[tuple[float, Edge]]]] = ({}, {})
        for edge, bends in self.layout.bends.items():
            parent, child = edge
            sides[0].setdefault(parent, []).append((bends[0][0] if bends else self.layout.x[child], edge))
            sides[1].setdefault(child, []).append((bends[-1][0] if bends else self.layout.x[parent], edge))
        ends: dict[Edge, list[float]] = {edge: [0.0, 0.0] for edge in self.layout.bends}
        for end, side in enumerate(sides):
            for attribute, towards in side.items():
                room = min(18.0 * (len(towards) - 1), self.widths[attribute] - 28.0)
                for i, (_, edge) in enumerate(sorted(towards)):
                    offset = (i / (len(towards) - 1) - 0.5) * room if len(towards) > 1 else 0.0
                    ends[edge][end] = self._centre(attribute)[0] + offset
        return {edge: (start, end) for edge, (start, end) in ends.items()}

    def _curve(self, edge: Edge, start: float, end: float) -> _Curve:
        bends = [(x + self.left, self._middle(row)) for x, row in self.layout.bends[edge]]
        above = self._centre(edge[0])[1] + _BOX / 2
        below = self._centre(edge[1])[1] - _BOX / 2 - 5.0
        return _Curve.through([(start, above), *bends, (end, below)])

    def _edge(self, edge: Edge, curve: _Curve) -> str:
        colour, thickness = self._ink(edge)
        (x, y), half = curve.points[-1], 3.2 + thickness * 0.9
        head = f"M{x - half:.1f},{y - half * 0.6:.1f}L{x:.1f},{y + 4:.1f}L{x + half:.1f},{y - half * 0.6:.1f}Z"
        return _tag(
            "g",
            _tag("title", self._tooltip(edge)),
            _tag("path", d=curve.path(), stroke=colour, stroke_width=thickness),
            _tag("path", d=head, fill=colour, stroke="none"),
        )

    def _ink(self, edge: Edge) -> tuple[str, float]:
        strongest = max(self.strengths.values(), default=0.0)
        share = (self.strengths[edge] / strongest) ** 0.5 if strongest > 0 else 0.3
        return _mix(share), 1.1 + 3.4 * share

    def _axis(self, edge: Edge) -> Axis:
        return next(axis for axis in self.model.network.parents_of(edge[1]) if axis.attribute == edge[0])

    def _tooltip(self, edge: Edge) -> str:
        domain, axis = self.model.network.domain, self._axis(edge)
        seen = f", seen in {domain.size(axis)} groups" if axis.level else ""
        return f"{domain[edge[0]].name}{seen} → {domain[edge[1]].name}: {self.strengths[edge]:.3f} bits"

    def _pills(self, curves: Mapping[Edge, _Curve]) -> list[str]:
        """Labels on generalised edges, near the child, moved along their edge until none covers another."""
        taken: list[tuple[float, float]] = []
        pills = []
        for edge in sorted(curves, key=lambda e: (self._centre(e[1])[::-1], e)):
            axis = self._axis(edge)
            if not axis.level:
                continue
            spots = [curves[edge].at(t) for t in (0.62, 0.5, 0.74, 0.4, 0.32, 0.24, 0.82)]
            free = [s for s in spots if all(abs(s[0] - x) > 62 or abs(s[1] - y) > 19 for x, y in taken)]
            x, y = (
                free[0] if free else max(spots, key=lambda s: min(abs(s[0] - x) + 3 * abs(s[1] - y) for x, y in taken))
            )
            taken.append((x, y))
            pills.append(_pill(x, y, f"{self.model.network.domain.size(axis)} groups", self._ink(edge)[0]))
        return pills

    def _box(self, attribute: int) -> str:
        x, y = self._centre(attribute)
        width, known = self.widths[attribute], self.model.network.domain[attribute]
        left, top = x - width / 2, y - _BOX / 2
        accent = _CHILD if self.model.network.parents_of(attribute) else _ROOT
        return _tag(
            "g",
            _tag("title", known.name),
            _tag("rect", x=left, y=top + 2, width=width, height=_BOX, rx=10, fill=_INK, fill_opacity=0.07),
            _tag("rect", x=left, y=top, width=width, height=_BOX, rx=10, fill=_WHITE, stroke=_LINE),
            _tag("rect", x=left + 9, y=top + 11, width=3.5, height=_BOX - 22, rx=1.75, fill=accent),
            _text(left + 21, y - 2.5, _shorten(known.name), size=13.5, fill=_INK, font_weight="600"),
            _text(left + 21, y + 13.5, _values(known.size), size=10.5),
        )

    def _header(self) -> list[str]:
        network = self.model.network
        n_edges = sum(len(node.parents) for node in network.nodes)
        facts = [_plural(len(network.nodes), "attribute"), _plural(n_edges, "dependency")]
        if self.strengths:
            facts.append(f"at most {_plural(network.degree, 'parent')} each")
        if len(self.strengths) < n_edges:
            facts.append(f"the {len(self.strengths)} strongest are drawn")
        titles = [
            _text(_MARGIN, _MARGIN + 12 + i * _TITLE_LINE, line, size=21, fill=_INK, font_weight="650")
            for i, line in enumerate(self.title_lines)
        ]
        return [*titles, _text(_MARGIN, self.top - 24, " · ".join(facts), size=12.5)]

    def _legend(self) -> list[list[tuple[float, str, float, str]]]:
        """Lines of the legend, each of (x, mark, indent of the text, text), as many as the width asks for."""
        entries = [(_bar(_ROOT), 11.0, "depends on nothing"), (_bar(_CHILD), 11.0, "depends on what is above")]
        strongest = max(self.strengths.values(), default=0.0)
        if strongest > 0:
            entries.append(
                (
                    _stroke(0, _mix(0), 1.3) + _stroke(30, _mix(1), 4.5),
                    62.0,
                    f"shared information, up to {strongest:.2f} bits",
                )
            )
        if any(self._axis(edge).level for edge in self.strengths):
            entries.append((_pill(29, -4, "4 groups", _LINE), 64.0, "seen in coarser groups"))
        lines: list[list[tuple[float, str, float, str]]] = [[]]
        x = _MARGIN
        for mark, indent, text in entries:
            wide = indent + 6.3 * len(text)
            if lines[-1] and x + wide > self.width - _MARGIN:
                lines.append([])
                x = _MARGIN
            lines[-1].append((x, mark, indent, text))
            x += wide + 22
        return lines

    def _placed(self, legend: list[list[tuple[float, str, float, str]]], height: float) -> list[str]:
        y = height - 30.0 - _LEGEND_LINE * (len(legend) - 1)
        parts = [_tag("line", x1=_MARGIN, x2=self.width - _MARGIN, y1=y - 24, y2=y - 24, stroke=_LINE)]
        for i, line in enumerate(legend):
            for x, mark, indent, text in line:
                place = f"translate({x:.1f},{y + i * _LEGEND_LINE:.1f})"
                parts.append(_tag("g", mark, _text(indent, 0, text, size=11.5), transform=place))
        return parts


@dataclass(frozen=True)
class _Curve:
    """A smooth line downwards through points: cubic pieces whose slopes (x by y) are given at the points."""

    points: Sequence[tuple[float, float]]
    slopes: Sequence[float]

    @classmethod
    def through(cls, points: Sequence[tuple[float, float]]) -> _Curve:
        steps = [(x1 - x0) / (y1 - y0) for (x0, y0), (x1, y1) in pairwise(points)]
        inner = []
        for before, after in pairwise(steps):
            # upright where the line turns, gently leaning where it goes on
            lean = 2 * before * after / (before + after) if before * after > 0 else 0.0
            inner.append(max(-_STEEPEST, min(_STEEPEST, lean)))
        return cls(points, [0.0, *inner, 0.0])

    def path(self) -> str:
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


def _tag(name: str, *children: str, **attributes: str | float) -> str:
    """An element; text inside `title` and `text` is escaped here, and nowhere else."""
    shown = "".join(f" {key.replace('_', '-')}={quoteattr(_written(value))}" for key, value in attributes.items())
    inside = escape("".join(children)) if name in ("title", "text") else "".join(children)
    return f"<{name}{shown}>{inside}</{name}>" if inside else f"<{name}{shown}/>"


def _written(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:.2f}".rstrip("0").rstrip(".")


def _text(x: float, y: float, text: str, *, size: float, fill: str = _QUIET, **attributes: str) -> str:
    return _tag("text", text, x=x, y=y, font_size=size, fill=fill, **attributes)


def _pill(x: float, y: float, text: str, colour: str) -> str:
    width = 6.0 * len(text) + 10.0
    frame = _tag("rect", x=x - width / 2, y=y - 8.5, width=width, height=17, rx=8.5, fill=_WHITE, stroke=colour)
    return _tag("g", frame, _text(x, y + 3.6, text, size=10, text_anchor="middle"))


def _bar(colour: str) -> str:
    return _tag("rect", y=-11, width=3.5, height=13, rx=1.75, fill=colour)


def _stroke(x: float, colour: str, thickness: float) -> str:
    return _tag("line", x1=x, x2=x + 22, y1=-4, y2=-4, stroke=colour, stroke_width=thickness, stroke_linecap="round")


def _mix(share: float) -> str:
    red, green, blue = (round(weak + share * (strong - weak)) for weak, strong in zip(_WEAK, _STRONG, strict=True))
    return f"#{red:02x}{green:02x}{blue:02x}"


def _plural(count: int, noun: str) -> str:
    many = noun[:-1] + "ies" if noun.endswith("y") else noun + "s"
    return f"{count:,} {noun if count == 1 else many}"


def _values(size: int) -> str:
    return _plural(size, "value")


def _shorten(name: str) -> str:
    return name if len(name) <= 26 else name[:25] + "…"


def _box_width(name: str, size: int) -> float:
    return float(ceil(max(84.0, 38 + 8.5 * len(_shorten(name)), 38 + 6.2 * len(_values(size)))))
