"""Names of data sets in a ledger: what is refused, which names are one, and which look too much alike.

Two names are one account if they differ in case, in the width or form of their characters (NFKC) or in white space
alone: a slip of the keyboard must not open a second account for the same people. Such a run is charged to the account
that is there, under the name it was opened with. Characters that cannot be seen are refused, since nobody could tell
two such names apart.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from difflib import SequenceMatcher

from understudy._core.errors import OptionError

_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})  # control, format (zero width, bidi), surrogates, separators
# Invisible though they count as letters, marks or symbols: fillers, joiners, variation selectors, the blank of Braille.
_BLANKS = frozenset(
    {0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0}
    | {*range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)}
)
# Letters of other alphabets that look like Latin ones, in lower case as `name_key` leaves them.
_LOOKS_LIKE = str.maketrans("авеікмнорстухѕјԁһԛԝαεικνορτυχ01", "abeikmhopctyxsjdhqwaeikvoptuxol")
_NEAR = 0.85


def check_name(name: object) -> str:
    """The name as it is kept: composed characters, one blank between words. Raises if it is empty or cannot be seen.

    >>> check_name("  people   2024 ")
    'people 2024'
    """
    if not isinstance(name, str) or not name.strip():
        raise OptionError("a ledger needs the name of a dataset. Give it one, such as 'people-2024'.")
    for place, character in enumerate(name, start=1):
        if unicodedata.category(character) in _UNSEEN or ord(character) in _BLANKS:
            raise OptionError(
                f"the dataset's name has a character that cannot be seen (U+{ord(character):04X}, number {place} of "
                f"{len(name)}): two such names could not be told apart. Name it without, such as 'people-2024'."
            )
    return " ".join(unicodedata.normalize("NFC", name).split())


def name_key(name: str) -> str:
    """What two names share if they mean one account.

    >>> name_key("People  2024") == name_key("ＰＥＯＰＬＥ 2024")
    True
    """
    # Twice: folding can undo the normal form, and the normal form can bring back what folds.
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold()).casefold()
    return " ".join(unicodedata.normalize("NFKC", folded).split())


def find_name(name: str, known: Iterable[str]) -> str | None:
    """The known name that means the same account: the very same, or the only one with the same key.

    >>> find_name("PEOPLE", ["people", "patients"])
    'people'
    """
    names = list(known)
    if name in names:
        return name
    same = [other for other in names if name_key(other) == name_key(name)]
    if len(same) > 1:  # a file from before names were compared like this
        listed = ", ".join(f"'{other}'" for other in same)
        raise OptionError(
            f"the name '{name}' could mean each of {listed} in this ledger. Write it just as it is there."
        )
    return same[0] if same else None


def near_names(name: str, known: Iterable[str]) -> list[str]:
    """Known names of other accounts that are easily taken for this one, by eye or by a slip of the keyboard.

    >>> near_names("peopel", ["people", "patients"])
    ['people']
    """
    mine = name_key(name).translate(_LOOKS_LIKE)
    return [other for other in known if _near(mine, name_key(other).translate(_LOOKS_LIKE))]


def _near(one: str, other: str) -> bool:
    if _without_marks(one) == _without_marks(other) or sorted(one) == sorted(other):
        return True
    if min(len(one), len(other)) < 4:  # of three letters, one more or less is another word
        return False
    blocks = SequenceMatcher(None, one, other, autojunk=False)
    return blocks.ratio() >= _NEAR or _one_slip(one, other)


def _one_slip(one: str, other: str) -> bool:
    """Whether one letter too many, too few or other than meant is all the difference."""
    short, long = sorted((one, other), key=len)
    if len(long) - len(short) > 1:
        return False
    same = next((place for place, pair in enumerate(zip(short, long, strict=False)) if pair[0] != pair[1]), len(short))
    return short[same:] == long[same + 1 :] or short[same + 1 :] == long[same + 1 :]


def _without_marks(text: str) -> str:
    """Letters and digits alone: no accents, no blanks, no hyphens."""
    return "".join(character for character in unicodedata.normalize("NFKD", text) if character.isalnum())
