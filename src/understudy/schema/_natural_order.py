"""Orders that everybody knows: months, weekdays, bands, low to high, S to XL, answers of questionnaires, grades."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from unicodedata import normalize

from understudy.schema._scales import PLACES, word_set

_NO_PLACE = word_set(
    "unknown unk not_known not_stated not_specified unspecified don_t_know dont_know dk refused no_answer "
    "not_available not_reported undisclosed prefer_not_to_say missing not_applicable"
)
_NUMBERED = word_set(
    "grade level stage class year quarter q quintile quartile decile tercile tier wave phase rank week w day "
    "month step degree band size semester term generation gen"
)
_ROMAN = {"i": 1, "ii": 2, "iii": 3, "iv": 4, "v": 5, "vi": 6, "vii": 7, "viii": 8, "ix": 9, "x": 10}
_NUMBER = r"([0-9]{1,3}(?:[, ][0-9]{3})+|[0-9]+(?:\.[0-9]+)?)(?:\s*(k|m)(?![a-z/]))?"
_UNIT = r"\s*[$€£%]?\s*([a-z][a-z./ ]*|[$€£%])?"
_BAND = re.compile(rf"[$€£]?\s*{_NUMBER}\s*[$€£%]?\s*(?:-|–|—|to|\.\.|_|<)\s*[<=$€£]*\s*{_NUMBER}{_UNIT}")
_BELOW = re.compile(rf"(?:<=|<|≤|under|below|less than|up to|fewer than|at most)\s*[$€£]?\s*{_NUMBER}{_UNIT}")
_ABOVE = re.compile(
    rf"(?:>=|>|≥|over|above|more than|at least)\s*[$€£]?\s*{_NUMBER}{_UNIT}"
    rf"|[$€£]?\s*{_NUMBER}\s*[$€£%]?\s*"
    rf"(?:\+|and over|and above|and more|or more|or over|and older|or older|plus){_UNIT}"
)
_MULTIPLES = word_set("hundred thousand thousands tsd million millions mio mn mill billion billions bn lakh crore")
_SINGLE = re.compile(rf"[$€£]?\s*{_NUMBER}{_UNIT}")
_PERIOD = re.compile(r"(1[6-9]|2[01])[0-9]{2}([-/ ]?(q[1-4]|(0[1-9]|1[0-2])|w[0-5][0-9]|s[12]|h[12]))?", re.IGNORECASE)
_CLOCK = re.compile(r"([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?")


@dataclass(frozen=True, slots=True, kw_only=True)
class NaturalOrder:
    """Texts in the order that they have by themselves.

    >>> NaturalOrder(what="months", texts=("jan", "feb"))
    NaturalOrder(what='months', texts=('jan', 'feb'), without=())
    """

    what: str
    """What they are, such as `months`."""
    texts: tuple[str, ...]
    without: tuple[str, ...] = ()
    """Those that have no place among them, such as `unknown`."""


def natural_order(texts: Sequence[str]) -> NaturalOrder | None:
    """The order that these texts have by themselves; None where there is none, or where it is not clear.

    >>> natural_order(["mar", "feb", "jan"]).texts
    ('jan', 'feb', 'mar')
    >>> natural_order(["50+", "10-49", "1-9", "unknown"])
    NaturalOrder(what='bands', texts=('1-9', '10-49', '50+'), without=('unknown',))
    >>> natural_order(["red", "green"])
    """
    without = tuple(text for text in texts if _plain(text) in _NO_PLACE)
    placed = [text for text in texts if text not in without]
    if len(placed) < 2:
        return None
    for find in (_by_scale, _by_band, _by_number, _by_period):
        if found := find(placed):
            return NaturalOrder(what=found.what, texts=found.texts, without=without)
    return None


def _by_scale(texts: list[str]) -> NaturalOrder | None:
    plain = [_plain(text) for text in texts]
    if len(plain) == 2 and max(map(len, plain)) == 1:
        return None  # S and M may be sizes, and may be single and married
    for what, places in PLACES:
        found = [places.get(text) for text in plain]
        known = [place for place in found if place is not None]
        if len(known) == len(found) == len(set(known)):
            order = sorted(range(len(texts)), key=lambda i: known[i])
            return NaturalOrder(what=what, texts=tuple(texts[i] for i in order))
    return None


def _by_band(texts: list[str]) -> NaturalOrder | None:
    """By their ends, where none reaches into another, and whatever an `m` at some of them stands for.

    Beside thousands (`500k-1m`) it is millions; otherwise it may be metres, minutes or months.
    """
    order = _in_line([_band(text) for text in texts])
    thousands = any(re.search(r"[0-9]\s*k(?![a-z/])", text.lower()) for text in texts)
    if order is None or (not thousands and order != _in_line([_band(text, million=1.0) for text in texts])):
        return None
    return NaturalOrder(what="bands", texts=tuple(texts[i] for i in order))


def _in_line(bands: list[tuple[float, float, str] | None]) -> list[int] | None:
    """The places of the bands from the lowest on; None where one cannot be placed for certain."""
    known = [band for band in bands if band is not None]
    units = {_one_unit(unit) for _, _, unit in known}
    named = units - {""}
    # 6-11 months and 1-2 years are no one scale; nor are 1-9 million beside 10-99
    apart = len(named) > 1 or (len(units) > 1 and any(_MULTIPLES & set(unit.split()) for unit in named))
    if len(known) < len(bands) or apart or sum(low != high for low, high, _ in known) < 2:
        return None
    order = sorted(range(len(known)), key=lambda i: known[i][:2])
    ends = [known[i][:2] for i in order]
    overlap = any(a == b or a[1] > b[0] for a, b in pairwise(ends))
    return None if overlap else order


def _one_unit(unit: str) -> str:
    """The unit as it is of one: `years` and `year` are the same."""
    return unit.strip(" .").removesuffix(" old").removesuffix(" of age").removesuffix("s")


def _by_number(texts: list[str]) -> NaturalOrder | None:
    """By the number after a word that stands for an order, as in `grade 3` or `Q1`; or before it, as in `2nd`."""
    numbers: list[int] = []
    words: set[str] = set()
    for text in texts:
        plain = _plain(text)
        if place := re.fullmatch(r"([0-9]+)(st|nd|rd|th)(_[a-z_]+)?", plain):
            numbers.append(int(place[1]))
            words.add(place[3] or "")
        elif counted := re.fullmatch(r"([a-z]+)_?([0-9]+|(?<=_)[ivx]+)", plain):
            if counted[1] not in _NUMBERED:
                return None
            numbers.append(int(counted[2]) if counted[2].isdigit() else _ROMAN.get(counted[2], 0))
            words.add(counted[1])
        else:
            return None
    if len(words) > 1 or len(set(numbers)) != len(numbers):
        return None
    order = sorted(range(len(texts)), key=lambda i: numbers[i])
    return NaturalOrder(what="numbered", texts=tuple(texts[i] for i in order))


def _by_period(texts: list[str]) -> NaturalOrder | None:
    """Years, quarters, months and times of day that sort as texts; and months with their year, as in `Mar-2018`."""
    for pattern, what in ((_PERIOD, "periods"), (_CLOCK, "times of day")):
        if all(pattern.fullmatch(text) for text in texts) and len({len(text) for text in texts}) == 1:
            return NaturalOrder(what=what, texts=tuple(sorted(texts)))
    months = dict(PLACES)["months"]
    found = {text: re.fullmatch(r"([a-z]{3,9})_?([12][0-9]{3})", _plain(text)) for text in texts}
    dated = {text: (int(one[2]), months[one[1]]) for text, one in found.items() if one and one[1] in months}
    if len(set(dated.values())) < len(texts):
        return None
    return NaturalOrder(what="periods", texts=tuple(sorted(texts, key=lambda text: dated[text])))


def _band(text: str, *, million: float = 1e6) -> tuple[float, float, str] | None:
    """Both ends of a band and its unit: `10-49 employees` is (10, 49, 'employees')."""
    lower = " ".join(text.strip().lower().split())
    if found := _BAND.fullmatch(lower):
        low, high = _value(found[1], found[2] or found[4], million), _value(found[3], found[4], million)
        return (low, high, found[5] or "") if low <= high else None
    if found := _BELOW.fullmatch(lower):
        return -math.inf, _value(found[1], found[2], million), found[3] or ""
    if found := _ABOVE.fullmatch(lower):
        number, thousand, unit = (found[1], found[2], found[3]) if found[1] else (found[4], found[5], found[6])
        return _value(number, thousand, million), math.inf, unit or ""
    if found := _SINGLE.fullmatch(lower):
        value = _value(found[1], found[2], million)
        return value, value, found[3] or ""
    return None


def _value(number: str, thousands: str | None, million: float) -> float:
    return float(number.replace(",", "").replace(" ", "")) * {"k": 1e3, "m": million}.get(thousands or "", 1.0)


def _plain(text: str) -> str:
    """Lower case without accents, words joined by one mark: `Very good`, `very-good` and `VERY_GOOD.` are the same."""
    letters = re.sub(r"[\u0300-\u036f]", "", normalize("NFKD", text.strip().lower()))
    return re.sub(r"[^a-z0-9]+", "_", letters).strip("_")
