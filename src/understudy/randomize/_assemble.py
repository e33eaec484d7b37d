"""Without a miner, the last step: every party's parameters become one model."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from understudy._core.errors import ModelFileError, OptionError
from understudy.models import Network, NetworkModel, Node
from understudy.randomize._inbox import joint_name
from understudy.randomize._open_inbox import files_meant
from understudy.randomize._pieces import LearntVariable, Piece, ReceivedFile
from understudy.randomize._promise import Sent, study_statement
from understudy.randomize._report import report
from understudy.randomize._skeleton import Skeleton, StructureLike, read_skeleton
from understudy.randomize._study import Parameters, Study, with_errors, write_study
from understudy.release import SEEDED, ChargeLine, PartyNote, PublishedModel, Statement
from understudy.schema import Axis, Schema, recode

AS_THE_PAPER_PRINTS_IT = (
    "one party at least shares exact parameters of its true columns: where few people have the same parents' values, "
    "what they have can be read off."
)


def assemble(
    files: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    structure: StructureLike,
    out: str | os.PathLike[str] | None = None,
    name: str = "",
    overwrite: bool = False,
) -> Study:
    """One model of all parties' parameters, with one privacy statement; written as a study's folder with `out`.

    `files` are those that `own` wrote, the folder that they are in, or a pattern such as "inbox/*.parameters.json".
    Post-processing of what the parties shared, hence free. Raises OptionError or ModelFileError: a variable that is
    missing or there twice, other links than the structure's, categories that differ between parties.

    >>> import tempfile
    >>> import pyarrow as pa
    >>> from understudy.randomize import own
    >>> piece = Path(tempfile.mkdtemp(), "hospital.parameters.json")
    >>> schema = {"name": "hospital", "fields": [{"name": "smokes", "categories": ["no", "yes"]}]}
    >>> _ = own(pa.table({"smokes": ["no", "yes"] * 500}), structure={"smokes": []}, schema=schema, party="hospital",
    ...         epsilon=2, out=piece)
    >>> study = assemble([piece], structure={"smokes": []})
    >>> study.statement.epsilon, study.links
    (Fraction(2, 1), ())
    """
    paths = files_meant([files] if isinstance(files, str | os.PathLike) else files, ending=".json")
    pieces = [Piece.load(path) for path in paths]
    skeleton = read_skeleton(structure).named_like(name for piece in pieces for name in piece.schema.names)
    _check_pieces(pieces, [path.name for path in paths], skeleton)
    variables = {variable.name: variable for piece in pieces for variable in piece.variables}
    _check_variables(variables, skeleton)
    _check_received(pieces)
    schema = _joined_schema(pieces, name)
    parameters = tuple(_parameters(variables[each], schema) for each in skeleton.names)
    model = with_errors(_model(variables, schema, skeleton, pieces), parameters)
    study = Study(
        model=PublishedModel(schema, model, _statement(pieces, schema, skeleton)),
        parameters=parameters,
        notes=tuple(_notes(pieces)),
    )
    return study if out is None else write_study(Path(out), study, overwrite=overwrite)


def _check_pieces(pieces: Sequence[Piece], names: Sequence[str], skeleton: Skeleton) -> None:
    if not pieces:
        raise OptionError("no parameters were given. Give the file of every party that 'own' wrote.")
    held: dict[str, Piece] = {}
    studies: set[str] = set()
    for piece, name in zip(pieces, names, strict=True):
        if piece.structure != skeleton.fingerprint:
            raise ModelFileError(
                f"{name}: its parameters are of another structure than the one given. All parties must learn with the "
                "same links: give the file that they used, or have them learn again."
            )
        if len({piece.study, *studies}) > 1 and piece.study:
            raise ModelFileError(f"{name} is of another study than those before it. Give the parameters of one study.")
        studies.update({piece.study} - {""})  # where nothing was received, none need be named
        if piece.party in [other.party for other in pieces[: pieces.index(piece)]]:
            raise ModelFileError(f"{name}: party '{piece.party}' is there already. Give one file for each party.")
        for variable in piece.variables:
            first = held.setdefault(variable.name, piece)
            if first is not piece:
                raise ModelFileError(
                    f"both {first.party} and {piece.party} have parameters of '{variable.name}'. Each variable has one "
                    "holder: agree who that is."
                )


def _check_variables(variables: dict[str, LearntVariable], skeleton: Skeleton) -> None:
    missing = [name for name in skeleton.names if name not in variables]
    if missing:
        raise ModelFileError(
            f"no file has parameters of {', '.join(missing)}. Ask the party that holds each to run 'understudy "
            "randomize own', and give its file too."
        )
    for name, variable in variables.items():
        if sorted(variable.parents) != sorted(skeleton.parents.get(name, (name,))):
            raise ModelFileError(f"variable '{name}' was learnt with other parents than the structure's.")


def _check_received(pieces: Sequence[Piece]) -> None:
    """What each party was sent must be what its holder has: the same categories, in the same order."""
    holders = {field.name: (piece, field) for piece in pieces for field in piece.schema.fields}
    for piece in pieces:
        for received in piece.received:
            for sent in received.plan.schema.fields:
                if sent.name not in holders:
                    continue
                holder, field = holders[sent.name]
                if sent.labels != field.labels:
                    raise ModelFileError(
                        f"'{sent.name}' has other categories in what {piece.party} received than in {holder.party}'s "
                        "own schema, so their parameters do not fit together. Have it sent again, from one schema."
                    )


def _joined_schema(pieces: Sequence[Piece], name: str) -> Schema:
    if len(pieces) == 1 and not name:
        return pieces[0].schema
    return Schema(
        name=name or joint_name(piece.schema.name for piece in pieces),
        fields=tuple(field for piece in pieces for field in piece.schema.fields),
        missing_values=pieces[0].schema.missing_values,
    )


def _model(
    variables: dict[str, LearntVariable], schema: Schema, skeleton: Skeleton, pieces: Sequence[Piece]
) -> NetworkModel:
    domain = schema.domain
    nodes = tuple(
        Node(domain.index(name), tuple(Axis(domain.index(parent)) for parent in variables[name].parents))
        for name in skeleton.names
    )
    tables = [variables[name].probabilities for name in skeleton.names]
    return NetworkModel(Network(domain, nodes), tables, recode(domain, "hierarchical"), (), _fewest(pieces))


def _fewest(pieces: Sequence[Piece]) -> int:
    """The smallest number of people that anything was learnt from."""
    return min(variable.rows for piece in pieces for variable in piece.variables)


def _parameters(variable: LearntVariable, schema: Schema) -> Parameters:
    return Parameters(
        labels=tuple(schema[name].labels for name in (*variable.parents, variable.name)),
        column=variable.name,
        parents=variable.parents,
        probabilities=variable.probabilities,
        standard_error=variable.errors,
        people=variable.people,
    )


def sent_files(pieces: Sequence[Piece]) -> list[Sent]:
    """What was sent, each plan once: several parties with the same copy know no more than one.

    Two files of one plan that differ are two draws of the same rows, and cost twice as much.

    >>> sent_files([])
    []
    """
    holders = {name: piece.party for piece in pieces for name in piece.schema.names}
    by_plan: dict[str, dict[str, ReceivedFile]] = {}
    for piece in pieces:
        for received in piece.received:
            by_plan.setdefault(received.plan.fingerprint, {})[received.digest] = received
    found = []
    for copies in by_plan.values():
        [first, *_] = copies.values()
        one_run = report(first.plan).epsilon
        earlier = [one.earlier for one in copies.values()] + ([] if one_run is None else [(len(copies) - 1) * one_run])
        # a plan may call its party otherwise: what counts is whose columns they are, for the sum of what it spends
        owners = [holders[name] for name in first.plan.schema.names if name in holders]
        found.append(
            Sent(
                plan=replace(first.plan, party=owners[0] if owners else first.plan.party),
                rows=first.rows,
                keyed=True,
                times=max(len(copies), *(one.times for one in copies.values())),
                earlier=None if None in earlier else max(cost for cost in earlier if cost is not None),
                seeded=any(one.stamp for one in copies.values()),
            )
        )
    return found


def _statement(pieces: Sequence[Piece], schema: Schema, skeleton: Skeleton) -> Statement:
    sent = sent_files(pieces)
    exact = any(piece.epsilon is None for piece in pieces)
    statement = study_statement(
        sent,
        name=schema.name,
        schema=schema,
        n_rows=_fewest(pieces),
        method="known structure, no miner",
        options={"structure": skeleton.fingerprint[:16]},
        warnings=[
            f"{piece.party} learnt without a key, so nobody looked whether a person has several rows there."
            for piece in pieces
            if not piece.keyed
        ],
        noisy=[_central(piece) for piece in pieces],
        as_printed=AS_THE_PAPER_PRINTS_IT if exact else None,
    )
    return replace(
        statement,
        seeded=statement.seeded or any(SEEDED in piece.stamp for piece in pieces),
        parties=tuple(_party(piece, [one for one in sent if one.plan.party == piece.party]) for piece in pieces),
    )


def _party(piece: Piece, sent: Sequence[Sent]) -> PartyNote:
    """Who it is and what it holds; what of that it sent, and as what, is told by the charges."""
    return PartyNote(
        name=piece.party,
        rows=piece.rows,
        columns=tuple(variable.name for variable in piece.variables),
        public=tuple(name for one in sent for name in one.public),
        pseudonyms=bool(sent),
        plan=", ".join(one.plan.fingerprint[:16] for one in sent),
    )


def _central(piece: Piece) -> ChargeLine:
    return ChargeLine(
        what=", ".join(variable.name for variable in piece.variables),
        mechanism="exact counts" if piece.epsilon is None else "discrete Laplace",
        cost=piece.epsilon,
        unit="epsilon",
        tables=piece.tables,
        noise=piece.noise,
        party=piece.party,
    )


def _notes(pieces: Sequence[Piece]) -> list[str]:
    """Where a variable was learnt from fewer people than its party has."""
    return [
        f"{variable.name}: learnt from {variable.rows:,} of {piece.party}'s {piece.rows:,} people, those whom the "
        "senders of its parents know too."
        for piece in pieces
        for variable in piece.variables
        if variable.rows < piece.rows
    ]
