"""The tests mirror the tree."""

from pathlib import Path

from tests.conftest import BUDGET_SECONDS, folder_of
from tests.house.tree import SRC, TESTS

BESIDE_THE_TREE = {"contracts", "docs", "fixtures", "golden", "house"}
SCENARIOS = {"ledger/crash", "server/crash", "server/browser", "server/attack"}  # of many modules at once
TOP_LEVEL = {"test_doctests.py"}
CLAIMS_OF_THE_WHOLE = {("sql", "sensitivity"), ("sql", "error_channel"), ("sql", "earlier_answers")}


def homeless(tests: Path, src: Path) -> list[str]:
    """Test files whose module does not exist."""
    lost = []
    for path in sorted(tests.rglob("test_*.py")):
        inside = path.relative_to(tests)
        if inside.parts[0] in BESIDE_THE_TREE or inside.parts[:2] in CLAIMS_OF_THE_WHOLE:
            continue
        if inside.as_posix() in TOP_LEVEL:
            continue
        if inside.parent.as_posix() in SCENARIOS:
            continue
        module = src / inside.parent / f"{path.stem.removeprefix('test_')}.py"
        package = src / inside.parent / path.stem.removeprefix("test_") / "__init__.py"
        if not module.is_file() and not package.is_file() and not _is_init_test(inside, src):
            lost.append(inside.as_posix())
    return lost


def untested(tests: Path, src: Path) -> list[str]:
    """Public modules without a test file of their own."""
    bare = []
    for path in sorted(src.rglob("*.py")):
        inside = path.relative_to(src)
        if any(part.startswith("_") for part in inside.parts):
            continue
        if not (tests / inside.parent / f"test_{path.name}").is_file():
            bare.append(inside.as_posix())
    return bare


def _is_init_test(inside: Path, src: Path) -> bool:
    """tests/<pkg>/test_init.py is the place for what an __init__ does."""
    return inside.name == "test_init.py" and (src / inside.parent / "__init__.py").is_file()


def test_every_test_file_has_its_module():
    assert homeless(TESTS, SRC) == []


def test_every_public_module_has_its_test_file():
    assert untested(TESTS, SRC) == []


def test_every_folder_of_tests_has_a_budget_of_seconds():
    folders = {folder_of(f"tests/{path.relative_to(TESTS).as_posix()}::test_x") for path in TESTS.rglob("test_*.py")}
    assert folders - BUDGET_SECONDS.keys() == set()
    assert folder_of("tests/noise/test_bits.py::test_x[a/b]") == "noise"
    assert folder_of("tests/test_errors.py::test_x") == "(top)"


def test_a_stray_test_and_a_bare_module_are_seen(tmp_path):
    src, tests = tmp_path / "src", tmp_path / "tests"
    for path in (src / "noise" / "__init__.py", src / "noise" / "bits.py", src / "noise" / "_tables.py"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    for path in (tests / "noise" / "test_bytes.py", tests / "docs" / "test_x.py"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    assert homeless(tests, src) == ["noise/test_bytes.py"]
    assert untested(tests, src) == ["noise/bits.py"]
