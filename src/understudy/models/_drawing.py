"""A drawing of a network: one standalone SVG, no dependency, the same every time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from textwrap import wrap

import numpy as np

from understudy._core.errors import OptionError
from understudy._core.markup import quoteattr
from understudy.models._drawing_marks import (
    INK,
    LINE,
    WHITE,
    Curve,
    bar,
    box_width,
    mix,
    n_values,
    pill,
    plural,
    shorten,
    stroke,
    tag,
    words,
)
from understudy.models._fitting import consistent_tables, family_tables
from understudy.models._inference import Floats
from understudy.models._layout import Edge, Layout, lay_out
from understudy.models._network_model import NetworkModel
from understudy.models._protocol import HasNetwork, Model
from understudy.schema import Axis, Domain

_FONT = "Inter, 'Segoe UI', 'Helvetica Neue', Helvetica, Arial, 'DejaVu Sans', sans-serif"
_PAPER, _ROOT, _CHILD = "#fbfcfe", "#f59e0b", "#4f6bd8"
_BOX, _ROW, _GAP, _MARGIN = 46.0, 118.0, 26.0, 40.0
_TITLE_LINE, _LEGEND_LINE = 26.0, 22.0
_LEGENDS = {
    True: ("depends on nothing", "depends on what is above"),
    False: ("independent of all others", "related to others"),
}
_LEAST_WIDTH = 660.0
_MOST_EDGES = 240  # more lines than this nobody can follow


def edge_strengths(model: Model) -> dict[Edge, float]:
    """Mutual information in bits between each parent (at the level used) and its child.

    From the measured tables where there are any, as they were processed; else from the model by inference.

    >>> from understudy.models import Network, NetworkModel, Node
    >>> from understudy.schema import Attribute, Domain, recode
    >>> domain = Domain((Attribute(name="a", size=2), Attribute(name="b", size=2)))
    >>> network = Network(domain, (Node(0), Node(1, (Axis(0),))))
    >>> model = NetworkModel(network, ([0.5, 0.5], [[1, 0], [0, 1]]), recode(domain, "vanilla"), (), 1)
    >>> edge_strengths(model)
    {(0, 1): 1.0}

    Raises OptionError if the model is no network.
    """
    strengths, known = {}, _network_of(model)
    for node, table in zip(known.network.nodes, _families(known), strict=True):
        for i, axis in enumerate(node.parents):
            others = tuple(j for j in range(len(node.parents)) if j != i)
            strengths[axis.attribute, node.child] = information(table.sum(axis=others))
    return strengths


def _network_of(model: Model) -> HasNetwork:
    if isinstance(model, HasNetwork):
        return model
    raise OptionError(
        f"this model is of kind '{model.kind}', which has no network, so there are no edges. Draw the model itself "
        "(draw) to see which columns hang together, or ask it about two of them (query)."
    )


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


def information(joint: Floats) -> float:
    """Mutual information of two attributes in bits, from their joint distribution.

    >>> information(np.array([[0.5, 0.0], [0.0, 0.5]]))
    1.0
    """
    independent = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
    live = joint > 0
    return max(0.0, float((joint[live] * np.log2(joint[live] / independent[live])).sum()))


@dataclass(frozen=True, kw_only=True)
class Graph:
    """What is drawn: attributes in an order, and lines from earlier to later ones with their strengths in bits.

    `levels` are those at which a line sees its first end, where it is not the leaf. Lines have heads if `directed`.
    """

    domain: Domain
    order: Sequence[int]
    strengths: Mapping[Edge, float]
    levels: Mapping[Edge, int]
    directed: bool

    @property
    def degree(self) -> int:
        """The most lines that end in one attribute."""
        return max(Counter(child for _, child in self.strengths).values(), default=0)


def draw_svg(model: Model, *, title: str = "") -> str:
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
    network = _network_of(model).network
    levels = {(axis.attribute, node.child): axis.level for node in network.nodes for axis in node.parents}
    graph = Graph(
        domain=network.domain, order=network.order, strengths=edge_strengths(model), levels=levels, directed=True
    )
    return draw_graph(graph, title=title)


def draw_graph(graph: Graph, *, title: str) -> str:
    """A graph as an SVG picture: boxes in layers, earlier ones above."""
    widths = {a: box_width(graph.domain[a].name, graph.domain[a].size) for a in graph.order}
    drawn = _strongest(graph.strengths, len(graph.order))
    layout = lay_out(graph.order, [edge for edge in graph.strengths if edge in drawn], widths, gap=_GAP)
    return _Drawing(graph, title, layout, widths, drawn).svg()


@dataclass(frozen=True)
class _Drawing:
    graph: Graph
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
        name = self.title or ("Bayesian network" if self.graph.directed else "Relations between columns")
        body = [
            tag("title", name),
            tag("rect", width=width, height=height, rx=14, fill=_PAPER),
            *self._header(),
            tag("g", *(self._edge(edge, curves[edge]) for edge in drawn), fill="none", stroke_linecap="round"),
            *self._pills(curves),
            *(self._box(a) for a in self.graph.order),
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

    def _curve(self, edge: Edge, start: float, end: float) -> Curve:
        bends = [(x + self.left, self._middle(row)) for x, row in self.layout.bends[edge]]
        above = self._centre(edge[0])[1] + _BOX / 2
        below = self._centre(edge[1])[1] - _BOX / 2 - (5.0 if self.graph.directed else 0.0)
        return Curve.through([(start, above), *bends, (end, below)])

    def _edge(self, edge: Edge, curve: Curve) -> str:
        colour, thickness = self._ink(edge)
        (x, y), half = curve.points[-1], 3.2 + thickness * 0.9
        head = f"M{x - half:.1f},{y - half * 0.6:.1f}L{x:.1f},{y + 4:.1f}L{x + half:.1f},{y - half * 0.6:.1f}Z"
        heads = [tag("path", d=head, fill=colour, stroke="none")] if self.graph.directed else []
        line = tag("path", d=curve.path(), stroke=colour, stroke_width=thickness)
        return tag("g", tag("title", self._tooltip(edge)), line, *heads)

    def _ink(self, edge: Edge) -> tuple[str, float]:
        strongest = max(self.strengths.values(), default=0.0)
        share = (self.strengths[edge] / strongest) ** 0.5 if strongest > 0 else 0.3
        return mix(share), 1.1 + 3.4 * share

    def _axis(self, edge: Edge) -> Axis:
        return Axis(edge[0], self.graph.levels.get(edge, 0))

    def _tooltip(self, edge: Edge) -> str:
        domain, axis = self.graph.domain, self._axis(edge)
        seen = f", seen in {domain.size(axis)} groups" if axis.level else ""
        to = "→" if self.graph.directed else "–"
        return f"{domain[edge[0]].name}{seen} {to} {domain[edge[1]].name}: {self.strengths[edge]:.3f} bits"

    def _pills(self, curves: Mapping[Edge, Curve]) -> list[str]:
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
            pills.append(pill(x, y, f"{self.graph.domain.size(axis)} groups", self._ink(edge)[0]))
        return pills

    def _box(self, attribute: int) -> str:
        x, y = self._centre(attribute)
        width, known = self.widths[attribute], self.graph.domain[attribute]
        left, top = x - width / 2, y - _BOX / 2
        accent = _CHILD if attribute in self._marked else _ROOT
        return tag(
            "g",
            tag("title", known.name),
            tag("rect", x=left, y=top + 2, width=width, height=_BOX, rx=10, fill=INK, fill_opacity=0.07),
            tag("rect", x=left, y=top, width=width, height=_BOX, rx=10, fill=WHITE, stroke=LINE),
            tag("rect", x=left + 9, y=top + 11, width=3.5, height=_BOX - 22, rx=1.75, fill=accent),
            words(left + 21, y - 2.5, shorten(known.name), size=13.5, fill=INK, font_weight="600"),
            words(left + 21, y + 13.5, n_values(known.size), size=10.5),
        )

    @cached_property
    def _marked(self) -> frozenset[int]:
        """Attributes that depend on others, or, without directions, that are related to any."""
        return frozenset(a for edge in self.graph.strengths for a in (edge[1:] if self.graph.directed else edge))

    def _header(self) -> list[str]:
        n_edges, directed = len(self.graph.strengths), self.graph.directed
        facts = [plural(len(self.graph.order), "attribute"), plural(n_edges, "dependency" if directed else "relation")]
        if self.strengths and directed:
            facts.append(f"at most {plural(self.graph.degree, 'parent')} each")
        if len(self.strengths) < n_edges:
            facts.append(f"the {len(self.strengths)} strongest are drawn")
        titles = [
            words(_MARGIN, _MARGIN + 12 + i * _TITLE_LINE, line, size=21, fill=INK, font_weight="650")
            for i, line in enumerate(self.title_lines)
        ]
        return [*titles, words(_MARGIN, self.top - 24, " · ".join(facts), size=12.5)]

    def _legend(self) -> list[list[tuple[float, str, float, str]]]:
        """Lines of the legend, each of (x, mark, indent of the text, text), as many as the width asks for."""
        alone, tied = _LEGENDS[self.graph.directed]
        entries = [(bar(_ROOT), 11.0, alone), (bar(_CHILD), 11.0, tied)]
        strongest = max(self.strengths.values(), default=0.0)
        if strongest > 0:
            entries.append(
                (
                    stroke(0, mix(0), 1.3) + stroke(30, mix(1), 4.5),
                    62.0,
                    f"shared information, up to {strongest:.2f} bits",
                )
            )
        if any(self._axis(edge).level for edge in self.strengths):
            entries.append((pill(29, -4, "4 groups", LINE), 64.0, "seen in coarser groups"))
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
        parts = [tag("line", x1=_MARGIN, x2=self.width - _MARGIN, y1=y - 24, y2=y - 24, stroke=LINE)]
        for i, line in enumerate(legend):
            for x, mark, indent, text in line:
                place = f"translate({x:.1f},{y + i * _LEGEND_LINE:.1f})"
                parts.append(tag("g", mark, words(indent, 0, text, size=11.5), transform=place))
        return parts
