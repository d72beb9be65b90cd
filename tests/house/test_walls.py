"""What stands behind a wall stays there: an engine's name, its dialect and its functions."""

import ast
import re

from tests.house.tree import SRC

WALL = SRC / "sql" / "engine"
FRONT = WALL / "__init__.py"  # says which engine is used if no other is named
OWN = re.compile(
    r"\b(HASH|BIT_COUNT|BIT_OR|UNNEST|STRING_SPLIT|STRLEN|MD5_NUMBER|EPOCH_US|QUALIFY|HUGEINT|SEMI JOIN)\b[(\s]"
    r"|\bRANGE\("  # the word alone is that of a frame in every SQL
)


def leaks(source: str) -> list[str]:
    """Names and texts of the engine's in a module; what it says to readers in docstrings is left out."""
    tree = ast.parse(source)
    said = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    found = []
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                words = [alias.name for alias in names]
            case ast.ImportFrom(module=module, names=names):
                words = [module or "", *(alias.name for alias in names)]
            case ast.Name(id=name) | ast.Attribute(attr=name):
                words = [name]
            case ast.Constant(value=str(text)) if id(node) not in said:
                words = [text] if "duckdb" in text or OWN.search(text) else []
            case _:
                words = []
        found += [word for word in words if "duckdb" in word or "DuckDB" in word.split(".") or OWN.search(word)]
    return found


def test_no_engine_is_named_outside_of_its_folder():
    outside = [path for path in SRC.rglob("*.py") if WALL / "duckdb" not in path.parents and path != FRONT]
    found = {
        path.relative_to(SRC).as_posix(): leaked
        for path in outside
        if WALL not in path.parents and "datasets" not in path.parts and (leaked := leaks(path.read_text("utf-8")))
    }
    assert found == {}
    inside = [path for path in WALL.glob("*.py") if path != FRONT]
    assert [path.name for path in inside if "duckdb" in path.read_text("utf-8").lower()] == []


def test_a_leak_is_seen():
    assert leaks("import duckdb") == ["duckdb"]
    assert leaks('tree.sql(dialect="duckdb")') == ["duckdb"]
    assert leaks("from dalenius.sql.engine import DuckDB") == ["DuckDB"]
    assert leaks('TEXT = "SELECT HASH(1)"') == ["SELECT HASH(1)"]
    assert leaks('TEXT = "FROM RANGE(3)"') == ["FROM RANGE(3)"]
    assert leaks('def f():\n    """DuckDB and duckdb."""') == []
