"""Queries over joins, foreign keys, attributes, subqueries and WITH, and tables of the same people for them."""

import math
from contextlib import contextmanager
from dataclasses import replace

import duckdb
import numpy as np
import pyarrow as pa
from hypothesis import strategies as st

from dalenius.queries import Keys
from dalenius.sql.tables.joinable import read_public
from dalenius.sql.tables.table import QueryTable, Reference
from tests.sql.sensitivity import grammar, worlds

BESIDE = QueryTable(
    *("b", "table b", {"who": "BIGINT", "g": "VARCHAR", "z": "DOUBLE", "sex": "VARCHAR"}, "who"),
    keys={"g": Keys("g", ["p", "q"]), "sex": Keys("sex", ["f", "m"])},
    bounds={"z": (-2, 5)},
    attributes=frozenset({"sex"}),
    owned=True,
)
ITEMS = QueryTable(
    *("c", "table c", {"r": "INTEGER", "h": "VARCHAR", "q": "DOUBLE", "n": "INTEGER"}),
    keys={"h": Keys("h", ["p", "q"])},
    bounds={"q": (0, 4)},
    reference=Reference("r", "t", "j"),
    owned=True,
)
PARTS = QueryTable(
    *("e", "table e", {"m": "INTEGER", "w": "DOUBLE"}),
    bounds={"w": (-1, 1)},
    reference=Reference("m", "c", "n"),
    owned=True,
)
PUBLIC_ROWS = pa.table(
    {
        "pk": ["a", "a", "a", "b", "it's", None],
        "pj": pa.array([0, 1, 5, -7, 40, None], pa.int32()),
        "region": ["n", "s", "n", None, "s", "n"],
        "v": [0.5, math.nan, -3.0, 4.0, None, math.inf],
    }
)
PUBLIC, _ = read_public("p", PUBLIC_ROWS)
OTHERS = {"b": BESIDE, "c": ITEMS, "e": PARTS, "p": PUBLIC}
NULL_OTHERS = {name: replace(one, null_keys=frozenset(one.columns) - {one.unit}) for name, one in OTHERS.items()}
"""The same tables, in all of whose columns NULL is a group."""
ATTRIBUTES = ("k", "flag")
_TYPES = {
    "b": {"who": pa.int64(), "g": pa.string(), "z": pa.float64(), "sex": pa.string()},
    "c": {"r": pa.int32(), "h": pa.string(), "q": pa.float64(), "n": pa.int32()},
    "e": {"m": pa.int32(), "w": pa.float64()},
}
_ODD = [math.nan, math.inf, -1e308, -0.0, None]
_VALUES = {
    "b": {"g": ["p", "q", "a", None], "z": [0.0, 1.5, -2.0, 9.0, *_ODD], "sex": ["f", "m", "x", None]},
    "c": {"h": ["p", "q", "a", None], "q": [0.0, 0.25, 3.0, 9.0, *_ODD], "n": [0, 1, 2, None]},
    "e": {"w": [0.5, -1.0, 0.1, *_ODD]},
}
_J = worlds.SCHEMA.get_field_index("j") - 1


@contextmanager
def opened():
    """An engine that holds the public table."""
    with duckdb.connect(config={"threads": 1}) as connection:
        connection.register("public rows", PUBLIC_ROWS)
        connection.execute(f'CREATE TABLE "{PUBLIC.place}" AS SELECT * FROM "public rows"')
        yield connection


def policy(contributions=2, **terms):
    return grammar.policy("who", contributions, attributes=ATTRIBUTES, **terms)


def _some(random, table, given, most):
    """Rows of a table beside the first: one of the given values, then whatever."""
    if not given:
        return []
    drawn = [[given[random.integers(len(given))]] for _ in range(int(random.integers(0, most + 1)))]
    return [(*row, *(values[random.integers(len(values))] for values in _VALUES[table].values())) for row in drawn]


def world(random, people=(*worlds.PEOPLE, None), most=9):
    """One database: whose rows are whose follows from the first table, with ids that several people share."""
    t = worlds.rows(random, most, people)
    c = _some(random, "c", [0, 1, -7, 5, None], 6)
    return {"t": t, "b": _some(random, "b", people, 6), "c": c, "e": _some(random, "e", [0, 1, 2, None], 4)}


