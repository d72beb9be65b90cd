"""The schema of a ledger's SQLite file, and the way from the first one to it."""

import sqlite3

from dalenius.errors import LedgerCorrupted
from dalenius.ledger import chain
from dalenius.ledger.accounts import Charge, terms_of, total_of
from dalenius.ledger.facts import EVERYONE
from dalenius.ledger.store import Records

SCHEMA_VERSION = 2

_FACTS = """CREATE TABLE facts (
    dataset TEXT NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL,
    PRIMARY KEY (dataset, kind, name)
) STRICT, WITHOUT ROWID"""

# Values are texts of JSON with decimal texts inside: 10³⁰ units of δ do not fit in SQLite's 64-bit integers.
SCHEMA = (
    _FACTS,
    """CREATE TABLE chain (
    number INTEGER PRIMARY KEY, kind TEXT NOT NULL, dataset TEXT NOT NULL, key TEXT,
    body BLOB NOT NULL, hash TEXT NOT NULL UNIQUE
) STRICT""",
    "CREATE UNIQUE INDEX chain_key ON chain (dataset, key) WHERE key IS NOT NULL",
    "CREATE INDEX chain_dataset ON chain (dataset, kind)",
    "CREATE TABLE releases (receipt TEXT PRIMARY KEY REFERENCES chain (hash), payload BLOB NOT NULL) STRICT",
)


def migrate(connection: sqlite3.Connection, records: Records) -> None:
    """From schema 1: the chain stays byte for byte, and the facts are what it adds up to.

    Its data sets keep plain sums with all of δ. Totals that are not those of the chain are refused, not repaired.
    """
    rows = connection.execute(
        "SELECT name, unit, relation, epsilon_limit, delta_limit, epsilon_spent, delta_spent "
        "FROM datasets ORDER BY name"
    ).fetchall()
    connection.execute(_FACTS)
    chain.replay(records, records)
    if [row[0] for row in rows] != records.datasets():
        raise LedgerCorrupted("the data sets are not those that the chain created")
    for name, *kept in rows:
        terms = terms_of(records, name)
        spent = total_of(records, Charge(name, terms, terms.nothing), EVERYONE).units("sum") or ()
        limit = (terms.limit.epsilon_units, terms.limit.delta_units)
        if kept != [terms.unit.column, terms.unit.relation.value, *map(str, limit), *map(str, spent)]:
            raise LedgerCorrupted(f"the budget of {name!r} is not what its entries add up to")
    connection.execute("DROP TABLE datasets")
