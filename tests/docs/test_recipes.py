"""The recipes for a mechanism, an aggregate and an estimator, followed from CONTRIBUTING.md in a copy of the tree."""

import os
import re
import shutil
import subprocess
import sys

from tests.house.tree import ROOT

PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
RECIPE = PAGE.split("\n### A mechanism\n")[1].split("\n### ")[0]
CODE, ENTRY, TEST = re.findall(r"^```python\n(.*?)^```$", RECIPE, re.MULTILINE | re.DOTALL)
NAME = "noisy_threshold"
(AGGREGATE,) = re.findall(
    r"^```python\n(.*?)^```$", PAGE.split("\n### An aggregate\n")[1].split("\n### ")[0], re.MULTILINE | re.DOTALL
)
MODEL, MODEL_ENTRY, MODEL_TEST = re.findall(
    r"^```python\n(.*?)^```$", PAGE.split("\n### An estimator\n")[1].split("\n## ")[0], re.MULTILINE | re.DOTALL
)
IMPORTS = f"""from dalenius.mechanisms.{NAME} import NoisyThreshold
from dalenius.mechanisms.outcomes import stated_outcomes
"""


def copied(folder):
    """A copy of the tree, without what is generated from it."""
    for part in ("src", "tests", "tools", "docs"):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__", "*.svg"))
    for part in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / part, folder)


def follow(folder, code=CODE):
    """A copy of the tree with one file of code, one entry of the catalog and one test more."""
    copied(folder)
    mechanisms = folder / "src" / "dalenius" / "mechanisms"
    (mechanisms / f"{NAME}.py").write_text(code, encoding="utf-8")
    (folder / "tests" / "mechanisms" / f"test_{NAME}.py").write_text(TEST, encoding="utf-8")
    catalog = mechanisms / "selection_catalog.py"
    text = catalog.read_text(encoding="utf-8")
    text = text.replace("\nMasses = ", f"\n{IMPORTS}\nMasses = ", 1)
    text = text.replace("SELECTION: tuple[Entry, ...] = (\n", f"SELECTION: tuple[Entry, ...] = (\n{ENTRY},\n", 1)
    catalog.write_text(text, encoding="utf-8")


def contracts(folder, *suites):
    """The contract tests of the new mechanism alone, and its own test."""
    environment = os.environ | {"PYTHONPATH": f"{folder / 'src'}:{folder}"}
    where = [
        "tests/contracts/test_mechanisms.py",
        "tests/contracts/test_selection.py",
        "tests/contracts/test_audits.py",
    ]
    command = [sys.executable, "-m", "pytest", "-p", "no:xdist", "-k", NAME, *where, f"tests/mechanisms/test_{NAME}.py"]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


def test_a_mechanism_is_one_file_of_code_and_one_entry_of_the_catalog(tmp_path):
    follow(tmp_path)
    done = contracts(tmp_path, "mechanisms", "selection", "audits")
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(re.search(r"(\d+) passed", done.stdout)[1]) >= 9
    script = "from tools.mechanisms_page import pages; exec(pages()['noisy-threshold.md'].split('```python')[1][:-4])"
    environment = os.environ | {"PYTHONPATH": f"{tmp_path / 'src'}:{tmp_path}"}
    page = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert page.returncode == 0, page.stderr
    assert page.stdout.splitlines()[-1] == "True"  # 42 is 32 above the threshold: 16 scales, false once in 10⁷


def test_a_mechanism_that_claims_too_much_is_caught_on_the_way(tmp_path):
    follow(tmp_path, CODE.replace("PureDP(sensitivity.l1 / self.scale", "PureDP(sensitivity.l1 / self.scale / 2"))
    done = contracts(tmp_path, "mechanisms")
    assert done.returncode == 1
    assert "test_no_event_tells_the_neighbors_apart_by_more_than_the_guarantee" in done.stdout


