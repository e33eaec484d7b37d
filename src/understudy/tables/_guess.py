"""From what was seen of a column to a drafted field and the remarks that say what was guessed."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from understudy.schema import Schema, looks_like_codes, natural_order, prefix_taxonomy, word_set
from understudy.tables._candidates import Candidate
from understudy.tables._guess_ranges import guess_moments, guess_numbers
from understudy.tables._identifiers import ENOUGH_ROWS, says_nothing, tells_apart, words_of
from understudy.tables._seen import DISTINCT_LIMIT, Column
from understudy.tables._texts import as_texts

_SHORT_YEAR = re.compile(r"[0-9]{1,2}([./-])[0-9]{1,2}\1[0-9]{2}([ T].*)?")
_WITH_UNIT = re.compile(r"[$€£]\s?-?[0-9][0-9.,]*|-?[0-9][0-9.,]*\s?(%|[$€£]|[a-zA-Z]{1,4})")
_CODE_WORDS = word_set("zip zipcode postal postcode plz icd icd9 icd10 isco naics nace sic isic fips cpt soc atc drg")
_ANY = {"fields": [{"name": "any", "categories": ["any"]}]}
_MANY_TEXTS = 100


@dataclass
class Guess:
    """A drafted field and the remarks above it; or why the column is left out."""

    raw: dict[str, Any]
    remarks: list[str] = field(default_factory=list)
    left_out: str | None = None


def describe(column: Column) -> Guess:
    """The drafted field."""
    if reason := says_nothing(column):
        return Guess({"name": column.name}, left_out=reason)
    if not column.present:
        told = "Every cell is missing: remove the column, or say what it may hold."
        return Guess({"name": column.name, "type": "string", "origin": "draft"}, [told])
    candidate = candidate_of(column)
    ends = column.ends.get(candidate)
    texts = _texts(column) if candidate.kind in ("string", "integer") else []
    codes = _are_codes(column, candidate, texts)
    kept = _kept_words(column, texts) if candidate.kind == "string" else set()
    if reason := tells_apart(column, "string" if codes else candidate.kind, ends, codes=codes):
        return Guess({"name": column.name}, left_out=reason)
    guess = Guess((Candidate("string") if codes else candidate).raw(column.name))
    if candidate.kind == "boolean":
        _boolean(column, guess)
    elif codes or candidate.kind == "string":
        _categories(column, guess, sorted({*texts, *kept}), codes=codes)
        guess.remarks += _why_text(column, texts)
    elif candidate.kind in ("integer", "number"):
        guess.remarks += guess_numbers(column, candidate, guess.raw)
    else:
        guess.remarks += guess_moments(column, candidate, guess.raw)
    _missing(column, guess, [word for word in column.words if word not in kept])
    guess.raw["origin"] = "draft"
    return guess


def candidate_of(column: Column) -> Candidate:
    """The first type that fits. Without ends there was no value to see: only infinities, say."""
    fitting = [one for one in column.types or [] if one.kind == "string" or one in column.ends]
    return fitting[0] if fitting else Candidate("string")


def _texts(column: Column) -> list[str]:
    if column.overflow:
        return []
    found = as_texts(pa.array(list(column.values), column.kind), Schema.from_dict(_ANY)["any"])[0].to_pylist()
    return sorted({text for text in found if text is not None})


def _are_codes(column: Column, candidate: Candidate, texts: list[str]) -> bool:
    """Whether the values are codes of a long list. Whole numbers are only where the column's name says so."""
    named = bool(_CODE_WORDS & set(words_of(column.name)))
    if candidate.kind == "integer":
        return named and looks_like_codes(texts)
    known = candidate.kind == "string" and looks_like_codes(texts)
    return known and (named or 2 * column.distinct <= column.present) and prefix_taxonomy(texts) is not None


def _kept_words(column: Column, texts: list[str]) -> set[str]:
    """Words for missing that are values here: NA is Namibia among countries, and - is a rhesus factor beside +."""
    kept = set()
    if texts and all(re.fullmatch("[A-Z]{2}", text) for text in texts):
        kept |= {"NA"} & set(column.words)
    if "+" in texts:
        kept |= {"-"} & set(column.words)
    return kept


def _boolean(column: Column, guess: Guess) -> None:
    seen = [str(v) for v in column.values if isinstance(v, str)]
    for key, word in (("trueValues", "true"), ("falseValues", "false")):
        texts = [text for text in seen if text.lower() == word]
        if texts and texts != [word]:
            guess.raw[key] = texts
    guess.remarks.append("true or false.")


def _categories(column: Column, guess: Guess, texts: list[str], *, codes: bool) -> None:
    if column.overflow:
        guess.remarks.append(f"more than {DISTINCT_LIMIT:,} different texts: group its values and list the groups.")
        return
    if not texts:
        guess.remarks.append("its bytes are no UTF-8 text: drop the column, or convert it.")
        return
    guess.raw["categories"] = texts
    found = None if codes else natural_order(texts)
    if found is not None and len(found.without) <= 1:
        guess.raw |= {"categories": list(found.texts), "categoriesOrdered": True}
        guess.remarks.append(
            f"categories, as rows have them, and their order ({found.what}). Add those that are possible."
        )
        if found.without:
            column.words[found.without[0]] = 1
            guess.remarks.append(f"'{found.without[0]}' has no place in that order, so it is taken for missing.")
        if len(texts) > _MANY_TEXTS:
            guess.remarks.append(_rare_ones(texts))
        return
    guess.remarks.append("categories, as rows have them. List all that are possible, and none that only a row knows.")
    if codes and (tree := prefix_taxonomy(texts)):
        guess.raw["taxonomy"] = tree[0]
        lengths = " and ".join(filter(None, (", ".join(map(str, tree[1][:-1])), str(tree[1][-1]))))
        characters = "character" if lengths == "1" else f"{lengths} characters"
        guess.remarks.append(f"these are codes; taxonomy by their first {characters}. Put in the public list.")
    elif len(texts) > _MANY_TEXTS:
        guess.remarks.append(_rare_ones(texts))


def _rare_ones(texts: list[str]) -> str:
    return f"{len(texts):,} texts; rare ones may point at people. List groups, or use outside: other."


def _why_text(column: Column, texts: list[str]) -> list[str]:
    """Why a column that looks like another type is drafted as texts."""
    if column.too_big and not column.types:
        return ["its numbers are too large to be read as numbers without loss, so they are texts here."]
    if texts and all(_SHORT_YEAR.fullmatch(text) for text in texts):
        return [
            "these look like dates with two-digit years, which leave the century open: texts here. Write years with "
            "four digits in the table, then draft again."
        ]
    if len(texts) > ENOUGH_ROWS and all(_WITH_UNIT.fullmatch(text) for text in texts):
        return ["these look like numbers with a unit. Take the unit off in the table, then draft again."]
    return []


def _missing(column: Column, guess: Guess, words: list[str]) -> None:
    """Missing cells, and what they are written as: first of all as they mostly are, for synthetic ones will be so."""
    if words:
        texts = [*words, ""] if not column.empty else ["", *words]
        guess.raw["missingValues"] = texts
        guess.remarks.append(f"{', '.join(map(repr, words[:5]))} {'means' if len(words) == 1 else 'mean'} missing.")
    if column.empty or words:
        guess.raw.setdefault("constraints", {})["required"] = False
        guess.remarks.append("cells are missing, so missing has a code of its own.")
