"""A long scan that is interrupted while the engine runs: three cells, for a process of its own or for a kernel."""

ROWS = 1_500_000

OPEN = f"""
import os, signal, sys, threading, time
import duckdb, dalenius
duckdb.sql("COPY (SELECT md5((i // 2)::VARCHAR) AS who, i % 7 AS x FROM range({ROWS}) t(i)) TO 't.parquet'")
terms = dict(unit="who", contributions=2, bounds=dict(x=(0, 7)), budget=dict(epsilon=10))
db = dalenius.connect("t.parquet", ledger="t.ledger", **terms)
question = "SELECT SUM(x) AS s FROM t"

def interrupt():
    main = threading.main_thread().ident
    while sys._current_frames()[main].f_code.co_filename[-16:] != "duckdb/engine.py":
        time.sleep(0.001)
    time.sleep(0.02)
    os.kill(os.getpid(), signal.SIGINT)
"""
ASK = """
threading.Thread(target=interrupt, daemon=True).start()
db.sql(question, epsilon=1)
"""
AGAIN = """
charged, other = len(db.ledger.entries("t")), db.sql("SELECT COUNT(*) AS n FROM t", epsilon=1)
answer = db.sql(question, epsilon=1)
known = db.sql(question, epsilon=1)
db.ledger.verify()
print("told", charged, len(db.ledger.entries("t")), db.budget, other.value > 0, answer.value == known.value)
"""
TOLD = "told 1 2 ε = 8 True True"
