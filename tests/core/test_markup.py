"""Markup is escaped as the standard library does it."""

from xml.sax import saxutils

from hypothesis import given
from hypothesis import strategies as st

from understudy._core.markup import escape, quoteattr


@given(st.text(alphabet=st.sampled_from("ab&<>'\"\n\r\t;é ")))
def test_same_as_the_standard_library(text: str) -> None:
    assert escape(text) == saxutils.escape(text)
    assert quoteattr(text) == saxutils.quoteattr(text)
