"""The privacy statement on a page."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from understudy.evaluation._markdown import inline, render


def test_a_table_with_numbers_on_the_right() -> None:
    text = "| a | b |\n|---|--:|\n| x\\|y | **1** |"
    assert str(render(text)) == (
        '<div class="scroll"><table><thead><tr><th>a</th><th class="n">b</th></tr></thead>'
        '<tbody><tr><td>x|y</td><td class="n"><strong>1</strong></td></tr></tbody></table></div>'
    )


def test_lists_quotes_and_headings() -> None:
    assert str(render("## Head\n\n- one\n- two\n  goes on\n\n> **Stop.** Now")) == (
        "<h3>Head</h3><ul><li>one</li><li>two goes on</li></ul>"
        "<blockquote><p><strong>Stop.</strong> Now</p></blockquote>"
    )


def test_escaped_marks_are_letters() -> None:
    assert str(inline(r"education\_years \*not slanted\* \<b\>")) == "education_years *not slanted* &lt;b&gt;"


def test_marks_inside_words_are_letters() -> None:
    assert str(inline("2*3*4 and a `b*c*d`")) == "2*3*4 and a <code>b*c*d</code>"


def test_nothing_is_rendered_as_nothing() -> None:
    assert str(render("")) == ""


@given(st.text(alphabet="ab<>&\"'`*|\\#->\n -", max_size=80))
def test_no_text_gets_a_tag_of_its_own_through(text: str) -> None:
    ours = re.compile(
        r"</?(h\d|p|ul|li|blockquote|table|thead|tbody|tr|th|td|strong|em|code|div)( class=\"(n|scroll)\")?>"
    )
    assert "<" not in ours.sub("", str(render(text)))
