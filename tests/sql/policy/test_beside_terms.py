import pytest

from dalenius.errors import InvalidParameter
from dalenius.sql.policy.beside_terms import BesideTerms


def test_terms_of_other_tables_are_taken_out_of_the_first_ones():
    terms = {
        "columns": {"a": "BIGINT", "more.b": "DOUBLE"},
        "tables": {"more": "more.csv"},
        "units": {"more": "id"},
        "bounds": {"a": [0, 1], "more.b": [2, 3]},
    }
    beside = BesideTerms.taken(terms)
    assert terms == {"columns": {"a": "BIGINT"}, "bounds": {"a": [0, 1]}}
    assert (beside.columns, beside.units) == ({"more.b": "DOUBLE"}, {"more": "id"})
    assert beside.declared.bounds == {"more.b": [2, 3]}


def test_a_unit_of_no_table_is_refused():
    with pytest.raises(InvalidParameter, match="'other'"):
        BesideTerms.taken({"columns": {}, "tables": {}, "units": {"other": "id"}})
