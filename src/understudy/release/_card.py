"""The dataset card: Croissant 1.0 with its responsible-AI extension, as JSON-LD, carrying ε.

Neither vocabulary has a term for a privacy parameter, so the card adds its own under the prefix `dp`
(`urn:understudy:dp:`), all on the data set itself:

| property | value |
|---|---|
| `dp:guarantee` | name of the guarantee, or the stamp of a run that has none |
| `dp:epsilon`, `dp:delta` | numbers |
| `dp:unitOfPrivacy`, `dp:neighbours` | text; `replace-one` or `add-remove` |
| `dp:trustModel` | of a study among parties: `local` or `mixed`; else there is one curator |
| `dp:statement` | name of the file with the whole statement |
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from understudy._core.formats import FORMATS
from understudy.release._card_facts import CardFacts
from understudy.release._statement import Statement
from understudy.schema import Schema

_CROISSANT_TERMS = (
    *("citeAs", "column", "equivalentProperty", "extract", "field", "fileProperty", "fileObject", "fileSet", "format"),
    *("includes", "isLiveDataset", "jsonPath", "key", "md5", "parentField", "path", "recordSet", "references", "regex"),
    *("repeated", "replace", "samplingRate", "separator", "source", "subField", "transform"),
)
CONTEXT: Mapping[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "dp": "urn:understudy:dp:",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    **{term: f"cr:{term}" for term in _CROISSANT_TERMS},
}
_TYPES = {
    "string": "sc:Text",
    "integer": "sc:Integer",
    "number": "sc:Float",
    "boolean": "sc:Boolean",
    "date": "sc:Date",
    "datetime": "sc:DateTime",
    "year": "sc:Integer",
}
_MEDIA = {
    **{format.endings[0]: format.media_type for format in FORMATS.values()},
    ".json": "application/json",
    ".md": "text/markdown",
    ".svg": "image/svg+xml",
    ".understudy": "application/zip",
}
_UNSTATED = "not stated by the publisher"
_SEPARATED: Mapping[str, dict[str, str]] = {
    ",": {},
    ";": {"description": "Cells are separated by semicolons."},
    "|": {"description": "Cells are separated by vertical bars."},
    "\t": {"description": "Cells are separated by tabs.", "encodingFormat": "text/tab-separated-values"},
}


def croissant_card(
    schema: Schema,
    statement: Statement,
    files: Sequence[Path],
    table: Path,
    facts: CardFacts,
    *,
    delimiter: str = ",",
) -> dict[str, Any]:
    """The card of a release whose files are already written; `table` is the synthetic table among them.

    Croissant has no term for a CSV's delimiter: another one than the comma is told in words.

    >>> from understudy.release import Statement
    >>> schema = Schema.from_dict({"fields": [{"name": "age", "type": "boolean"}]})
    >>> card = croissant_card(schema, Statement.example(), [], Path("synthetic.csv"), CardFacts())
    >>> card["dp:epsilon"], card["recordSet"][0]["field"][0]["dataType"]
    (1.0, 'sc:Boolean')
    """
    stamp = f"{statement.stamp}. " if statement.stamp else ""
    return {
        "@context": dict(CONTEXT),
        "@type": "sc:Dataset",
        "conformsTo": ["http://mlcommons.org/croissant/1.0", "http://mlcommons.org/croissant/RAI/1.0"],
        "name": f"{statement.dataset}-synthetic",
        "description": f"{stamp}{_origin(statement)}",
        "url": facts.url or "./",
        "license": facts.license or {"@type": "sc:CreativeWork", "name": _UNSTATED},
        "creator": {"@type": "sc:Organization", "name": facts.creator or _UNSTATED},
        "datePublished": statement.created,
        "version": "1.0.0",
        "keywords": ["synthetic data", "differential privacy"],
        "isLiveDataset": False,
        "citeAs": f"{statement.dataset}-synthetic, made with understudy {statement.version} on {statement.created}",
        **_privacy(statement),
        "distribution": [
            _file(path) | (_SEPARATED[delimiter] if path == table and path.suffix == ".csv" else {}) for path in files
        ],
        "recordSet": [_records(schema, table)],
    }


def _origin(statement: Statement) -> str:
    if statement.parties:
        return (
            f"Synthetic table of the study '{statement.dataset}', drawn from a model of columns that "
            f"{len(statement.parties)} parties hold and never pooled: {statement.guarantee}. No row is a person's."
        )
    return (
        f"Synthetic stand-in for the table '{statement.dataset}', drawn from a model fitted under "
        f"{statement.guarantee}. No row was copied from it."
    )


def _privacy(statement: Statement) -> dict[str, Any]:
    return {
        "dp:guarantee": statement.guarantee,
        "dp:epsilon": float(statement.epsilon) if statement.private else None,
        "dp:delta": float(statement.delta) if statement.private else None,
        "dp:unitOfPrivacy": statement.unit,
        "dp:neighbours": statement.neighbours,
        **({"dp:trustModel": statement.trust} if statement.parties else {}),
        "dp:statement": "privacy.json",
        "rai:personalSensitiveInformation": "The original table may describe persons. This one is synthetic; what it "
        "can reveal about any of them is bounded as privacy.json states."
        if statement.private
        else f"{statement.stamp}. What this table reveals about persons is not bounded.",
        "rai:dataManipulationProtocol": f"Method {statement.ran} of understudy {statement.version}: a model fitted "
        f"to {'counts of randomised rows' if statement.parties else 'noisy counts'}, then sampled. Every step that "
        "touched private rows is listed in privacy.json.",
        "rai:dataLimitations": "Relations that the model does not hold are lost, small groups are blurred most, and "
        "values inside a bin lie as README.md says, not as they did. Do not look for individuals in it.",
    }


def _file(path: Path) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": path.name,
        "name": path.name,
        "contentUrl": path.name,
        "contentSize": f"{path.stat().st_size} B",
        "encodingFormat": _MEDIA.get(path.suffix, "application/octet-stream"),
        "sha256": _digest(path),
    }


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _records(schema: Schema, table: Path) -> dict[str, Any]:
    return {
        "@type": "cr:RecordSet",
        "@id": "rows",
        "name": "rows",
        "description": "One synthetic row per record.",
        "field": [
            {
                "@type": "cr:Field",
                "@id": f"rows/{field.name}",
                "name": field.name,
                "dataType": _TYPES[field.type],
                "source": {"fileObject": {"@id": table.name}, "extract": {"column": field.name}},
            }
            for field in schema.fields
        ],
    }
