# ruff: noqa: T201 - an example prints
"""Private statistics of columns in memory, through a curator."""

import tempfile
from pathlib import Path

from dalenius import statistics
from dalenius.curator import Curator
from dalenius.ledger import Ledger


def main() -> None:
    """A count, a sum and a histogram; the same key asks nothing twice."""
    people = {"age": [39, 50, 38, 53, 28, 37], "sex": ["Male", "Male", "Male", "Male", "Female", "Female"]}
    with tempfile.TemporaryDirectory() as folder:
        ledger = Ledger.open(Path(folder) / "people.ledger")
        ledger.create("people", epsilon=3, unit="row")
        curator = Curator(people, unit="row", ledger=ledger, dataset="people")
        print("how many:", curator.release(statistics.count(epsilon=1), key="n"))
        print("once more, for nothing:", curator.release(statistics.count(epsilon=1), key="n"))
        print("years in all:", curator.release(statistics.sum("age", (0, 100), epsilon=1)))
        print(curator.release(statistics.histogram("sex", ["Female", "Male"], epsilon=1)))
        print("left:", curator.budget)
        ledger.close()


if __name__ == "__main__":
    main()
