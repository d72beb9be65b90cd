from dataclasses import replace
from datetime import date, datetime
from fractions import Fraction

import pyarrow as pa
import pytest

from dalenius.errors import UnboundedQuery
from dalenius.neighbors import Metric
from dalenius.sql import Policy, connect
from dalenius.sql.planner.compile import Compiler, Reading
from dalenius.sql.pricing.request import Request, norm_for
from tests.sql.cases import policy

SILENT = replace(policy("user_id"), contributions=None)


def request(text, terms=SILENT, delta=Fraction(0), groups=1, **more):
    return Request(text, terms, {}, delta, groups, 1, Fraction(1, 50), **more)


def reach(compiled):
    return [one.steps for one in (*compiled.groups, *compiled.ranks, *compiled.modes)]


@pytest.mark.parametrize("grouped", ["", " GROUP BY category", " GROUP BY note"])
@pytest.mark.parametrize(
    "asked",
    [
        *("COUNT(*)", "COUNT(DISTINCT user_id)", "COUNT(DISTINCT note)", "SUM(price)", "AVG(price)", "MEDIAN(price)"),
        *("MODE(category)", "COUNT(DISTINCT user_id), COUNT(*)"),
    ],
)
def test_a_query_grows_just_where_two_rows_of_a_unit_move_it_further_than_one(asked, grouped):
    one = request(f"SELECT {asked} FROM purchases{grouped}", delta=Fraction(1, 1000))
    assert one.compiled(1, 1).grows == (reach(one.compiled(2, 1)) != reach(one.compiled(1, 1)))


def test_an_answer_over_one_row_of_each_unit_does_not_grow():
    inner = "SELECT user_id, COUNT(*) AS n FROM purchases GROUP BY user_id"
    one = request(f"SELECT COUNT(*) FROM ({inner}) AS s")
    assert not one.compiled(1, 1).grows
    assert reach(one.compiled(2, 1)) == reach(one.compiled(1, 1))


def test_who_has_one_row_is_in_one_group_and_needs_no_histogram_of_groups():
    inner = "SELECT user_id, COUNT(*) AS n FROM purchases GROUP BY user_id"
    each = request(f"SELECT n, COUNT(*) FROM ({inner}) GROUP BY n", delta=Fraction(1, 1000), groups=None)
    assert each.groups_of(each.compiled(1, 1)) is None
    noted = request("SELECT note, COUNT(*) FROM purchases GROUP BY note", delta=Fraction(1, 1000), groups=None)
    assert noted.groups_of(noted.compiled(1, 1)) is not None


def test_a_session_reads_a_text_once_and_bounds_it_once_for_each_bound(monkeypatch):
    read, bounded = [], []
    real_read, real_bounded = Reading.of, Reading.compiled
    monkeypatch.setattr(Reading, "of", lambda *terms: read.append(terms) or real_read(*terms))
    monkeypatch.setattr(Reading, "compiled", lambda *terms: bounded.append(terms) or real_bounded(*terms))
    one = request("SELECT COUNT(*) FROM purchases", compiler=Compiler(SILENT, {}))
    assert one.compiled(3) is one.compiled(3)
    assert (len(read), len(bounded)) == (1, 1)
    assert one.compiled(4) != one.compiled(3)
    assert (len(read), len(bounded)) == (1, 2)


@pytest.mark.parametrize("spread", [False, True])
@pytest.mark.parametrize(
    "text",
    [
        "SELECT category, AVG(price) FROM purchases GROUP BY category",
        "SELECT note, SUM(price), MEDIAN(price) FROM purchases WHERE gift GROUP BY note",
    ],
)
def test_a_text_that_was_read_is_bounded_as_if_it_were_read_again(text, spread):
    delta = Fraction(1, 1000)
    one = request(text, compiler=Compiler(SILENT, {}), delta=delta, groups=None, spread=spread)
    for most, groups in ((1, 1), (2**16, 2**16), (5, 3)):
        alone = request(text, delta=delta, groups=None, spread=spread)
        assert one.compiled(most, groups).facts() == alone.compiled(most, groups).facts()
        assert one.compiled(most, groups).view == alone.compiled(most, groups).view


def test_gaussian_noise_is_for_more_than_one_row_of_a_unit():
    assert norm_for(1, spread=True) is norm_for(None, spread=True) is norm_for(5, spread=False) is Metric.L1
    assert norm_for(2, spread=True) is Metric.L2


