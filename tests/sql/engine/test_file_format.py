import pytest

from dalenius.errors import InvalidParameter
from dalenius.sql import FileFormat


def test_a_format_comes_back_from_its_terms():
    written = FileFormat.declared("t", {"delimiter": ";", "decimal": ",", "dates": "%d.%m.%Y", "nulls": ["n/a"]})
    assert FileFormat.declared("t", written.to_terms()) == written
    assert FileFormat().to_terms() == {}


@pytest.mark.parametrize(
    "given",
    [
        *[
            {"delimiter": "::"},
            {"decimal": "x"},
            {"delimiter": ",", "decimal": ","},
            {"dates": "%d.%m"},
            {"dates": "'"},
        ],
        *[{"encoding": "utf-16"}, {"nulls": "n/a"}, {"sheet": 3}, {"mark": ";"}, ";"],
    ],
)
def test_what_is_no_format_is_refused(given):
    with pytest.raises(InvalidParameter):
        FileFormat.declared("t", given)
