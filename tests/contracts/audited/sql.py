"""SQL on a pair of neighbors: six people, and a seventh with rows outside of all bounds, NULLs and a key of her own."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow

import dalenius
from tests.contracts.audited.case import BITS, Audited, told

ROWS: dict[str, list[Any]] = {
    "person": [1, 1, 2, 3, 4, 5, 6],
    "shop": ["a", "b", "a", "b", "a", "a", "b"],
    "paid": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0],
}
MORE: dict[str, list[Any]] = {
    "person": [*ROWS["person"], 7, 7, 7],
    "shop": [*ROWS["shop"], "c", "b", None],
    "paid": [*ROWS["paid"], 1e300, float("nan"), None],
}
FLOORS = pyarrow.table({"shop": ["a", "b", "c"], "floor": [0, 1, 1]})
QUESTIONS = {
    "count": "SELECT COUNT(*) AS n FROM sales",
    "count of a condition": "SELECT COUNT(*) AS n FROM sales WHERE paid > 3 AND shop <> 'a'",
    "sum": "SELECT SUM(paid) AS total FROM sales",
    "avg": "SELECT shop, AVG(paid) AS mean FROM sales GROUP BY shop",
    "variance": "SELECT VARIANCE(paid) AS spread FROM sales",
    "distinct": "SELECT COUNT(DISTINCT shop) AS shops FROM sales",
    "median": "SELECT MEDIAN(paid) AS middle FROM sales",
    "unknown keys": "SELECT shop, COUNT(*) AS n FROM sales GROUP BY shop",
    "counts with a delta": "SELECT shop, COUNT(*) AS n FROM sales GROUP BY shop",
    "subquery": "SELECT COUNT(*) AS n FROM (SELECT person, shop FROM sales WHERE paid > 2) AS few WHERE shop <> 'a'",
    "join": "SELECT floor, COUNT(*) AS n FROM sales JOIN floors USING (shop) GROUP BY floor",
}

WITH_DELTA = {"unknown keys", "counts with a delta"}


def sessions(folder: Path, name: str) -> dict[str, Any]:
    """A session for each of the two tables, under one policy."""
    terms: dict[str, Any] = {"unit": "person", "contributions": 2, "bounds": {"paid": (0, 10)}, "table": "sales"}
    terms["budget"] = {"epsilon": 10**6} | ({"delta": Fraction(1, 2)} if name in WITH_DELTA else {})
    if name != "unknown keys":
        terms |= {"keys": {"shop": ["a", "b", "c"]}, "public": {"floors": FLOORS}}
    return {
        side: dalenius.connect(pyarrow.table(rows), ledger=folder / f"{side}.ledger", **terms)
        for side, rows in (("x", MORE), ("x2", ROWS))
    }


def audited(folder: Path, name: str) -> Audited:
    """The question on both tables; the engine is asked as the curator asks it, without a ledger between draws."""
    both = sessions(folder, name)
    price: dict[str, Any] = {"epsilon": 1} | ({"delta": "0.05"} if name in WITH_DELTA else {})
    price |= {"groups": 1} if name == "unknown keys" else {}  # else a histogram is to be released first
    plans = {side: session.plan(QUESTIONS[name], **price) for side, session in both.items()}

    def run(side: str) -> Any:
        return told(plans[side].run(both[side]._curator._view, BITS))

    return Audited(name, run, "x", "x2", plans["x"].guarantee, 300)
