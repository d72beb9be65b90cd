import pyarrow as pa
import pytest

from dalenius.errors import InvalidParameter
from dalenius.sql.engine import read_public_table


def test_keys_bounds_and_unique_columns_come_from_the_rows():
    read = read_public_table("zones", pa.table({"id": [1, 2], "zone": ["a", "a"]}))
    assert (read.columns, read.unique) == ({"id": "BIGINT", "zone": "VARCHAR"}, {"id"})
    assert (list(read.keys["zone"].values), read.bounds["id"]) == (["a"], (1.0, 2.0))


def test_other_content_has_another_digest():
    one, two = (read_public_table("zones", pa.table({"id": ids})).digest for ids in ([1], [2]))
    assert one != two


def test_what_is_no_table_is_refused():
    with pytest.raises(InvalidParameter):
        read_public_table("zones", object())
