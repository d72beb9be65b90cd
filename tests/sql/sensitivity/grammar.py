"""Queries of the language, drawn from its grammar."""

from hypothesis import strategies as st

from dalenius.sql import Policy
from dalenius.sql.pair_catalog import PAIRS

COLUMNS = {
    **{"who": "BIGINT", "k": "VARCHAR", "j": "INTEGER", "x": "DOUBLE", "y": "DOUBLE", "f": "FLOAT"},
    **{"flag": "BOOLEAN", "d": "DATE", "ts": "TIMESTAMP", "note": "VARCHAR"},
}
KEYS = {"k": ["a", "b", "it's"], "j": [0, 1, -7], "f": [0.5, 0.1]}
BOUNDS = {
    "x": (-3, 7),
    "y": (0, 1),
    "j": (-7, 20),
    "d": ("2023-01-01", "2024-12-31"),
    "ts": ("1999-01-01", "2030-12-31"),
}


SUMS = st.sampled_from([{}, {}, {"SUM(x)": (0, 9)}, {"SUM(x)": (-2.5, 1), "SUM(y)": (0, 1.75)}, {"SUM(y)": (0, 0.3)}])
"""Bounds of what one person's rows add up to; without any, rows are weighed."""


NULL_KEYS = st.sampled_from([(), tuple(name for name in COLUMNS if name != "who"), ("k", "d", "x")])
"""Columns whose NULL is a group."""


def policy(unit="who", contributions=2, sums=None, **terms):
    most = None if unit == "row" else contributions
    bounds = {**BOUNDS, **({} if unit == "row" else sums or {})}
    return Policy.declare("t", COLUMNS, unit=unit, keys=KEYS, bounds=bounds, contributions=most, **terms)


literals = st.sampled_from(["0", "1", "2.5", "-3", "1e3", "0.1", "1e200"])
leaves = st.one_of(st.sampled_from(["x", "y", "j", "x", "f"]), literals)


def _numbers(inner):
    return st.one_of(
        st.builds("({} {} {})".format, inner, st.sampled_from("+-*/%"), inner),
        st.builds("{}({})".format, st.sampled_from(["ABS", "FLOOR", "CEIL", "ROUND", "-"]), inner),
        st.builds("CLAMP({}, {}, {})".format, inner, st.sampled_from(["-2", "0"]), st.sampled_from(["1", "4.5"])),
        st.builds("COALESCE({}, {})".format, inner, inner),
        st.builds("NULLIF({}, {})".format, inner, inner),
        st.builds("GREATEST({}, {})".format, inner, inner),
        st.builds("CASE WHEN {} THEN {} ELSE {} END".format, simple_conditions, inner, inner),
        st.builds("CASE WHEN {} THEN {} END".format, simple_conditions, inner),
        st.sampled_from(["CAST(note AS DOUBLE)", "LENGTH(note)", "MONTH(d)", "YEAR(ts)", "CAST(x AS INTEGER)"]),
        st.builds("{}({})".format, st.sampled_from(["SQRT", "LN", "EXP", "SIGN", "TRUNC"]), inner),
        st.builds("POWER({}, {})".format, inner, st.sampled_from(["2", "0.5", "-1"])),
        st.builds("WIDTH_BUCKET({}, -1, 2, 4)".format, inner),
        st.sampled_from(["(d - DATE '2023-06-01')", "DATE_DIFF('month', d, ts)", "DATE_SUB('year', d, CURRENT_DATE)"]),
    )


