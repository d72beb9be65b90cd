"""Which tables a session reads, as the ledger knows them: those of its people, and public ones."""

from collections.abc import Mapping
from typing import Any

from dalenius.ledger import TableIdentity
from dalenius.sql.engine import Engine
from dalenius.sql.engine.source import Source
from dalenius.sql.policy.policy import Policy
from dalenius.sql.tables.table import QueryTable
from dalenius.sql.types.engine_names import SOURCE


def identities(
    engine: Engine, policy: Policy, others: Mapping[str, QueryTable]
) -> tuple[tuple[TableIdentity, ...], tuple[TableIdentity, ...]]:
    """Private tables, the first among them, and public ones, each by its declared name and the files it comes from."""
    first = _identity(policy.table, engine.source_of(SOURCE))
    private = (_identity(one.name, engine.source_of(one.place)) for one in others.values() if one.private)
    public = (_identity(one.name, engine.source_of(one.place)) for one in others.values() if not one.private)
    return (first, *private), tuple(public)


def clocks_of(policy: Policy, others: Mapping[str, QueryTable]) -> dict[str, str]:
    """The declared zone of every column of times, by table and column: instants are read on its clock.

    A statement names a column and not its clock, so that an answer is told from that of another clock by these.
    """
    zones = {policy.table: policy.zones} | {one.name: one.zones for one in others.values()}
    return {f"{table.lower()}.{column.lower()}": zone for table, own in zones.items() for column, zone in own.items()}


def formats_of(policy: Policy) -> dict[str, dict[str, Any]]:
    """How files are written, by table, where that is declared: read otherwise, they are other rows.

    Clocks are told by `clocks_of`. A table that is written as files are anyway is told by nothing, so that what was
    asked of it before anyone could declare more is still the same question.
    """
    kept = {
        table.lower(): {name: value for name, value in written.to_terms().items() if name != "zones"}
        for table, written in policy.formats.items()
    }
    return {table: terms for table, terms in kept.items() if terms}


def _identity(name: str, source: Source) -> TableIdentity:
    """A database file holds many tables, so there the table inside is part of what the file is."""
    return TableIdentity.of(name, source.paths, inside=source.name if source.before else "")
