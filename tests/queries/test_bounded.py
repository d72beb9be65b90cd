import pytest

from dalenius.errors import UnboundedQuery
from dalenius.neighbors import Unit
from dalenius.queries.bounded import one_row


def test_a_row_is_bounded_and_a_person_is_not():
    one_row(Unit.row(), "COUNT(*)")
    with pytest.raises(UnboundedQuery, match=r"COUNT\(\*\) .* each user_id"):
        one_row(Unit("user_id"), "COUNT(*)")