simple_conditions = st.sampled_from(
    [
        *("x > 1", "x / y > 2", "y = x", "flag", "k LIKE 'a%'", "k = 'b'", "x IS NULL", "NOT flag", "j IN (0, 1)"),
        *(
            "d > DATE_TRUNC('year', ts)",
            "d + INTERVAL 1 MONTH > ts",
            "ts - d < INTERVAL 2 DAY",
            "DAYNAME(d) = 'Sunday'",
        ),
        *(
            "STRFTIME(ts, '%Y-%m') < '2024'",
            "k || note = 'a1'",
            "LEFT(note, 1) = '1'",
            "REGEXP_MATCHES(k, '^(a|b)+$')",
            "d BETWEEN '2023-01-01' AND now()",
        ),
        "ts AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Kolkata' < d",
        *("d >= '2023-06-01'", "EXTRACT(hour FROM ts) < 12", "LOWER(note) <> 'zz'", "x BETWEEN 0 AND 1", "f = 0.5"),
        *(
            "note IS NOT NULL OR x < 0",
            "x % 2 = 1 AND j <> 0",
            "CAST(note AS DATE) IS NULL",
            "SUBSTR(note, 2, 1) = 'n'",
        ),
    ]
)
numbers = st.recursive(leaves, _numbers, max_leaves=4)
bounded = st.one_of(
    st.sampled_from(["x", "y", "j", "x * y", "x - 2 * j", "CASE WHEN flag THEN 1 ELSE 0 END", "MONTH(d)"]),
    st.builds("CLAMP({}, {}, {})".format, numbers, st.sampled_from(["-2", "0", "0.3"]), st.sampled_from(["1", "1e9"])),
)
conditions = st.one_of(
    simple_conditions,
    st.builds("{} {} {}".format, numbers, st.sampled_from(["<", ">=", "=", "<>"]), numbers),
    st.builds("({}) OR NOT ({})".format, simple_conditions, simple_conditions),
)
keys = st.one_of(
    st.sampled_from(["k", "j", "f", "flag", "MONTH(d)", "YEAR(d)", "FLOOR(y * 3)", "j > 0", "x IS NULL"]),
    st.sampled_from(
        ["DATE_TRUNC('quarter', d)", "DATE_TRUNC('week', d)", "DAYNAME(d)", "STRFTIME(d, '%Y-%m')", "HOUR(ts)"]
    ),
    st.sampled_from(
        ["LEFT(k, 1)", "COALESCE(k, 'none')", "WIDTH_BUCKET(j, 0, 10, 5)", "LEAST(j, 3)", "SUBSTR(k, 2, 1)"]
    ),
    st.sampled_from(["DATE_TRUNC('year', ts)", "d + INTERVAL 1 YEAR > CURRENT_DATE", "CONCAT(k, flag)"]),
    st.builds("CASE WHEN {} THEN 'p' WHEN {} THEN 'q' ELSE 'r' END".format, simple_conditions, simple_conditions),
    st.builds("CASE WHEN {} THEN 'p' WHEN {} THEN 'q' END".format, simple_conditions, simple_conditions),
    st.builds("CASE WHEN {} THEN k END".format, simple_conditions),
    st.sampled_from(
        ["NULLIF(k, 'a')", "NULLIF(j, 1) > 0", "IF(flag, 'y', NULL)", "CAST(k AS INTEGER) > 0", "1 / j > 0"]
    ),
)
aggregates = st.one_of(
    st.sampled_from(["COUNT(*)", "COUNT(*)", "COUNT(note)", "COUNT(x)"]),
    st.builds(
        "{}({})".format, st.sampled_from(["MEDIAN", "MIN", "MAX"]), st.sampled_from(["x", "y", "x * y", "MONTH(d)"])
    ),
    st.sampled_from(["QUANTILE_CONT(x, 0.25)", "PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY CLAMP(x / y, -1, 4))"]),
    st.builds("MODE({})".format, st.sampled_from(["k", "j", "flag", "MONTH(d)", "FLOOR(y * 3)", "f", "x > y"])),
    st.builds(
        "COUNT(DISTINCT {})".format,
        st.sampled_from(["note", "x", "k", "flag", "d", "ts", "x * y", "x / y", "(k, x)", "note, j"]),
    ),
    st.builds("{}({})".format, st.sampled_from(["SUM", "AVG", "VARIANCE", "STDDEV", "VAR_POP", "COUNT"]), bounded),
    st.builds("{}({}, {})".format, st.sampled_from([one.name for one in PAIRS if one.nodes]), bounded, bounded),
    st.builds("WEIGHTED_AVG({}, {})".format, bounded, st.sampled_from(["y", "ABS(x)", "CLAMP(x, 0, 4)"])),
)

weighted_aggregates = st.one_of(
    st.sampled_from(
        ["COUNT(*)", "COUNT(*)", "COUNT(note)", "COUNT(x)", "COUNT_IF(flag)", "SUM(x) FILTER (WHERE flag)"]
    ),
    st.builds("{}({})".format, st.sampled_from(["SUM", "AVG", "COUNT"]), bounded),
    st.sampled_from(["MIN(x)", "MAX(x * y)", "COUNT(DISTINCT note)", "WEIGHTED_AVG(x, y)"]),
)
"""Those that have a rule where the owner declared a survey weight."""
WEIGHTS = st.builds(
    lambda column, most: {"column": column, "most": most}, st.sampled_from("xyjf"), st.sampled_from([1, 2, 0.3, 1e6])
)


unknown_keys = st.sampled_from(["note", "LOWER(note)", "x + y", "x / y", "CAST(x AS VARCHAR)", "LENGTH(note)"])


@st.composite
def named_queries(draw, people=True, aggregates=aggregates):
    """One SELECT over keys that nobody declared, perhaps beside one that is."""
    found = draw(st.lists(unknown_keys, min_size=1, max_size=2, unique=True))
    grouped = draw(st.permutations(found + draw(st.lists(keys, max_size=1))))
    asked = draw(st.lists(aggregates, min_size=1, max_size=2))
    if people and draw(st.integers(0, 2)) == 0:
        asked.append("COUNT(DISTINCT who)")
    where = f" WHERE {draw(conditions)}" if draw(st.booleans()) else ""
    columns = ", ".join(f"{term} AS c{place}" for place, term in enumerate([*grouped, *asked]))
    return f"SELECT {columns} FROM t{where} GROUP BY {', '.join(grouped)}"


@st.composite
def queries(draw, people=True, aggregates=aggregates):
    """One SELECT."""
    grouped = draw(st.lists(keys, max_size=2, unique=True))
    asked = draw(st.lists(aggregates, min_size=1, max_size=3))
    if people and draw(st.integers(0, 3)) == 0:
        asked.append("COUNT(DISTINCT who)")
    where = f" WHERE {draw(conditions)}" if draw(st.booleans()) else ""
    columns = ", ".join(f"{term} AS c{place}" for place, term in enumerate([*grouped, *asked]))
    by = f" GROUP BY {', '.join(grouped)}" if grouped else ""
    having = f" HAVING {draw(aggregates)} > 1" if grouped and draw(st.integers(0, 4)) == 0 else ""
    return f"SELECT {columns} FROM t{where}{by}{having}"


@st.composite
def top_queries(draw, people=True):
    """The keys of the largest cells by one number that no added unit lowers."""
    grouped = draw(st.lists(keys, min_size=1, max_size=2, unique=True))
    counted = ["COUNT(*)", "COUNT(x)", "COUNT(note)", "COUNT(DISTINCT note)", "COUNT(DISTINCT x / y)", "SUM(y)"]
    by = draw(st.sampled_from(counted + ["COUNT(DISTINCT who)"] * 3 * people))
    where = f" WHERE {draw(conditions)}" if draw(st.booleans()) else ""
    columns = ", ".join(f"{term} AS c{place}" for place, term in enumerate(grouped))
    return f"SELECT {columns} FROM t{where} GROUP BY {', '.join(grouped)} ORDER BY {by} DESC LIMIT 1"
