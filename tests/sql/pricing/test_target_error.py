from fractions import Fraction

import pytest

from dalenius.errors import InvalidParameter, UnsupportedQuery
from dalenius.sql import Policy
from dalenius.sql.planner.compile import compile_query
from dalenius.sql.planner.unknown_keys import KeySearch
from dalenius.sql.plans.sums import QueryPlan, errors_of
from dalenius.sql.pricing.target_error import TargetError, WantedPrice, epsilon_within, measures_at, rounded
from dalenius.sql.text.statement import Statement

COLUMNS = {"who": "BIGINT", "k": "VARCHAR", "x": "DOUBLE", "city": "VARCHAR"}
SAID = Statement("SELECT 1")


def compiled(query, relation="who", **terms):
    policy = Policy.declare(
        "t", COLUMNS, unit=relation, contributions=3, keys={"k": ["a", "b"]}, bounds={"x": (-4, 10)}
    )
    return compile_query(query, policy, **terms)


LEVEL = Fraction(19, 20)
LINEAR = [
    "SELECT COUNT(*) AS n FROM t",
    "SELECT COUNT(DISTINCT who) AS n FROM t",
    "SELECT k, SUM(x) AS s FROM t GROUP BY k",
    "SELECT k, COUNT(*) AS n, 2 * SUM(x) - COUNT(x) AS s FROM t GROUP BY k",
    "SELECT k, COUNT(*) AS n FROM t GROUP BY k ORDER BY n DESC LIMIT 1",
]


@pytest.mark.parametrize("query", LINEAR)
@pytest.mark.parametrize("error", [Fraction(7), Fraction(1000)])
def test_the_error_asked_for_is_met_and_a_hundredth_less_would_not_be(query, error):
    query = compiled(query)
    beta = (1 - LEVEL) / (query.cells if query.output.limit else 1)
    epsilon = epsilon_within(query, error, LEVEL)
    assert all(radius <= error for radius in errors_of(query, measures_at(query, epsilon), 1 - beta).values())
    less = errors_of(query, measures_at(query, epsilon * Fraction(8, 10)), 1 - beta).values()
    assert any(radius > error for radius in less)


def test_what_is_explained_is_what_was_asked_for():
    query = compiled(LINEAR[2])
    told = QueryPlan(query, epsilon_within(query, Fraction(100), LEVEL)).explain()
    assert 99.9 < told.errors["s"] <= 100


def test_a_price_has_six_digits_and_is_rounded_up():
    assert rounded(Fraction(1, 3)) == Fraction(333334, 10**6)
    assert rounded(Fraction(2)) == 2


@pytest.mark.parametrize(
    "query", ["SELECT AVG(x) AS m FROM t", "SELECT MEDIAN(x) AS m FROM t", "SELECT STDDEV(x) FROM t"]
)
def test_an_error_that_depends_on_the_value_is_refused(query):
    with pytest.raises(UnsupportedQuery, match="not known before its value"):
        epsilon_within(compiled(query), Fraction(1), LEVEL)


def test_noise_that_picks_among_unknown_keys_is_refused():
    query = compiled("SELECT city, COUNT(*) AS n FROM t GROUP BY city HAVING COUNT(*) > 9", unknown=KeySearch())
    with pytest.raises(UnsupportedQuery, match="noise picks"):
        epsilon_within(query, Fraction(1), LEVEL)


@pytest.mark.parametrize(
    ("given", "error", "share"),
    [
        ({"within": 100}, Fraction(100), None),
        ({"within": "100"}, Fraction(100), None),
        ({"within": 0.05, "of": 10_000}, Fraction(500), None),
        ({"within": "5%", "max_epsilon": 1}, None, Fraction(1, 20)),
        ({"within": " 0.5 % ", "max_epsilon": 1}, None, Fraction(1, 200)),
    ],
)
def test_an_error_is_absolute_or_a_share_of_a_number_or_of_the_answer(given, error, share):
    read = TargetError.read(given["within"], given.get("of"), "0.95", given.get("max_epsilon"))
    assert (read.error, read.share) == (error, share)


@pytest.mark.parametrize(
    "given",
    [
        *({"within": -1}, {"within": 0}, {"within": "5 percent"}, {"within": "5%"}, {"within": "0%", "max_epsilon": 1}),
        *({"within": "5%", "of": 3, "max_epsilon": 1}, {"within": "100%", "max_epsilon": 1}, {"within": "1..2%"}),
        *({"within": 5, "confidence": 1}, {"within": 5, "epsilon": 1}, {"of": 5, "epsilon": 1}, {"max_epsilon": 1}, {}),
    ],
)
def test_what_is_no_error_is_refused(given):
    with pytest.raises(InvalidParameter):
        WantedPrice.read(
            SAID,
            given.get("epsilon"),
            given.get("within"),
            given.get("of"),
            given.get("confidence", "0.95"),
            given.get("max_epsilon"),
        )


def test_more_than_max_epsilon_is_refused_before_anything_is_paid():
    wanted = WantedPrice.read(SAID, None, 10, max_epsilon="0.1")
    with pytest.raises(InvalidParameter, match="allow more of either"):
        wanted.price(compiled(LINEAR[0]))
    assert WantedPrice.read(SAID, None, 10, max_epsilon=9).price(compiled(LINEAR[0])) < 9