def owners(held):
    """Of each row of c, then of e: whom it refers to."""
    of_items = [{row[0] for row in held["t"] if row[_J] is not None and row[_J] == item[0]} for item in held["c"]]
    of_parts = [
        set().union(*(who for item, who in zip(held["c"], of_items, strict=True) if item[3] == part[0]))
        if part[0] is not None
        else set()
        for part in held["e"]
    ]
    return of_items, of_parts


def without(random, held, person):
    """The database that lacks a person, and some or all of what referred to nobody else's rows."""
    of_items, of_parts = owners(held)

    def stays(who):
        return bool(who - {person, None}) or random.random() < 0.5

    return {
        "t": [row for row in held["t"] if row[0] != person],
        "b": [row for row in held["b"] if row[0] != person],
        "c": [row for row, who in zip(held["c"], of_items, strict=True) if stays(who)],
        "e": [row for row, who in zip(held["e"], of_parts, strict=True) if stays(who)],
    }


def changed(random, held, person):
    """The database without a person, with another in their place, and rows that refer to theirs alone."""
    less = without(random, held, person)
    t = less["t"] + worlds.rows(random, 6, (person,))
    theirs = {row[_J] for row in t if row[0] == person} - {row[_J] for row in t if row[0] != person} - {None}
    c = less["c"] + _some(random, "c", sorted(theirs), 4)
    of_items, _ = owners({**less, "t": t, "c": c})
    others = {item[3] for item, who in zip(c, of_items, strict=True) if who - {person, None}}
    names = {item[3] for item, who in zip(c, of_items, strict=True) if person in who} - others - {None}
    b = less["b"] + _some(random, "b", [person], 4)
    return {"t": t, "b": b, "c": c, "e": less["e"] + _some(random, "e", sorted(names), 3)}


def shuffled(random, held):
    """A table has no order: no answer may hang on one."""
    return {name: [rows[place] for place in random.permutation(len(rows))] for name, rows in held.items()}


def gathered(seed, databases=6):
    """Databases and their neighbors in one list, and which of them are neighbors in which way."""
    random, listed, removed, replaced = np.random.default_rng(seed), [], [], []
    for _ in range(databases):
        here, base = len(listed), world(random)
        listed.append(base)
        for person in worlds.PEOPLE:
            removed.append((here, len(listed)))
            listed.append(shuffled(random, without(random, base, person)))
            replaced.append((here, len(listed)))
            listed.append(shuffled(random, changed(random, base, person)))
    return listed, removed, replaced


def load(connection, listed):
    """All databases in the engine's tables, told apart by a column."""
    connection.register("arrived", worlds.table([held["t"] for held in listed]))
    connection.execute('CREATE OR REPLACE TABLE "source" AS SELECT * FROM arrived')
    for name, kinds in _TYPES.items():
        rows = [(place, *row) for place, held in enumerate(listed) for row in held[name]]
        kinds = {"world": pa.int32(), **kinds}
        columns = list(zip(*rows, strict=True)) or [()] * len(kinds)
        arrays = {one: pa.array(column, kind) for (one, kind), column in zip(kinds.items(), columns, strict=True)}
        connection.register("arrived", pa.table(arrays))
        connection.execute(f'CREATE OR REPLACE TABLE "table {name}" AS SELECT * FROM arrived')


@st.composite
def sources(draw):
    """A FROM, perhaps after WITH, and what may be asked of it: keys, numbers with bounds, conditions, unknown keys."""
    return draw(
        st.one_of(joins, rows_of_rows(), per_unit(), per_unit(), added_up(), nested(), with_inner_queries(), windows())
    )


T = (["k", "flag", "t.j", "x IS NULL"], ["x", "y", "CLAMP(x / y, -1, 2)"], ["x > 0", "NOT flag"], ["note", "x"])
P = (["region", "v > 0"], ["v", "v * v"], ["region = 'n'", "v < 1"], ["region", "v"])
B = (["g", "b.sex", "z IS NULL"], ["z", "z - x"], ["z > 0 OR g = 'p'"], ["g", "z"])
C = (["h", "q > 1"], ["q"], ["q > 0"], ["c.r", "h"])
E = (["w > 0"], ["w", "ABS(w)"], ["w <= 0.5"], ["w"])


def _with(*tables):
    return tuple([one for table in tables for one in table[place]] for place in range(4))


