"""A small table, open through PEP 249."""

import pyarrow as pa

from dalenius import dbapi

QUERY = "SELECT category, COUNT(*) AS n FROM shop GROUP BY category"
CATEGORIES = ["food", "books", "o'hara"]


def opened(folder, **terms):
    rows = {
        "user_id": [1, 1, 2, 3, 4],
        "category": ["food", "food", "books", "food", "o'hara"],
        "price": [1.0, 2.0, 30.0, 4.0, 5.0],
    }
    terms = {
        **{"unit": "row", "budget": {"epsilon": 10**6}, "keys": {"category": CATEGORIES}, "bounds": {"price": (0, 50)}},
        **{"table": "shop", "epsilon": 1000, "ledger": folder / "shop.ledger"},  # P[any noise] < e^−990
        **terms,
    }
    return dbapi.connect(pa.table(rows), **terms)
