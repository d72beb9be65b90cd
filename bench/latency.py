"""CPU of one question, stage by stage: this tree, and another one beside it.

`python bench/latency.py [OTHER]` runs the same questions over 200 000 rows with the source tree of this repository and,
in turn, with that of OTHER (another checkout), each in processes of their own, and prints milliseconds of CPU.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ROUNDS = 3
WORKER = r"""
import gc, inspect, json, statistics, sys, tempfile, time
from pathlib import Path
import numpy as np, pyarrow as pa, pyarrow.parquet as pq
import dalenius

N = 200_000
WARM = "SELECT category, SUM(amount) AS s, COUNT(*) AS n FROM purchases GROUP BY category"
KEYS = ["books", "food", "games", "home", "music", "toys"]
SESSIONS = 5
spent = {}

def timed(name, call):
    gc.collect()  # else one call or another pays for the garbage of all
    start = time.process_time()
    value = call()
    spent.setdefault(name, []).append((time.process_time() - start) * 1000)
    return value

with tempfile.TemporaryDirectory() as folder:
    draw = np.random.default_rng(1)
    path = Path(folder) / "purchases.parquet"
    pq.write_table(pa.table({
        "user_id": draw.integers(0, 20_000, N),
        "category": draw.choice(KEYS, N),
        "amount": draw.uniform(0, 200, N),
    }), path)
    def connect(name, **terms):
        return dalenius.connect(path, ledger=Path(folder) / f"{name}.ledger", unit="user_id",
            budget={"epsilon": 1000}, bounds={"amount": (0, 200)}, keys={"category": KEYS},
            settings={"threads": 1}, **terms)
    warm = connect("warm", contributions=5)  # imports, tables of noise
    print(warm.sql(WARM, epsilon=1), file=sys.stderr)
    warm.explain(WARM, epsilon=1)
    for number in range(SESSIONS):  # each asks a text that is new to the process
        QUERY = f"SELECT category, AVG(amount) AS mean{number} FROM purchases GROUP BY category"
        db = timed("connect", lambda: connect(f"declared{number}", contributions=5))
        answer = timed("first ask", lambda: db.sql(QUERY, epsilon=1))
        timed("ask again, another key", lambda: db.sql(QUERY, epsilon=1, key="again"))
        timed("ask again, for nothing", lambda: db.sql(QUERY, epsilon=1))
        timed("explain", lambda: db.explain(QUERY, epsilon=1))
        timed("print", lambda: str(answer))
        QUERY = f"SELECT category, AVG(amount) AS average{number} FROM purchases GROUP BY category"
        silent = connect(f"found{number}")
        # older trees just buy
        bought = {"profile": True} if "profile" in inspect.signature(silent.sql).parameters else {}
        timed("first ask, rows found", lambda: silent.sql(QUERY, epsilon=1, **bought))
        timed("ask again, rows found", lambda: silent.sql(QUERY, epsilon=1, key="again"))
        timed("explain, rows found", lambda: silent.explain(QUERY, epsilon=1))
json.dump({name: statistics.median(times) for name, times in spent.items()}, sys.stdout)
"""


def run(tree: Path) -> dict[str, float]:
    """One process over a source tree."""
    environment = os.environ | {"PYTHONPATH": str(tree / "src"), "OMP_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, "-c", WORKER], env=environment, capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout))


def main() -> None:
    trees = [ROOT, *(Path(place).resolve() for place in sys.argv[1:2])]
    runs: list[list[dict[str, float]]] = [[] for _ in trees]
    for _ in range(ROUNDS):
        for tree, times in zip(trees, runs, strict=True):
            times.append(run(tree))
    medians = [{name: sorted(one[name] for one in times)[len(times) // 2] for name in times[0]} for times in runs]
    print(
        f"{'milliseconds of CPU':<26}"
        + "".join(f"{name:>12}" for name in ("this", "other", "ratio")[: 3 if runs[1:] else 1])
    )
    for name, here in medians[0].items():
        there = medians[1][name] if runs[1:] else None
        print(f"{name:<26}{here:12.1f}" + ("" if there is None else f"{there:12.1f}{here / there:12.2f}"))


if __name__ == "__main__":
    main()
