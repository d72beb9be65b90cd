import pytest

from dalenius.errors import UnboundedQuery, UnsupportedQuery
from tests.sql.after.world import close, session, truth


@pytest.fixture(scope="module")
def db(tmp_path_factory):
    return session(tmp_path_factory.mktemp("levels"))


def test_a_total_counts_every_row_also_of_keys_that_nobody_declared(db):
    answer = db.sql(
        "SELECT shop, COUNT(*) AS n, SUM(spent) AS s, AVG(spent) AS a FROM sales GROUP BY ROLLUP (shop)", epsilon=10**5
    )
    whole = [row for row in answer if row[0] is None]
    assert close(whole, truth("SELECT NULL, COUNT(*), SUM(spent), AVG(spent) FROM sales", declared=False))
    exact = truth("SELECT shop, COUNT(*), SUM(spent), AVG(spent) FROM sales GROUP BY 1 ORDER BY 1")
    assert close(sorted(row for row in answer if row[0] is not None), exact)
    assert any("also where it is NULL or not declared" in line for line in repr(answer).splitlines())


@pytest.mark.parametrize(
    "levels",
    [
        "CUBE (shop, year)",
        "GROUPING SETS ((shop, year), (year), ())",
        "year, ROLLUP (shop)",
        "ROLLUP (shop, year)",
        "GROUPING SETS (shop, year)",
    ],
)
def test_levels_are_those_of_duckdb(db, levels):
    terms = "COUNT(*) AS n, SUM(spent) FILTER (WHERE spent > 50) AS s, AVG(spent) AS a, COUNT(DISTINCT person) AS p"
    text = f"SELECT shop, year, GROUPING(shop, year) AS g, {terms} FROM sales GROUP BY {levels}"
    rows = list(db.sql(text, epsilon=10**5))
    exact = truth(text, declared=False)
    # GROUPING tells a total from the group of rows whose shop is NULL; that group, and undeclared shops, are not shown
    shown = [row for row in exact if row[0] != "closed" and not (row[0] is None and row[2] < 2)]
    assert close(sorted(rows, key=_in_order), sorted(shown, key=_in_order))


def _in_order(row):
    return row[2], row[0] or "", row[1] or 0


def test_a_coarser_level_of_counts_costs_nothing_more_and_one_of_distinct_people_does(db):
    counts = db.explain("SELECT shop, COUNT(*) FROM sales GROUP BY ROLLUP (shop)", epsilon=1)
    assert [str(line.epsilon) for line in counts.lines] == ["1"]
    people = db.explain("SELECT shop, COUNT(DISTINCT spent) FROM sales GROUP BY ROLLUP (shop)", epsilon=1)
    assert [str(line.epsilon) for line in people.lines] == ["1/2", "1/2"]


def test_what_is_measured_at_each_level_has_the_interval_of_its_measurement(db):
    """Also a deviation, which could be NULL: each level holds one row of each group, so no rows are chosen from."""
    text = "SELECT shop, STDDEV(spent) AS d, VAR_POP(spent) AS v FROM sales GROUP BY ROLLUP (shop)"
    answer = db.sql(text, epsilon=10**5)
    assert "no interval" not in repr(answer)
    exact = {row[0]: row[1:] for row in truth("SELECT shop, STDDEV(spent), VAR_POP(spent) FROM sales GROUP BY shop")}
    exact |= {None: truth("SELECT STDDEV(spent), VAR_POP(spent) FROM sales", declared=False)[0]}
    ends = answer.interval(1 - 1e-9)
    for place, row in enumerate(answer):
        for name, number in zip("dv", exact[row[0]], strict=True):
            low, high = ends[name][place]
            assert low <= number <= high
            assert high - low < 1


def test_grouping_id_is_grouping_and_names_its_keys(db):
    text = "SELECT shop, GROUPING_ID(shop) AS g, COUNT(*) AS n FROM sales GROUP BY ROLLUP (shop)"
    assert {(row[0] is None, row[1]) for row in db.sql(text, epsilon=10**5)} == {(False, 0), (True, 1)}
    with pytest.raises(UnsupportedQuery, match="names the keys"):
        db.sql(text.replace("GROUPING_ID(shop)", "GROUPING_ID()"), epsilon=1)


def test_levels_take_declared_keys_and_not_too_many(db):
    with pytest.raises(UnboundedQuery, match="declare"):
        db.sql("SELECT spent, COUNT(*) FROM sales GROUP BY ROLLUP (spent)", epsilon=1)
    keys = ", ".join(f"year % {n}" for n in range(2, 12))
    with pytest.raises(UnsupportedQuery, match="levels"):
        db.sql(f"SELECT COUNT(*) FROM sales GROUP BY CUBE ({keys})", epsilon=1)
