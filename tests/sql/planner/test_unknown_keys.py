import pytest

from dalenius.errors import InvalidParameter
from dalenius.sql.planner.unknown_keys import KeySearch, UnknownKey
from dalenius.sql.types.kinds import Kind


@pytest.mark.parametrize(
    "terms", [{"groups": 0}, {"groups": True}, {"groups": 2**21}, {"min_units": 0}, {"min_units": 1.5}, {"salt": "\0"}]
)
def test_bad_terms_are_refused(terms):
    with pytest.raises(InvalidParameter, match=next(iter(terms))):
        KeySearch(**terms)


def test_a_key_has_a_name_of_the_engines_own():
    assert UnknownKey('my "column"', 3, Kind.TEXT).column == "key3"


def test_a_key_that_can_be_null_names_the_term_that_gives_its_rows_a_group():
    assert UnknownKey("note", 0, Kind.TEXT).with_null == "COALESCE(note, 'none')"
    assert UnknownKey("x", 0, Kind.NUMBER).with_null == "COALESCE(x, -1)"
    day = UnknownKey('CAST("source"."d" AS DATE)', 0, Kind.TEXT, Kind.DATE)
    assert day.shown == 'CAST("d" AS DATE)'
    assert day.with_null == "COALESCE(CAST(CAST(\"d\" AS DATE) AS VARCHAR), 'none')"
    assert UnknownKey("x" * 500, 0, Kind.TEXT).with_null == f"COALESCE({'x' * 99}…, 'none')"
