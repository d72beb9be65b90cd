import pytest

from dalenius.errors import UnsupportedQuery
from dalenius.sql.rows.literals import number_of, text_of
from tests.sql.rows.reading import read, value


@pytest.mark.parametrize("text", ["0.1", "-3", "1e-300", "12345678901234567890", "2.5"])
def test_a_number_is_the_double_nearest_to_it(text):
    assert value(text) == float(text)
    assert number_of(read(text)) == float(text)


def test_texts_booleans_and_null():
    assert (value("'it''s'"), value("TRUE"), text_of(read("'a'"))) == ("it's", True, "a")
    assert read("NULL").values == ()
    assert number_of(read("x")) is None
    assert text_of(read("k")) is None


@pytest.mark.parametrize("text", ["1e999", "9" * 100, "'" + "x" * 10_001 + "'", "'a\0b'"])
def test_what_is_too_large_is_refused(text):
    with pytest.raises(UnsupportedQuery):
        read(text)
