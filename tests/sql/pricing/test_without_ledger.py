from dataclasses import replace

import pytest

from dalenius.errors import InvalidParameter, MixedRelations
from dalenius.sql.pricing.without_ledger import OwnersTerms
from dalenius.sql.text.statement import read_statement
from tests.sql.cases import policy

COUNT = "SELECT COUNT(*) AS n FROM purchases"


def explained(query, terms, epsilon):
    return OwnersTerms(terms, {}).explain(read_statement(query), epsilon)


def test_a_hundredth_of_the_budgets_delta_may_be_spent_on_finding_keys():
    terms = replace(policy("user_id"), budget={"epsilon": 1, "delta": "1e-4"})
    told = explained("SELECT note, COUNT(*) FROM purchases GROUP BY note", terms, epsilon=1)
    assert told.guarantee.sum_form[1] == pytest.approx(1e-6)


def test_what_is_to_be_found_first_is_said():
    told = explained(COUNT, replace(policy("user_id"), contributions=None), epsilon=1)
    assert "how many rows each user_id has" in told.notes[0]
    assert explained(COUNT, policy("user_id"), epsilon=1).notes == ()
    people = "SELECT COUNT(DISTINCT user_id) FROM purchases"
    assert explained(people, replace(policy("user_id"), contributions=None), epsilon=1).notes == ()


def test_the_text_may_hold_the_price_and_must_not_name_another_unit():
    options = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 2{}) COUNT(*) FROM purchases"
    assert explained(options.format(""), policy(), epsilon=None).guarantee.epsilon(0) == 2
    with pytest.raises(InvalidParameter, match="epsilon is 1 in the call"):
        explained(options.format(""), policy(), epsilon=1)
    with pytest.raises(MixedRelations):
        explained(options.format(", privacy_unit_column = note"), policy("user_id"), epsilon=None)
