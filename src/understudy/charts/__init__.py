"""Values to pictures: small SVG charts, drawn without any library, that need nothing to be shown."""

from understudy.charts._bars import paired_bars
from understudy.charts._between import Between, between
from understudy.charts._boxes import Box, BoxRow, boxes
from understudy.charts._chart import Chart
from understudy.charts._heat import heat_map
from understudy.charts._histogram import histogram
from understudy.charts._lines import Series, lines
from understudy.charts._scatter import scatter
from understudy.charts._strip import gauge, strip
from understudy.charts._svg import fit, percent, plain, style_rules, svg, tag, ticks, tidy, width_of

__all__ = [
    "Between",
    "Box",
    "BoxRow",
    "Chart",
    "Series",
    "between",
    "boxes",
    "fit",
    "gauge",
    "heat_map",
    "histogram",
    "lines",
    "paired_bars",
    "percent",
    "plain",
    "scatter",
    "strip",
    "style_rules",
    "svg",
    "tag",
    "ticks",
    "tidy",
    "width_of",
]
