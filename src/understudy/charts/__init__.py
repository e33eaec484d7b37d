"""Values to pictures: small SVG charts, drawn without any library, that need nothing to be shown."""

from understudy.charts._bars import paired_bars
from understudy.charts._chart import Chart
from understudy.charts._heat import heat_map
from understudy.charts._lines import Series, lines
from understudy.charts._strip import gauge, strip
from understudy.charts._svg import fit, percent, plain, style_rules, svg, tag, ticks, tidy, width_of

__all__ = [
    "Chart",
    "Series",
    "fit",
    "gauge",
    "heat_map",
    "lines",
    "paired_bars",
    "percent",
    "plain",
    "strip",
    "style_rules",
    "svg",
    "tag",
    "ticks",
    "tidy",
    "width_of",
]
