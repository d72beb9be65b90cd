"""The recipe for a mechanism, followed from the blocks of CONTRIBUTING.md in a copy of the tree."""

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
IMPORTS = f"""from dalenius.mechanisms.{NAME} import NoisyThreshold
from dalenius.mechanisms.outcomes import stated_outcomes
"""


def follow(folder, code=CODE):
    """A copy of the tree with one file of code, one entry of the catalog and one test more."""
    for part in ("src", "tests", "tools", "docs"):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__", "*.svg"))
    shutil.copy(ROOT / "pyproject.toml", folder)
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
