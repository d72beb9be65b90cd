from dalenius.sql import names


def test_names_differ():
    assert len({names.SOURCE, names.CELL, names.UNIT}) == 3
