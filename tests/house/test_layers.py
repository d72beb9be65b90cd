"""The layers contract of pyproject.toml refuses what it should, tried on a small house of the same plan."""

import ast
import re
import subprocess
import sys
import tomllib

import pytest

from tests.house.tree import ROOT, SRC

CONTRACT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"][0]
ROOMS = re.findall(r"\w+", " ".join(CONTRACT["layers"]))


def uses_connect(source: str) -> bool:
    """Whether a module reaches `connect` through the top of the package: the one way around the layers."""
    return any(
        (
            isinstance(node, ast.ImportFrom)
            and node.module == "dalenius"
            and any(a.name == "connect" for a in node.names)
        )
        or (isinstance(node, ast.Attribute) and ast.unparse(node) == "dalenius.connect")
        for node in ast.walk(ast.parse(source))
    )


def lint(folder, extra=()) -> subprocess.CompletedProcess[str]:
    """Build a package of empty rooms, put the given imports in, and run the real contract on it."""
    for room in ROOMS:
        (folder / "smallhouse" / room).mkdir(parents=True)
        (folder / "smallhouse" / room / "__init__.py").touch()
    (folder / "smallhouse" / "__init__.py").touch()
    for path, line in extra:
        target = folder / "smallhouse" / path
        target.parent.mkdir(exist_ok=True)
        target.write_text(line + "\n", encoding="utf-8")
    layers = ", ".join(f'"{layer}"' for layer in CONTRACT["layers"])
    config = f"""[tool.importlinter]
root_package = "smallhouse"
[[tool.importlinter.contracts]]
name = "layers"
type = "{CONTRACT["type"]}"
containers = ["smallhouse"]
exhaustive = {str(CONTRACT["exhaustive"]).lower()}
layers = [{layers}]
"""
    (folder / "pyproject.toml").write_text(config, encoding="utf-8")
    script = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    return subprocess.run([sys.executable, "-c", script, "--no-cache"], cwd=folder, capture_output=True, text=True)


def test_the_plan_has_thirteen_floors_and_leaves_no_room_out():
    assert CONTRACT["type"] == "layers"
    assert CONTRACT["exhaustive"] is True
    assert len(CONTRACT["layers"]) == 13
    built = {path.parent.name for path in (ROOT / "src" / "dalenius").glob("*/__init__.py")}
    assert built <= set(ROOMS)


def test_nothing_in_src_takes_connect_from_the_top_of_the_package():
    assert [path.name for path in SRC.rglob("*.py") if uses_connect(path.read_text(encoding="utf-8"))] == []
    assert uses_connect("import dalenius\ndalenius.connect(path)\n")
    assert uses_connect("from dalenius import connect\n")


def test_imports_that_point_down_pass(tmp_path):
    done = lint(
        tmp_path, [("noise/laplace.py", "import smallhouse.numerics"), ("cli/run.py", "import smallhouse.errors")]
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("path", "line", "said"),
    [
        ("numerics/x.py", "import smallhouse.sql", "smallhouse.numerics"),
        ("noise/x.py", "import smallhouse.guarantees", "smallhouse.noise"),
        ("attic/__init__.py", "", "attic"),
    ],
    ids=["upward", "sideways", "a room outside the plan"],
)
def test_anything_else_fails(tmp_path, path, line, said):
    done = lint(tmp_path, [(path, line)])
    assert done.returncode != 0
    assert said in done.stdout
