import pytest

from dalenius.sql.types.column_types import KEY_TYPES, UNIT_TYPES, fits, written


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


@pytest.mark.parametrize(
    ("text", "kind", "key"),
    [
        *(("01", "VARCHAR", "01"), ("01", "BIGINT", 1), ("0.5", "DOUBLE", 0.5), ("True", "BOOLEAN", True)),
        *(
            ("true", "VARCHAR", "true"),
            ("one", "BIGINT", "one"),
            ("1.5", "BIGINT", "1.5"),
            ("maybe", "BOOLEAN", "maybe"),
        ),
    ],
)
def test_a_written_key_has_the_type_of_its_column_or_stays_text(text, kind, key):
    assert written(text, kind) == key
    assert type(written(text, kind)) is type(key)
