import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from dalenius.sql.after.regions.carried import Carried
from dalenius.sql.after.regions.query import Queries
from dalenius.sql.after.regions.region import JointRegion
from dalenius.sql.after.regions.sources import PublicSource
from dalenius.sql.after.regions.values import NoRule
from dalenius.sql.engine import language
from tests.sql.after.regions.released import LEVEL, carried, exact, noise, source

EQUAL = {f"m{month:02}": 100 for month in range(24)}
OTHER = {k: 90 + 7 * place for place, k in enumerate(("a", "b", "c", "d", "e", "f"))}
OVER_EQUAL = (
    "SELECT 'all' AS k, MAX(n) AS x FROM t",
    "SELECT 'all' AS k, MIN(n) AS x FROM t",
    "SELECT k, RANK() OVER (ORDER BY n DESC) AS x FROM t",
    "SELECT k, ROW_NUMBER() OVER (ORDER BY n, k) AS x FROM t",
    "SELECT 'all' AS k, COUNT(*) AS x FROM t WHERE n > 100",
    "SELECT 'all' AS k, COUNT_IF(n >= 100) AS x FROM t",
    ("SELECT k, n AS x FROM t ORDER BY n DESC LIMIT 3", "SELECT k, n AS x FROM t"),
    ("SELECT k, n AS x FROM t WHERE n > 110", "SELECT k, n AS x FROM t"),
    (
        "SELECT k, n / SUM(n) OVER () AS x FROM t QUALIFY RANK() OVER (ORDER BY n) <= 2",
        "SELECT k, n / SUM(n) OVER () AS x FROM t",
    ),
    "SELECT k, n / MAX(n) OVER () AS x FROM t",
    "SELECT 'all' AS k, MAX(n) - MIN(n) AS x FROM t",
    "SELECT 'all' AS k, AVG(n) AS x FROM (SELECT n FROM t ORDER BY n DESC LIMIT 5)",
    "SELECT 'all' AS k, SUM(CASE WHEN n > 100 THEN n ELSE 0 END) AS x FROM t",
    "SELECT 'all' AS k, MEDIAN(n) AS x FROM t",
)
OVER_OTHER = (
    "SELECT k, n AS x FROM u",
    "SELECT k, n * 2 + 1 AS x FROM u",
    "SELECT k, SUM(n) OVER (ORDER BY k) AS x FROM u",
    "SELECT k, n - LAG(n) OVER (ORDER BY k) AS x FROM u QUALIFY k > 'a'",
    "SELECT k, AVG(n) OVER (ORDER BY k ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS x FROM u",
    "SELECT k, n / SUM(n) OVER () AS x FROM u",
    "SELECT k, 100.0 * n / (SELECT SUM(n) FROM u) AS x FROM u",
    "SELECT 'all' AS k, SUM(n) AS x FROM u",
    "SELECT 'all' AS k, AVG(n) AS x FROM u",
    "SELECT a.k, a.n - b.n AS x FROM u a JOIN u b ON b.k = 'a' WHERE a.k > 'a'",
    "SELECT a.k, a.n / NULLIF(b.n, 0) AS x FROM u a CROSS JOIN u b WHERE b.k = 'f'",
    "SELECT k, ROUND(n, -1) AS x FROM u",
    "SELECT k, ABS(n - 100) AS x FROM u",
    "SELECT k, GREATEST(n, 100) AS x FROM u",
    "SELECT k, CASE WHEN n > 100 THEN n ELSE 100 END AS x FROM u",
    "SELECT k, SQRT(n) AS x FROM u",
    "SELECT k, DENSE_RANK() OVER (ORDER BY n) AS x FROM u",
    "SELECT k, PERCENT_RANK() OVER (ORDER BY n) AS x FROM u",
    "SELECT CASE WHEN k < 'c' THEN 'ab' ELSE 'rest' END AS k, SUM(n) AS x FROM u GROUP BY 1",
    "SELECT k, n AS x FROM u UNION ALL SELECT 'total', SUM(n) FROM u",
    "SELECT COALESCE(k, 'total') AS k, SUM(n) AS x FROM u GROUP BY ROLLUP (k)",
    "SELECT k, n * n AS x FROM u",
    "SELECT k, COALESCE(NULLIF(n, 100), 0) AS x FROM u",
    "SELECT k, FLOOR(n / 10) AS x FROM u",
    "SELECT k, LEAST(n, 111) + MAX(n) OVER () AS x FROM u",
    "SELECT k, SUM(n) FILTER (WHERE n > 95) AS x FROM u GROUP BY k",
)
OF_MANY_KINDS = (
    "SELECT 'all' AS k, STDDEV(n) AS x FROM t",
    "SELECT 'all' AS k, QUANTILE_CONT(n, 0.9) AS x FROM t",
    "SELECT k, NTILE(4) OVER (ORDER BY n) AS x FROM t",
    "SELECT k, CUME_DIST() OVER (ORDER BY n) AS x FROM t",
    "SELECT k, FIRST_VALUE(n) OVER (ORDER BY n DESC) AS x FROM t",
    "SELECT k, SUM(n) OVER (ORDER BY n DESC) AS x FROM u",
    "SELECT k, n - LAG(n) OVER (ORDER BY n) AS x FROM u",
    "SELECT k, SUM(n) OVER (ORDER BY CASE WHEN k < 'c' THEN 1 WHEN k < 'e' THEN 3 ELSE 9 END "
    "RANGE BETWEEN 2 PRECEDING AND CURRENT ROW) AS x FROM u",
    "SELECT k, (SELECT MAX(n) FROM u v WHERE v.k <= u.k) AS x FROM u",
    "SELECT k, (SELECT COUNT(*) FROM u v WHERE v.n > u.n) AS x FROM u",
    "SELECT 'all' AS k, COUNT(DISTINCT n) AS x FROM t",
    "SELECT 'all' AS k, CORR(n, LENGTH(k) * n) AS x FROM u",
    ("SELECT k, n AS x FROM u WHERE NOT EXISTS (SELECT 1 FROM u v WHERE v.n > u.n)", "SELECT k, n AS x FROM u"),
    "SELECT 'all' AS k, STDDEV(n) AS x FROM t WHERE n >= 100",
    "SELECT 'all' AS k, VAR_POP(n) AS x FROM u WHERE n > 95",
    "SELECT 'all' AS k, STDDEV_POP(CASE WHEN n > 100 THEN n END) AS x FROM u",
    "SELECT v.k, n * v.f AS x FROM u JOIN (VALUES ('a', 2), ('c', 0.5), ('z', 9)) AS v(k, f) ON u.k = v.k",
    "SELECT v.k, COALESCE(n, 0) AS x FROM (VALUES ('a'), ('z')) AS v(k) LEFT JOIN u ON u.k = v.k",
    "SELECT 'all' AS k, MAX(n * f) AS x FROM t JOIN p USING (k)",
    "SELECT p.region AS k, SUM(n) AS x FROM t JOIN p ON t.k = p.k GROUP BY p.region",
    "SELECT p.k, n / f AS x FROM p LEFT JOIN t ON t.k = p.k",
)
PUBLIC = {
    "k": [f"m{month:02}" for month in range(24)],
    "f": [1 + month % 3 for month in range(24)],
    "region": ["north" if month < 9 else "south" for month in range(24)],
}
"""A public table that is joined above the release."""
STATEMENTS = [(one, one) if isinstance(one, str) else one for one in (*OVER_EQUAL, *OVER_OTHER, *OF_MANY_KINDS)]


