import numpy as np
import pytest

from dalenius.sql.after.regions.rows import HERE, Presence, Row, RowRelation
from dalenius.sql.after.regions.subqueries import exists
from dalenius.sql.after.regions.values import Exact, NoRule, OneOf
from tests.sql.after.regions.released import carried, exact, outside, source

COUNTS = {"a": 10, "b": 30, "c": 20, "d": 40, "e": 31}
STATEMENTS = [
    "SELECT k, (SELECT MAX(n) FROM t u WHERE u.k <= t.k) AS x FROM t",
    "SELECT k, (SELECT SUM(n) FROM t u WHERE u.k < t.k) AS x FROM t",
    "SELECT k, (SELECT COUNT(*) + 1 FROM t u WHERE u.n > t.n) AS x FROM t",
    "SELECT k, n - (SELECT n FROM t u WHERE u.k < t.k ORDER BY u.k DESC LIMIT 1) AS x FROM t",
    "SELECT k, (SELECT AVG(n) FROM t u WHERE (u.k < 'c') = (t.k < 'c')) AS x FROM t",
    "SELECT k, (SELECT MIN((SELECT MAX(n) FROM t v WHERE v.k >= u.k AND v.k >= t.k)) FROM t u) AS x FROM t",
    "SELECT k, n AS x FROM t WHERE k IN (SELECT k FROM t WHERE n > 15)",
    "SELECT k, n AS x FROM t WHERE k NOT IN (SELECT k FROM t WHERE n > 25)",
    "SELECT k, n AS x FROM t WHERE EXISTS (SELECT 1 FROM t u WHERE u.k > t.k)",
    "SELECT k, n AS x FROM t WHERE NOT EXISTS (SELECT 1 FROM t u WHERE u.n > t.n)",
    "SELECT k, n AS x FROM t WHERE n IN (SELECT MAX(n) FROM t)",
]


@pytest.mark.parametrize("text", STATEMENTS)
def test_queries_inside_are_those_of_duckdb(text):
    _, _, rows = carried(text, {"t": source(COUNTS, [0] * 5)})
    assert sorted(rows) == sorted(exact(text, {"t": COUNTS}))


@pytest.mark.parametrize(
    "text",
    [
        "SELECT k, (SELECT MAX(n) FROM t u WHERE u.k <= t.k) AS x FROM t",
        "SELECT k, (SELECT MEDIAN(n) FROM t u WHERE u.k >= t.k) AS x FROM t",
        "SELECT k, n AS x FROM t WHERE EXISTS (SELECT 1 FROM t u WHERE u.k > t.k)",
    ],
)
def test_no_table_of_the_region_gives_a_row_outside_of_its_ends(text):
    missed, seen = outside(text, COUNTS, np.random.default_rng())
    assert missed == []
    assert seen >= 70


def test_a_query_inside_that_reads_a_noisy_number_of_the_row_around_counts_all_that_is_possible():
    """The rank of five counts that are the same but for noise may be any."""
    counts = dict.fromkeys("abcde", 50)
    statement, _, _ = carried(
        "SELECT k, (SELECT COUNT(*) FROM t u WHERE u.n > t.n) AS x FROM t", {"t": source(counts, [0] * 5)}
    )
    for low, high in statement.ends(1, 0.95, True):
        assert (low, high) == (0.0, 4.0)


def test_a_row_that_may_be_there_makes_exists_uncertain():
    maybe, never = Presence(False, False, True, True), Presence(False, False, False, False)
    assert exists(RowRelation((), ())) == Exact(False)
    assert exists(RowRelation((), (Row((), HERE), Row((), maybe)))) in (Exact(True), OneOf(frozenset({True}), True))
    assert exists(RowRelation((), (Row((), maybe),))) == OneOf(frozenset({True, False}), True)
    assert exists(RowRelation((), (Row((), never),))) == OneOf(frozenset({False}), False)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT k, (SELECT n FROM t u WHERE u.k >= t.k) AS x FROM t WHERE k = 'a'",
        "SELECT k, (SELECT n FROM t u ORDER BY n LIMIT 1) AS x FROM t",
    ],
)
def test_what_gives_several_rows_or_rows_that_noise_picks_has_no_rule(text):
    with pytest.raises(NoRule, match="one value"):
        carried(text, {"t": source(COUNTS, [0] * 5)})


def test_a_query_inside_of_many_rows_has_no_rule():
    many = {f"k{place:03}": 5 for place in range(201)}
    with pytest.raises(NoRule, match="more than 200 rows"):
        carried("SELECT k, (SELECT MAX(u.n) FROM t u WHERE u.k = t.k) AS x FROM t", {"t": source(many, [0] * 201)})


def test_a_query_inside_that_reads_a_key_of_groups_has_no_rule():
    """The total of ROLLUP has NULL in its place, and no row's own key."""
    text = "SELECT k, (SELECT MAX(n) FROM t u WHERE u.k = t.k) AS x FROM t GROUP BY ROLLUP (k)"
    with pytest.raises(NoRule, match="of groups"):
        carried(text, {"t": source(COUNTS, [0] * 5)})
