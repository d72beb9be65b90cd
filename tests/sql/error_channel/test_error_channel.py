"""No row turns success into failure: an error would tell of it."""

import json
import re
from fractions import Fraction

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from dalenius.curator import Outcome
from dalenius.errors import ExecutionFailed
from dalenius.neighbors import Metric
from dalenius.noise import Bits
from dalenius.sql import Policy
from dalenius.sql.engine import DuckDB
from dalenius.sql.planner.compile import compile_query
from dalenius.sql.planner.unknown_keys import KeySearch
from dalenius.sql.plans.sums import choices
from dalenius.sql.plans.top_k import TopPlan
from dalenius.sql.plans.unknown_keys import UnknownKeysPlan
from tests.sql.error_channel import extremes
from tests.sql.sensitivity import grammar, language

QUIET = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]


@pytest.fixture(scope="module")
def engines(tmp_path_factory):
    """The same table with and without a person of extremes, from each kind of source."""
    folder = tmp_path_factory.mktemp("sources")
    pq.write_table(extremes.table(), folder / "t.parquet")
    held = extremes.table(2)
    pq.write_table(extremes.with_broken_text(held), folder / "odd.parquet")
    lines = [extremes.CSV_HEADER, extremes.CSV_USUAL, *extremes.CSV_ODD, extremes.CSV_USUAL]
    (folder / "t.csv").write_bytes("\n".join(lines).encode() + b"\n2,a,1,1,1,1,true,2024-01-31,2024-01-31,\xff\xfe\n")
    return {
        "usual": DuckDB(folder / "t.parquet"),
        "parquet": DuckDB(folder / "odd.parquet"),
        "arrow": DuckDB(held, table="t"),
        "csv": DuckDB(folder / "t.csv", columns=extremes.COLUMNS),
    }


def answered(engines, query, unit, sums=None, norm=Metric.L1):
    compiled = compile_query(query, grammar.policy(unit, sums=sums), norm=norm)
    for engine in engines.values():
        if compiled.scan:
            engine.scan(compiled.scan, compiled.cells, len(compiled.parts))
        for group in compiled.groups:
            if group.scan:
                engine.scan(group.scan, compiled.cells, len(group.parts))
        for choice in choices(compiled, Fraction(1)):
            assert all(len(column.values) == compiled.cells for column in choice.run(engine, Bits()).columns)


@settings(max_examples=60, suppress_health_check=QUIET)
@given(query=grammar.queries(), sums=grammar.SUMS, norm=st.sampled_from([Metric.L1, Metric.L2]))
def test_no_person_turns_success_into_failure(engines, query, sums, norm):
    answered(engines, query, "who", sums, norm)


@pytest.mark.parametrize("norm", [Metric.L1, Metric.L2])
def test_no_sum_of_a_person_is_too_far_to_be_held(engines, norm):
    """A million rows of the largest number, and bounds a million times as wide: no product leaves its type."""
    policy = Policy.declare(
        "t",
        {"who": "BIGINT", "k": "VARCHAR", "x": "DOUBLE"},
        unit="who",
        keys={"k": ["a", "b"]},
        bounds={"x": (-1, 1), "SUM(x)": (0, 10**6)},
        contributions=2**30,
    )
    compiled = compile_query("SELECT k, SUM(x) FROM t GROUP BY k", policy, norm=norm)
    with duckdb.connect() as connection:
        connection.execute(
            """CREATE TABLE "source" AS SELECT 1 AS who, CASE WHEN i % 3 = 0 THEN 'a' ELSE 'b' END AS k,
            CASE WHEN i % 3 = 0 THEN -9e99 ELSE 9e99 END AS x FROM RANGE(3000000) AS r(i)"""
        )
        parts = dict(connection.execute(compiled.scan).fetchall())
    group = compiled.groups[0]
    size = abs(parts[0]) + abs(parts[1]) if norm is Metric.L1 else (parts[0] ** 2 + parts[1] ** 2) ** 0.5
    assert group.steps * 0.999 < size <= group.steps
    assert parts[0] < 0 < parts[1]


