import pytest

from dalenius.sql.planner.compile import compile_query
from dalenius.sql.planner.unknown_keys import KeySearch
from dalenius.sql.plans.choose_plan import choose_plan
from dalenius.sql.plans.sums import QueryPlan
from dalenius.sql.plans.top_k import TopPlan
from dalenius.sql.plans.unknown_keys import UnknownKeysPlan
from tests.sql.cases import policy

COUNTED = "SELECT category{} FROM purchases GROUP BY category"


@pytest.mark.parametrize(
    ("query", "unknown", "kind"),
    [
        (COUNTED.format(", COUNT(*)"), None, QueryPlan),
        (f"{COUNTED.format('')} ORDER BY COUNT(DISTINCT user_id) DESC LIMIT 1", None, TopPlan),
        ("SELECT note, COUNT(*) FROM purchases GROUP BY note", KeySearch(1), UnknownKeysPlan),
    ],
)
def test_what_was_compiled_decides_the_plan(query, unknown, kind):
    assert isinstance(choose_plan(compile_query(query, policy("user_id"), unknown), 1, "1e-6"), kind)
