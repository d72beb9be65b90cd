"""`import dalenius` stays light: what a user did not ask for is not loaded."""

import subprocess
import sys

HEAVY = ["altair", "duckdb", "pandas", "polars", "pyarrow", "rich", "scipy", "sklearn", "sqlglot", "torch", "typer"]


def loaded_by(statement: str) -> set[str]:
    """Which of the heavy packages a fresh interpreter has loaded after a statement."""
    script = f"{statement}\nimport sys\nprint(*[name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    return set(done.stdout.split())


def test_import_dalenius_loads_nothing_heavy():
    assert loaded_by("import dalenius") == set()


def test_a_heavy_import_is_seen():
    assert loaded_by("import dalenius, sqlglot") == {"sqlglot"}
