"""The language of questions, whatever engine answers them: it is written as DuckDB writes SQL.

The text of a tree in this language also tells one expression from another, and stands for a statement in a fingerprint.
"""

import sqlglot
from sqlglot import Token, exp


def tokens(text: str) -> list[Token]:
    """The words and signs of a text."""
    return list(sqlglot.tokenize(text, read="duckdb"))


def trees(text: str) -> list[exp.Expr | None]:
    """The statements of a text."""
    return list(sqlglot.parse(text, dialect="duckdb"))


def written(tree: exp.Expr) -> str:
    """A tree as the language writes it."""
    return str(tree.sql(dialect="duckdb"))


def shown(tree: exp.Expr, functions: str) -> str:
    """A tree as it is shown, its functions in capitals or small letters: the engine's WITHIN GROUP is no SQL."""
    dialect = "postgres" if isinstance(tree, exp.WithinGroup) else "duckdb"
    return str(tree.sql(dialect=dialect, normalize_functions=functions))


def read(text: str) -> exp.Expr:
    """An expression that `written` has written."""
    return sqlglot.parse_one(text, dialect="duckdb")


def quoted(name: str) -> str:
    """A name between quotes, whatever its letters are."""
    return written(exp.to_identifier(name, quoted=True))
