"""One name, one thing: a class of one package is called like no class of another."""

import ast
from collections import defaultdict

from tests.house.tree import SRC

WITH_THEIR_PACKAGE = {
    *("Comparison", "DPSGD", "DiscreteGaussian", "Domain", "Entry", "Interactive", "Linked"),
}
"""Names in the fronts of two packages, which users write with the package before them."""


def places(sources):
    """Where each public class is defined, by its name."""
    defined = defaultdict(list)
    for path, text in sources:
        for node in ast.parse(text).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                defined[node.name].append(path)
    return defined


def shared(sources):
    return {name for name, where in places(sources).items() if len(where) > 1}


def test_no_two_classes_share_a_name():
    sources = [(path, path.read_text(encoding="utf-8")) for path in sorted(SRC.rglob("*.py"))]
    assert shared(sources) == WITH_THEIR_PACKAGE


def test_a_name_that_is_given_twice_is_seen():
    assert shared([("a.py", "class Pair: ..."), ("b.py", "class Pair: ...\nclass _Own: ...")]) == {"Pair"}