SETS = (["k", "x > 0"], ["x"], ["x < 1"], ["k", "x"])
ONE = (["g"], ["z"], ["z > 0"], ["g", "z"])
RANGES = "(VALUES (-3, 0, 'low'), (0, 2.5, 'middle')) AS w(lo, hi, n)"
LAST = "LATERAL (SELECT i.g, i.z FROM b AS i WHERE i.who = t.who ORDER BY i.z DESC LIMIT 1) AS l"
MEANS = "LATERAL (SELECT COUNT(*) AS n, AVG(i.z) AS a FROM b AS i WHERE i.who = t.who AND i.g = 'p') AS m"
joins = st.sampled_from(
    [
        ("", "t", "who", _with(T)),
        ("", "t JOIN p ON t.k = p.pk", "who", _with(T, P)),
        ("", "t LEFT JOIN p ON k = pk", "who", _with(T, P)),
        ("", "t JOIN b USING (who)", "who", _with(T, B)),
        ("", "t LEFT JOIN b USING (who) JOIN p ON p.pk = b.g", "who", _with(T, B, P)),
        ("", "b", "who", (["g", "sex", "z IS NULL"], ["z"], ["z > 0"], ["g", "z"])),
        ("", "b LEFT JOIN t USING (who)", "who", _with(T, B)),
        ("", "t AS one JOIN t USING (who)", "who", (["t.k", "one.k"], ["t.x - one.x"], ["t.x > one.x"], ["t.note"])),
        ("", "t JOIN c ON c.r = t.j", "t.who", _with(T, C)),
        ("", "t LEFT JOIN c ON c.r = t.j AND c.h = t.k", "t.who", _with(T, C)),
        ("", "c", None, _with(C)),
        ("", "c JOIN t ON t.j = c.r", "t.who", _with(T, C)),
        ("", "t JOIN b USING (who) JOIN c ON c.r = t.j LEFT JOIN e ON e.m = c.n", "who", _with(T, B, C, E)),
        ("", "e", None, _with(E)),
        ("", "e JOIN c ON m = n", None, _with(E, C)),
        ("", "e JOIN c ON m = n LEFT JOIN t ON r = j", "t.who", _with(E, C, T)),
        ("", "c JOIN p ON c.h = p.region", None, _with(C, P)),
        ("", "t JOIN p ON t.x > p.v", "who", _with(T, P)),
        ("", "t LEFT JOIN p ON t.k = p.pk AND (t.flag OR p.v < t.y)", "who", _with(T, P)),
        ("", "p CROSS JOIN t", "who", _with(T, P)),
        (
            "",
            "p JOIN t ON p.v <> t.y JOIN b ON t.who = b.who AND (p.region = b.g OR p.v > b.z)",
            "t.who",
            _with(T, P, B),
        ),
        ("", "t LEFT JOIN b ON t.who = b.who AND b.z > t.x", "t.who", _with(T, B)),
        (
            "",
            "t AS one JOIN t ON one.who = t.who AND one.x < t.x",
            "one.who",
            (["t.k"], ["t.x - one.x"], ["t.flag"], ["t.j"]),
        ),
        ("", "t LEFT JOIN c ON c.r = t.j AND c.q > t.x", "t.who", _with(T, C)),
        ("", "p JOIN t ON t.k = p.pk AND p.v < t.x", "who", _with(T, P)),
        ("", "t JOIN b ON t.who = b.who AND b.z > t.x", "t.who", _with(T, B)),
        ("", "t LEFT JOIN b ON t.who = b.who AND (b.z > t.x OR b.g = 'p')", "t.who", _with(T, B)),
        ("", "t LEFT JOIN p ON k = pk AND v > x", "who", _with(T, P)),
        ("", "t LEFT JOIN c ON c.r = t.j AND q > 1", "t.who", _with(T, C)),
        ("", "t JOIN (VALUES ('a', 1), ('b', 2)) AS w(k, n) ON w.k = t.k", "who", (["w.k"], ["w.n"], T[2], T[3])),
        ("", f"t LEFT JOIN {RANGES} ON x >= w.lo AND x < w.hi", "who", (["w.n", "t.k"], ["w.hi"], T[2], T[3])),
        ("", "(SELECT who, k, x FROM t UNION ALL SELECT who, g, z FROM b) AS u", "who", SETS),
        ("", "(SELECT k, x, t.who AS who FROM t UNION SELECT g, z, who FROM b WHERE z > 0) AS u", "who", SETS),
        ("", "(SELECT who FROM t EXCEPT SELECT who FROM b WHERE z > 0) AS u JOIN t USING (who)", "who", _with(T)),
        ("", "(SELECT who FROM b INTERSECT SELECT who FROM t WHERE x > 0) AS u JOIN b USING (who)", "who", ONE),
        ("", f"t CROSS JOIN {LAST}", "t.who", (["t.k", "l.g"], ["l.z", "x"], ["l.z > x"], T[3])),
        ("", f"t LEFT JOIN {MEANS} ON TRUE", "t.who", (["t.k", "m.n > 1"], ["CLAMP(m.n, 0, 3)", "m.a"], T[2], T[3])),
    ]
)


