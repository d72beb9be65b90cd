import hashlib
import math
import sqlite3
from fractions import Fraction

import numpy as np
import pyarrow as pa

from dalenius.errors import ExecutionFailed, InvalidParameter
from dalenius.sql.engine import Engine
from dalenius.sql.engine.source import Source
from dalenius.sql.types.engine_names import SOURCE
from tests.sql.engine.sqlite.dialect import SQLiteDialect

_TYPES = {"int64": "BIGINT", "double": "DOUBLE", "string": "VARCHAR", "bool": "BOOLEAN"}
_END = 2**63 - 1


class WideSum:
    """A sum in Python's integers, held inside 64 bits at the end; SQLite's own fails when it overflows."""

    def __init__(self):
        self.total, self.rows = 0, 0

    def step(self, value):
        if value is not None:
            self.total, self.rows = self.total + int(value), self.rows + 1

    def finalize(self):
        return max(-_END, min(_END, self.total)) if self.rows else None


class CellSet:
    def __init__(self):
        self.cells = 0

    def step(self, cell):
        self.cells |= 1 << cell

    def finalize(self):
        return self.cells


class SQLite(Engine):
    """One frame in a SQLite of its own, in memory."""

    __slots__ = ("_columns", "_connection", "name", "settings")
    dialect = SQLiteDialect()
    suffix = ".sqlite"

    def __init__(self, data, *, table):
        self.name, self.settings = table, {}
        self._columns = {field.name: _TYPES[str(field.type)] for field in data.schema}
        self._connection = sqlite3.connect(":memory:")
        for name, arguments, function in (
            ("LEAST", -1, lambda *all_: min((one for one in all_ if one is not None), default=None)),
            ("GREATEST", -1, lambda *all_: max((one for one in all_ if one is not None), default=None)),
            ("FLOOR", 1, lambda value: None if value is None else float(math.floor(value))),
            ("ISNAN", 1, lambda value: None if value is None else 0),  # SQLite stores NaN as NULL
            ("IS_NAN", 1, lambda value: None if value is None else 0),
            ("INT_DIV", 2, lambda one, two: None if one is None else int(Fraction(one) / two)),
            ("ISFINITE", 1, lambda value: None if value is None else int(math.isfinite(value))),
            ("SET_SIZE", 1, int.bit_count),
            ("HASH_OF", -1, lambda *all_: int.from_bytes(hashlib.sha256(repr(all_).encode()).digest()[:7])),
        ):
            self._connection.create_function(name, arguments, function, deterministic=True)
        self._connection.create_aggregate("SUM", 1, WideSum)
        self._connection.execute("PRAGMA case_sensitive_like = ON")
        self._connection.create_aggregate("CELL_SET", 1, CellSet)
        names = ", ".join(f'"{name}"' for name in self._columns)
        self._connection.execute(f'CREATE TABLE "{SOURCE}" ({names})')
        marks = ", ".join("?" * len(self._columns))
        rows = zip(*(data.column(name).to_pylist() for name in self._columns), strict=True)
        self._connection.executemany(f'INSERT INTO "{SOURCE}" VALUES ({marks})', rows)

    @property
    def source(self):
        return Source("", self.name)

    @property
    def columns(self):
        return dict(self._columns)

    @property
    def beside(self):
        return {}

    @property
    def prepared(self):
        return None

    def source_of(self, place):
        return self.source

    def hold(self, prepared, current):
        raise InvalidParameter("this engine prepares no tables")

    def reading(self, prepared):
        return self

    def write_table(self, statement, place):
        raise InvalidParameter("this engine prepares no tables")

    def open_table(self, data, table):
        return SQLite(data, table=table)

    def scan(self, statement, cells, parts):
        answer = np.zeros((parts, cells), np.int64)
        for cell, *numbers in self._run(statement)[1]:
            answer[:, cell] = numbers
        return answer

    def fetch(self, statement, named=None):
        names, rows = self._run(statement)
        return pa.table({name: [row[place] for row in rows] for place, name in enumerate(names)})

    def _run(self, statement):
        try:
            cursor = self._connection.execute(statement)
            found = [one[0] for one in cursor.description], cursor.fetchall()
        except Exception:
            failed = ExecutionFailed("the engine failed after the charge; the reason stays with the data")
        else:
            return found
        raise failed

    def distinct(self, column):
        return self._connection.execute(f'SELECT COUNT(DISTINCT "{column}") FROM "{SOURCE}"').fetchone()[0]

    def ends(self, column):
        low, high = self._connection.execute(
            f'SELECT MIN("{column}"), MAX("{column}") FROM "{SOURCE}" WHERE ISFINITE("{column}")'
        ).fetchone()
        return None if low is None else (low, high)

    def values(self, column, most):
        listed = f'SELECT DISTINCT "{column}" FROM "{SOURCE}" WHERE "{column}" IS NOT NULL ORDER BY 1 LIMIT {most}'
        return [value for (value,) in self._connection.execute(listed)]
