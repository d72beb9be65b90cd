"""At most T rows of each unit, chosen by a keyed hash of each row's content: see `prepared.recipe` for why."""

from collections.abc import Mapping

from sqlglot import exp, parse_one

from dalenius.sql.types.column_types import REALS, kind_of
from dalenius.sql.types.engine_names import SOURCE
from dalenius.sql.types.kinds import Kind

# a row's place among its unit's: "mark" tells its content, and "copy" equal rows apart
_KEPT = """
    WITH "rows" AS (SELECT {columns} FROM "source" WHERE NOT {unit} IS NULL),
         "heavy" AS (SELECT "{u}" FROM "rows" GROUP BY "{u}" HAVING COUNT(*) > {most}),
         "told" AS (SELECT {inner}, MD5_NUMBER({content}) AS "mark" FROM "rows" SEMI JOIN "heavy" USING ("{u}")),
         "copies" AS (SELECT {inner}, "mark", ROW_NUMBER() OVER (PARTITION BY "mark") AS "copy" FROM "told"),
         "first" AS (SELECT {inner} FROM "copies" QUALIFY ROW_NUMBER() OVER (PARTITION BY "{u}" ORDER BY {order})
                     <= {most}),
         "light" AS (SELECT {inner} FROM "rows" ANTI JOIN "heavy" USING ("{u}"))
    SELECT {outer} FROM "light" UNION ALL SELECT {outer} FROM "first"
"""
_ORDER = 'CASE WHEN "copy" = 1 THEN "mark" ELSE MD5_NUMBER(\'{key}\' || "mark" || \'|\' || "copy") END'


def kept_rows(columns: Mapping[str, str], unit: str, most: int, key: str) -> exp.Query:
    """All rows of a unit that has at most `most`, and the first of one that has more, in the order of the hash."""
    names, kinds = list(columns), list(columns.values())
    own = [f'"c{place}"' for place in range(len(names))]
    text = _KEPT.format(
        columns=", ".join(f"{_plain(_source(n), k)} AS {c}" for n, k, c in zip(names, kinds, own, strict=True)),
        unit=_source(unit),
        u=f"c{names.index(unit)}",
        most=most,
        inner=", ".join(own),
        outer=", ".join(f"{c} AS {_quoted(name)}" for name, c in zip(names, own, strict=True)),
        content=f"'{key}' || " + " || '|' || ".join(_text_of(c, k) for c, k in zip(own, kinds, strict=True)),
        order=_ORDER.format(key=key),
    )
    tree = parse_one(text, dialect="duckdb")
    assert isinstance(tree, exp.Query)
    return tree


def _plain(name: str, kind: str) -> str:
    """Values that compare equal are made one: −0.0 is 0, and there is one NaN. Times are as queries read them."""
    if kind in REALS:
        return (
            f"CASE WHEN {name} = 0 THEN CAST(0 AS {kind}) WHEN ISNAN({name}) THEN CAST('nan' AS {kind}) ELSE {name} END"
        )
    if kind_of(kind) is Kind.TIMESTAMP and kind != "TIMESTAMP":
        return f"TRY_CAST({name} AS TIMESTAMP)"
    return name


def _text_of(name: str, kind: str) -> str:
    """A text that differs for values that differ; a far time has no text, so its microseconds are told."""
    if kind == "VARCHAR":
        return f"COALESCE(CAST(STRLEN({name}) AS VARCHAR) || ':' || {name}, '-')"
    if kind_of(kind) is Kind.TIMESTAMP:
        endless = f"CASE WHEN {name} > TIMESTAMP '2000-01-01' THEN 'after' WHEN NOT {name} IS NULL THEN 'before' END"
        return f"COALESCE(CAST(EPOCH_US({name}) AS VARCHAR), {endless}, '-')"
    return f"COALESCE(CAST({name} AS VARCHAR), '-')"


def _source(name: str) -> str:
    return f'"{SOURCE}".{_quoted(name)}'


def _quoted(name: str) -> str:
    return str(exp.to_identifier(name, quoted=True).sql(dialect="duckdb"))
