from dalenius.sql.types import engine_names as names


def test_names_differ():
    assert len({names.SOURCE, names.CELL, names.UNIT}) == 3
