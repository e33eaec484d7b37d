"""`plan`: from what a party asks for to the matrix of every column that it sends."""

from __future__ import annotations

import csv
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import floor, prod
from typing import Any

from understudy._core.errors import OptionError, did_you_mean
from understudy._core.numbers import exact_number, whole_number
from understudy.numbers import even_schema
from understudy.randomize._asking import Asked, make_block
from understudy.randomize._forms import response_of_odds, response_within
from understudy.randomize._grouping import MAX_CELLS, best_grouping
from understudy.randomize._matrix import Response
from understudy.randomize._odds import LARGEST_EPSILON, epsilon_above, epsilon_below, odds_below
from understudy.randomize._plan import LARGEST_BLOCK, LONGEST_NAME, Block, Plan
from understudy.schema import Field, Schema, SchemaLike, read_schema, refuse_drafts

_MOST = 10**300
_FINEST = 10**9  # shares of ε are whole numbers of these


def plan(
    schema: SchemaLike,
    *,
    epsilon: Any = None,
    gamma: Any = None,
    p: Any = None,
    blocks: Mapping[str | tuple[str, ...], Asked | None] | None = None,
    public: Collection[str] = (),
    columns: Collection[str] | None = None,
    party: str | None = None,
    separate: bool = False,
    max_cells: int = MAX_CELLS,
    parties: int = 2,
    trust_draft: bool = False,
) -> Plan:
    """What one party randomises, and how: a public document, made from the schema alone.

    One of `epsilon`, `gamma` and `p` says how the sensitive columns are randomised that no block names. `epsilon` and
    `gamma` (= e^ε) are for the party's whole record: what named blocks take of it comes off, and the rest is divided
    over blocks that are chosen so as to add the least noise to pairs of columns, its own and those with the other
    `parties`, which are taken to have as many (`separate`: a block for each column). `p` is for each column by itself:
    the probability of each other value.

    `blocks` maps columns to a matrix, such as {("smoking", "disease"): "epsilon=0.7", "age": "p=0.25", "w": "none"};
    None keeps the columns together and gives them their share of ε. Columns in `public` are not sensitive: they are
    sent as they are. `columns` names those that are sent at all. Every matrix form is in `understudy randomize plan
    --help`.

    >>> schema = {"name": "hospital", "fields": [{"name": n, "type": "boolean"} for n in ("smoking", "disease")]}
    >>> [(block.columns, block.cells) for block in plan(schema, epsilon=1.1).blocks]
    [(('smoking', 'disease'), 4)]
    >>> plan(schema, p="0.25").blocks[0].matrix.amplification
    Fraction(3, 1)
    """
    known = even_schema(read_schema(schema))  # nobody sees enough of the table to find bins, or what is inside them
    if columns is not None:
        sent = _names(columns, known, "columns")
        if not sent:
            raise OptionError("no columns are left to send. Name at least one, or leave out --columns (columns=…).")
        known = known.only(sent)
    refuse_drafts(known, trust_draft=trust_draft)
    left_alone = _names(public, known, "public")
    asked = _asked_blocks(blocks or {}, known, left_alone)
    named = {names: make_block([known[n] for n in names], how) for names, how in asked.items() if how is not None}
    held = [names for names, how in asked.items() if how is None]
    listed = {name for names in asked for name in names} | set(left_alone)
    rest = [f for f in known.fields if f.name not in listed]
    default = _Default.read(epsilon=epsilon, gamma=gamma, p=p)
    cells = min(whole_number(max_cells, "max_cells", least=1), LARGEST_BLOCK)
    abroad = (whole_number(parties, "parties", least=1) - 1) * len(known.names) + len(listed) - sum(map(len, held))
    limits = _Limits(separate=separate, max_cells=cells, abroad=abroad)
    made = default.blocks(known, rest, held, list(named.values()), limits)
    alone = [_left_alone(known[name]) for name in left_alone]
    order = {name: position for position, name in enumerate(known.names)}
    found = sorted([*named.values(), *made, *alone], key=lambda block: min(order[name] for name in block.columns))
    return Plan(party=_party(party, known), schema=known, blocks=tuple(found))


