"""Ways to spoil texts, bytes and JSON-like values."""

from __future__ import annotations

import copy
from random import Random
from typing import Any

WORDS = (
    "", " ", "\t", "\n", "\x00", "\x1b[2J", "\u202e", "\u200b", "é", "😀", "２", "=1+1", "'", '"', "''", "\\", "/",
    "..", "...", "|", ",", ";", "=", "<=", "%", "%Y", "%d%d", "%q", "-", "--", "-1", "+1", "0", "1", "01", "1.50",
    "1e3", "1e400", "1e-400", "1e999999999", "0e999999999", "-0.0", "NaN", "nan", "inf", "-inf", "Infinity", "None",
    "null", "~", "true", "yes", "1/0", "1/3", "0/1", "9" * 25, "9" * 4301, "9" * 20_000, "0." + "0" * 900 + "1",
    "x" * 300, "x" * 20_000, "a..b", "30..40", "..", "0001-01-01", "9999-12-31", "2020-02-30",
    "2020-01-01T00:00:00+14:00", "0001-01-01T00:00:00+14:00", "../..", "[", "]", "{", "}", "[[]]", "{}",
    "&a", "*a", "<<", "!!int", "!!python/object:os.system", "? ", "- ", ": ", "#", "---", "Europe/Paris", "\ud800",
    "\ufeff", "a,b", "a|b", "café", "cafe\u0301",
)  # fmt: skip
NUMBERS = (
    *(
        0,
        1,
        -1,
        2,
        3,
        16,
        255,
        256,
        65_535,
        65_536,
        10**6,
        10**6 + 1,
        2**31,
        2**32,
        2**53,
        2**63 - 1,
        2**63,
        -(2**63),
        2**64,
    ),
    *(10**30, 10**399, 10**500, 2_000_000_000, 0.0, -0.0, 0.5, 1.5, 1e-9, 1e15, 1e16, 1e300, -1e300, 5e-324),
)
NOT_NUMBERS = (float("nan"), float("inf"), -float("inf"))
TOKENS = tuple(word for word in WORDS if len(word) < 30 and "\ud800" not in word)


def odd_value(rng: Random, *, deep: bool = True) -> Any:
    """Something nobody expects where it stands."""
    choice = rng.randrange(8 if deep else 5)
    if choice == 0:
        return rng.choice(NUMBERS)
    if choice == 1:
        return rng.choice((None, True, False))
    if choice in (2, 3, 4):
        return rng.choice(WORDS)
    if choice == 5:
        return [odd_value(rng, deep=False) for _ in range(rng.randrange(4))]
    if choice == 6:
        return {str(odd_value(rng, deep=False))[:40]: odd_value(rng, deep=False) for _ in range(rng.randrange(3))}
    value: Any = odd_value(rng, deep=False)
    for _ in range(rng.choice((1, 5, 90, 150, 400))):
        value = [value]
    return value


def spoil_text(rng: Random, text: str) -> str:
    """A text with one to four changes."""
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        at = rng.randrange(len(text) + 1)
        to = min(len(text), at + rng.choice((1, 1, 2, 5, 20, 100)))
        choice = rng.randrange(9)
        if choice == 0:
            text = text[:at] + text[to:]
        elif choice == 1:
            text = text[:to] + text[at:to] * rng.choice((1, 2, 30)) + text[to:]
        elif choice in (2, 3):
            text = text[:at] + rng.choice(WORDS) + text[at:]
        elif choice == 4:
            text = text[:at] + rng.choice(WORDS) + text[to:]
        elif choice == 5:
            text = text[:at] + rng.choice(TOKENS) * rng.choice((1, 2, 10, 3000)) + text[at:]
        elif choice == 6:
            text = _swap(rng, text, "\n")
        elif choice == 7:
            text = text[:at]
        else:
            text = _swap(rng, text, rng.choice(", :=[]{}"))
    return text


def _swap(rng: Random, text: str, separator: str) -> str:
    parts = text.split(separator)
    i, j = rng.randrange(len(parts)), rng.randrange(len(parts))
    parts[i], parts[j] = parts[j], parts[i]
    return separator.join(parts)


def spoil_bytes(rng: Random, data: bytes) -> bytes:
    """Bytes with one to six changes."""
    changed = bytearray(data)
    for _ in range(rng.randint(1, 6)):
        at = rng.randrange(len(changed) + 1)
        to = min(len(changed), at + rng.choice((1, 1, 2, 4, 8, 64)))
        choice = rng.randrange(7)
        if choice <= 2 and at < len(changed):
            changed[at] ^= 1 << rng.randrange(8)
        elif choice == 3:
            number = rng.choice((0, 1, 2**31 - 1, 2**32 - 1, 2**63 - 1, 2**64 - 1)).to_bytes(8, "little")
            size = rng.choice((1, 2, 4, 8))
            changed[at : at + size] = number[:size]
        elif choice == 4:
            del changed[at:to]
        elif choice == 5:
            changed[at:at] = rng.randbytes(rng.choice((1, 4, 16)))
        elif rng.random() < 0.3:
            del changed[at:]
        else:
            changed[at:to] = rng.randbytes(to - at)
    return bytes(changed)


def spoil_value(rng: Random, value: Any) -> Any:
    """A JSON-like value with one to three changes somewhere inside it."""
    root = [copy.deepcopy(value)]
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        holder, key = rng.choice(list(_places(root)))
        choice = rng.randrange(6)
        if choice == 0 and len(holder) > 1:
            del holder[key]
        elif choice == 1:
            holder[key] = [holder[key]] * rng.choice((1, 2, 40))
        elif choice == 2 and isinstance(holder, list):
            holder.insert(key, copy.deepcopy(holder[key]))
        elif choice == 3 and isinstance(holder, dict):
            holder[rng.choice(WORDS)[:50]] = odd_value(rng)
        else:
            holder[key] = odd_value(rng)
    return root[0] if root else None


def _places(holder: Any) -> Any:
    """Every place where a value stands."""
    waiting = [holder]
    while waiting:
        inside = waiting.pop()
        for key in list(inside) if isinstance(inside, dict) else range(len(inside)):
            yield inside, key
            if isinstance(inside[key], dict | list):
                waiting.append(inside[key])
