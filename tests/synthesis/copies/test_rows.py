from collections import Counter

from dalenius.synthesis.copies.rows import SyntheticRows, unit_column


def test_rows_say_that_they_are_synthetic_at_every_exit():
    rows = SyntheticRows({"age": [1, 2, None], "sex": ["F", "M", "F"]})
    assert rows.to_arrow().schema.metadata == {b"dalenius": b"synthetic"}
    assert rows.to_pandas().attrs == {"dalenius": "synthetic"}
    assert rows.to_polars().shape == (3, 2)
    assert repr(rows).startswith("synthetic rows")
    assert len(rows) == 3


def test_no_synthetic_person_has_more_rows_than_the_bound():
    assert max(Counter(unit_column(101, 7)).values()) == 7