def read_block(text: str, known: Sequence[str]) -> tuple[tuple[str, ...], str | None]:
    """A block as the command line has it: columns, and behind a colon how they are randomised.

    >>> read_block("smoking, disease: epsilon=0.7", ["smoking", "disease"])
    (('smoking', 'disease'), 'epsilon=0.7')
    >>> read_block("smoking, disease", ["smoking", "disease"])
    (('smoking', 'disease'), None)
    """
    cuts = [i for i, mark in enumerate(text) if mark == ":"]
    for cut in [*cuts, len(text)]:  # a name may have a colon itself
        names = split_names(text[:cut])
        if names and all(name in known for name in names):
            return names, text[cut + 1 :].strip() or None
    names = split_names(text[: cuts[0]] if cuts else text)
    odd = next((name for name in names if name not in known), "")
    raise OptionError(f"block '{text[:80]}': no column '{odd}' in the schema. {did_you_mean(odd, known)}")


def split_names(text: str) -> tuple[str, ...]:
    """Column names separated by commas; quotes hold a name with a comma together.

    >>> split_names('age, "height, cm"')
    ('age', 'height, cm')
    """
    return tuple(name.strip() for line in csv.reader([text], skipinitialspace=True) for name in line if name.strip())


@dataclass(frozen=True, kw_only=True)
class _Limits:
    """What the choice of blocks keeps to: the keywords of `best_grouping`."""

    separate: bool
    max_cells: int
    abroad: int


class _Default:
    """What was asked for the columns that no block names."""

    def __init__(self, kind: str, value: Any) -> None:
        self.kind, self.value = kind, value

    @classmethod
    def read(cls, **given: Any) -> _Default:
        asked = {kind: value for kind, value in given.items() if value is not None}
        if len(asked) > 1:
            raise OptionError(f"{' and '.join(asked)} say the same thing in two ways. Give one of them.")
        for kind, value in asked.items():
            if kind == "p":
                return cls(kind, value)
            try:
                number = exact_number(value)
            except ValueError:
                raise OptionError(f"{kind} must be a number. Got {str(value)[:40]!r} instead.") from None
            least = 0 if kind == "epsilon" else 1
            if number > _MOST:
                raise OptionError(f"{kind} is larger than any that is meant. Give a smaller one.")
            if number <= least:
                raise OptionError(f"{kind} must be above {least}. Got {value} instead: nothing could be learnt.")
            return cls(kind, number)
        return cls("", None)

    def blocks(
        self,
        schema: Schema,
        rest: Sequence[Field],
        held: Sequence[tuple[str, ...]],
        named: Sequence[Block],
        limits: _Limits,
    ) -> list[Block]:
        """Blocks for the columns that have no matrix yet."""
        fixed = [[schema[name] for name in names] for names in held]
        lone = [f for f in rest if f.size == 1]  # nothing to hide, and nothing to spend
        free = [f for f in rest if f.size > 1]
        if not self.kind and (free or fixed):
            wanting = [f.name for f in free] + [name for names in held for name in names]
            shown = ", ".join(wanting[:8]) + (", …" if len(wanting) > 8 else "")
            raise OptionError(
                f"how is {shown} randomised? Give --epsilon for the whole record (or --gamma, or --p for each column), "
                "a --block of its own, or name it with --public if it is not sensitive."
            )
        made = [_left_alone(f, sensitive=True) for f in lone]
        if self.kind == "p":
            return made + [make_block(fields, {"p": self.value}) for fields in (*fixed, *([f] for f in free))]
        if not self.kind:
            return made
        most = self._left(named, needed=bool(free or fixed))
        if not free and not fixed:
            return made
        return made + self._divided([*fixed, *([f] for f in free)], len(fixed), most, limits)

    def _left(self, named: Sequence[Block], *, needed: bool) -> Fraction:
        """What named blocks leave of the record's γ or ε. Those without a bound are left out: the report says so."""
        taken = [block.matrix.amplification for block in named if block.matrix is not None and not block.from_data]
        odds = [found for found in taken if found is not None]
        if self.kind == "gamma":
            spent, left, least = prod(odds, start=Fraction(1)), self.value / prod(odds, start=Fraction(1)), 1
        else:
            spent = sum((epsilon_above(found) or Fraction(0) for found in odds), Fraction(0))
            left, least = self.value - spent, 0
        if left < least or (needed and left == least):
            rest = ", and there are others to randomise" if needed else ""
            raise OptionError(
                f"the blocks that are named take {self.kind} {float(spent):.4g} of {float(self.value):.4g} for the "
                f"whole record{rest}. Raise it, or give these blocks less."
            )
        return Fraction(left)

    def _divided(self, groups: Sequence[Sequence[Field]], n_fixed: int, most: Fraction, limits: _Limits) -> list[Block]:
        columns = [f for fields in groups for f in fields]
        starts = [sum(map(len, groups[:i])) for i in range(n_fixed)]
        fixed = [range(start, start + len(fields)) for start, fields in zip(starts, groups[:n_fixed], strict=True)]
        sizes = [f.size for f in columns]
        budget = epsilon_below(most) if self.kind == "gamma" else most
        if budget > LARGEST_EPSILON * len(columns):
            odds_below(budget)  # says what to do
        found = best_grouping(sizes, float(budget), fixed=fixed, **vars(limits))
        if len(found.blocks) == 1 and self.kind == "gamma":
            return [_checked(columns, response_of_odds(_cells(columns), most), f"gamma={most}")]
        blocks = []
        for positions, share in zip(found.blocks, _shares(found.epsilons, budget), strict=True):
            fields = [columns[i] for i in positions]
            blocks.append(_checked(fields, response_within(_cells(fields), share), f"epsilon={_decimal(share)}"))
        return blocks


