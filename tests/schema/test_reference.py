"""What docs/schema.md says is so."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

from understudy.schema import Schema

PAGE = (Path(__file__).parents[2] / "docs" / "schema.md").read_text(encoding="utf-8")


@pytest.fixture
def example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Schema:
    found = re.search(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None
    (tmp_path / "people.schema.yaml").write_text(found.group(1), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return Schema.load("people.schema.yaml")


def test_the_worked_example_has_the_bins_its_comments_say(example: Schema) -> None:
    assert example["age"].labels[:2] == ("0–4", "5–9")
    assert example["age"].labels[-1] == "115–119"
    assert example["occupation"].labels == ("Manager", "Professional", "Elementary", "other")
    assert example["interviewed"].size == 12
    education = example["education"].attribute
    assert [education.size_at(level) for level in range(3)] == [7, 6, 3]
    assert example.draft_fields == ()


def test_the_examples_run(example: Schema) -> None:
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner()
    examples = "\n".join(re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL))
    runner.run(parser.get_doctest(examples, {}, "schema.md", None, None))
    assert runner.tries > 3
    assert runner.failures == 0


def test_the_stated_bins_of_hours() -> None:
    field = {"name": "h", "type": "integer", "constraints": {"minimum": 1, "maximum": 99}, "bins": 16}
    assert Schema.from_dict({"fields": [field]})["h"].labels[:4] == ("1–7", "8–13", "14–19", "20–25")