@settings(max_examples=20, suppress_health_check=QUIET)
@given(query=grammar.queries(people=False))
def test_no_row_turns_success_into_failure(engines, query):
    answered(engines, query, "row")


@settings(max_examples=15, suppress_health_check=QUIET)
@given(query=grammar.named_queries(), unit=st.sampled_from(["who", "row"]))
def test_no_key_of_anyones_turns_success_into_failure(engines, query, unit):
    query = query.replace("COUNT(DISTINCT who)", "COUNT(*)") if unit == "row" else query
    plan = UnknownKeysPlan(compile_query(query, grammar.policy(unit), KeySearch()), 1, "0.5")
    for engine in engines.values():
        outcome = Outcome.from_dict(json.loads(json.dumps(plan.run(engine, Bits()).to_dict())))
        for item in outcome.shown:
            outcome.column(item)


@settings(max_examples=10, suppress_health_check=QUIET)
@given(query=grammar.top_queries(), unit=st.sampled_from(["who", "row"]))
def test_no_one_turns_a_choice_of_cells_into_failure(engines, query, unit):
    query = query.replace("COUNT(DISTINCT who)", "COUNT(*)") if unit == "row" else query
    compiled = compile_query(query, grammar.policy(unit))
    assume(compiled.top is not None)  # a WHERE may leave one cell, and then there is nothing to choose
    plan = TopPlan(compiled, 1)
    for engine in engines.values():
        assert len(plan.run(engine, Bits()).rows()) == 1


@pytest.fixture(scope="module")
def joined():
    """Tables of the same people, with and without a person of extremes in all of them."""
    return [
        DuckDB(
            extremes.table(*people), table="t", others=extremes.beside(language.PUBLIC_ROWS, language.PUBLIC, people)
        )
        for people in ((), (2,), (2, 3))
    ]


def answered_over(joined, query, unknown=None):
    compiled = compile_query(query, language.policy(2), unknown, language.OTHERS)
    for engine in joined:
        if compiled.named:
            UnknownKeysPlan(compiled, 1, "0.5").run(engine, Bits())
            continue
        for scan, parts in ((compiled.scan, compiled.parts), *((one.scan, one.parts) for one in compiled.groups)):
            if scan:
                engine.scan(scan, compiled.cells, len(parts))
        for rank in compiled.ranks:
            engine.fetch(rank.scan)


@settings(max_examples=40, suppress_health_check=QUIET)
@given(query=language.queries())
def test_no_person_turns_success_over_tables_and_subqueries_into_failure(joined, query):
    answered_over(joined, query)


@settings(max_examples=12, suppress_health_check=QUIET)
@given(query=language.queries(unknown=True))
def test_no_key_over_tables_and_subqueries_turns_success_into_failure(joined, query):
    answered_over(joined, query, KeySearch())


@pytest.mark.long
@settings(max_examples=1000, suppress_health_check=QUIET)
@given(query=language.queries())
def test_no_person_turns_success_over_tables_and_subqueries_into_failure_at_length(joined, query):
    answered_over(joined, query)


@pytest.mark.parametrize("unit", ["who", "who, k", "who, x", "who, ts", "who, x / y"])
def test_every_aggregate_of_a_subquery_is_total(engines, unit):
    asked = ["COUNT(*)", "COUNT(x)", "COUNT(DISTINCT x)", "SUM(x)", "AVG(y)", "MIN(x)", "MAX(x * x)", "MIN(f)"]
    asked += [
        "MAX(note)",
        "MIN(d)",
        "MAX(ts)",
        "BOOL_OR(flag)",
        "MIN(flag)",
        "SUM(x) / COUNT(*)",
        "SUM(CLAMP(f, 0, 1e99))",
    ]
    shown = ", ".join(f"{term} AS a{place}" for place, term in enumerate(asked))
    counted = ", ".join(f"COUNT(a{place}) AS c{place}" for place in range(len(asked)))
    having = "HAVING SUM(x) > -1 OR MAX(note) LIKE '%' OR TRUE"
    answered(engines, f"SELECT {counted} FROM (SELECT {shown} FROM t GROUP BY {unit} {having}) AS q", "who")


