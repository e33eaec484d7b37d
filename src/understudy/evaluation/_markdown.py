"""The little of Markdown that a privacy statement is written in, as HTML that is safe to put on a page.

Headings, paragraphs, quotes, lists, tables, fenced code, **bold**, *slanted*, `code` and backslash escapes. All else is
text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from markupsafe import Markup, escape

_INLINE = re.compile(
    r"\\(?P<kept>[^a-zA-Z0-9\s])|`(?P<code>[^`]+)`|\*\*(?P<bold>.+?)\*\*|(?<![\w*])\*(?P<slanted>[^*\s][^*]*)\*"
)
_FENCE = re.compile(r"^```[a-z]*\n(.*?)^```[ ]*$", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"(#{1,6})\s+(.*)")
_RULE = re.compile(r"\|?\s*:?-{2,}:?\s*(\|\s*:?-{2,}:?\s*)*\|?")
_CELLS = re.compile(r"(?<!\\)\|")


def render(text: str, *, top: int = 2) -> Markup:
    """Markdown as HTML; its first level of headings becomes `<h{top}>`.

    >>> str(render("# Title\\n\\nSome *slanted*, **bold** text: 1 < 2"))
    '<h2>Title</h2><p>Some <em>slanted</em>, <strong>bold</strong> text: 1 &lt; 2</p>'
    """
    parts: list[Markup] = []
    for i, stretch in enumerate(_FENCE.split(text.replace("\r\n", "\n"))):
        if i % 2:
            parts.append(Markup("<pre><code>{}</code></pre>").format(stretch.strip("\n")))
        elif stretch.strip():
            blocks = re.split(r"\n\s*\n", stretch.strip())
            parts += [part for block in blocks for part in _block(block.split("\n"), top)]
    return Markup("").join(parts)


def inline(text: str) -> Markup:
    """One line of text with its bold, slanted and code parts.

    >>> str(inline("in `age` <b>"))
    'in <code>age</code> &lt;b&gt;'
    """
    parts: list[Markup] = []
    end = 0
    for match in _INLINE.finditer(text):
        parts.append(escape(text[end : match.start()]))
        end = match.end()
        if match["kept"] is not None:
            parts.append(escape(match["kept"]))
        elif match["code"] is not None:
            parts.append(Markup("<code>{}</code>").format(match["code"]))
        elif match["bold"] is not None:
            parts.append(Markup("<strong>{}</strong>").format(inline(match["bold"])))
        else:
            parts.append(Markup("<em>{}</em>").format(inline(match["slanted"])))
    return Markup("").join([*parts, escape(text[end:])])


def _block(lines: list[str], top: int) -> Iterator[Markup]:
    heading = _HEADING.fullmatch(lines[0].strip())
    if heading:
        level = min(6, top + len(heading[1]) - 1)
        yield Markup("<h{0}>{1}</h{0}>").format(level, inline(heading[2]))
        lines = lines[1:]
    if not any(line.strip() for line in lines):
        return
    if lines[0].startswith(">"):
        quoted = " ".join(line.lstrip("> ") for line in lines)
        yield Markup("<blockquote><p>{}</p></blockquote>").format(inline(quoted))
    elif lines[0].startswith(("- ", "* ")):
        yield Markup("<ul>{}</ul>").format(Markup("").join(_items(lines)))
    elif len(lines) > 1 and lines[0].lstrip().startswith("|") and _RULE.fullmatch(lines[1].strip()):
        yield _table(lines)
    else:
        yield Markup("<p>{}</p>").format(inline(" ".join(line.strip() for line in lines)))


def _items(lines: list[str]) -> Iterator[Markup]:
    items: list[str] = []
    for line in lines:
        if line.startswith(("- ", "* ")):
            items.append(line[2:].strip())
        else:
            items[-1] += " " + line.strip()
    for item in items:
        yield Markup("<li>{}</li>").format(inline(item))


def _table(lines: list[str]) -> Markup:
    right = [cell.strip().endswith(":") for cell in _cells(lines[1])]
    head = _row(_cells(lines[0]), right, "th")
    body = Markup("").join(_row(_cells(line), right, "td") for line in lines[2:])
    return Markup('<div class="scroll"><table><thead>{}</thead><tbody>{}</tbody></table></div>').format(head, body)


def _row(cells: list[str], right: list[bool], kind: str) -> Markup:
    aligned = [*right, *[False] * max(0, len(cells) - len(right))]
    made = [
        Markup("<{0}{1}>{2}</{0}>").format(kind, Markup(' class="n"') if number else "", inline(cell.strip()))
        for cell, number in zip(cells, aligned, strict=False)
    ]
    return Markup("<tr>{}</tr>").format(Markup("").join(made))


def _cells(line: str) -> list[str]:
    return _CELLS.split(line.strip().removeprefix("|").removesuffix("|"))
