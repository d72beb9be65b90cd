# ruff: noqa: T201 - an example prints
"""Count people by education without telling whether any one of them is in the table."""

import itertools
import tempfile
from pathlib import Path

import dalenius
from dalenius.datasets import ADULT_KEYS, adult
from dalenius.errors import BudgetExceeded


def main() -> None:
    """Ask until the budget refuses."""
    with tempfile.TemporaryDirectory() as folder:
        db = dalenius.connect(
            adult(),
            unit="row",
            budget={"epsilon": 1},
            ledger=Path(folder) / "adult.ledger",
            keys={"education": ADULT_KEYS["education"]},
        )
        question = "SELECT education, COUNT(*) AS n FROM adult GROUP BY education"
        for turn in itertools.count():
            try:
                # the same question is answered from the ledger for nothing; a new key asks for a new draw
                answer = db.sql(question, epsilon=0.4, fresh=turn > 0)
            except BudgetExceeded as refusal:
                print(f"refused: {refusal}")
                break
            print(answer)


if __name__ == "__main__":
    main()
