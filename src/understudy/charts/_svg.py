"""What all charts share: elements, colours, ticks and numbers as people write them.

Colours are classes, so that one style sheet decides them for light, dark and paper. A chart carries that sheet and can
stand alone; a page with many charts carries it once.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Sequence

from understudy._core.markup import escape, quoteattr

FONT = "Inter, 'Segoe UI', 'Helvetica Neue', Helvetica, Arial, 'DejaVu Sans', sans-serif"
_MOST_DECIMALS = 9
STEPS = 12  # shades of a heat map on each side of nothing
_LIGHT = {
    "ink": "#1f2937",
    "quiet": "#5b6472",
    "line": "#d5dae3",
    "paper": "#fbfcfe",
    "real": "#f59e0b",
    "synthetic": "#4f6bd8",
    "third": "#0d9488",
    "fourth": "#be4b8a",
    "fifth": "#64748b",
    "best": "#15803d",
    "worst": "#b4532a",
}
_DARK = {
    "ink": "#e8ecf3",
    "quiet": "#a3adbd",
    "line": "#3a4354",
    "paper": "#161b25",
    "real": "#f5b041",
    "synthetic": "#8ea2ff",
    "third": "#2dd4bf",
    "fourth": "#f08cc0",
    "fifth": "#94a3b8",
    "best": "#4ade80",
    "worst": "#f0946a",
}
_SHADES = {  # nothing, more, less: light and dark
    "light": ((241, 244, 249), (49, 46, 129), (180, 83, 9)),
    "dark": ((31, 38, 51), (160, 174, 255), (251, 176, 64)),
}
# letters that would write the rest of a line backwards, or break it
_UNSEEN = {"Cc", "Cf", "Zl", "Zp", "Cs"}


def tag(name: str, *children: str, **attributes: str | float) -> str:
    """An element; text inside `title` and `text` is escaped here, and nowhere else.

    >>> tag("text", "a < b", x=1.0, text_anchor="end")
    '<text x="1" text-anchor="end">a &lt; b</text>'
    """
    shown = "".join(
        f" {key.rstrip('_').replace('_', '-')}={quoteattr(_written(value))}" for key, value in attributes.items()
    )
    inside = escape(tidy("".join(children))) if name in ("title", "text") else "".join(children)
    return f"<{name}{shown}>{inside}</{name}>" if inside else f"<{name}{shown}/>"


def tidy(text: str) -> str:
    """One line, without letters that cannot be seen: they break XML or turn the line around.

    >>> tidy("a\\nb\\u202ec\\x00")
    'a bc'
    """
    flat = " ".join(text.split())
    # a zero-width joiner holds some emoji and scripts together, and harms nothing
    return "".join(c for c in flat if c == "\u200d" or unicodedata.category(c) not in _UNSEEN)


def shorten(text: str, most: int) -> str:
    """At most so many letters.

    >>> shorten("occupation", 6)
    'occup…'
    """
    flat = tidy(text)
    return flat if len(flat) <= most else flat[: max(most - 1, 1)].rstrip() + "…"


def fit(text: str, room: float, size: float, *, middle: bool = False) -> str:
    """As much of a text as a width has room for; `middle` keeps its end, where names often differ.

    >>> fit("occupation", 200, 10), fit("question 12 of form B", 80, 10, middle=True)
    ('occupation', 'question…orm B')
    """
    flat = tidy(text)
    if width_of(flat, size) <= room:
        return flat
    most = len(flat)
    while most > 1 and width_of(flat[:most] + "…", size) > room:
        most -= 1
    if not middle or most < 6:
        return flat[:most].rstrip() + "…"
    end = most * 9 // 20
    return flat[: most - end].rstrip() + "…" + flat[-end:].lstrip()


def width_of(text: str, size: float) -> float:
    """About how wide a text will be, in pixels: no font is asked.

    >>> width_of("ab", 10) < width_of("漢字", 10)
    True
    """
    wide = sum(1.0 if unicodedata.east_asian_width(c) in "WF" else _wide(c) for c in text)
    return size * wide


def _wide(letter: str) -> float:
    """Of a letter size, in the widest of the fonts that may be used."""
    if letter in "iljtfr.,:;'|!()[] ":
        return 0.4
    return 0.74 if letter.isupper() or letter in "mw%@—" else 0.61


def svg(width: float, height: float, title: str, body: Iterable[str]) -> str:
    """A standalone picture with its own style sheet."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="us-chart" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" font-family="{FONT}" role="img" '
        f"aria-label={quoteattr(tidy(title) or 'chart')}>{STYLE}"
        + tag("rect", class_="us-paper", width=width, height=height, rx=10)
        + "".join(body)
        + "</svg>\n"
    )


def ticks(low: float, high: float, count: int = 5) -> list[float]:
    """Round numbers from low to high, about so many.

    >>> ticks(0, 0.37)
    [0.0, 0.1, 0.2, 0.3]
    """
    if not high > low:
        return [low]
    step = nice_step((high - low) / max(count, 1))
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [round(i * step, 12) for i in range(first, last + 1)]