@st.composite
def rows_of_rows(draw):
    """A subquery that makes a row of each row."""
    _, source, who, (keys, numbers, conditions, unknown) = draw(joins)
    whose = f"{who} AS who, " if who and draw(st.booleans()) else ""
    key, number, condition = (draw(st.sampled_from(one)) for one in (keys, numbers, conditions))
    text = draw(st.sampled_from(unknown))
    where = f" WHERE {condition}" if draw(st.booleans()) else ""
    inner = f"SELECT {whose}{key} AS key, {number} AS a, {condition} AS c, {text} AS u FROM {source}{where}"
    asked = (["key", "c"], ["a", "a * a"], ["c", "a > 0"], ["u", "a", "CAST(a AS VARCHAR)"])
    return _placed(draw, inner, "who" if whose else None, asked)


def _placed(draw, inner, who, asked):
    """The subquery in WITH, or in FROM."""
    if draw(st.booleans()):
        return (f"WITH s AS ({inner}) ", "s", who, asked)
    return ("", f"({inner}) AS s", who, asked)


TIED = [
    "EXISTS (SELECT 1 FROM b AS i WHERE i.who = {who} AND i.z > 0)",
    "EXISTS (SELECT 1 FROM t AS i WHERE {who} = i.who AND i.note <> '1' AND i.x < {number})",
    "NOT EXISTS (SELECT 1 FROM t AS i JOIN b AS ii USING (who) WHERE i.who = {who} AND ii.g = 'p')",
    "{who} IN (SELECT i.who FROM b AS i WHERE i.g = 'p')",
    "{who} NOT IN (SELECT i.who FROM b AS i)",
    "{who} NOT IN (SELECT i.who FROM t AS i GROUP BY i.who HAVING COUNT(*) > 2)",
    "{number} IN (SELECT i.x FROM t AS i WHERE i.who = {who})",
    "{number} NOT IN (SELECT i.z FROM b AS i WHERE i.who = {who} AND i.g IS NOT NULL)",
    "{number} > (SELECT AVG(i.x) FROM t AS i WHERE i.who = {who})",
    "(SELECT COUNT(*) FROM b AS i WHERE i.who = {who} AND i.z < {number}) > 1",
    "{number} <= (SELECT MAX(i.x) - MIN(i.y) FROM t AS i WHERE i.who = {who} AND i.note IS NULL)",
    "EXISTS (SELECT 1 FROM p AS i WHERE i.v > {number})",
    "{number} NOT IN (SELECT i.v FROM p AS i WHERE i.region = 'n')",
]
"""Queries inside of a row's expression: over the same person's rows, or over public ones."""


@st.composite
def with_inner_queries(draw):
    """A subquery whose rows look at other rows of their person, or at a public table."""
    source, who, number = draw(
        st.sampled_from([("t", "t.who", "t.x"), ("b", "b.who", "b.z"), ("t JOIN b USING (who)", "t.who", "x - z")])
    )
    one, two = (draw(st.sampled_from(TIED)).format(who=who, number=number) for _ in range(2))
    inner = (
        f"SELECT {who} AS who, {one} AS c, {number} AS a, CASE WHEN {two} THEN 'p' ELSE 'q' END AS key FROM {source}"
    )
    inner += f" WHERE {draw(st.sampled_from(TIED)).format(who=who, number=number)}" if draw(st.booleans()) else ""
    return _placed(draw, inner, "who", (["c", "key"], ["CLAMP(a, -1, 4)"], ["c", "NOT c"], ["a"]))