def covered(text, of_truth, draws, rng):
    """How many draws have all rows that are shown inside of their ends."""
    truth = dict(exact(of_truth, {"t": EQUAL, "u": OTHER}, {"p": PUBLIC}))
    inside = 0
    for _ in range(draws):
        sources = {
            "t": source(EQUAL, noise(rng, len(EQUAL)), draws="t"),
            "u": source(OTHER, noise(rng, len(OTHER)), draws="u"),
            "p": PublicSource(PUBLIC),
        }
        statement, names, rows = carried(text, sources)
        assert not statement.columns[1].reason
        joint = not statement.picked
        ends = statement.ends(names.index("x"), LEVEL, joint)
        holds = [_within(truth[row[0]], pair) for row, pair in zip(rows, ends, strict=True)]
        inside += all(holds)
    return inside


def _within(value, ends):
    return value is None or ends[0] <= value <= ends[1]


def _least(draws):
    """Fewer than this many of `draws` at 80 % have probability below 1e-9, by Hoeffding's bound."""
    return math.floor(0.8 * draws - math.sqrt(draws * math.log(1e9) / 2))


DAILY = [STATEMENTS[place] for place in (0, 2, 6, 9, 16, 54, 56, 59)]


@pytest.mark.parametrize(("text", "of_truth"), DAILY)
def test_the_ends_of_all_rows_hold_at_once_at_their_level(text, of_truth):
    rng = np.random.default_rng()
    assert covered(text, of_truth, 50, rng) >= _least(50)


@pytest.mark.long
@pytest.mark.parametrize(("text", "of_truth"), STATEMENTS)
def test_the_ends_hold_over_many_draws(text, of_truth):
    rng = np.random.default_rng()
    assert covered(text, of_truth, 1500, rng) >= _least(1500)


def test_forty_statements_and_more_are_held_to_their_level():
    assert len(STATEMENTS) == 61


