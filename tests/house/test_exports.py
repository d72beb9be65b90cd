"""The exported names are pinned: a name that comes or goes shows in a diff of tests/golden/exports.txt."""

import importlib
import types

from tests.house.tree import ROOT, TESTS, modules

GOLDEN = TESTS / "golden" / "exports.txt"
REGENERATE = f"if the change is meant: .venv/bin/python -m tests.house.test_exports > {GOLDEN.relative_to(ROOT)}"


def packages() -> list[types.ModuleType]:
    loaded = [importlib.import_module(name) for name in modules() if not name.split(".")[-1].startswith("_")]
    return [module for module in loaded if hasattr(module, "__path__")]


def exports(package: types.ModuleType) -> list[str]:
    """`module.name` for every exported name."""
    return [f"{package.__name__}.{name}" for name in sorted(package.__all__)]


def silent(loaded: list[types.ModuleType]) -> list[str]:
    """Packages that do not say what they export."""
    return [package.__name__ for package in loaded if not hasattr(package, "__all__")]


def listing() -> str:
    return "".join(f"{line}\n" for package in packages() for line in exports(package))


def test_every_package_says_what_it_exports():
    assert silent(packages()) == []


def test_exports_are_as_pinned():
    assert listing() == GOLDEN.read_text(encoding="utf-8"), REGENERATE


def test_every_exported_name_exists():
    missing = [f"{p.__name__}.{name}" for p in packages() for name in p.__all__ if not hasattr(p, name)]
    assert missing == []


def test_a_new_name_changes_the_listing():
    package = types.ModuleType("dalenius.fake")
    package.__all__ = ["b", "a"]
    assert exports(package) == ["dalenius.fake.a", "dalenius.fake.b"]
    assert "dalenius.fake.a\n" not in listing()
    assert silent([package, types.ModuleType("dalenius.mute")]) == ["dalenius.mute"]


if __name__ == "__main__":
    print(listing(), end="")  # noqa: T201
