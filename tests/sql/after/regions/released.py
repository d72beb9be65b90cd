"""Tables as a release would give them, with noise that is drawn here, and statements over them."""

from fractions import Fraction

import duckdb
import numpy as np
import pyarrow as pa

from dalenius.curator import Measured, Outcome, Shown, ShownKey
from dalenius.curator.formula import Cell
from dalenius.curator.release import released
from dalenius.guarantees import PureDP
from dalenius.ledger import Receipt
from dalenius.mechanisms import Geometric
from dalenius.neighbors import Relation, Unit
from dalenius.noise.lattice import INTEGERS
from dalenius.queries import Keys
from dalenius.sql.after.regions.carried import Carried
from dalenius.sql.after.regions.query import Queries
from dalenius.sql.after.regions.region import JointRegion
from dalenius.sql.after.regions.sources import ReleasedSource
from dalenius.sql.engine import language

RECEIPT = Receipt("d", PureDP(1, Relation.ADD_REMOVE), Unit.row(), "head", 1)


def source(counts, noise, scale=10, draws="d", counted=True):
    """A table of `k` and `n`: counts with noise of a scale."""
    cells = tuple(int(count + extra) for count, extra in zip(counts.values(), noise, strict=True))
    column = Measured("p", cells, INTEGERS, Geometric(Fraction(scale)), counted)
    layout = (ShownKey("k", 0), Shown("n", Cell("p")))
    return ReleasedSource(released(Outcome((column,), Keys("k", list(counts)), layout), RECEIPT), draws)


def noise(rng, size, scale=10):
    """Two-sided geometric noise: the difference of two geometric draws of success 1 − exp(−1/scale)."""
    success = 1 - np.exp(-1 / scale)
    return rng.geometric(success, size) - rng.geometric(success, size)


def carried(text, sources):
    """The statement over regions, matched with its own rows in place of an engine's."""
    outer = language.read(text)
    tables, drawn = {}, {}
    for name, one in sources.items():
        tables[name], numbers = one.read(name)
        drawn |= numbers
    relation = Queries(JointRegion(drawn, Fraction(1, 100)), tables).relation(outer)
    rows = [tuple(value.point for value in row.values) for row in relation.rows if row.presence.point]
    return Carried.of(outer, sources, rows), [name for _, name in relation.names], rows


def exact(text, tables):
    """What DuckDB gives over true tables."""
    with duckdb.connect() as connection:
        for name, counts in tables.items():
            connection.register(f"{name}_given", pa.table({"k": list(counts), "n": list(counts.values())}))
            connection.execute(f"CREATE TABLE {name} AS SELECT * FROM {name}_given")
        return [
            tuple(float(v) if hasattr(v, "as_tuple") else v for v in row) for row in connection.execute(text).fetchall()
        ]