WINDOWS = [
    *("ROW_NUMBER() OVER ({by} ORDER BY {order})", "RANK() OVER ({by} ORDER BY {order})", "COUNT(*) OVER ({by})"),
    *(
        "CASE WHEN LAG({number}) OVER ({by} ORDER BY {order}) > 0 THEN 1 ELSE 0 END",
        "NTILE(2) OVER ({by} ORDER BY {order})",
    ),
    *("LEAD({number}, 2, 0.5) OVER ({by} ORDER BY {order})", "FIRST_VALUE({number}) OVER ({by} ORDER BY {order})"),
    *(
        "SUM({number}) OVER ({by} ORDER BY {order})",
        "AVG({number}) OVER ({by})",
        "MIN({number}) OVER ({by} ORDER BY {order})",
    ),
    "SUM({number}) OVER ({by} ORDER BY {order} ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)",
    "SUM({number}) OVER ({by} ORDER BY {number} RANGE BETWEEN 1 PRECEDING AND 0.5 FOLLOWING)",
    "COUNT(*) OVER ({by} ORDER BY {order} RANGE UNBOUNDED PRECEDING)",
    "LAST_VALUE({number}) OVER ({by} ORDER BY {order} ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)",
    "DENSE_RANK() OVER ({by} ORDER BY {order}) - PERCENT_RANK() OVER ({by} ORDER BY {order})",
]
"""Values of windows over one person's rows."""


FIRSTS = [
    "SELECT DISTINCT ON ({who}) {who} AS who, {number} AS a, {number} AS z, {number} > 1 AS c FROM {source} "
    "ORDER BY {who}, {order}",
    "SELECT DISTINCT {who} AS who, FIRST_VALUE({number}) OVER (PARTITION BY {who} ORDER BY {order}) AS a, "
    "{number} AS z, {number} > 0 AS c FROM {source}",
]
"""The first row of each person, and distinct rows of windows."""


@st.composite
def windows(draw):
    """A subquery with windows over the rows of each person, of which ties are many."""
    source, who, number, orders = draw(
        st.sampled_from(
            [
                ("t", "who", "CLAMP(x, -3, 7)", ["j", "k DESC", "d, flag", "x", "y DESC NULLS FIRST"]),
                ("b", "who", "z", ["g", "z DESC", "z IS NULL"]),
                ("t JOIN p ON t.k = p.pk", "t.who", "v", ["region", "v"]),
            ]
        )
    )
    by = f"PARTITION BY {who}" + (", k" if source == "t" and draw(st.booleans()) else "")
    order = draw(st.sampled_from(orders))
    if draw(st.integers(0, 3)) == 0:
        inner = draw(st.sampled_from(FIRSTS)).format(who=who, number=number, order=order, source=source)
        return _placed(draw, inner, "who", (["c"], ["CLAMP(a, -1, 4)", "CLAMP(z, 0, 2)"], ["a > 0", "c"], ["a", "z"]))
    one, two = (draw(st.sampled_from(WINDOWS)).format(by=by, order=order, number=number) for _ in range(2))
    end = f" QUALIFY ROW_NUMBER() OVER ({by} ORDER BY {order}) <= 2" if draw(st.booleans()) else ""
    inner = f"SELECT {who} AS who, {one} AS a, {number} AS z, {two} > 1 AS c FROM {source}{end}"
    return _placed(
        draw, inner, "who", (["c", "a > 1"], ["CLAMP(a, -1, 4)", "CLAMP(z, 0, 2)"], ["a > 0", "c"], ["a", "z"])
    )


@st.composite
def aggregated(draw, source, who, keys, numbers, conditions):
    """A subquery of one row for each unit, or each unit and key."""
    number = draw(st.sampled_from(numbers))
    asked = st.sampled_from(
        [
            *("COUNT(*)", f"COUNT({number})", f"COUNT(DISTINCT {number})", f"SUM({number})", f"AVG({number})"),
            *(f"MIN({number})", f"MAX({number})", f"SUM({number}) / COUNT(*)", f"MAX({number}) - MIN({number})"),
            *(f"MEDIAN({number})", f"MODE({number})"),
        ]
    )
    one, two = draw(asked), draw(asked)
    further = draw(st.booleans())
    key = draw(st.sampled_from(keys))
    where = f" WHERE {draw(st.sampled_from(conditions))}" if draw(st.booleans()) else ""
    having = f" HAVING {draw(asked)} > 1" if draw(st.integers(0, 2)) == 0 else ""
    most = f"{key} AS key" if further else f"MAX({key}) AS key"
    whose = f"{who} AS who" if draw(st.booleans()) else f"{who} AS person"
    by = f"GROUP BY {who}{', ' + key if further else ''}"
    case = f"CASE WHEN {one} > 1 THEN 'p' ELSE 'q' END AS c"
    name = whose.rpartition(" ")[2]
    return name, f"SELECT {whose}, {most}, {one} AS a, {two} AS z, {case} FROM {source}{where} {by}{having}"


