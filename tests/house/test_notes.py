"""docs/theory/notes.toml, the theorem markers and the coverage page agree with one another and with the code."""

import ast
import functools
import importlib
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from dalenius.guarantees import PureDP
from tests.house.tree import ROOT, TESTS
from tools import mutate_notes, notes_code, notes_run
from tools.notes_page import PAGE, covered, items, page

ITEMS = items()
LABELS = frozenset(item["label"] for item in ITEMS)


def parsed(source: str) -> ast.Module:
    """A module with the names of its text constants written out."""
    tree = ast.parse(source)
    texts = {
        target.id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for call in ast.walk(tree):
        if isinstance(call, ast.Call):
            call.args = [texts.get(a.id, a) if isinstance(a, ast.Name) else a for a in call.args]
    return tree


def marked_labels(tree: ast.AST) -> list[str]:
    """Every label given to a theorem marker, wherever it stands; one that is not a text comes back as its code."""
    return [
        argument.value if isinstance(argument, ast.Constant) else ast.unparse(argument)
        for call in ast.walk(tree)
        if isinstance(call, ast.Call) and ast.unparse(call.func).endswith("mark.theorem")
        for argument in call.args
    ]


def marked_tests(source: str) -> dict[str, set[str]]:
    """Test function (with its class) -> labels it carries."""
    found: dict[str, set[str]] = {}

    def visit(body: list[ast.stmt], prefix: str, inherited: set[str]) -> None:
        for node in body:
            if isinstance(node, ast.ClassDef):
                labels = {label for decorator in node.decorator_list for label in marked_labels(decorator)}
                visit(node.body, f"{prefix}{node.name}::", inherited | labels)
            elif isinstance(node, ast.FunctionDef) and node.name.startswith("test"):
                labels = {label for decorator in node.decorator_list for label in marked_labels(decorator)}
                found[prefix + node.name] = inherited | labels

    visit(parsed(source).body, "", set())
    return found


@functools.cache
def carried_in(path: Path) -> dict[str, set[str]]:
    return marked_tests(path.read_text(encoding="utf-8")) if path.is_file() else {}


def missing_code(name: str) -> bool:
    """Whether `module:Qualname` names nothing."""
    module, _, qualname = name.partition(":")
    try:
        found = importlib.import_module(module)
    except ModuleNotFoundError:
        return True
    if not qualname:
        return True
    for part in qualname.split("."):
        if not hasattr(found, part):
            return True
        found = getattr(found, part)
    return False


def wrong_test(name: str, label: str) -> str | None:
    """Why `tests/...py::test_name` does not carry the label, or None if it does."""
    path, _, function = name.partition("::")
    carried = carried_in(ROOT / path).get(function)
    if carried is None:
        return f"{label}: no test {name}"
    return None if label in carried else f"{label}: {name} is not marked with it"


def faults(entries) -> list[str]:
    """All that is wrong with what the items say of code and tests."""
    found = []
    for item in entries:
        label = item["label"]
        found += [f"{label}: no code {name}" for name in item.get("code", []) if missing_code(name)]
        named = [*item.get("test", []), *item.get("beside", [])]
        found += [fault for name in named if (fault := wrong_test(name, label))]
        if item.get("test") and not item.get("code"):
            found.append(f"{label}: a test but no code")
        if "part" in item and not covered(item):
            found.append(f"{label}: a part of nothing")
    return found


def unlisted(entries) -> list[str]:
    """Marked tests that the item does not list."""
    listed = {(i["label"], name) for i in entries for name in [*i.get("test", []), *i.get("beside", [])]}
    marked = {
        (label, f"{path.relative_to(ROOT).as_posix()}::{name}")
        for path in TESTS.rglob("test_*.py")
        for name, labels in carried_in(path).items()
        for label in labels & LABELS
    }
    return sorted(f'{label}: test = ["{name}"]' for label, name in marked - listed)


def test_all_301_items_are_there_once_and_whole():
    assert len(ITEMS) == 301
    assert len(LABELS) == 301
    known = {"label", "section", "statement", "erratum", "home", "check", "code", "test", "beside", "part"}
    for item in ITEMS:
        assert {"label", "section", "statement", "home", "check"} <= item.keys() <= known, item["label"]


def test_every_marker_names_an_item():
    wrong = {
        path.relative_to(ROOT).as_posix(): bogus
        for path in TESTS.rglob("test_*.py")
        if path != Path(__file__) and (bogus := set(marked_labels(parsed(path.read_text(encoding="utf-8")))) - LABELS)
    }
    assert wrong == {}


def test_code_and_tests_of_every_item_exist_and_carry_it():
    assert faults(ITEMS) == []


def test_every_marked_test_is_listed_by_its_item():
    assert unlisted(ITEMS) == [], "add these to docs/theory/notes.toml, with the code, and run make docs"


def test_coverage_page_is_up_to_date():
    assert PAGE.read_text(encoding="utf-8") == page(ITEMS), "run make docs"


RECORDED = notes_run.kept()
MOST_UNRECORDED = 25
"""Items whose tests were not run for the list since they changed: the long run demands none."""


def test_no_named_test_executes_nothing_that_its_item_cites():
    assert notes_run.loose(RECORDED) == []
    assert len(notes_run.unknown(ITEMS, RECORDED)) <= MOST_UNRECORDED, "run python tools/notes_run.py --missing"


def test_every_cited_function_is_executed_by_a_test_that_its_item_names():
    known = [item for item in ITEMS if item["label"] in RECORDED and not notes_run.unknown([item], RECORDED)]
    assert notes_run.unused(known, RECORDED) == []


@pytest.mark.long
def test_every_named_test_executes_what_its_item_cites_and_all_of_that_is_executed():
    done = subprocess.run([sys.executable, "tools/notes_run.py", "--check"], cwd=ROOT, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout.decode()[-2000:]


def test_a_label_on_a_test_that_runs_something_else_is_seen():
    record = {"A Thm 3.4": {GOOD["test"][0]: []}}
    assert notes_run.loose(record) == [f"A Thm 3.4: {GOOD['test'][0]}"]
    assert notes_run.unknown([GOOD], {}) == [GOOD]
    assert notes_run.unknown([GOOD], {"A Thm 3.4": {GOOD["test"][0]: GOOD["code"]}}) == []
    assert (
        notes_run.unknown([GOOD | {"code": ["dalenius.other:f"]}], {"A Thm 3.4": {GOOD["test"][0]: GOOD["code"]}}) != []
    )


def test_a_broken_value_is_another_value_and_what_has_no_number_fails():
    for value in (True, 3, 0.5, 0.0, Fraction(1, 3), (1, "a"), [2.0], {"x": 1}, PureDP(1)):
        assert mutate_notes.broken(value) != value
    with pytest.raises(mutate_notes.Unbreakable):
        mutate_notes.broken("text")
    assert mutate_notes.breaking(lambda: None)() is None
    with pytest.raises(AssertionError, match="mutant"):
        mutate_notes.breaking(lambda: "text")()


MUTANTS = """
from dalenius.guarantees import ZCDP
from dalenius.guarantees.curves.polyline import Polyline
from dalenius.guarantees.loss.bins import GridLaw
from tools import mutate_notes

assert mutate_notes.put("dalenius.guarantees.curves.polyline:_check") == 1
Polyline([(0, 1), ("0.5", "0.6"), (1, 0)])  # no trade-off function
assert mutate_notes.put("dalenius.guarantees.loss.bins:GridLaw") == 1
assert GridLaw(1.0, 0, 0, 2.0, 0.0).log_total == 1.5
assert mutate_notes.put("dalenius.guarantees.guarantee:Guarantee.amplify") == 1
assert ZCDP(1).amplify(None) == ZCDP(1)
"""


def test_a_check_that_checks_nothing_a_record_with_other_numbers_and_a_method_that_never_refuses_are_mutants():
    done = subprocess.run([sys.executable, "-c", MUTANTS], cwd=ROOT, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()


def test_a_cited_function_is_found_and_put_back_wherever_it_was_imported():
    import dalenius.charts.rates as rates

    sound, calls = rates.exponent, []

    def noting(function):
        return lambda *args: calls.append(args) or function(*args)

    assert notes_code.replaced("dalenius.charts.rates:exponent", noting) == 1
    try:
        assert rates.exponent({1: 1.0, 10: 10.0}) == pytest.approx(1)
    finally:
        rates.exponent = sound
    assert len(calls) == 1
    assert notes_code.found("dalenius.mechanisms.laplace:Laplace.release")[2] is not None


GOOD = {
    "label": "A Thm 3.4",
    "section": "3.7",
    "check": "property",
    "code": ["dalenius.guarantees.notions.pure:PureDP.beta"],
    "test": ["tests/guarantees/notions/test_pure.py::test_beta_is_the_trade_off_of_randomized_response"],
}


@pytest.mark.parametrize(
    "broken",
    [
        {"code": ["dalenius.guarantees.notions.pure:PureDP.no_such_method"]},
        {"code": ["dalenius.no_such_module:X"]},
        {"code": ["dalenius.guarantees.notions.pure"]},
        {"code": []},
        {"test": ["tests/guarantees/notions/test_pure.py::test_that_nobody_wrote"]},
        {"test": ["tests/guarantees/test_no_such_file.py::test_x"]},
        {"label": "A Thm 3.3"},
    ],
)
def test_a_broken_item_is_seen(broken):
    assert faults([GOOD]) == []
    assert faults([GOOD | broken]) != []


def test_a_bogus_marker_is_seen():
    source = '@pytest.mark.theorem("A Thm 3.4", "A Thm 99.9")\ndef test_x(): ...\n'
    assert marked_tests(source) == {"test_x": {"A Thm 3.4", "A Thm 99.9"}}
    assert set(marked_labels(ast.parse(source))) - LABELS == {"A Thm 99.9"}
    assert marked_tests('X = "A Thm 3.4"\n@pytest.mark.theorem(X)\ndef test_x(): ...\n') == {"test_x": {"A Thm 3.4"}}
    assert marked_labels(ast.parse("pytest.mark.theorem(label_of(3))")) == ["label_of(3)"]
    assert unlisted([]) != []


def test_an_item_with_code_alone_is_not_covered_and_the_page_says_so():
    bare = {key: value for key, value in GOOD.items() if key != "test"}
    assert covered(GOOD)
    assert not covered(bare)
    assert "| A Thm 3.4 | covered |" in page([GOOD])
    assert "| A Thm 3.4 | in part: δ = 0 |" in page([GOOD | {"part": "δ = 0"}])
    assert "| A Thm 3.4 | not yet |" in page([bare])