@pytest.mark.parametrize(
    ("order", "distance"),
    [("d", "INTERVAL 40 DAY"), ("ts", "INTERVAL 9000 YEAR"), ("x", "2"), ("f", "0.5"), ("j", "3")],
)
def test_no_row_leaves_the_range_of_a_frame(engines, order, distance):
    frame = f"PARTITION BY who ORDER BY {order} RANGE BETWEEN {distance} PRECEDING AND {distance} FOLLOWING"
    inner = f"SELECT who, COUNT(*) OVER ({frame}) AS n, SUM(CLAMP(x, 0, 1)) OVER ({frame}) AS s FROM t"
    answered(engines, f"SELECT COUNT(*) FROM ({inner}) AS q WHERE n > 1 AND s >= 0", "who")


def test_a_sum_of_large_numbers_that_is_not_held_is_caught(engines):
    """In 64 bits a sum of fixed-point numbers overflows, which the engine says aloud."""
    query = "SELECT COUNT(*) AS n FROM (SELECT who, SUM(CLAMP(x, 0, 1e99)) AS a FROM t GROUP BY who) AS q WHERE a > 0"
    compiled = compile_query(query, grammar.policy())
    engines["arrow"].scan(compiled.scan, 1, 1)
    spoilt, changes = re.subn(r"AS INT128|AS HUGEINT", "AS SMALLINT", compiled.scan)
    assert changes >= 1
    with pytest.raises(Exception, match="engine failed"):
        engines["arrow"].scan(spoilt, 1, 1)


@pytest.mark.long
@settings(max_examples=3000, suppress_health_check=QUIET)
@given(query=grammar.queries())
def test_no_person_turns_success_into_failure_at_length(engines, query):
    answered(engines, query, "who")


@pytest.mark.parametrize(
    "part",
    [
        "YEAR",
        "MONTH",
        "QUARTER",
        "DAY",
        "WEEK",
        "DAYOFWEEK",
        "ISODOW",
        "DAYOFYEAR",
        "WEEKDAY",
        "ISOYEAR",
        "YEARWEEK",
        "DECADE",
        "CENTURY",
    ],
)
def test_every_part_of_every_date_is_total(engines, part):
    answered(engines, f"SELECT COUNT({part}(d)), COUNT({part}(ts)) FROM t WHERE {part}(ts) > 0", "who")


