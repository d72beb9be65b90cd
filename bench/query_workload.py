"""Purchases with skewed users, and the questions asked of them: read by query.py and by every worker."""

import json
import os
from dataclasses import dataclass, replace
from pathlib import Path

EPSILON, DELTA = 1.0, 1e-7
CLIP = 200.0
CATEGORIES = [f"cat_{i:02d}" for i in range(50)]
CHANNELS = ["web", "app", "store", "phone"]
SEGMENTS = [f"seg_{i:02d}" for i in range(20)]
CITIES = 5000
DAY = "2024-04-01"
KEYS = {"category": CATEGORIES, "channel": CHANNELS}
"""What is public; cities are not, and segments stand in the table of users."""


@dataclass(frozen=True, slots=True)
class Query:
    """A question, and how many groups one user may touch with how many rows in each: T is their product."""

    title: str
    groups: int
    rows: int
    keys: tuple[str, ...]
    aggregates: tuple[str, ...]
    where: str = ""
    joined: str = ""

    @property
    def bound(self):
        return self.groups * self.rows

    def sql(self, aggregates=None, table="purchases"):
        keys = [f"{key} AS k{place}" for place, key in enumerate(self.keys)]
        listed = [f"{what} AS a{place}" for place, what in enumerate(aggregates or self.aggregates)]
        group = f" GROUP BY {', '.join(self.keys)}" if self.keys else ""
        where = f" WHERE {self.where}" if self.where else ""
        return f"SELECT {', '.join(keys + listed)} FROM {table}{self.joined}{where}{group}"

    @property
    def baseline(self):
        """What any bound on users must at least do: tell the users of each group apart."""
        return self.sql(("COUNT(DISTINCT purchases.user_id)",))


QUARTILES = (0.25, 0.5, 0.75)
_JOIN = " JOIN users ON purchases.user_id = users.user_id"
_FILTER = f"amount > 10 AND ts < TIMESTAMP '{DAY} 00:00:00'"
QUERIES = {
    "Q1": Query("COUNT(*)", 1, 50, (), ("COUNT(*)",)),
    "Q2": Query("COUNT(*) by category", 10, 3, ("category",), ("COUNT(*)",)),
    "Q3": Query("SUM, AVG(amount) by category", 10, 3, ("category",), ("SUM(amount)", "AVG(amount)")),
    "Q4": Query("COUNT(DISTINCT user_id) by city, unknown", 5, 1, ("city",), ("COUNT(DISTINCT user_id)",)),
    "Q5": Query("quartiles of amount", 1, 20, (), tuple(f"QUANTILE_CONT(amount, {q})" for q in QUARTILES)),
    "Q6": Query("SUM(amount) by segment, JOIN users", 1, 50, ("segment",), ("SUM(amount)",), joined=_JOIN),
    "Q7": Query("filtered COUNT(*) by category, channel", 5, 2, ("category", "channel"), ("COUNT(*)",), _FILTER),
    "D1": Query("COUNT(DISTINCT user_id) by category", 10, 1, ("category",), ("COUNT(DISTINCT user_id)",)),
    "D2": Query("D1 and SUM(amount)", 10, 3, ("category",), ("COUNT(DISTINCT user_id)", "SUM(amount)")),
    "V1": Query("VARIANCE, SUM(amount) by month", 10, 3, ("MONTH(ts)",), ("VARIANCE(amount)", "SUM(amount)")),
}
"""Q1 … Q7 by the names of the seven that the peers are compared on; then our own."""
UNKNOWN, JOINED, QUANTILES = "Q4", "Q6", "Q5"


@dataclass(frozen=True, slots=True)
class Asked:
    """A question under one public setting: `Q2@50x3+gauss` is Q2 with 3 rows of a user in each of 50 groups.

    The options are `gauss`, a δ that is spent on Gaussian noise; `sum`, a user's sum held to T of the largest amounts
    in place of its rows; and a number, how far the candidates of a quantile lie apart.
    """

    name: str
    query: Query
    options: frozenset[str]

    @property
    def gauss(self):
        return "gauss" in self.options

    @property
    def held_sum(self):
        return "sum" in self.options

    @property
    def step(self):
        return next((float(option) for option in self.options if option[0].isdigit()), 0.5)


def asked(text):
    """What a text like Q2, Q2@50x3 or Q2@50x3+gauss asks."""
    name, _, setting = text.partition("@")
    bounds, *options = setting.split("+")
    groups, _, rows = bounds.partition("x")
    query = replace(QUERIES[name], groups=int(groups), rows=int(rows)) if bounds else QUERIES[name]
    return Asked(name, query, frozenset(options))


def table(folder):
    return Path(folder) / "purchases.parquet"


def users(folder):
    return Path(folder) / "users.parquet"


def truth(folder):
    """The exact answers: {query: {key: [number, …]}}, keys joined by |."""
    return json.loads((Path(folder) / "truth.json").read_text())


def squares(answer, exact):
    """Mean square error of one answer over the keys, for each aggregate; a key that is not released counts as 0."""
    count = len(next(iter(exact.values())))
    return [
        sum((answer.get(key, [0.0] * count)[place] - true[place]) ** 2 for key, true in exact.items()) / len(exact)
        for place in range(count)
    ]


def prepare(folder, rows, seed=7):
    """Write the table, unless it is there, and the exact answers."""
    import duckdb

    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    if not users(folder).exists():
        _generate(folder, rows, seed)
    with duckdb.connect() as connection:
        connection.execute(f"CREATE VIEW purchases AS SELECT * FROM '{table(folder)}'")
        connection.execute(f"CREATE VIEW users AS SELECT * FROM '{users(folder)}'")
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
    people = max(1, rows // 10)

    def zipf(n, shift, power):
        weights = 1.0 / (np.arange(n) + shift) ** power
        return weights / weights.sum()

    def words(index, names):
        return pa.DictionaryArray.from_arrays(pa.array(index.astype(np.int32)), pa.array(names)).cast(pa.string())

    each = rng.multinomial(rows, zipf(people, 100.0, 0.8))
    user = rng.permutation(people)[np.repeat(np.arange(people), each)]
    rng.shuffle(user)
    likely = zipf(CITIES, 5.0, 1.2)
    city = rng.choice(CITIES, size=people, p=likely)[user]
    away = rng.random(rows) < 0.2
    city[away] = rng.choice(CITIES, size=int(away.sum()), p=likely)
    when = np.datetime64("2024-01-01", "us") + rng.integers(0, 366 * 86400, rows).astype("timedelta64[s]")
    columns = {
        "user_id": pa.array(user.astype(np.int64)),
        "category": words(rng.choice(50, size=rows, p=zipf(50, 3.0, 0.7)), CATEGORIES),
        "city": words(city, [f"city_{i:04d}" for i in range(CITIES)]),
        "channel": words(rng.choice(4, size=rows, p=[0.5, 0.3, 0.15, 0.05]), CHANNELS),
        "amount": pa.array(np.round(np.exp(rng.normal(3.0, 1.0, rows)), 2)),
        "ts": pa.array(when),
    }
    _write(table(folder), pa.table(columns), pq)
    segment = words(rng.choice(len(SEGMENTS), size=people), SEGMENTS)
    _write(users(folder), pa.table({"user_id": pa.array(np.arange(people)), "segment": segment}), pq)


def _write(place, columns, pq):
    part = place.with_suffix(".part")
    pq.write_table(columns, part, row_group_size=500_000)
    os.replace(part, place)  # noqa: PTH105
