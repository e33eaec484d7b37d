"""Every quotation is in its paper, word for word and in order. The papers' texts are not shipped."""

from __future__ import annotations

import os
import re
from functools import cache
from pathlib import Path

import pytest
from tests.docs.blocks import PROJECT

from research.sentences import SENTENCES

PAPERS = Path(os.environ.get("UNDERSTUDY_PAPERS") or PROJECT / ".." / "shared" / "papers")
FILES = {
    "PrivBayes": "002_ada45e11f499ceb1.txt",
    "PrivABN": "000_3f734426cc260c65.txt",
    "HPPrivBayes": "001_8021433655650910.txt",
    "Correlated release": "003_77060ed00d5f10da.txt",
    "PRAM-BN": "004_758e9c874f963364.txt",
}
LETTERS = {"varepsilon": "ε", "epsilon": "ε", "alpha": "α", "beta": "β", "gamma": "γ", "eta": "η", "theta": "θ"}
SIGNS = {"Delta": "Δ", "leq": "≤", "le": "≤", "geq": "≥", "times": "×", "mathcal": "", "text": ""}
SMALL = str.maketrans("₀₁₂’“”", '012\'""')


def plain(text: str) -> str:
    """Letters, digits and signs alone: formulas as they are read, and nothing of a page's layout.

    >>> plain(r"at  $\\varepsilon = 0.05$ , *very* close to $\\mathcal{D}_1$"), plain("at ε = 0.05, very close to D₁")
    ('atε=0.05,veryclosetoD1', 'atε=0.05,veryclosetoD1')
    """
    for name, sign in (LETTERS | SIGNS).items():
        text = re.sub(rf"\\{name}(?![a-zA-Z])", sign, text)
    return re.sub(r"[\s${}\\^_*\u00ad]", "", text.translate(SMALL))


@cache
def paper(name: str) -> str:
    return plain((PAPERS / FILES[name]).read_text(encoding="utf-8"))


@pytest.mark.skipif(
    not PAPERS.is_dir(), reason="the papers' texts are not there: set UNDERSTUDY_PAPERS to their folder"
)
@pytest.mark.parametrize("sentence", SENTENCES, ids=lambda sentence: sentence.name)
def test_every_quotation_is_in_its_paper_word_for_word_and_in_order(sentence):
    place = 0
    for piece in map(plain, sentence.quote.split("…")):
        found = paper(sentence.paper).find(piece, place)
        assert found >= 0, piece
        place = found + len(piece)


@pytest.mark.parametrize("sentence", SENTENCES, ids=lambda sentence: sentence.name)
def test_what_is_left_out_is_marked_and_something_is_left(sentence):
    pieces = [piece.strip() for piece in sentence.quote.split("…")]
    assert sum(len(piece.split()) for piece in pieces) >= 5
    assert pieces[0] == "" or pieces[0][0].isupper()