@pytest.mark.parametrize(
    ("query", "hangs"),
    [
        ("SELECT COUNT(*) FROM purchases", False),
        ("SELECT COUNT(*) FROM purchases WHERE day > CURRENT_DATE - INTERVAL 7 DAY", True),
        ("SELECT DATE_TRUNC('day', day), COUNT(*) FROM purchases GROUP BY 1", True),
        ("SELECT DATE_TRUNC('day', day), COUNT(*) FROM purchases WHERE day < '2024-01-01' GROUP BY 1", False),
    ],
)
def test_a_question_that_is_another_tomorrow_is_known_to_be_one(query, hangs):
    terms = Policy.declare(
        *("purchases", {"user_id": "BIGINT", "day": "DATE"}),
        unit="user_id",
        contributions=2,
        bounds={"day": ("2023-01-01", "2199-12-31")},
    )
    asked = request(query)
    assert replace(asked, policy=terms, compiler=None).hangs_on_today == hangs
    assert not replace(asked, policy=replace(terms, as_of="2024-01-01"), compiler=None).hangs_on_today


@pytest.mark.parametrize(("as_of", "charged"), [(None, [0.5, 0.5]), ("2024-03-01", [0.5, 0])])
def test_today_is_paid_again_tomorrow_and_a_declared_day_is_not(tmp_path, monkeypatch, as_of, charged):
    class Clock(datetime):
        day = 1

        @classmethod
        def now(cls, tz=None):
            return datetime(2024, 3, cls.day, 12, tzinfo=tz)

    monkeypatch.setattr("dalenius.sql.policy.policy.datetime", Clock)
    db = connect(
        pa.table({"user_id": [1, 2], "day": [date(2024, 2, 28), date(2024, 3, 1)]}),
        **{"table": "t", "unit": "user_id", "contributions": 1, "as_of": as_of, "budget": {"epsilon": 2}},
        ledger=tmp_path / "t.ledger",
    )
    query, spent = "SELECT COUNT(*) AS n FROM t WHERE day >= CURRENT_DATE - INTERVAL 2 DAY", []
    for Clock.day in (1, 2):
        before = float(db.ledger.remaining("t").epsilon)
        assert ("tomorrow this is" in str(db.explain(query, epsilon=0.5))) == (as_of is None)
        db.sql(query, epsilon=0.5)
        spent.append(before - float(db.ledger.remaining("t").epsilon))
    assert spent == charged


@pytest.mark.parametrize(
    ("query", "hangs"),
    [
        ("SELECT COUNT(*) FROM purchases WHERE born < 2000", False),
        ("SELECT COUNT(*) FROM purchases WHERE born < EXTRACT(YEAR FROM CURRENT_DATE)", True),
        ("SELECT COUNT(*) FROM purchases WHERE born < YEAR(TODAY())", True),
        ("SELECT COUNT(*) FROM purchases WHERE CAST(note AS DATE) < Now()", True),
    ],
)
def test_today_is_seen_in_a_table_without_days(query, hangs):
    columns = {"user_id": "BIGINT", "born": "BIGINT", "note": "VARCHAR"}
    terms = Policy.declare("purchases", columns, unit="user_id", contributions=2)
    assert replace(request(query), policy=terms, compiler=None).hangs_on_today == hangs


@pytest.mark.parametrize("inside", ["COUNT(*)", "COUNT(price)", "SUM(price)"])
def test_a_bound_that_is_tried_or_found_bounds_no_count_and_no_sum_of_a_persons_rows(inside):
    # read as if it were declared, a trial of one row answered the mean number of rows with 1.0000, whatever it was
    inner = f"(SELECT user_id, {inside} AS n FROM purchases GROUP BY user_id) AS q"
    asked = request(f"SELECT AVG(n) FROM {inner}", compiler=Compiler(SILENT, {}))
    held = request(f"SELECT SUM(CLAMP(n, 0, 50)) FROM {inner}", compiler=Compiler(SILENT, {}))
    for most in (1, 2**16, 5):
        with pytest.raises(UnboundedQuery, match="AVG\\(n\\) needs bounds"):
            asked.compiled(most)
        assert sum(one.steps * one.lattice.step for one in held.compiled(most).groups) == 50
    declared = replace(SILENT, contributions=5)
    assert request(f"SELECT AVG(n) FROM {inner}", declared).compiled().groups


def test_keys_of_a_persons_rows_are_read_alike_for_the_answer_and_its_histogram_of_groups():
    inner = "(SELECT user_id, note, COUNT(*) OVER (PARTITION BY user_id) AS n FROM purchases) AS q"
    asked = request(f"SELECT n, COUNT(*) FROM {inner} GROUP BY n", delta=Fraction(1, 1000), groups=None)
    assert [key.name for key in asked.compiled(1, 1).named] == ["n"]
    assert asked.groups_of(asked.compiled(1, 1)).query.counted == "groups by n"
