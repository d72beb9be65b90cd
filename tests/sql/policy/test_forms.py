import pytest

from dalenius.errors import InvalidParameter
from dalenius.neighbors import Unit
from dalenius.sql.policy.forms import check_forms


def test_terms_in_their_form_pass():
    check_forms(
        {"bounds": {"age": (0, 1)}, "columns": {"age": "DOUBLE"}, "table": "t", "unit": Unit.row(), "keys": None}
    )


@pytest.mark.parametrize(
    ("terms", "said"),
    [
        ({"bounds": (0, 1)}, "bounds="),
        ({"keys": ["a"]}, "keys="),
        ({"fill": 0}, "fill="),
        ({"columns": {"age": float}}, "that of 'age' is no text"),
        ({"table": 3}, "table must be a text"),
        ({"table": ""}, "table must be a text"),
        ({"unit": 3}, "a column's name"),
    ],
)
def test_terms_in_another_form_are_refused_with_the_form(terms, said):
    with pytest.raises(InvalidParameter, match=said):
        check_forms(terms)
