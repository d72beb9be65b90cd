"""A ledger that an earlier version of the code wrote, and the questions whose answers stand in it.

`python -m tests.sql.earlier_answers.ledger FOLDER` writes such a ledger and its answers with the code as it is.
"""

import json
import sys
from pathlib import Path

import pyarrow as pa

import dalenius

FOLDER = Path(__file__).parents[2] / "fixtures" / "ledger"
LEDGER, ANSWERS = FOLDER / "sql-form-1.sqlite", FOLDER / "sql-form-1.json"
BEFORE_NULL_KEYS = FOLDER / "sql-before-null-keys.sqlite", FOLDER / "sql-before-null-keys.json"
"""Answers to questions that have a row of NULL today, from before they had one."""

PURCHASES = pa.table(
    {
        "user_id": [number % 40 for number in range(200)],
        "category": [("food", "books", "toys")[number % 3] for number in range(200)],
        "amount": [float(number % 17) for number in range(200)],
        "note": [("a", "b", "c", "d")[number % 4] for number in range(200)],
    }
)
RATES = pa.table({"category": ["food", "books", "toys"], "rate": [1, 2, 3]})

DECLARED = {"contributions": 4}
FOUND = {"contributions": "private", "version": "found"}

GROUPED = "SELECT category, {} FROM purchases GROUP BY category"
SIDES = [
    *("COUNT(*)", "COUNT(DISTINCT user_id) AS people", "COUNT(DISTINCT note) AS notes", "SUM(amount) AS total"),
    *("AVG(amount)", "VAR_POP(amount)", "STDDEV(amount)", "MEDIAN(amount)", "QUANTILE_CONT(amount, 0.25)"),
    *("MODE(category)", "COUNT(note) AS n, SUM(amount * 2) AS t", "MIN(amount)", "MAX(amount)"),
]
QUESTIONS = [
    *((DECLARED, f"SELECT {side} FROM purchases", {}) for side in SIDES),
    *((DECLARED, GROUPED.format(side), {}) for side in SIDES),
    (DECLARED, "SELECT COUNT(*) FROM purchases WHERE amount > 3 AND category <> 'toys'", {}),
    (DECLARED, "SELECT AVG(CASE WHEN amount > 5 THEN 1 ELSE 0 END) AS share FROM purchases", {}),
    (DECLARED, "SELECT note, COUNT(*) AS n FROM purchases GROUP BY note", {"delta": "1e-6", "groups": 2}),
    (DECLARED, "SELECT note, AVG(amount) AS m FROM purchases GROUP BY note", {"delta": "1e-6", "groups": 2}),
    (DECLARED, GROUPED.format("COUNT(*) AS n"), {"delta": "1e-6"}),
    (DECLARED, f"{GROUPED.format('COUNT(*) AS n')} ORDER BY n DESC LIMIT 1", {}),
    (DECLARED, f"{GROUPED.format('COUNT(*) AS n')} HAVING n > 10 ORDER BY n", {}),
    (DECLARED, "SELECT SUM(rate) FROM purchases JOIN rates ON purchases.category = rates.category", {}),
    (DECLARED, "SELECT AVG(t) FROM (SELECT user_id, CLAMP(SUM(amount), 0, 9) AS t FROM purchases GROUP BY 1) AS s", {}),
    (DECLARED, GROUPED.format("SUM(amount) AS t"), {"within": 100}),
    (FOUND, GROUPED.format("COUNT(*) AS n, AVG(amount) AS m"), {}),
    (FOUND, "SELECT COUNT(DISTINCT user_id) FROM purchases", {}),
    (FOUND, "SELECT note, COUNT(*) AS n FROM purchases GROUP BY note", {"delta": "1e-6"}),
]


CASE = "SELECT CASE WHEN category = 'food' THEN 'f' END AS g, {} FROM purchases GROUP BY 1"
EMPTY_QUESTIONS = [
    (DECLARED, CASE.format("COUNT(*) AS n"), {}),
    (DECLARED, CASE.format("SUM(amount) AS s"), {"within": 100}),
    (DECLARED, CASE.format("MEDIAN(amount) AS m, AVG(amount) AS a"), {}),
    (DECLARED, "SELECT rate, COUNT(*) AS n FROM purchases LEFT JOIN rates USING (category) GROUP BY rate", {}),
    (DECLARED, "SELECT category, COUNT(*) AS n FROM purchases WHERE category IS NULL GROUP BY category", {}),
    (DECLARED, f"WITH m AS ({CASE.format('COUNT(*) AS n')}) SELECT MAX(n) AS most FROM m", {}),
    (DECLARED, f"WITH m AS ({CASE.format('AVG(amount) AS n')}) SELECT MAX(n) AS most FROM m", {}),
    (FOUND, CASE.format("COUNT(*) AS n"), {"profile": True}),
]


def session(ledger, terms):
    """The table on the terms under which a question of the list is asked."""
    return dalenius.connect(
        PURCHASES,
        ledger=ledger,
        table="purchases",
        unit="user_id",
        budget={"epsilon": 100, "delta": "1e-3"},
        bounds={"amount": (0, 20)},
        keys={"category": ["food", "books", "toys"]},
        public={"rates": RATES},
        **terms,
    )


def ask(ledger, questions=QUESTIONS):
    """Every question with the value of its answer."""
    answers = []
    for number, (terms, query, options) in enumerate(questions):
        paid = {} if "within" in options else {"epsilon": "0.5"}
        answer = session(ledger, terms).sql(query, **paid, **options)
        answers.append([number, query, str(answer.value)])
    return answers


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    for (ledger, told), questions in (((LEDGER, ANSWERS), QUESTIONS), (BEFORE_NULL_KEYS, EMPTY_QUESTIONS)):
        answers = ask(folder / ledger.name, questions)
        (folder / told.name).write_text(json.dumps(answers, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
