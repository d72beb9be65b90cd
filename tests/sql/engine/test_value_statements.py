from dalenius.sql.engine import DIALECT
from dalenius.sql.engine.value_statements import ScannedValue


def test_a_number_that_is_nan_is_no_value_and_a_text_is_one():
    assert "ISNAN" in ScannedValue("v", "p", is_number=True).present(DIALECT)
    assert ScannedValue("v", "p", is_number=False).present(DIALECT) == '"v" IS NOT NULL'
