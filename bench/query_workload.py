"""Purchases with skewed users, and the questions asked of them: read by query.py and by every worker."""

import json
import os
from dataclasses import dataclass, replace
from pathlib import Path

EPSILON, DELTA = 1.0, 1e-7
CLIP = 200.0
CATEGORIES = [f"cat_{i:02d}" for i in range(50)]
CHANNELS = ["web", "app", "store", "phone"]
DAY = "2024-04-01"
KEYS = {"category": CATEGORIES, "channel": CHANNELS}


@dataclass(frozen=True, slots=True)
class Query:
    """A question, and how many groups one user may touch with how many rows in each: T is their product."""

    title: str
    groups: int
    rows: int
    keys: tuple[str, ...]
    aggregates: tuple[str, ...]
    where: str = ""

    @property
    def bound(self):
        return self.groups * self.rows

    def sql(self, aggregates=None, table="purchases"):
        keys = [f"{key} AS k{place}" for place, key in enumerate(self.keys)]
        listed = [f"{what} AS a{place}" for place, what in enumerate(aggregates or self.aggregates)]
        group = f" GROUP BY {', '.join(self.keys)}" if self.keys else ""
        return f"SELECT {', '.join(keys + listed)} FROM {table}{f' WHERE {self.where}' if self.where else ''}{group}"

    @property
    def baseline(self):
        """What any bound on users must at least do: tell the users of each group apart."""
        return self.sql(("COUNT(DISTINCT user_id)",))


_FILTER = f"amount > 10 AND ts < TIMESTAMP '{DAY} 00:00:00'"
QUERIES = {
    "Q1": Query("COUNT(*)", 1, 50, (), ("COUNT(*)",)),
    "Q2": Query("COUNT(*) by category", 10, 3, ("category",), ("COUNT(*)",)),
    "Q3": Query("SUM, AVG(amount) by category", 10, 3, ("category",), ("SUM(amount)", "AVG(amount)")),
    "Q7": Query("filtered COUNT(*) by category, channel", 5, 2, ("category", "channel"), ("COUNT(*)",), _FILTER),
    "D1": Query("COUNT(DISTINCT user_id) by category", 10, 1, ("category",), ("COUNT(DISTINCT user_id)",)),
    "D2": Query("D1 and SUM(amount)", 10, 3, ("category",), ("COUNT(DISTINCT user_id)", "SUM(amount)")),
    "V1": Query("VARIANCE, SUM(amount) by month", 10, 3, ("MONTH(ts)",), ("VARIANCE(amount)", "SUM(amount)")),
}
"""Q1 … Q7 by the names of the seven that the peers are compared on, as far as the language goes; then our own."""


def question(name):
    """A question by its name; Q2@100 is Q2 with 100 rows of each user."""
    plain, _, bound = name.partition("@")
    return replace(QUERIES[plain], groups=int(bound), rows=1) if bound else QUERIES[plain]


def table(folder):
    return Path(folder) / "purchases.parquet"


def truth(folder):
    """The exact answers: {query: {key: [number, …]}}, keys joined by |."""
    return json.loads((Path(folder) / "truth.json").read_text())


def error(answers, exact):
    """Root mean square error over keys and runs, one for each aggregate; a key that is not released counts as 0."""
    count = len(next(iter(exact.values())))
    squares = [
        [(got.get(key, [0.0] * count)[place] - true[place]) ** 2 for got in answers for key, true in exact.items()]
        for place in range(count)
    ]
    return [(sum(column) / len(column)) ** 0.5 for column in squares]


def prepare(folder, rows, seed=7):
    """Write the table, unless it is there, and the exact answers."""
    import duckdb

    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    if not table(folder).exists():
        _generate(folder, rows, seed)
    with duckdb.connect() as connection:
        connection.execute(f"CREATE VIEW purchases AS SELECT * FROM '{table(folder)}'")
        told = {
            name: {
                "|".join(map(str, row[: len(query.keys)])): [float(x) for x in row[len(query.keys) :]]
                for row in connection.execute(query.sql()).fetchall()
            }
            for name, query in QUERIES.items()
        }
    (folder / "truth.json").write_text(json.dumps(told))
    return folder


def _generate(folder, rows, seed):
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(seed)
    users = max(1, rows // 10)

    def zipf(n, shift, power):
        weights = 1.0 / (np.arange(n) + shift) ** power
        return weights / weights.sum()

    def words(index, names):
        return pa.DictionaryArray.from_arrays(pa.array(index.astype(np.int32)), pa.array(names)).cast(pa.string())

    each = rng.multinomial(rows, zipf(users, 100.0, 0.8))
    user = rng.permutation(users)[np.repeat(np.arange(users), each)]
    rng.shuffle(user)
    when = np.datetime64("2024-01-01", "us") + rng.integers(0, 366 * 86400, rows).astype("timedelta64[s]")
    columns = {
        "user_id": pa.array(user.astype(np.int64)),
        "category": words(rng.choice(50, size=rows, p=zipf(50, 3.0, 0.7)), CATEGORIES),
        "channel": words(rng.choice(4, size=rows, p=[0.5, 0.3, 0.15, 0.05]), CHANNELS),
        "amount": pa.array(np.round(np.exp(rng.normal(3.0, 1.0, rows)), 2)),
        "ts": pa.array(when),
    }
    part = table(folder).with_suffix(".part")
    pq.write_table(pa.table(columns), part, row_group_size=500_000)
    os.replace(part, table(folder))  # noqa: PTH105
