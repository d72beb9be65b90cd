import pytest

from dalenius.errors import UnsupportedQuery
from tests.sql.rows.reading import read


@pytest.mark.parametrize(
    "text",
    [
        *(
            "random()",
            "error('x')",
            "read_text('f')",
            "f(x)",
            "md5(k)",
            "[1, 2]",
            "{'a': 1}",
            "clock_timestamp()",
            "d AT TIME ZONE 'UTC'",
        ),
        *("getenv('HOME')", "nextval('s')", "x -> 1", "COUNT(*)", "SUM(x)", "INTERVAL 1 DAY", "k COLLATE nocase"),
    ],
)
def test_what_is_not_in_the_table_is_refused(text):
    with pytest.raises(UnsupportedQuery):
        read(text)


def test_one_text_means_one_expression():
    assert read("x + 1").text == read("(x) + 1.0").text
