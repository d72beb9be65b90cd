from dalenius.sql.types.column_types import kind_of
from dalenius.sql.types.kinds import Kind


def test_the_engines_types_are_few_here():
    assert kind_of("DECIMAL(18,3)") is kind_of("UBIGINT") is kind_of("FLOAT") is Kind.NUMBER
    assert (kind_of("VARCHAR"), kind_of("TIMESTAMP_NS"), kind_of("BLOB")) == (Kind.TEXT, Kind.TIMESTAMP, None)
