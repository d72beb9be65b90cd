import pytest

from dalenius.sql.columns import KEY_TYPES, UNIT_TYPES, fits


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("a", "VARCHAR"),
        (127, "TINYINT"),
        (255, "UTINYINT"),
        (-1, "BIGINT"),
        (True, "BOOLEAN"),
        (1, "DOUBLE"),
        (0.5, "FLOAT"),
    ],
)
def test_a_key_fits_a_column_of_its_type(value, kind):
    assert fits(value, kind)


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (1, "VARCHAR"),
        (128, "TINYINT"),
        (-1, "UTINYINT"),
        (True, "BIGINT"),
        (1, "BOOLEAN"),
        ("a", "DOUBLE"),
        (0.5, "INTEGER"),
    ],
)
def test_a_key_of_another_type_does_not(value, kind):
    assert not fits(value, kind)


def test_no_person_is_named_by_a_float_or_a_time():
    assert not {"FLOAT", "DOUBLE"} & UNIT_TYPES
    assert not any(kind.startswith("TIMESTAMP") for kind in UNIT_TYPES)
    assert "DECIMAL(18,3)" not in KEY_TYPES | UNIT_TYPES
