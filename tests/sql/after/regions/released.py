"""Tables as a release would give them, with noise that is drawn here, and statements over them."""

from fractions import Fraction
from itertools import product

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

LEVEL = Fraction(4, 5)
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


def exact(text, tables, public=()):
    """What DuckDB gives over true tables, and over public ones by their columns."""
    with duckdb.connect() as connection:
        for name in public:
            connection.register(name, pa.table(public[name]))
        for name, counts in tables.items():
            connection.register(f"{name}_given", pa.table({"k": list(counts), "n": list(counts.values())}))
            connection.execute(f"CREATE TABLE {name} AS SELECT * FROM {name}_given")
        return [
            tuple(float(v) if hasattr(v, "as_tuple") else v for v in row) for row in connection.execute(text).fetchall()
        ]


def outside(text, counts, rng, scale=4, inside=40):
    """Rows of a statement that lie outside of their ends for some true counts in the region, and how many were seen.

    The true counts are every corner of the region and points inside of it. A row is known by the column `k`, and `x`
    is looked at. The ends are those of all rows at once, so that the region of every count alone is a box; statements
    that ask more of the noise than one count at a time have a smaller region, and do not belong here.
    """
    drawn = noise(rng, len(counts), scale)
    statement, names, rows = carried(text, {"t": source(counts, drawn, scale)})
    assert not statement.columns[names.index("x")].reason
    assert statement.every <= len(counts)
    ends = dict(zip([row[0] for row in rows], statement.ends(names.index("x"), LEVEL, True), strict=True))
    wide = int(Geometric(Fraction(scale)).accuracy((1 - LEVEL) / statement.every))
    released_counts = np.array(list(counts.values())) + drawn
    corners = np.array(list(product((-wide, wide), repeat=len(counts))))
    points = np.concatenate([corners, rng.integers(-wide, wide + 1, (inside, len(counts)))]) + released_counts
    missed, seen = [], 0
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE t (k VARCHAR, n BIGINT)")
        for point in points.tolist():
            connection.execute("DELETE FROM t")
            values = ", ".join(f"('{key}', {count})" for key, count in zip(counts, point, strict=True))
            connection.execute(f"INSERT INTO t VALUES {values}")
            for row in connection.execute(text).fetchall():
                result = row[names.index("x")]
                if row[0] not in ends or result is None:
                    continue
                seen += 1
                low, high = ends[row[0]]
                if not low - 1e-9 <= float(result) <= high + 1e-9:
                    missed.append((row, (low, high)))
    return missed, seen