def with_aggregate(folder, *where, entry=AGGREGATE):
    """A copy of the tree with one entry more, after `make docs`; the tests of that entry."""
    copied(folder)
    catalog = folder / "src" / "dalenius" / "sql" / "catalog.py"
    text = catalog.read_text(encoding="utf-8")
    after = '    Aggregate(\n        *("MEDIAN"'
    catalog.write_text(text.replace(after, f"{entry},\n{after}", 1), encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": f"{folder / 'src'}:{folder}"}
    subprocess.run([sys.executable, "tools/aggregates_table.py"], cwd=folder, env=environment, check=True)
    command = [sys.executable, "-m", "pytest", "-p", "no:xdist", "-k", "SEM or table_of_aggregates", *where]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


def test_an_aggregate_is_one_entry_of_the_catalog(tmp_path):
    where = ["tests/contracts/test_aggregates.py", "tests/sql/test_catalog.py", "tests/docs/test_sql_page.py"]
    done = with_aggregate(tmp_path, *where)
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(re.search(r"(\d+) passed", done.stdout)[1]) >= 6
    assert "`STDDEV_POP(x)`, `SEM(x)` |" in (tmp_path / "docs" / "sql.md").read_text(encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": f"{tmp_path / 'src'}:{tmp_path}"}
    script = """
from dalenius.sql.planner.compile import compile_query
from tests.sql.cases import policy
asked = "SELECT category, sem(price), AVG(price) FROM purchases GROUP BY category HAVING SEM(price) < 9"
compiled = compile_query(asked, policy("user_id"))
print(len(compiled.groups), [column.name for column in compiled.output.columns])
"""
    used = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert used.stdout == "1 ['category', 'sem_price', 'avg_price']\n", used.stderr


def test_an_aggregate_whose_formula_is_wrong_is_caught_on_the_way(tmp_path):
    wrong = AGGREGATE.replace("formula.Over(moments.variance, moments.count)", "moments.variance")
    done = with_aggregate(tmp_path, "tests/sql/test_catalog.py", entry=wrong)
    assert done.returncode == 1
    assert "test_an_example_is_answered_as_the_engine_itself_would_answer_it" in done.stdout


def with_estimator(folder, code=MODEL):
    """A copy of the tree with five files changed; what the tests of the new estimator say, its audit included."""
    copied(folder)
    front = folder / "src" / "dalenius" / "learning"
    (front / "estimators" / "mean_regression.py").write_text(code, encoding="utf-8")
    (folder / "tests" / "learning" / "estimators" / "test_mean_regression.py").write_text(MODEL_TEST, encoding="utf-8")
    text = (front / "__init__.py").read_text(encoding="utf-8")
    named = (
        'from dalenius.learning.estimators.mean_regression import MeanRegression\n\n__all__ = [\n    "MeanRegression",'
    )
    (front / "__init__.py").write_text(text.replace("\n__all__ = [", named, 1), encoding="utf-8")
    pairs = folder / "tests" / "contracts" / "audited" / "learning.py"
    text = pairs.read_text(encoding="utf-8")
    start = "FITTED: dict[str, Any] = {\n"
    pairs.write_text(text.replace(start, f"{start}    {MODEL_ENTRY}", 1), encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": f"{folder / 'src'}:{folder}"}
    where = ["tests/contracts/test_audits.py", "tests/learning/estimators/test_mean_regression.py"]
    where += ["tests/learning/estimators/test_parameters.py", "tests/learning/estimators/test_estimator.py"]
    chosen = "MeanRegression or mean_regression or no_estimator_lacks"
    command = [sys.executable, "-m", "pytest", "-p", "no:xdist", "-m", "long or not long", "-k", chosen, *where]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


def test_an_estimator_is_five_files(tmp_path):
    done = with_estimator(tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(re.search(r"(\d+) passed", done.stdout)[1]) >= 5


def test_an_estimator_that_pays_for_a_hundredth_is_caught_on_the_way(tmp_path):
    done = with_estimator(tmp_path, MODEL.replace("epsilon=self.budget.total / 2", "epsilon=self.budget.total * 50"))
    assert done.returncode == 1
    assert "test_every_estimator_keeps_its_claim" in done.stdout