@pytest.mark.parametrize(
    "value",
    [
        *(
            "CAST(d AS TIMESTAMP)",
            "CAST(ts AS DATE)",
            "CAST(d AS VARCHAR)",
            "CAST(ts AS VARCHAR)",
            "CAST(x AS VARCHAR)",
        ),
        *("CAST(note AS TIMESTAMP)", "CAST(note AS DATE)", "CAST(note AS BOOLEAN)", "CAST(x AS BOOLEAN)"),
        *("CAST(x AS BIGINT)", "UPPER(note)", "TRIM(note)", "SUBSTR(note, 0, 2147483647)", "SUBSTR(note, 2147483647)"),
        *("note LIKE '%\\%'", "note ILIKE '_%'", "CONTAINS(note, '')", "STARTS_WITH(k, 'a')", "ROUND(x, 300)"),
        *("REGEXP_MATCHES(note, '(a+)+$')", "REGEXP_FULL_MATCH(note, '.{0,50}')", "REGEXP_EXTRACT(note, '(.*)(.)', 2)"),
        *("ROUND(x, -300)", "x // y", "x % y", "j // 0", "-j", "ABS(j)", "x * x * x - x * x * x", "LEAST(x, y, j)"),
        *("CASE x WHEN 0 THEN 1 WHEN y THEN 2 END", "IF(flag, x, y)", "d = ts", "d < '294276-01-01'", "ts > d"),
        *(
            f"DATE_TRUNC('{unit}', {when})"
            for unit in ("year", "quarter", "month", "week", "day")
            for when in ("d", "ts")
        ),
        *(f"DATE_TRUNC('{unit}', ts)" for unit in ("hour", "minute", "second")),
        *(
            f"{word}('{unit}', d, ts)"
            for word in ("DATE_DIFF", "DATE_SUB")
            for unit in ("year", "week", "day", "second")
        ),
        *(
            "d - d",
            "d + 1000000",
            "d - 1000000",
            "d + INTERVAL 9000 YEAR",
            "ts - INTERVAL 9000 YEAR",
            "ts - d < INTERVAL 1 DAY",
        ),
        *(
            "DAYNAME(d)",
            "MONTHNAME(ts)",
            "LAST_DAY(d)",
            "LAST_DAY(ts)",
            "STRFTIME(ts, '%G-%V %A %j')",
            "STRFTIME(d, '%Y')",
        ),
        *(
            "EXTRACT(year FROM AGE(ts, d))",
            "d > CURRENT_DATE",
            "ts < now()",
            "DATE(ts)",
            "TIME_BUCKET(INTERVAL '1 week', ts)",
        ),
        *("SQRT(x)", "LN(x)", "LOG(y)", "LOG2(j)", "EXP(x)", "POWER(x, 2)", "POWER(x, -0.5)", "SIGN(x)", "TRUNC(x)"),
        *(
            "WIDTH_BUCKET(x, -1, 1, 7)",
            "WIDTH_BUCKET(x * x, 0, 1e300, 10000)",
            "LEFT(note, 2147483647)",
            "RIGHT(note, 3)",
        ),
        *(
            "note || k",
            "CONCAT(note, j, d, ts, x)",
            "REPLACE(REPLACE(note, 'x', 'xxxxxxxxxx'), 'x', 'xxxxxxxxxx')",
            "CAST(j AS VARCHAR)",
        ),
        *(
            "ts AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Tokyo'",
            "HOUR(ts AT TIME ZONE 'America/New_York' AT TIME ZONE 'Europe/Berlin')",
        ),
        *("EXTRACT(second FROM ts)", "DATE_PART('minute', ts)", "x IS DISTINCT FROM y", "LENGTH(note)"),
    ],
)
def test_every_function_is_total(engines, value):
    answered(engines, f"SELECT COUNT({value}) FROM t", "who")


def test_what_is_not_total_is_caught():
    """The guard of casts is what makes them so."""
    engine = DuckDB(extremes.table(2), table="t")
    compiled = compile_query("SELECT COUNT(CAST(d AS TIMESTAMP)) FROM t", grammar.policy())
    engine.scan(compiled.scan, 1, 1)
    with pytest.raises(Exception, match="engine failed"):
        engine.scan(compiled.scan.replace("TRY_CAST", "CAST"), 1, 1)


def test_a_file_of_milliseconds_is_read_whatever_a_row_holds(tmp_path):
    """The scan itself would fail at a time beyond the engine's microseconds."""
    held = extremes.table(2)
    times = held["ts"].cast("int64").cast("timestamp[ms]")
    pq.write_table(held.set_column(8, "ts", times), tmp_path / "t.parquet")
    engine = DuckDB(tmp_path / "t.parquet")
    terms = Policy.declare("t", engine.columns, unit="who", contributions=2)
    for value in ("ts", "CAST(ts AS DATE)", "CAST(ts AS VARCHAR)", "YEAR(ts)"):
        compiled = compile_query(f"SELECT COUNT({value}) FROM t", terms)
        engine.scan(compiled.scan, 1, len(compiled.parts))


TIMES = [
    *("CAST(w AS VARCHAR)", "CAST(w AS DATE)", "CAST(w AS TIMESTAMP)", "w", "w = w", "w > '2020-01-01'", "w IS NULL"),
    *(f"{part}(w)" for part in ("YEAR", "MONTH", "QUARTER", "DAY", "WEEK", "DAYOFWEEK", "ISODOW", "DAYOFYEAR")),
    *("UPPER(CAST(w AS VARCHAR))", "LENGTH(CAST(w AS VARCHAR))", "CAST(CAST(w AS VARCHAR) AS TIMESTAMP)"),
    *("CASE WHEN w > '1970-01-01' THEN 1 END", "COALESCE(w, w)", "CAST(CAST(w AS DATE) AS VARCHAR)"),
]
WHOLE = [
    "SELECT COUNT(*) AS n FROM (SELECT who, MIN(w) AS a FROM t GROUP BY who) AS q WHERE CAST(a AS VARCHAR) > 'a'",
    "SELECT COUNT(*) AS n FROM (SELECT who, MAX(CAST(w AS VARCHAR)) AS a FROM t GROUP BY who) AS q WHERE a > '2'",
    "SELECT COUNT(DISTINCT CAST(w AS VARCHAR)) AS n FROM t",
    "SELECT COUNT(DISTINCT w) AS n FROM t",
]
EDGES = dict(extremes.time_edges())


