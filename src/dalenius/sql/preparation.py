"""A table from which no unit can be told by more than T rows, made once and asked many times.

Of each unit it keeps at most T rows: all of them, or the first T in the order of a keyed hash of each row's content and
of how many equal rows of the unit came before it. So which rows are kept depends on the unit's own rows and the key
alone: never on where a row lies, nor on anybody else. Hence a unit that comes or goes brings or takes at most T rows of
the kept table and changes no other, and any sum over it to which a row adds at most R in ℓ1 moves by at most T·R
[A Ex 3.4, G complaints count]; so too over a part of it, such as the rows that a WHERE leaves.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from sqlglot import exp, parse_one

from dalenius.errors import InvalidParameter
from dalenius.sql.columns import REALS, kind_of
from dalenius.sql.kinds import Kind
from dalenius.sql.names import SOURCE
from dalenius.sql.policy import Policy
from dalenius.sql.rows.columns import column
from dalenius.sql.rows.typed import Typed
from dalenius.sql.rules.bind_aggregates import fixed_point_bits
from dalenius.sql.rules.bind_keys import key_table
from dalenius.sql.shares import scale_around, scale_between

_NUMBER, _WHOLE = "prepared number {}", "prepared whole {}"
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


@dataclass(frozen=True, slots=True)
class Preparation:
    """What is made of a table under a policy: its columns, numbers of keys and fixed-point values.

    `numbers` and `wholes` are found by the text of the expression that each stands for, so that a query that would
    compute the same reads the column instead.
    """

    policy: Policy
    numbers: Mapping[str, str]
    wholes: Mapping[str, str]

    @classmethod
    def of(cls, policy: Policy) -> "Preparation":
        """All that can be made beforehand for queries under this policy."""
        if policy.unit.column is None:
            raise InvalidParameter("each row is a unit here, and needs no bound: there is nothing to prepare")
        if policy.contributions is None:
            raise InvalidParameter("to prepare a table declare contributions=, how many rows of each unit are kept")
        preparation = cls(
            policy,
            {one.text: _NUMBER.format(place) for place, one in enumerate(_keyed(policy))},
            {text: _WHOLE.format(place) for place, text in enumerate(_wholes(policy))},
        )
        made = {name.lower() for name in (*preparation.numbers.values(), *preparation.wholes.values())}
        if taken := [name for name in policy.columns if name.lower() in made]:
            raise InvalidParameter(f"a prepared table has columns of its own: {taken[0]!r} must have another name")
        return preparation

    def statement(self, key: str) -> str:
        """The SELECT that makes the kept table from the source; `key` is secret, and written in hexadecimal."""
        kept = exp.alias_(parse_one(self._kept(key), dialect="duckdb").subquery(), SOURCE, table=True, quoted=True)  # type: ignore[attr-defined]
        made = exp.select(*(exp.column(name, table=SOURCE, quoted=True) for name in self._stored())).from_(kept)
        for place, one in enumerate(_keyed(self.policy)):
            alias = f"public{place}"
            assert one.values is not None
            equal = exp.EQ(this=one.tree.copy(), expression=exp.column("key", table=alias, quoted=True))
            made = made.join(
                exp.alias_(key_table(one.values, one.kind).subquery(), alias, table=True, quoted=True),
                on=equal,
                join_type="LEFT",
            )
            number = exp.cast(exp.column("cell", table=alias, quoted=True), "INTEGER")
            made = made.select(exp.alias_(number, _NUMBER.format(place), quoted=True))
        for place, text in enumerate(_wholes(self.policy)):
            # a fixed-point number has 30 digits at most
            whole = exp.cast(parse_one(text, dialect="duckdb"), "INTEGER")
            made = made.select(exp.alias_(whole, _WHOLE.format(place), quoted=True))
        return made.sql(dialect="duckdb")

    def _stored(self) -> list[str]:
        """The columns that queries can read, and the unit."""
        policy = self.policy
        return [name for name, kind in policy.columns.items() if name == policy.unit.column or kind_of(kind)]

    def _kept(self, key: str) -> str:
        policy, names = self.policy, self._stored()
        kinds = [policy.columns[name] for name in names]
        assert policy.unit.column is not None
        assert policy.contributions is not None
        own = [f'"c{place}"' for place in range(len(names))]
        return _KEPT.format(
            columns=", ".join(f"{_plain(_source(n), k)} AS {c}" for n, k, c in zip(names, kinds, own, strict=True)),
            unit=_source(policy.unit.column),
            u=f"c{names.index(policy.unit.column)}",
            most=policy.contributions,
            inner=", ".join(own),
            outer=", ".join(f"{c} AS {_quoted(name)}" for name, c in zip(names, own, strict=True)),
            content=f"'{key}' || " + " || '|' || ".join(_told(c, k) for c, k in zip(own, kinds, strict=True)),
            order=_ORDER.format(key=key),
        )


def _keyed(policy: Policy) -> list[Typed]:
    """The columns with declared keys, as queries read them."""
    return [one for name in policy.keys if (one := column(name, policy)).values]


def _wholes(policy: Policy) -> list[str]:
    """The fixed-point expressions of bounded numbers, for a sum alone and for what else is asked of them."""
    bits = fixed_point_bits(policy)
    found: dict[str, None] = {}
    for name in policy.bounds:
        one = column(name, policy)
        if one.kind is Kind.NUMBER and one.bounds is not None:
            for scale in (scale_around(*one.bounds, bits), scale_between(*one.bounds, bits)):
                found[whole_text(scale.whole(), one)] = None
    return list(found)


def whole_text(whole: exp.Expr, value: Typed) -> str:
    """A fixed-point expression with the value in its place."""
    tree = whole.copy()
    for node in list(tree.find_all(exp.Column)):
        if node.name == "v" and not node.table:
            node.replace(exp.paren(value.tree.copy(), copy=False))
    return str(tree.sql(dialect="duckdb"))


def _plain(name: str, kind: str) -> str:
    """Values that compare equal are made one: −0.0 is 0, and there is one NaN. Times are as queries read them."""
    if kind in REALS:
        return (
            f"CASE WHEN {name} = 0 THEN CAST(0 AS {kind}) WHEN ISNAN({name}) THEN CAST('nan' AS {kind}) ELSE {name} END"
        )
    if kind_of(kind) is Kind.TIMESTAMP and kind != "TIMESTAMP":
        return f"TRY_CAST({name} AS TIMESTAMP)"
    return name


def _told(name: str, kind: str) -> str:
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
