"""Seconds and memory of one question over ten million keys that nobody declared. Prints one line of JSON.

Arguments: dalenius, folder. Each of a million users has ten keys of their own and two of a thousand that many share.
"""

import json
import os
import resource
import sys
import tempfile
import time
from pathlib import Path

USERS, OWN, SHARED, COMMON = 1_000_000, 10, 2, 1000


def generate(place):
    import duckdb

    place.parent.mkdir(parents=True, exist_ok=True)
    part = place.with_suffix(".part")
    rows = f"""
        SELECT u AS user_id, 'own ' || (u * {OWN} + k) AS word FROM range({USERS}) AS a(u), range({OWN}) AS b(k)
        UNION ALL
        SELECT u, 'common ' || (hash(u, k) % {COMMON}) FROM range({USERS}) AS a(u), range({SHARED}) AS b(k)
    """
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({rows}) TO '{part}' (FORMAT parquet)")
    os.replace(part, place)  # noqa: PTH105


def main(library, folder):
    import dalenius

    place = Path(folder) / "words.parquet"
    if not place.exists():
        pid = os.fork()  # what it takes to write the table is not counted
        if pid == 0:
            generate(place)
            os._exit(0)
        os.waitpid(pid, 0)
    with tempfile.TemporaryDirectory() as ledgers:
        session = dalenius.connect(
            place,
            unit="user_id",
            contributions=12,
            budget={"epsilon": 10, "delta": 1e-5},
            ledger=Path(ledgers) / "words.ledger",
        )
        start, spent = time.perf_counter(), time.process_time()
        answer = session.sql(
            "SELECT word, COUNT(*) AS n FROM words GROUP BY word", epsilon=1, delta=1e-7, groups=12, min_units=2
        )
        told = {"wall": time.perf_counter() - start, "cpu": time.process_time() - spent, "named": len(answer.rows)}
    print(json.dumps({**told, "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))


if __name__ == "__main__":
    main(*sys.argv[1:])
