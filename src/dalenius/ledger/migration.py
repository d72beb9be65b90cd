"""The schema of a ledger's SQLite file, and the way to it from earlier ones.

Schema 1 and 2 had one chain for all data sets. It stays byte for byte, as the common chain, to which nothing is added
any more. Each data set goes on in a chain of its own, whose first link names the length and the head of the common one.
All of it is one transaction: a crash anywhere leaves the old ledger.
"""

import sqlite3

from dalenius.errors import LedgerCorrupted
from dalenius.ledger import chain
from dalenius.ledger.accounts import Charge, terms_of, total_of
from dalenius.ledger.facts import EVERYONE, TIME, RecomputedFacts
from dalenius.ledger.kinds import CONTINUE
from dalenius.ledger.store import COMMON, Records

SCHEMA_VERSION = 3

_FACTS = """CREATE TABLE facts (
    dataset TEXT NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL,
    PRIMARY KEY (dataset, kind, name)
) STRICT, WITHOUT ROWID"""

_CHAIN = """CREATE TABLE {chain} (
    chain TEXT NOT NULL, number INTEGER NOT NULL, kind TEXT NOT NULL, dataset TEXT NOT NULL, key TEXT,
    body BLOB NOT NULL, hash TEXT NOT NULL UNIQUE, PRIMARY KEY (chain, number)
) STRICT"""

_RELEASES = """CREATE TABLE {releases} (
    receipt TEXT PRIMARY KEY REFERENCES {chain} (hash), payload BLOB NOT NULL
) STRICT"""

_BESIDE = (
    "CREATE UNIQUE INDEX chain_key ON chain (dataset, key) WHERE key IS NOT NULL",
    "CREATE INDEX chain_dataset ON chain (dataset, kind)",
    "CREATE TABLE heads (number INTEGER PRIMARY KEY, body BLOB NOT NULL, hash TEXT NOT NULL UNIQUE) STRICT",
    "CREATE TABLE secrets (fingerprint TEXT PRIMARY KEY, hash TEXT NOT NULL, verifier TEXT NOT NULL, used TEXT) STRICT",
)

# Values are texts of JSON with decimal texts inside: 10³⁰ units of δ do not fit in SQLite's 64-bit integers.
SCHEMA = (_FACTS, _CHAIN.format(chain="chain"), _RELEASES.format(releases="releases", chain="chain"), *_BESIDE)

# the old tables go only when nothing refers to them; a table that is given its name takes the references along
_MOVE = (
    _CHAIN.format(chain="moved_chain"),
    f"INSERT INTO moved_chain SELECT '{COMMON}', number, kind, dataset, key, body, hash FROM chain ORDER BY number",
    _RELEASES.format(releases="moved_releases", chain="moved_chain"),
    "INSERT INTO moved_releases SELECT receipt, payload FROM releases",
    "DROP TABLE releases",
    "DROP TABLE chain",
    "ALTER TABLE moved_chain RENAME TO chain",
    "ALTER TABLE moved_releases RENAME TO releases",
    *_BESIDE,
)


def migrate(connection: sqlite3.Connection, records: Records, version: int) -> None:
    """From schema 1 or 2: entries, answers and totals stay what they are.

    What the old tables say is compared with what the chain adds up to; a difference is refused, not repaired.
    """
    for statement in _MOVE:
        connection.execute(statement)
    if version == 1:
        connection.execute(_FACTS)
    recomputed = RecomputedFacts()
    length, head, _ = chain.replay(records, recomputed)
    kept = set(records.all_facts()) if version == 2 else None
    for fact in recomputed.all_facts():
        records.put_fact(*fact)
    if version == 1:
        _check_first_schema(connection, records)
        connection.execute("DROP TABLE datasets")
    elif kept != {fact for fact in recomputed.all_facts() if fact[1] != TIME}:
        raise LedgerCorrupted("the totals, shares, blocks or terms are not what the entries add up to")
    for name in records.datasets():
        time = recomputed.fact(name, TIME) or ""
        chain.append(records, CONTINUE, name, {"version": 3, "common": {"length": length, "head": head}, "time": time})


def _check_first_schema(connection: sqlite3.Connection, records: Records) -> None:
    """Its data sets keep plain sums with all of δ, and their totals stood in a table of their own."""
    rows = connection.execute(
        "SELECT name, unit, relation, epsilon_limit, delta_limit, epsilon_spent, delta_spent "
        "FROM datasets ORDER BY name"
    ).fetchall()
    if [row[0] for row in rows] != records.datasets():
        raise LedgerCorrupted("the data sets are not those that the chain created")
    for name, *kept in rows:
        terms = terms_of(records, name)
        spent = total_of(records, Charge(name, terms, terms.nothing), EVERYONE).units("sum") or ()
        limit = (terms.limit.epsilon_units, terms.limit.delta_units)
        if kept != [terms.unit.column, terms.unit.relation.value, *map(str, limit), *map(str, spent)]:
            raise LedgerCorrupted(f"the budget of {name!r} is not what its entries add up to")