def nice_step(rough: float) -> float:
    """1, 2 or 5 times a power of ten, not below what is asked.

    >>> nice_step(0.03), nice_step(7)
    (0.05, 10.0)
    """
    power = 10.0 ** math.floor(math.log10(rough))
    return next(round(m * power, 15) for m in (1, 2, 5, 10) if m * power >= rough * (1 - 1e-9))


def log_ticks(low: float, high: float) -> list[float]:
    """Round numbers on a logarithmic axis: 1, 2, 5, 10, …

    >>> log_ticks(0.1, 1.6)
    [0.1, 0.2, 0.5, 1.0]
    """
    powers = range(math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 1)
    marks = [m * 10.0**p for p in powers for m in (1, 2, 5)]
    inside = [round(mark, 12) for mark in marks if low * (1 - 1e-9) <= mark <= high * (1 + 1e-9)]
    return inside if len(inside) <= 8 else [mark for mark in inside if round(math.log10(mark), 9).is_integer()]


def plain(value: float, step: float = 0.0) -> str:
    """A number of a few digits: three, or as many as tell numbers apart that differ by a step.

    >>> plain(0.123456), plain(12345.6), plain(0.0), plain(44.9734, step=0.005), plain(1996.5, step=1)
    ('0.123', '12,346', '0', '44.973', '1,996')
    """
    if not math.isfinite(value):
        return "–"
    text = f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
    decimals = min(_MOST_DECIMALS, math.ceil(-math.log10(step) - 1e-9)) if 0 < step < 1 else 0
    if decimals <= len(text.partition(".")[2]) or "e" in text:
        return text
    longer = f"{value:,.{decimals}f}".rstrip("0").rstrip(".")
    return "0" if longer == "-0" else longer


def percent(share: float) -> str:
    """A share in percent, with as many digits as it needs to be seen.

    >>> percent(0.1234), percent(0.5), percent(0.00004), percent(0)
    ('12.3 %', '50 %', '< 0.01 %', '0 %')
    """
    if not math.isfinite(share):
        return "–"
    value = 100 * share
    if value == 0 or abs(value) >= 0.995:
        return f"{value:.1f}".removesuffix(".0") + " %"
    return f"{value:.2f}".rstrip("0").rstrip(".") + " %" if abs(value) >= 0.01 else "< 0.01 %"


def shade(value: float, low: float, high: float, *, diverging: bool) -> str:
    """The class of a heat map's cell: h0 … for more, g1 … for less than nothing; u if there is no number.

    >>> shade(1.0, 0.0, 1.0, diverging=False), shade(-1.0, -1.0, 1.0, diverging=True)
    ('h12', 'g12')
    """
    if not math.isfinite(value):
        return "u"
    if diverging:
        most = max(abs(low), abs(high))
        share = value / most if most > 0 else 0.0
    else:
        share = (value - low) / (high - low) if high > low else 0.0
    step = max(-STEPS, min(STEPS, round(share * STEPS)))
    return f"h{step}" if step >= 0 or not diverging else f"g{-step}"


def style_rules() -> str:
    """The style sheet of all charts: what a page that holds many of them needs once.

    >>> ".us-real" in style_rules()
    True
    """
    return (
        _rules(_LIGHT, "light")
        + "@media (prefers-color-scheme:dark){"
        + _rules(_DARK, "dark")
        + "}@media print{"
        + _rules(_LIGHT, "light")
        + "}"
    )


def _rules(colours: dict[str, str], mode: str) -> str:
    names = [*colours.items()]
    rules = [f".us-{name}{{fill:{colour}}}.us-{name}-l{{stroke:{colour};fill:none}}" for name, colour in names]
    nothing, more, less = _SHADES[mode]
    for step in range(STEPS + 1):
        # the square root lifts weak shades off the paper
        rules.append(f".h{step}{{fill:{_mix(nothing, more, (step / STEPS) ** 0.75)}}}")
        if step:
            rules.append(f".g{step}{{fill:{_mix(nothing, less, (step / STEPS) ** 0.75)}}}")
    rules.append(f".us-paper-mark{{fill:{colours['paper']}}}.us-ring{{stroke:{colours['paper']};stroke-width:1.3}}")
    return "".join(rules) + f".u{{fill:none;stroke:{colours['line']};stroke-width:.5}}"


def _mix(weak: Sequence[int], strong: Sequence[int], share: float) -> str:
    red, green, blue = (round(a + share * (b - a)) for a, b in zip(weak, strong, strict=True))
    return f"#{red:02x}{green:02x}{blue:02x}"


def _written(value: str | float) -> str:
    return tidy(value) if isinstance(value, str) else f"{value:.1f}".rstrip("0").rstrip(".")


STYLE = f"<style>{style_rules()}</style>"
