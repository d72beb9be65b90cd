"""Run a worker script under several interpreters, one after the other, in one process tree; print aligned tables."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
VENVS = Path(os.environ.get("DALENIUS_BENCH", HERE.parent / ".bench"))
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"), "1")


def interpreter(peer: str) -> Path | None:
    """Python of a peer's environment, ours for dalenius and numpy, None if it was not set up."""
    if peer.partition("+")[0] in ("dalenius", "dalenius-prepared", "numpy", "duckdb", "duckdb-distinct"):
        return Path(sys.executable)
    if peer == "dalenius-torch":
        python = HERE.parent / ".venv-torch" / "bin" / "python"
        return python if python.exists() else None
    python = VENVS / peer / "bin" / "python"
    return python if python.exists() else None


def run(script: str, peer: str, *arguments: str, timeout: float | None = None) -> dict[str, Any] | None:
    """JSON that a worker prints on its last line, or None with a line that says why it was skipped."""
    python = interpreter(peer)
    if python is None:
        print(f"skipped {peer}: no environment (make bench-setup)", file=sys.stderr)
        return None
    command = [str(python), str(HERE / script), peer, *arguments]
    settings = {**os.environ, **ONE_THREAD}
    try:
        done = subprocess.run(command, capture_output=True, text=True, env=settings, check=False, timeout=timeout)
    except subprocess.TimeoutExpired:
        print(f"skipped {peer}: more than {timeout} s", file=sys.stderr)
        return None
    if done.returncode != 0 or not done.stdout.strip():
        reason = (done.stderr.strip().splitlines() or ["no output"])[-1]
        print(f"skipped {peer}: {reason[:160]}", file=sys.stderr)
        return None
    result: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return result


def table(head: list[str], rows: list[list[str]]) -> str:
    """Rows in Markdown, every column as wide as its widest cell, numbers to the right."""
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]

    def line(row: list[str]) -> str:
        return (
            "| "
            + " | ".join(c.rjust(w) if i else c.ljust(w) for i, (c, w) in enumerate(zip(row, widths, strict=True)))
            + " |"
        )

    rule = "|" + "|".join("-" * (w + 1) + ("-" if i == 0 else ":") for i, w in enumerate(widths)) + "|"
    return "\n".join([line(head), rule, *(line(row) for row in rows)])


def human(rate: float) -> str:
    """1.23M, 45.6k."""
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if rate >= size:
            return f"{rate / size:.3g}{unit}"
    return f"{rate:.3g}"
