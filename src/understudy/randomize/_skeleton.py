"""Which variable depends on which, known to every party before anything is learnt: names and nothing else."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import TypeAlias

from understudy._core.errors import OptionError, did_you_mean
from understudy.models import BifNetwork, Network, bif_word, parents_first, read_bif
from understudy.schema import read_document

StructureLike: TypeAlias = "Skeleton | BifNetwork | Network | str | os.PathLike[str] | Mapping[str, Sequence[str]]"


@dataclass(frozen=True, eq=False)
class Skeleton:
    """The links of a network, by name; parents come before their children.

    >>> skeleton = read_skeleton({"ill": ["smokes"], "smokes": []})
    >>> skeleton.names, skeleton.parents["ill"]
    (('smokes', 'ill'), ('smokes',))
    """

    parents: Mapping[str, tuple[str, ...]]

    @property
    def names(self) -> tuple[str, ...]:
        """All variables, parents first."""
        return tuple(self.parents)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the links: the same whatever order they were listed in, and whether or not in BIF's plain words."""
        links = {_word(name): sorted(map(_word, parents)) for name, parents in self.parents.items()}
        return sha256(json.dumps(links, sort_keys=True).encode()).hexdigest()

    def named_like(self, columns: Iterable[str]) -> Skeleton:
        """The same links, each variable under the name of the column that BIF spells in the same way, if there is one.

        >>> read_skeleton({"is_ill": [], "smokes": ["is_ill"]}).named_like(["is ill"]).names
        ('is ill', 'smokes')
        """
        listed = list(columns)
        alike: dict[str, list[str]] = {}
        for column in listed:
            alike.setdefault(_word(column), []).append(column)
        names = {}
        for name in self.names:
            found = alike.get(_word(name), [])
            names[name] = found[0] if name not in listed and len(found) == 1 else name
        if len(set(names.values())) < len(names):
            raise OptionError(
                "structure: two of its variables stand for the same column. Name them as the columns are."
            )
        return Skeleton({names[name]: tuple(names[p] for p in parents) for name, parents in self.parents.items()})


def _word(name: str) -> str:
    return bif_word(name, variable=True).lower()


def read_skeleton(structure: StructureLike) -> Skeleton:
    """The links of a network, of a file, or of a mapping from each variable to its parents.

    A file is BIF, or such a mapping in YAML or JSON (by its ending). Raises OptionError, ModelFileError or SchemaError:
    a cycle, a parent that is no variable, a file that cannot be read.

    >>> read_skeleton({"a": ["b"]})
    Traceback (most recent call last):
    understudy._core.errors.OptionError: structure: 'a' depends on 'b', which is no variable of it. ...
    """
    if isinstance(structure, Skeleton):
        return structure
    if isinstance(structure, str | os.PathLike):
        structure = _read_file(Path(structure))
    if isinstance(structure, BifNetwork):
        return _checked({variable.name: variable.parents for variable in structure.variables})
    if isinstance(structure, Network):
        names = [attribute.name for attribute in structure.domain]
        return _checked(
            {names[node.child]: tuple(names[p.attribute] for p in node.parents) for node in structure.nodes}
        )
    if isinstance(structure, Mapping):
        return _checked({name: _listed(name, parents) for name, parents in structure.items()})
    raise OptionError(
        "structure must be the path of a BIF file, a network, or a mapping from variables to their parents. "
        f"Got {type(structure).__name__} instead."
    )


def _read_file(path: Path) -> BifNetwork | Mapping[str, Sequence[str]]:
    if path.suffix.lower() not in (".yaml", ".yml", ".json"):
        return read_bif(path)
    content = read_document(path, what="structure", command="export")
    if not isinstance(content, Mapping):
        raise OptionError(
            f"{path.name}: a structure lists each variable with its parents, such as 'ill: [smokes, age]'."
        )
    return content


def _listed(name: object, parents: object) -> tuple[str, ...]:
    names = [] if parents is None else parents
    if isinstance(names, str) or not isinstance(names, Sequence) or not all(isinstance(n, str) for n in (name, *names)):
        raise OptionError(f"structure: the parents of '{name}' must be a list of names, empty for a variable without.")
    return tuple(names)


def _checked(parents: Mapping[str, tuple[str, ...]]) -> Skeleton:
    if not parents:
        raise OptionError("structure: it has no variables, so there is nothing to learn.")
    for name, listed in parents.items():
        for parent in listed:
            if parent not in parents:
                raise OptionError(
                    f"structure: '{name}' depends on '{parent}', which is no variable of it. "
                    f"{did_you_mean(parent, parents)} A variable without parents is listed with none: '{parent}: []'."
                )
        if len(set(listed)) != len(listed):
            raise OptionError(f"structure: '{name}' names a parent twice.")
    return Skeleton({name: parents[name] for name in parents_first(parents)})
