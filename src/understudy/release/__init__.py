"""What is published: the model and its file, the privacy statement, the dataset card, the release folder."""

from understudy.release._about import about_release, declared_facts
from understudy.release._answer import Answer
from understudy.release._asking import Term, parse_question, parse_terms
from understudy.release._card import croissant_card
from understudy.release._card_facts import CardFacts
from understudy.release._conditions import find_field, read_conditions, terms_to_conditions
from understudy.release._folder import check_output, whole_folder
from understudy.release._letter import privacy_letter
from understudy.release._number_answer import Figure, NumberAnswer
from understudy.release._parts import check_parts, write_parts
from understudy.release._promise import Promise
from understudy.release._published import Kind, PublishedModel, load_model
from understudy.release._rehearse import Writing, refuse_without_room, rehearse_writing
from understudy.release._statement import AS_PRINTED, SEEDED, Statement
from understudy.release._statement_lines import ChargeLine, LedgerNote, PartyNote, ProtectionLine, PublicField
from understudy.release._statement_text import clean as clean_text
from understudy.release._statement_text import describe_domain, number_above
from understudy.release._write import (
    Release,
    fill_release,
    json_bytes,
    make_release,
    stamped_path,
    table_name,
    write_release,
    write_table,
)

__all__ = [
    "AS_PRINTED",
    "SEEDED",
    "Answer",
    "CardFacts",
    "ChargeLine",
    "Figure",
    "Kind",
    "LedgerNote",
    "NumberAnswer",
    "PartyNote",
    "Promise",
    "ProtectionLine",
    "PublicField",
    "PublishedModel",
    "Release",
    "Statement",
    "Term",
    "Writing",
    "about_release",
    "check_output",
    "check_parts",
    "clean_text",
    "croissant_card",
    "declared_facts",
    "describe_domain",
    "fill_release",
    "find_field",
    "json_bytes",
    "load_model",
    "make_release",
    "number_above",
    "parse_question",
    "parse_terms",
    "privacy_letter",
    "read_conditions",
    "refuse_without_room",
    "rehearse_writing",
    "stamped_path",
    "table_name",
    "terms_to_conditions",
    "whole_folder",
    "write_parts",
    "write_release",
    "write_table",
]
