"""A structure or an order that somebody knows already, matched to the columns that were published."""

from __future__ import annotations

from collections.abc import Sequence

from understudy._core.errors import OptionError, did_you_mean
from understudy.models import Network, Node, bif_word
from understudy.randomize._skeleton import StructureLike, read_skeleton
from understudy.schema import Axis, Domain, Schema


def read_structure(structure: StructureLike, schema: Schema) -> tuple[Network, list[str]]:
    """The network over the schema's columns, and notes. Raises OptionError or ModelFileError.

    Columns that the structure does not name become variables without links. BIF spells names in plain words, so a name
    also matches the column whose name comes to the same word.

    >>> schema = Schema.from_dict({"fields": [{"name": n, "categories": ["no", "yes"]} for n in ("is ill", "smokes")]})
    >>> network, notes = read_structure({"is_ill": ["smokes"], "smokes": []}, schema)
    >>> network.order, notes
    ((1, 0), [])
    """
    domain = schema.domain
    if isinstance(structure, Network) and structure.domain == domain:
        return structure, []
    skeleton = read_skeleton(structure)
    place = _places(skeleton.names, domain)
    nodes = [
        Node(place[name], tuple(Axis(place[parent]) for parent in parents))
        for name, parents in skeleton.parents.items()
    ]
    left = [column for column in range(len(domain)) if column not in place.values()]
    nodes += [Node(column) for column in left]
    notes = []
    if left:
        names = ", ".join(domain[column].name for column in left)
        notes.append(f"the structure does not name {names}: taken as independent of everything else.")
    return Network(domain, tuple(nodes)), notes


def _places(names: Sequence[str], domain: Domain) -> dict[str, int]:
    """Where each variable is among the columns."""
    columns = {attribute.name: number for number, attribute in enumerate(domain)}
    words: dict[str, list[int]] = {}
    for name, number in columns.items():
        words.setdefault(bif_word(name, variable=True).lower(), []).append(number)
    found: dict[str, int] = {}
    for name in names:
        alike = words.get(bif_word(name, variable=True).lower(), [])
        number = columns.get(name, alike[0] if len(alike) == 1 else -1)
        if number < 0:
            raise OptionError(
                f"structure: no column '{name}' was published. {did_you_mean(name, columns)} A structure may leave out "
                "columns, but not name others."
            )
        if number in found.values():
            raise OptionError(f"structure: two variables stand for the column '{domain[number].name}'.")
        found[name] = number
    return found


def read_order(order: Sequence[str], domain: Domain) -> tuple[int, ...]:
    """The columns' positions in the order of their names. Raises OptionError unless each is named once.

    >>> from understudy.schema import Attribute
    >>> read_order(["b", "a"], Domain((Attribute(name="a", size=2), Attribute(name="b", size=2))))
    (1, 0)
    """
    columns = {attribute.name: number for number, attribute in enumerate(domain)}
    if isinstance(order, str):
        raise OptionError("The 'order' parameter must be a list of column names.")
    for name in order:
        if name not in columns:
            raise OptionError(f"order: no column '{name}' was published. {did_you_mean(str(name), columns)}")
    missing = [name for name in columns if name not in order]
    if missing or len(order) != len(columns):
        what = f"it lacks {', '.join(missing)}" if missing else "it names a column twice"
        raise OptionError(f"order: {what}. It must name every column once, parents before children.")
    return tuple(columns[name] for name in order)