OVER = (["key", "c", "a > 1"], ["CLAMP(a, -1, 4)", "CLAMP(z, 0, 2)"], ["a > 0", "z <= 1"], ["a", "z", "key"])


@st.composite
def per_unit(draw):
    """A subquery that aggregates."""
    _, source, who, (keys, numbers, conditions, _) = draw(joins.filter(lambda one: one[2]))
    name, inner = draw(aggregated(source, who, keys, numbers, conditions))
    return _placed(draw, inner, name, OVER)


@st.composite
def added_up(draw):
    """What a person's rows are, or add up to, within bounds that follow from how many of them count."""
    _, source, who, (keys, numbers, conditions, _) = draw(joins.filter(lambda one: one[2] and "LATERAL" not in one[1]))
    key, number = draw(st.sampled_from(keys)), draw(st.sampled_from(numbers))
    where = f" WHERE {draw(st.sampled_from(conditions))}" if draw(st.booleans()) else ""
    inner = (
        f"SELECT {who} AS who, SUM({number}) AS s, COUNT(*) AS n, COUNT(DISTINCT {number}) AS d, "
        f"MEDIAN({number}) AS m, MODE({key}) AS usual FROM {source}{where} GROUP BY 1"
    )
    asked = (["n", "usual"], ["s", "n", "d", "s - d", "m"], ["s > 1", "n < 3"], ["s", "usual"])
    return _placed(draw, inner, "who", asked)


@st.composite
def nested(draw):
    """Rows of rows, aggregated, perhaps joined again, perhaps aggregated again."""
    _, source, who, (keys, numbers, conditions, _) = draw(joins.filter(lambda one: one[2]))
    key, number, condition = (draw(st.sampled_from(one)) for one in (keys, numbers, conditions))
    rows = f"SELECT {who} AS who, {key} AS key, CLAMP({number}, -2, 3) AS a, {condition} AS c FROM {source}"
    name, inner = draw(aggregated("r", "who", ["key", "c"], ["a"], ["c", "a > 0"]))
    start = f"WITH r AS ({rows}), s AS ({inner}) "
    form = draw(st.integers(0, 3))
    if form == 0:
        return (start, "s", name, OVER)
    if form == 1:
        asked = (["s.c", "t.k", "s.a > 1"], ["CLAMP(s.a, -1, 4)", "x"], ["s.a > x"], ["s.a", "note"])
        return (start, f"t JOIN s ON s.{name} = t.who", "t.who", asked)
    if form == 2:
        last = f"SELECT {name}, MAX(c) AS c, SUM(CLAMP(a, 0, 2)) AS a, COUNT(*) AS z, MIN(key) AS key FROM s GROUP BY 1"
        return (start, f"({last}) AS o", name, OVER)
    return (start, f"(SELECT DISTINCT {name}, c, a, z, key FROM s) AS o", name, OVER)


@st.composite
def queries(draw, unknown=False):
    """One SELECT over it."""
    start, source, who, (keys, numbers, conditions, found) = draw(sources())
    number = st.sampled_from(numbers)
    asked = st.one_of(
        st.just("COUNT(*)"),
        st.builds("{}({})".format, st.sampled_from(["SUM", "AVG", "VARIANCE", "COUNT"]), number),
        *(
            [
                st.builds("{}({})".format, st.sampled_from(["MEDIAN", "MIN", "MAX"]), number),
                st.builds("COUNT(DISTINCT {})".format, st.sampled_from([*numbers, *found])),
            ]
            if not unknown
            else []
        ),
        *([st.just(f"COUNT(DISTINCT {who})")] * 2 if who else []),
    )
    by = draw(st.lists(st.sampled_from(keys), max_size=2 - unknown, unique=True))
    by += [draw(st.sampled_from(found))] if unknown else []
    columns = draw(st.lists(asked, min_size=1, max_size=3, unique=True))
    shown = ", ".join(f"{term} AS o{place}" for place, term in enumerate([*dict.fromkeys(by), *columns]))
    where = f" WHERE {draw(st.sampled_from(conditions))}" if draw(st.booleans()) else ""
    grouped = f" GROUP BY {', '.join(dict.fromkeys(by))}" if by else ""
    return f"{start}SELECT {shown} FROM {source}{where}{grouped}"