def _shares(epsilons: Sequence[float], budget: Fraction) -> list[Fraction]:
    """The shares as decimals that add up to the budget exactly."""
    shares = [Fraction(floor(share * _FINEST), _FINEST) for share in epsilons]
    largest = max(range(len(shares)), key=lambda i: shares[i])
    shares[largest] += budget - sum(shares)
    return shares


def _decimal(number: Fraction) -> str:
    short = f"{float(number):.12g}"
    return short if Fraction(short) == number else str(number)


def _checked(fields: Sequence[Field], matrix: Response, asked: str) -> Block:
    names = tuple(f.name for f in fields)
    if not matrix.invertible:
        raise OptionError(
            f"{' and '.join(names)}: so little of epsilon is left for them ({asked}) that nothing could be learnt. "
            "Raise it, send fewer columns (--columns), or declare fewer values."
        )
    return Block(columns=names, sizes=tuple(f.size for f in fields), matrix=matrix, asked=asked)


def _cells(fields: Iterable[Field]) -> int:
    return prod(field.size for field in fields)


def _left_alone(field: Field, *, sensitive: bool = False) -> Block:
    return Block(
        columns=(field.name,),
        sizes=(field.size,),
        matrix=Response(field.size, Fraction(1)),
        sensitive=sensitive,
        asked="" if sensitive else "public",
    )


def _names(given: Collection[str], schema: Schema, what: str) -> tuple[str, ...]:
    if not isinstance(given, Iterable):
        raise OptionError(f"{what} must be a list of column names. Got {type(given).__name__} instead.")
    names = split_names(given) if isinstance(given, str) else tuple(given)
    for name in names:
        if not isinstance(name, str) or name not in schema.names:
            raise OptionError(f"{what}: no column '{name}' in the schema. {did_you_mean(str(name), schema.names)}")
    return tuple(dict.fromkeys(names))


def _asked_blocks(
    blocks: Mapping[str | tuple[str, ...], Asked | None], schema: Schema, public: Collection[str]
) -> dict[tuple[str, ...], Asked | None]:
    found: dict[tuple[str, ...], Asked | None] = {}
    seen: set[str] = set()
    if not isinstance(blocks, Mapping):
        raise OptionError(
            "blocks say for columns how they are randomised, such as {('smoking', 'disease'): 'epsilon=1'}."
        )
    for key, how in blocks.items():
        names = (key,) if isinstance(key, str) and key in schema.names else _names(key, schema, "blocks")
        if not names:
            raise OptionError("a block names no columns. Name at least one.")
        for name in names:
            if name in seen:
                raise OptionError(f"column '{name}' is in two blocks. Randomise it once.")
            if name in public:
                raise OptionError(f"column '{name}' is public and in a block. Leave it out of one of them.")
            seen.add(name)
        found[names] = None if isinstance(how, str) and not how.strip() else how
    return found


def _party(given: str | None, schema: Schema) -> str:
    name = schema.name if given is None else given
    if not isinstance(name, str) or not name.strip() or not name.isprintable() or len(name) > LONGEST_NAME:
        raise OptionError(
            f"a party needs a name of up to {LONGEST_NAME} printable characters. Give one with --party (party=…)."
        )
    return name.strip()
