"""Reading and writing tables: raw values to integer codes and back."""

from understudy.tables._broken import DeclaredRows, Sieve, broken_flags, broken_sentence, keep_declared
from understudy.tables._code_reader import CodeReader
from understudy.tables._columnar import checked
from understudy.tables._columns import column_faults
from understudy.tables._decode import arrow_schema, decode_batch
from understudy.tables._dependency_checks import DependencyCheck
from understudy.tables._draft import draft_schema
from understudy.tables._file_parts import FilePart, cut_files, read_parts
from understudy.tables._formulas import formula_columns
from understudy.tables._inside import InOrderDraw, Inside, find_inside
from understudy.tables._kinds import to_kind
from understudy.tables._loose import ColumnFaults, LooseTable, missing_label, outside_label, read_loosely
from understudy.tables._loose_stream import LooseStream
from understudy.tables._objects import Column, Mixed
from understudy.tables._part_reader import PartNote, PartReader, raise_broken_rows, raise_part_faults, text_bytes
from understudy.tables._read import PRIVATE, CheckReport, ColumnCheck, check_table, read_table, read_units
from understudy.tables._remembered import remembered_types
from understudy.tables._sources import Source, open_source
from understudy.tables._spark_frames import selected
from understudy.tables._stream import CodeBatch, code_batches
from understudy.tables._table import Table, code_type
from understudy.tables._tallied import ValueCodes, faults_of, near_categories, read_values
from understudy.tables._units import UnitReader, no_unit_column, unit_in_schema, unit_texts
from understudy.tables._values import Kinds, Numbers, Values
from understudy.tables._write import TableWriter, open_writer
from understudy.tables._zones import zone_changes

__all__ = [
    "PRIVATE",
    "CheckReport",
    "CodeBatch",
    "CodeReader",
    "Column",
    "ColumnCheck",
    "ColumnFaults",
    "DeclaredRows",
    "DependencyCheck",
    "FilePart",
    "InOrderDraw",
    "Inside",
    "Kinds",
    "LooseStream",
    "LooseTable",
    "Mixed",
    "Numbers",
    "PartNote",
    "PartReader",
    "Sieve",
    "Source",
    "Table",
    "TableWriter",
    "UnitReader",
    "ValueCodes",
    "Values",
    "arrow_schema",
    "broken_flags",
    "broken_sentence",
    "check_table",
    "checked",
    "code_batches",
    "code_type",
    "column_faults",
    "cut_files",
    "decode_batch",
    "draft_schema",
    "faults_of",
    "find_inside",
    "formula_columns",
    "keep_declared",
    "missing_label",
    "near_categories",
    "no_unit_column",
    "open_source",
    "open_writer",
    "outside_label",
    "raise_broken_rows",
    "raise_part_faults",
    "read_loosely",
    "read_parts",
    "read_table",
    "read_units",
    "read_values",
    "remembered_types",
    "selected",
    "text_bytes",
    "to_kind",
    "unit_in_schema",
    "unit_texts",
    "zone_changes",
]
