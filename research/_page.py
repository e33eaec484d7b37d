"""The page of claims: findings, a row for each sentence of a paper, and our forms against the printed ones."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from typing import get_args

from research._findings import Cited
from research._outcome import FIGURE
from research._reasons import reason_of
from research._wording import runs_in_words
from research.sentences import Assessed, Judged, Sentence, Verdict

DETAILS = "claims-details.md"
EXPERIMENTS_PAGE, INDEX = "experiments.md", "README.md"
_MOST_WORDS, _FEW_FORMS = 20, 2
_HEAD = """\
# What the papers say of their experiments, and what came out here

## Ten findings
"""
_HOW = """\
## How to read the rows

One row for each sentence that a paper says about its experiments; and, apart, what it says of its method that can be
computed. The verdict is that of the algorithm **as printed**, against baselines as published: **holds**; **holds
partly** (on some tables, or in part, and fails on others); **fails**; **undecided** (with the runs that would decide
it); **not testable** (with what is missing). *Tables* counts tables, or a table's parts of the sentence, on which it
holds; forms of ours have [a table of their own](#our-forms-against-the-printed-ones).

Lines are compared seed by seed. A point counts with five runs or more; a difference is *clear* if Student's t says so
at 5 % for all comparisons of a table together; what is not clear counts for both sides, and what is clearly below 2 %
is no difference. "In all cases" fails with one clear counterexample, "in general" does not. *Sees 4 %*: a true
difference of 4 % would have been called clear four times out of five. *Exact*: there is no chance in it. Rules,
results by table and remarks: [details]({details}). Verdicts are computed from the stored values of [the
experiments](experiments.md), and from nothing else:

```text
research claims --out {folder} --markdown {page}
```
"""
_ROWS = """\
| sentence | verdict | tables | why, and with what power |
|---|---|---|---|
"""
_OURS = """\
## Our forms against the printed ones

The same sentences put to forms that the papers do not have: repaired (private as they promise), improved, or tested
otherwise.

| sentence | as printed | ours | by form |
|---|---|---|---|
"""


def claims_page(
    assessed: Sequence[Assessed],
    findings: Sequence[Cited],
    *,
    out: str | os.PathLike[str],
    figures: str,
    folder: str,
    page: str,
) -> str:
    """The page as Markdown.

    Args:
        assessed: sentences with their verdicts.
        findings: what stands first.
        out: the folder of results, from which findings take their numbers.
        figures: the path from the page to it.
        folder: what the page calls it in the command that makes the page.
        page: what it calls the page there.
    """
    parts = [_HEAD, *_findings(findings, out), "", _summary(assessed), ""]
    parts.append(_HOW.format(details=DETAILS, folder=folder, page=page))
    for paper in papers(assessed):
        for method, head in ((False, f"## {paper}"), (True, f"### {paper}: of its method")):
            if rows := [_row(one, figures) for one in _of(assessed, paper, method=method)]:
                parts += [head, "", _ROWS.rstrip(), *rows, ""]
    parts.append(_OURS.rstrip())
    parts += [_row_of_ours(one) for one in assessed if one.ours is not None]
    return "\n".join(parts) + "\n"


def papers(assessed: Sequence[Assessed]) -> list[str]:
    """The papers, in their order."""
    return list(dict.fromkeys(one.sentence.paper for one in assessed))


def _of(assessed: Sequence[Assessed], paper: str, *, method: bool) -> list[Assessed]:
    return [one for one in assessed if one.sentence.paper == paper and one.sentence.method == method]


def with_findings(text: str, findings: Sequence[Cited], out: str | os.PathLike[str]) -> str:
    """A page with the findings written anew where it has them, between two marks; as it was if it has none.

    >>> with_findings("none here", (), "folder")
    'none here'
    """
    return _filled(text, "findings", _findings(findings, out))


def with_counts(text: str, assessed: Sequence[Assessed]) -> str:
    """A page with the number of sentences by verdict written anew, between two marks; as it was if it has none.

    >>> with_counts("<!-- verdicts --><!-- end -->", ())
    '<!-- verdicts -->\\nOf 0 sentences: 0 hold, 0 hold partly, 0 fail, 0 undecided, 0 not testable.\\n<!-- end -->'
    """
    verdicts = [one.verdict for one in assessed]
    said = ", ".join(f"{verdicts.count(word)} {_of_many(word)}" for word in get_args(Verdict))
    return _filled(text, "verdicts", [f"Of {len(verdicts)} sentences: {said}."])


def _of_many(word: str) -> str:
    return word.replace("holds", "hold").replace("fails", "fail")


def _filled(text: str, mark: str, lines: Sequence[str]) -> str:
    before, begin, rest = text.partition(f"<!-- {mark} -->")
    _, end, after = rest.partition("<!-- end -->")
    return "\n".join([before + begin, *lines, end + after]) if begin and end else text


def cell(words: str) -> str:
    """Words that may stand in a table of Markdown.

    >>> cell("P(a|b)")
    'P(a\\\\|b)'
    """
    return " ".join(words.replace("|", "\\|").split())


def why_in_words(name: str, judged: Judged) -> str:
    """Why a sentence has its verdict: the reason that was written down, or else in short what the oddest table says."""
    return reason_of(name) or _shortened(_oddest(judged))


def _shortened(words: str) -> str:
    """As much as fits into a row.

    >>> _shortened("a b c"), _shortened("so " * 40)[-10:]
    ('a b c', 'so so so …')
    """
    each = words.split()
    return " ".join(each if len(each) <= _MOST_WORDS else [*each[:_MOST_WORDS], "…"])


def _oddest(judged: Judged) -> str:
    odd = [(test, one) for test, one in judged.tests if one.verdict != "holds"]
    if len(judged.tests) < 2:
        return " ".join(decision.why for _, decision in judged.tests)
    if not odd:
        test, decision = judged.tests[0]
        return f"{test.table}: {decision.why}"
    worst = next(((test, one) for test, one in odd if one.verdict == "fails"), odd[0])
    return f"{worst[0].table} ({worst[1].verdict}): {worst[1].why}"


def _findings(findings: Sequence[Cited], out: str | os.PathLike[str]) -> list[str]:
    return [
        f"{number}. **{one.title}** {one.filled(out)} [→]({_place(one.link)})" for number, one in enumerate(findings, 1)
    ]


def _place(link: str) -> str:
    return link if "." in link else f"{DETAILS}#{link}"


def _summary(assessed: Sequence[Assessed]) -> str:
    words = get_args(Verdict)
    lines = ["| paper | sentences | " + " | ".join(words) + " |", "|---|--:|" + "--:|" * len(words)]
    for paper in papers(assessed):
        for method, name in ((False, paper), (True, f"{paper}, of its method")):
            if counts := Counter(one.verdict for one in _of(assessed, paper, method=method)):
                cells = (name, counts.total(), *(counts[word] for word in words))
                lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines)


def _row(one: Assessed, figures: str) -> str:
    sentence = one.sentence
    if sentence.missing:
        why = reason_of(sentence.name)
        why = f"Missing: {sentence.missing}." + f" {why}" * bool(why)
    else:
        why = f"{why_in_words(sentence.name, one.printed)} {runs_in_words(one.printed)}"
    links = [f"[details]({DETAILS}#{sentence.name})"]
    if sentence.tests:
        links.insert(0, f"[figure]({figures}/{sentence.tests[0].experiment}/{FIGURE}.svg)")
    quote = f"“{sentence.quote}” ({place_of(sentence)})"
    cells = (quote, f"**{one.verdict}**", one.printed.tables, " ".join([why, *links]))
    return "| " + " | ".join(map(cell, cells)) + " |"


def _row_of_ours(one: Assessed) -> str:
    assert one.ours is not None, "only sentences that were put to forms of ours"
    said: dict[str, list[str]] = {}
    for test, decision in one.ours.tests:
        said.setdefault(decision.verdict, []).append(test.table)
    parts = {verdict: "; ".join(tables) for verdict, tables in said.items()}
    most = max(said, key=lambda verdict: len(said[verdict]))
    if len(said) > 1 and len(said[most]) > _FEW_FORMS:  # which they are stands in the details
        parts[most] = f"the other {len(said[most])}"
    forms = ". ".join(f"{verdict}: {parts[verdict]}" for verdict in sorted(parts, key=lambda word: word == most))
    if len(said) == 1:  # the verdict of all of them stands beside it
        forms = parts[most] if len(said[most]) == 1 else "all"
    link = f"[{one.sentence.name}]({DETAILS}#{one.sentence.name})"
    cells = (link, _told(one.printed), _told(one.ours), forms)
    return "| " + " | ".join(map(cell, cells)) + " |"


def place_of(sentence: Sentence) -> str:
    """Where a paper says it: a section by its number, other parts by their name."""
    mark = "§" if sentence.section[:1].isupper() or sentence.section[:1].isdigit() else ""
    return f"{mark}{sentence.section}, {sentence.where}"


def _told(judged: Judged) -> str:
    return f"**{judged.verdict}**" + f" {judged.tables}" * bool(judged.tests)
