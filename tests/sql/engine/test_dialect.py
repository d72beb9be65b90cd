import pytest

from dalenius.sql.engine import DIALECT, Dialect
from tests.sql.engine.sqlite.dialect import SQLiteDialect


@pytest.mark.parametrize("dialect", [DIALECT, SQLiteDialect()])
@pytest.mark.parametrize("letters", ["plain", "o'hara", 'a "b"', "--", ";"])
def test_names_and_texts_stay_one_word_whatever_their_letters_are(dialect, letters):
    name, text = dialect.quoted(letters), dialect.literal(letters)
    (term,) = dialect.parse(f"SELECT {text} AS {name}").expressions
    assert (term.this.this, term.alias) == (letters, letters)


def test_a_dialect_that_lacks_a_piece_is_none():
    class Half(Dialect):
        name = "duckdb"

    with pytest.raises(TypeError, match="abstract"):
        Half()
