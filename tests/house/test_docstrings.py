"""A public method says what it is, or the type that it implements says it for all: nobody has to repeat that."""

import ast

from tests.house.tree import SRC

PROTOCOLS = ("Plan", "ColumnPlan", "ParticularPlan", "Query")
Function = ast.FunctionDef | ast.AsyncFunctionDef


class Described:
    """A class by its bases, its members, and those of them that have a docstring."""

    def __init__(self, node: ast.ClassDef) -> None:
        self.name = node.name
        self.bases = [ast.unparse(base).split("[")[0].split(".")[-1] for base in node.bases]
        methods = [one for one in node.body if isinstance(one, Function)]
        fields = {
            one.target.id for one in node.body if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)
        }
        self.documented = {one.name for one in methods if ast.get_docstring(one)}
        self.silent = [one.name for one in methods if not one.name.startswith("_") and not ast.get_docstring(one)]
        self.members = {name for name in fields | {one.name for one in methods} if not name.startswith("_")}


def described(sources: list[str]) -> list[Described]:
    return [Described(node) for text in sources for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ClassDef)]


def inherited(one: Described, every: dict[str, list[Described]], seen: frozenset[str] = frozenset()) -> list[Described]:
    """The classes above it, wherever they stand."""
    above = [base for name in one.bases if name not in seen for base in every.get(name, [])]
    return above + [more for base in above for more in inherited(base, every, seen | {one.name, base.name})]


def undocumented(classes: list[Described]) -> list[str]:
    """Public methods that say nothing, and of which nothing above says it either."""
    every: dict[str, list[Described]] = {}
    for one in classes:
        every.setdefault(one.name, []).append(one)
    found = []
    for one in classes:
        above = inherited(one, every)
        members = one.members.union(*(base.members for base in above))
        served = set().union(*(base.documented for base in above))
        for name in PROTOCOLS:
            for protocol in every.get(name, []):
                bases = [base for above_it in protocol.bases if above_it in PROTOCOLS for base in every[above_it]]
                promised = protocol.members.union(*(base.members for base in bases))
                if promised <= members:
                    served |= promised
        found += [f"{one.name}.{name}" for name in one.silent if not one.name.startswith("_") and name not in served]
    return found


def test_every_public_method_has_a_docstring_of_its_own_or_of_what_it_implements():
    assert undocumented(described([path.read_text(encoding="utf-8") for path in SRC.rglob("*.py")])) == []


def test_a_method_that_nothing_describes_is_seen():
    plan = 'class Plan:\n    def run(self):\n        """Read the data."""\n    def unit(self):\n        """Who."""\n'
    assert undocumented(described([plan, "class A:\n    def run(self): ...\n    unit: int\n"])) == []
    assert undocumented(described([plan, "class A:\n    def run(self): ...\n"])) == ["A.run"]
    assert undocumented(described([plan, "class A(Plan):\n    def run(self): ...\n    def more(self): ...\n"])) == [
        "A.more"
    ]
