"""Files and functions stay small enough to be seen whole."""

import ast
from statistics import median

from tests.house.tree import SRC

FILE, FUNCTION, MEDIAN = 400, 60, 200


def lengths(source: str) -> dict[str, int]:
    """The lines of each function, its docstring left out: parameters that are explained are no complexity."""
    found = {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            told = node.body[0] if ast.get_docstring(node) is not None else None
            size = (node.end_lineno or 0) - node.lineno + 1
            found[node.name] = size if told is None else size - (told.end_lineno or 0) + told.lineno - 1
    return found


def test_no_file_has_more_than_400_lines_and_half_have_at_most_200():
    lines = {path.relative_to(SRC).as_posix(): path.read_text("utf-8").count("\n") for path in SRC.rglob("*.py")}
    assert {name: count for name, count in lines.items() if count > FILE} == {}
    assert median(lines.values()) <= MEDIAN


def test_no_function_has_more_than_60_lines():
    long = {
        f"{path.relative_to(SRC).as_posix()}:{name}": size
        for path in SRC.rglob("*.py")
        for name, size in lengths(path.read_text("utf-8")).items()
        if size > FUNCTION
    }
    assert long == {}


def test_a_long_function_is_seen_and_its_docstring_does_not_count():
    assert lengths("def f():\n" + "    x = 1\n" * 61) == {"f": 62}
    assert lengths('def f():\n    """One.\n\n    Two.\n    """\n    return 1\n') == {"f": 2}
