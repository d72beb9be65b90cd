"""Made-up rows of a policy's schema: every question can be tried on them for nothing.

They are made of what is public, the types, bounds and keys that the owner has declared, and of no row. So what is tried
on them tells nothing of anybody, and costs nothing.
"""

import datetime
import shutil
import weakref
from collections.abc import Mapping
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any

from dalenius.ledger import Ledger
from dalenius.noise import Bits
from dalenius.sql.engine import Default, Engine, source_of
from dalenius.sql.policy.policy import Policy
from dalenius.sql.tables.table import QueryTable
from dalenius.sql.types.column_types import is_whole, kind_of
from dalenius.sql.types.kinds import Kind

if TYPE_CHECKING:
    import pyarrow as pa

ROWS = 1000
_NULLS = 10
"""One row in so many is NULL, where NULL is a group."""
_PEOPLE = 10
"""Rows of a made-up person, on average."""


def dummy_rows(table: QueryTable, rows: int = ROWS, bits: Bits | None = None) -> "pa.Table":
    """A table of made-up rows: keys and bounds as declared, drawn evenly."""
    import pyarrow as pa

    drawn = bits or Bits()
    read = {name: kind for name, kind in table.columns.items() if kind_of(kind) is not None}
    return pa.table({name: _column(table, name, kind, rows, drawn) for name, kind in read.items()})


def dummy_engine(policy: Policy, others: Mapping[str, QueryTable], engine: Engine, rows: int) -> tuple[Engine, Ledger]:
    """The same tables with made-up rows, and a ledger for them, whose file goes when it does."""
    made = {one.place: source_of(dummy_rows(one, rows), None, one.name) for one in others.values() if one.private}
    public = {one.place: engine.source_of(one.place) for one in others.values() if not one.private}
    first = dummy_rows(QueryTable.first(policy), rows)
    dry = Default(first, table=policy.table, settings=engine.settings, others={**made, **public})
    folder = mkdtemp(prefix="dalenius")
    ledger = Ledger.open(Path(folder) / "dummy.ledger")
    ledger.create(policy.population, 10**6, (policy.budget or {}).get("delta", 0) or "1e-6", unit=policy.unit)
    weakref.finalize(ledger, shutil.rmtree, folder, ignore_errors=True)
    return dry, ledger


def _column(table: QueryTable, name: str, kind: str, rows: int, bits: Bits) -> Any:
    import pyarrow as pa

    if name == table.unit or (table.reference is not None and name == table.reference.column):
        numbers = [place % max(1, rows // _PEOPLE) for place in range(rows)]
        return pa.array(numbers if is_whole(kind) else [f"p{number}" for number in numbers], _type(kind))
    keys, nulls = table.keys.get(name), name in table.null_keys

    def value() -> Any:
        if nulls and not _below(bits, _NULLS):
            return None
        if keys is not None and keys.values:
            return keys.values[_below(bits, len(keys.values))]
        return _value(table.bounds.get(name), kind, bits)

    return pa.array([value() for _ in range(rows)], _type(kind))


def _value(ends: Any, kind: str, bits: Bits) -> Any:
    column_kind = kind_of(kind)
    if column_kind is Kind.BOOLEAN:
        return bool(_below(bits, 2))
    if column_kind is Kind.TEXT:
        return f"text {_below(bits, 10)}"
    if column_kind in (Kind.DATE, Kind.TIMESTAMP):
        first, last = (datetime.date.fromisoformat(str(end)) for end in ends or ("2024-01-01", "2024-12-31"))
        day = first + datetime.timedelta(days=_below(bits, (last - first).days + 1))
        return day if column_kind is Kind.DATE else datetime.datetime(day.year, day.month, day.day)
    low, high = (float(end) for end in ends or (0, 100))
    number = low + (high - low) * _below(bits, 1001) / 1000
    return round(number) if is_whole(kind) else number


def _below(bits: Bits, size: int) -> int:
    return bits.integer(40) % size


def _type(kind: str) -> Any:
    import pyarrow as pa

    if is_whole(kind):
        return pa.int64()
    return {
        **{"VARCHAR": pa.string(), "BOOLEAN": pa.bool_(), "DATE": pa.date32(), "FLOAT": pa.float32()},
        **dict.fromkeys(("TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"), pa.timestamp("us")),
    }.get(kind, pa.float64())