@pytest.mark.parametrize(
    "spoilt",
    [
        PublicSource(PUBLIC | {"f": [1] * 24}),
        PublicSource(PUBLIC | {"region": ["north"] * 24}),
        PublicSource({name: values[:-1] for name, values in PUBLIC.items()}),
        PublicSource({name: [*values, values[0]] for name, values in PUBLIC.items()}),
    ],
)
def test_a_public_table_above_the_release_that_is_not_the_engines_is_caught(spoilt):
    """Other factors, other groups, a row too few or too many: no interval is told, since the engine's rows differ."""
    tables, caught = {"t": source(EQUAL, [0] * 24), "p": PublicSource(PUBLIC)}, []
    for text, _ in STATEMENTS[-3:]:
        statement, _, rows = carried(text, tables)
        assert Carried.of(statement.outer, tables, rows).columns == statement.columns
        try:
            Carried.of(statement.outer, tables | {"p": spoilt}, rows)
        except NoRule:
            caught.append(text)
    assert caught


def test_ends_that_are_half_as_wide_are_found_out():
    rng, hits = np.random.default_rng(), 0
    for _ in range(200):
        statement, _, ((_, peak),) = carried(
            "SELECT 'all' AS k, MAX(n) AS x FROM t", {"t": source(EQUAL, noise(rng, 24))}
        )
        ((low, high),) = statement.ends(1, LEVEL, False)
        hits += peak - (peak - low) / 4 <= 100 <= peak + (high - peak) / 4
    assert hits < _least(200)


def test_a_linear_column_has_the_ends_of_one_sum_and_not_of_a_box():
    sources = {"u": source(OTHER, [0] * 6)}
    statement, _, _ = carried("SELECT SUM(n) AS x FROM u", sources)
    ((low, high),) = statement.ends(0, LEVEL, False)
    single, _, _ = carried("SELECT n AS x FROM u WHERE k = 'a'", sources)
    ((first, last),) = single.ends(0, LEVEL, False)
    assert high - low < 6 * (last - first) / 1.9


def test_two_tables_of_one_draw_have_the_same_noise():
    one, same = source(OTHER, [3] * 6, draws="x"), source(OTHER, [3] * 6, draws="x")
    statement, _, _ = carried("SELECT u.k, u.n - v.n AS x FROM u JOIN v USING (k)", {"u": one, "v": same})
    assert statement.ends(1, LEVEL, False) == [(0.0, 0.0)] * 6
    apart, _, _ = carried(
        "SELECT u.k, u.n - v.n AS x FROM u JOIN v USING (k)", {"u": one, "v": source(OTHER, [3] * 6, draws="y")}
    )
    assert apart.ends(1, LEVEL, False)[0][1] > 5


def test_rows_that_are_not_the_engines_have_no_interval():
    outer, sources = language.read("SELECT SUM(n) AS x FROM u"), {"u": source(OTHER, [0] * 6)}
    with pytest.raises(NoRule, match="other values"):
        Carried.of(outer, sources, [(1,)])
    with pytest.raises(NoRule, match="other rows"):
        Carried.of(outer, sources, [])


def test_what_is_asked_of_the_noise_is_the_same_whatever_was_released():
    """Counted over a region in which nothing is known, and asked over regions of different draws, narrow and wide."""
    rng = np.random.default_rng()
    for text, _ in STATEMENTS:
        counts = set()
        for scale, each in ((1, Fraction(99, 100)), (60, Fraction(1, 100))):
            sources = {
                "t": source(EQUAL, noise(rng, 24, 60), scale, draws="t"),
                "u": source(OTHER, noise(rng, 6, 60), scale, draws="u"),
                "p": PublicSource(PUBLIC),
            }
            statement, _, _ = carried(text, sources)
            region = JointRegion(statement.drawn, each)
            relation = Queries(region, statement.tables).relation(statement.outer)
            needed = frozenset(region.asked)
            for row in relation.rows:
                for value in row.values:
                    region.ends(value)
            assert (len(needed), len(region.asked)) == (statement.needed, statement.every)
            assert statement.picked is not relation.exact
            counts.add((needed, frozenset(region.asked), statement.picked))
        assert len(counts) == 1


def test_groups_that_noisy_numbers_make_have_their_own_ends():
    """Over a region in which nothing is known there are all groups, in another order than those that there can be."""
    text = "SELECT CASE WHEN n > 25 THEN 'big' ELSE 'small' END AS g, SUM(n) AS x FROM t GROUP BY g"
    for counts in ({"a": 10, "b": 40}, {"a": 40, "b": 10}, {"a": 10}, {"a": 40}):
        statement, _, rows = carried(text, {"t": source(counts, [0] * len(counts), 1)})
        for (_, point), (low, high) in zip(rows, statement.ends(1, LEVEL, True), strict=True):
            assert low <= point <= high < low + 20


def test_rows_that_another_region_does_not_have_are_anywhere():
    statement, _, _ = carried("SELECT k, n AS x FROM t", {"t": source(OTHER, [0] * 6)})
    other = replace(statement, engine=(("none", 1),) * 6)
    assert other.ends(1, LEVEL, True) == [(-math.inf, math.inf)] * 6
    few = replace(statement, needed=0, every=0)
    assert few.ends(1, LEVEL, True) == [(-math.inf, math.inf)] * 6
