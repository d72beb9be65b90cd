import pytest

from dalenius.sql.engine import Engine


def test_an_engine_that_lacks_a_duty_is_none():
    class Half(Engine):
        def scan(self, statement, cells, parts): ...

    with pytest.raises(TypeError, match="abstract"):
        Half()
