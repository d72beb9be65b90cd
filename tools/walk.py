"""How far one question walks: files that it visits and jumps between them, by `sys.setprofile`.

Leaves are left out: arithmetic, noise, neighbors, keys, the nodes of formulas and the ledger's store in SQLite: its
tables and the check that its file has one name.
"""

import sys
import tempfile
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

import pyarrow as pa

import dalenius

LEAVES = ("/numerics/", "/neighbors/", "/noise/", "/queries/keys.py", "/formula/", "/errors.py")
STORE = ("/ledger/sqlite.py", "/ledger/sqlite_records.py", "/ledger/one_name.py")
QUERY = "SELECT category, AVG(amount) FROM purchases GROUP BY category"


class Walk:
    """The modules that were entered, in order."""

    def __init__(self) -> None:
        self.files: set[str] = set()
        self.jumps = Counter[str]()
        self._last = ""

    def __call__(self, frame: FrameType, event: str, argument: Any) -> None:
        """Note a call; a return leads back, and is no step of its own."""
        name = frame.f_code.co_filename.replace("\\", "/")
        if event != "call" or "/src/dalenius/" not in name or any(leaf in name for leaf in (*LEAVES, *STORE)):
            return
        self.files.add(name)
        self.jumps[_package(name)] += name != self._last
        self._last = name


def _package(file: str) -> str:
    return file.split("/src/dalenius/")[1].split("/")[0].removesuffix(".py")


def main() -> int:
    """Print the walk of a first question, and of the same one asked again: in all, then by package."""
    rows = pa.table({"user_id": [1, 2, 3], "category": ["a", "b", "a"], "amount": [1.0, 2.0, 3.0]})
    with tempfile.TemporaryDirectory() as folder:
        db = dalenius.connect(
            rows,
            table="purchases",
            ledger=Path(folder) / "l",
            unit="user_id",
            contributions=5,
            budget={"epsilon": 10},
            bounds={"amount": (0, 10)},
            keys={"category": ["a", "b"]},
        )
        for name, key in (("first ask", None), ("again, another key", "again")):
            walk = Walk()
            sys.setprofile(walk)
            db.sql(QUERY, epsilon=1, key=key)
            sys.setprofile(None)
            print(f"{name:<20}{len(walk.files):4} files {walk.jumps.total():5} jumps")
            for package, jumps in walk.jumps.most_common():
                files = sum(_package(file) == package for file in walk.files)
                print(f"  {package:<18}{files:4} files {jumps:5} jumps")
    return 0


if __name__ == "__main__":
    sys.exit(main())