def edge_engines(kind, folder):
    """The edges of a type, each a person's, from each source that has the type."""
    held = pa.table({"who": pa.array(range(len(EDGES[kind]))), "w": EDGES[kind]})
    yield DuckDB(held, table="t")
    if kind in (pa.date32(), pa.timestamp("us")):
        pq.write_table(held, folder / "t.parquet")
        yield DuckDB(folder / "t.parquet")
    if kind != pa.date64():
        with duckdb.connect(str(folder / "t.duckdb")) as connection:
            connection.execute("CREATE TABLE t AS SELECT * FROM held")
        yield DuckDB(folder / "t.duckdb", table="t")


@pytest.mark.parametrize("kind", EDGES, ids=str)
def test_no_edge_of_a_time_fails_a_question_nor_the_one_after_it(kind, tmp_path):
    asked = [f"SELECT COUNT({value}) AS n FROM t" for value in TIMES] + WHOLE
    for engine in edge_engines(kind, tmp_path):
        terms = Policy.declare("t", engine.columns, unit="who", contributions=1)
        count = compile_query("SELECT COUNT(*) AS n FROM t", terms)
        for query in asked:
            compiled = compile_query(query, terms)
            for scan, parts in ((compiled.scan, compiled.parts), *((one.scan, one.parts) for one in compiled.groups)):
                if scan:
                    engine.scan(scan, compiled.cells, len(parts))
            assert engine.scan(count.scan, 1, 1)[0, 0] * count.groups[0].lattice.step == len(EDGES[kind])


def test_a_text_of_a_time_that_is_not_guarded_is_caught(tmp_path):
    engine = next(edge_engines(pa.timestamp("us"), tmp_path))
    terms = Policy.declare("t", engine.columns, unit="who", contributions=1)
    compiled = compile_query("SELECT COUNT(CAST(w AS VARCHAR)) AS n FROM t", terms)
    spoilt = compiled.scan.replace("290309-12-22 (BC) 00:00:00", "infinity").replace("GREATEST", "LEAST")
    spoilt = spoilt.replace(">= CAST", "<= CAST")
    assert spoilt != compiled.scan
    with pytest.raises(ExecutionFailed):
        engine.scan(spoilt, 1, 1)


EARLY = "w < CAST('290309-12-22 (BC) 00:00:00' AS TIMESTAMP) AND w <> CAST('-infinity' AS TIMESTAMP)"


def test_a_guard_by_a_case_alone_is_caught(tmp_path):
    """Of a Parquet file the engine casts the dictionary, with entries that no row of the branch has."""
    engine = list(edge_engines(pa.timestamp("us"), tmp_path))[1]
    with pytest.raises(ExecutionFailed):
        engine.scan(f"SELECT 0, COUNT(CASE WHEN {EARLY} THEN NULL ELSE TRY_CAST(w AS VARCHAR) END) FROM source", 1, 1)


def test_the_guard_takes_the_text_of_no_time_that_has_one(tmp_path):
    engine = next(edge_engines(pa.timestamp("us"), tmp_path))
    terms = Policy.declare("t", engine.columns, unit="who", contributions=1)
    compiled = compile_query("SELECT COUNT(CAST(w AS VARCHAR)) AS n FROM t", terms)
    values = EDGES[pa.timestamp("us")].cast(pa.int64()).to_pylist()
    written = [one for one in values if one >= -9223372022400000000 or one == -(2**63) + 1]
    assert engine.scan(compiled.scan, 1, 1)[0, 0] * compiled.groups[0].lattice.step == len(written)
