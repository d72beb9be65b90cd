import pytest

from dalenius.errors import InvalidParameter
from dalenius.server.console.builder import ASKED, built


@pytest.fixture
def session(app):
    return app.state.served.catalog._tables["visits"]


@pytest.mark.parametrize("what", ASKED)
@pytest.mark.parametrize("by", ["", "ward"])
def test_every_question_that_can_be_picked_is_answered(session, what, by):
    sql = built(session.policy, {"what": what, "column": "cost", "by": by})
    assert session.explain(sql, epsilon=1).cells == (2 if by else 1)


@pytest.mark.parametrize(
    "picked", [{"what": "mean"}, {"what": "sum", "column": "ward"}, {"by": "patient"}, {"what": "x"}]
)
def test_what_is_not_on_the_lists_is_refused(session, picked):
    with pytest.raises(InvalidParameter):
        built(session.policy, picked)
