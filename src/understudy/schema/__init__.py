"""Public knowledge: attributes, their domains and taxonomies, the schema file, encodings. Nothing private, ever."""

from understudy.schema._among import Among
from understudy.schema._bins import MOST_FOUND, Bins, Shape
from understudy.schema._build import build_field
from understudy.schema._code_lists import looks_like_codes, prefix_taxonomy
from understudy.schema._declared import BrokenRows
from understudy.schema._dependencies import Dependency, Determines, Impossible, InOrder, MissingWhen
from understudy.schema._documents import read_document, read_text
from understudy.schema._domain import Attribute, Axis, Domain, Level, Marginal, project, regroup
from understudy.schema._field import Category, Field
from understudy.schema._found import edges_at
from understudy.schema._given import SchemaLike, read_schema, refuse_drafts
from understudy.schema._levels import binary_depth
from understudy.schema._marks import DRAFT_MARK, GUESS_MARK
from understudy.schema._natural_order import NaturalOrder, natural_order
from understudy.schema._orders import Edge, order_edges, smaller_first
from understudy.schema._recoding import Codes, Encoding, Part, Recoding, recode
from understudy.schema._replies import bins_over
from understudy.schema._review import Review
from understudy.schema._rules import Check, FollowsFrom, Mapped, Ordered, Rule, Together, Zeros
from understudy.schema._scales import word_set
from understudy.schema._schema import Schema
from understudy.schema._sdv import import_sdv
from understudy.schema._values import Form, directives, format_number, zone_exists
from understudy.schema._written import written_text
from understudy.schema._yaml import write_yaml
from understudy.schema._zeros import checks_of, order_checks, structural_zeros, value_ends

__all__ = [
    "DRAFT_MARK",
    "GUESS_MARK",
    "MOST_FOUND",
    "Among",
    "Attribute",
    "Axis",
    "Bins",
    "BrokenRows",
    "Category",
    "Check",
    "Codes",
    "Dependency",
    "Determines",
    "Domain",
    "Edge",
    "Encoding",
    "Field",
    "FollowsFrom",
    "Form",
    "Impossible",
    "InOrder",
    "Level",
    "Mapped",
    "Marginal",
    "MissingWhen",
    "NaturalOrder",
    "Ordered",
    "Part",
    "Recoding",
    "Review",
    "Rule",
    "Schema",
    "SchemaLike",
    "Shape",
    "Together",
    "Zeros",
    "binary_depth",
    "bins_over",
    "build_field",
    "checks_of",
    "directives",
    "edges_at",
    "format_number",
    "import_sdv",
    "looks_like_codes",
    "natural_order",
    "order_checks",
    "order_edges",
    "prefix_taxonomy",
    "project",
    "read_document",
    "read_schema",
    "read_text",
    "recode",
    "refuse_drafts",
    "regroup",
    "smaller_first",
    "structural_zeros",
    "value_ends",
    "word_set",
    "write_yaml",
    "written_text",
    "zone_exists",
]
