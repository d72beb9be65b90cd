"""Lomas, the open server of the same kind, asked over HTTP what bench/server.py asks ours.

Its published set-up keeps budgets in MongoDB, which is not asked for here: its own administration in a YAML file, held
in memory, takes the place, so nothing that it charges is durable. Its protection against timing is set to no delay.
`bench/setup.py lomas` makes its environment; without one this says so and asks nothing.
"""

import json
import os
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

ROOT = Path(os.environ.get("DALENIUS_BENCH", Path(__file__).parent.parent / ".bench"))
PYTHON = ROOT / "lomas" / "bin" / "python"
QUERY = "SELECT ward, AVG(cost) AS m FROM df GROUP BY ward"
TINY = "SELECT COUNT(*) AS n FROM df"
ROUNDS = 10
RUNTIME = """\
runtime_args:
  settings:
    develop_mode: false
    server:
      time_attack: {{method: jitter, magnitude: 0}}
      host_ip: 127.0.0.1
      host_port: {port}
      log_level: error
      reload: false
      workers: 1
    submit_limit: 0
    admin_database: {{db_type: yaml, db_file: {folder}/admin.yaml}}
    private_db_credentials: []
    dp_libraries: {{opendp: {{contrib: true, floating_point: true, honest_but_curious: true}}}}
"""
ADMIN = """\
users:
  - user_name: ann
    may_query: true
    datasets_list:
      - dataset_name: visits
        initial_epsilon: 100000
        initial_delta: 1
        total_spent_epsilon: 0
        total_spent_delta: 0
datasets:
  - dataset_name: visits
    dataset_access: {{database_type: PATH_DB, path: {folder}/visits.csv}}
    metadata_access: {{database_type: PATH_DB, path: {folder}/metadata.yaml}}
queries: []
"""
METADATA = """\
max_ids: 5
rows: {rows}
row_privacy: false
censor_dims: false
columns:
  patient: {{private_id: true, type: int, precision: 64, lower: 0, upper: 20000}}
  ward: {{type: string, cardinality: 4, categories: [a, b, c, d]}}
  cost: {{type: float, precision: 64, lower: 0, upper: 100}}
"""


class Lomas:
    """Its server in a process of its own, over a CSV of the same rows."""

    def __init__(self, folder: Path, port: int, rows: int) -> None:
        words = {"folder": folder, "port": port, "rows": rows}
        for name, text in (("runtime", RUNTIME), ("admin", ADMIN), ("metadata", METADATA)):
            (folder / f"{name}.yaml").write_text(text.format(**words))
        (folder / "secrets.yaml").write_text("{}\n")
        self._url = f"http://127.0.0.1:{port}"
        places = {"LOMAS_CONFIG_PATH": f"{folder}/runtime.yaml", "LOMAS_SECRETS_PATH": f"{folder}/secrets.yaml"}
        self.process = subprocess.Popen(
            [str(PYTHON), "-m", "lomas_server.uvicorn_serve"],
            env=os.environ | places,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def is_up(self) -> bool:
        """Whether it answers within two minutes: its imports take half of one."""
        for _ in range(240):
            if self.process.poll() is not None:
                return False
            try:
                urllib.request.urlopen(f"{self._url}/live", timeout=5).close()
                return True
            except urllib.error.HTTPError:
                return True
            except OSError:
                time.sleep(0.5)
        return False

    def ask(self, sql: str, route: str = "smartnoise_sql_query", **more: object) -> None:
        terms = {"query_str": sql, "dataset_name": "visits", "epsilon": 0.1, "delta": 1e-5, "mechanisms": {}}
        headers = {"user-name": "ann", "Content-Type": "application/json"}
        request = urllib.request.Request(f"{self._url}/{route}", json.dumps(terms | more).encode(), headers)
        with urllib.request.urlopen(request, timeout=120) as answer:
            answer.read()

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(30)


def compare(folder: Path, port: int, rows: int, cpu_of: Callable[[int], float]) -> None:
    """Print what its process spends on a price, an answer and a count."""
    if not PYTHON.exists():
        print("Lomas: not installed; `python bench/setup.py lomas` makes its environment")
        return
    served = Lomas(folder, port, rows)
    try:
        if not served.is_up():
            print("Lomas: installed, but its server did not start")
            return
        calls = {
            "explain": lambda: served.ask(QUERY, "estimate_smartnoise_sql_cost"),
            "new answer": lambda: served.ask(QUERY, postprocess=True),
            "new answer, COUNT(*)": lambda: served.ask(TINY, postprocess=True),
        }
        print(f"\n{'Lomas, CPU of one call, ms':<48}")
        for name, call in calls.items():
            call()
            start = cpu_of(served.process.pid)
            for _ in range(ROUNDS):
                call()
            print(f"{name:<48}{(cpu_of(served.process.pid) - start) / ROUNDS * 1000:10.0f}")
    finally:
        served.stop()
