"""A package is used through its front: what it keeps to itself is not imported from another package.

A front is a package's `__init__` with its `__all__`, that of a folder inside it included. Some modules are doors
besides: what stands there serves the layers above, and is not for users. A new door is a decision, and a line here.
"""

import ast
from pathlib import Path

from tests.house.tree import SRC

DOORS = {
    "audit": "bound check",
    "charts": "save",
    "curator": (
        "answer.bias answer.outcome answer.rounded answer.shown answer.spread answer.sum_radius "
        "answer.with_ends facts plans.blocked "
        "answer.key_types answer.receipts answer.whole plans.fingerprint plans.plan plans.sampled plans.select release"
    ),
    "guarantees": ("curves.renyi_curves guarantee loss.pair loss.pairs notions.bounded_range notions.composition"),
    "mechanisms": "exponential knorm one_line permute_and_flip rank_choice",
    "noise": "choice finite inverted lattice lazy pieces rounded weighted_choice",
    "queries": ("bounds cells grid groups identity instants marginals moment_bound numbers query reach view weights"),
    "statistics": "about private_bounds private_contributions quantile ranked winsorized_mean",
}
ALLOWED = {f"{package}.{door}" for package, doors in DOORS.items() for door in doors.split()}


def past_fronts(source: str, package: str) -> set[str]:
    """Modules of other packages that are imported past a front."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("dalenius."):
            module = str(node.module).removeprefix("dalenius.")
            if "." in module and module.split(".")[0] != package and not _is_package(module):
                found.add(module)
    return found


def _is_package(module: str) -> bool:
    return SRC.joinpath(*module.split("."), "__init__.py").exists()


def package_of(path: Path) -> str:
    return path.relative_to(SRC).parts[0].removesuffix(".py")


def imported() -> dict[str, set[str]]:
    """What each package imports past a front of another."""
    found: dict[str, set[str]] = {}
    for path in SRC.rglob("*.py"):
        own = package_of(path)
        found.setdefault(own, set()).update(past_fronts(path.read_text(encoding="utf-8"), own))
    return found


def test_packages_use_each_other_through_fronts_and_doors_alone():
    past = {package: sorted(modules - ALLOWED) for package, modules in imported().items() if modules - ALLOWED}
    assert past == {}, "import the name from the package's front, or make the module a door in this file"


def test_every_door_is_used_and_sql_and_the_ledger_have_none():
    used = set().union(*imported().values())
    assert ALLOWED - used == set(), "a door that nobody uses is closed: take its line away"
    assert not {"sql", "ledger", "learning", "local", "numerics", "neighbors"} & set(DOORS)


def test_an_import_past_a_front_is_seen():
    assert past_fronts("from dalenius.ledger.chain import append", "sql") == {"ledger.chain"}
    assert past_fronts("from dalenius.ledger import Ledger", "sql") == set()
    assert past_fronts("from dalenius.curator.formula import Cell", "sql") == set()
    assert past_fronts("from dalenius.sql.session import Session", "sql") == set()
