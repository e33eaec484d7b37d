"""Public knowledge: attributes, their domains and taxonomies, the schema file, encodings. Nothing private, ever."""

from understudy.schema._domain import Attribute, Axis, Domain, Level, Marginal, project, regroup
from understudy.schema._recoding import Encoding, Part, Recoding, recode

__all__ = [
    "Attribute",
    "Axis",
    "Domain",
    "Encoding",
    "Level",
    "Marginal",
    "Part",
    "Recoding",
    "project",
    "recode",
    "regroup",
]
