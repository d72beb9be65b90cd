"""Private SQL: CPU seconds, error and memory of dalenius, DuckDB without privacy and four peers, in one run.

Arguments: numbers of rows, by default 1000000 and 10000000. Peers that take minutes are asked up to a million rows.
"""

import sys

from query_workload import QUERIES, prepare
from side_by_side import VENVS, run, table

PEERS = ("opendp-polars", "smartnoise", "pipeline-dp", "qrlew")
COMPARED = ("Q1", "Q2", "Q3", "Q4", "Q5", "Q6", "Q7", "D1")
PREPARED = ("Q1", "Q2", "Q3", "Q5", "Q7", "D2", "V1")
"""Questions that a prepared table answers; the others are asked of all rows."""
SPREAD = ("Q2", "Q3", "Q6", "Q7", "D1", "D2", "V1")
"""Questions over several declared keys, which a δ answers with Gaussian noise: the peer qrlew always spends one."""
NAMES = {"dalenius-prepared": PREPARED, "dalenius-delta": SPREAD}
OURS = ("dalenius", "duckdb", "duckdb-distinct")
RUNS = {
    "dalenius": 20,
    "duckdb": 20,
    "duckdb-distinct": 20,
    "dalenius-prepared": 20,
    "dalenius-delta": 20,
    "qrlew": 10,
    "opendp-polars": 3,
    "smartnoise": 3,
    "pipeline-dp": 1,
}
LARGE = {"dalenius": 5, "duckdb": 5, "duckdb-distinct": 5, "dalenius-prepared": 5}
LEAST = {"opendp-polars": 5, "smartnoise": 5, "pipeline-dp": 5, "qrlew": 2}
"""How many times less CPU than a peer we promise to take at a million rows."""
MOST, MOST_FOR = 2.0, {"Q4": 2.5, "Q5": 2.5}
"""How many times the CPU of counting distinct users we promise to take at most."""
FACTOR, EXTRA = 1.3, 0.05
"""What a prepared answer may take at ten million rows: so many times the exact one, and so many seconds."""
BOUNDS = (10, 30, 100, 300)
GRID = {"Q4": (5, 8, 12, 20), "Q6": (12, 25, 50, 100)}
"""Bounds that each library is asked at: its best counts. Those of Q4 are groups of a user, of Q6 rows."""
SMALL, TIMEOUT, MOST_MEMORY = 1_000_000, 1800.0, 1024
MOST_SECONDS, MOST_MEMORY_KEYS = 60, 4096


def measure(folder, runs):
    """What each library took and erred, {library: {question: …}}; one that fails is left out, with a line."""
    told = {}
    for library, times in runs.items():
        names = QUERIES if library in OURS else NAMES.get(library, COMPARED)
        found = run("query_worker.py", library, str(folder), str(times), *names, timeout=TIMEOUT)
        told[library] = {} if found is None else found["queries"]
    return told


def seconds(told):
    peers = [name for name in PEERS if told.get(name)]
    head = ["question, CPU s", "T", "DuckDB, exact", "distinct users", "dalenius", "÷ distinct"]
    rows = []
    for name, query in QUERIES.items():
        exact, base, ours = (told[library][name]["cpu"] for library in ("duckdb", "duckdb-distinct", "dalenius"))
        row = [
            f"{name} {query.title}",
            str(query.bound),
            f"{exact:.3f}",
            f"{base:.3f}",
            f"{ours:.3f}",
            f"{ours / base:.2f}",
        ]
        for peer in peers:
            theirs = told[peer].get(name)
            row += ["–", "–"] if theirs is None else [f"{theirs['cpu']:.3g}", f"{theirs['cpu'] / ours:.3g}"]
        rows.append(row)
    return table(head + [word for peer in peers for word in (peer, "÷ ours")], rows)


def errors(told):
    peers = [name for name in PEERS if told.get(name)]
    rows = []
    for name, query in QUERIES.items():
        for place, what in enumerate(query.aggregates):
            plain = told["dalenius"][name]["error"][place]
            spent = told.get("dalenius-delta", {}).get(name)
            ours = plain if spent is None else min(plain, spent["error"][place])
            theirs = [told[peer].get(name) for peer in peers]
            found = [None if one is None else one["error"][place] for one in theirs]
            best = min((one for one in found if one is not None), default=None)
            cells = ["–" if one is None else f"{one:.4g}" for one in found]
            told_of_delta = "–" if spent is None else f"{spent['error'][place]:.4g}"
            ratio = "–" if best is None else f"{ours / best:.3f}"
            rows.append([f"{name} {what}", f"{plain:.4g}", told_of_delta, *cells, ratio])
    return table(["question, RMSE", "dalenius", "with a δ", *peers, "our better ÷ best peer"], rows)


def by_bound(folder):
    """RMSE of Q2 as T grows: what a T costs in noise, and what it saves in rows that are cut off."""
    names = [f"Q2@{bound}" for bound in BOUNDS]
    rows = []
    for library in ("dalenius", "dalenius-delta", "smartnoise", "qrlew"):
        found = run("query_worker.py", library, str(folder), "5", *names, timeout=TIMEOUT)
        if found is not None:
            rows.append([library, *(f"{found['queries'][name]['error'][0]:.4g}" for name in names)])
    return table(["Q2, RMSE", *(f"T = {bound}" for bound in BOUNDS)], rows)


def at_best(folder):
    """RMSE of the questions that hang most on a bound, over one grid of bounds, each library at its best."""
    rows, lines = [], []
    for name, bounds in GRID.items():
        best = {}
        for library in ("dalenius", *PEERS):
            names = [f"{name}@{bound}" for bound in bounds]
            found = run("query_worker.py", library, str(folder), "3" if library != "pipeline-dp" else "1", *names)
            told = {} if found is None else found["queries"]
            errors = [told[one]["error"][0] if one in told else None for one in names]
            if any(one is not None for one in errors):
                best[library] = min(one for one in errors if one is not None)
                rows.append([f"{name} {library}", *("–" if one is None else f"{one:.4g}" for one in errors)])
        peers = [value for library, value in best.items() if library != "dalenius"]
        if peers and "dalenius" in best:
            ratio = best["dalenius"] / min(peers)
            promise = f"{name}: error at most 1.05 times the best peer's, each at its best T of {bounds}"
            lines.append(_line(promise, ratio <= 1.05, f"{ratio:.3f} times"))
    size = max(map(len, GRID.values()))
    return "\n\n".join([table(["RMSE by T", *(f"bound {place + 1}" for place in range(size))], rows), "\n".join(lines)])


def bars(told, every):
    """Each promise, and whether this run kept it."""
    ours = told["dalenius"]
    ratios = {n: ours[n]["cpu"] / told["duckdb-distinct"][n]["cpu"] for n in QUERIES}
    broken = [f"{n} {ratio:.2f}" for n, ratio in ratios.items() if ratio > MOST_FOR.get(n, MOST)]
    worst = max(ratios, key=lambda n: ratios[n] / MOST_FOR.get(n, MOST))
    figure = ", ".join(broken) or f"{ratios[worst]:.2f} times, {worst}"
    lines = [_line("at most 2 times COUNT(DISTINCT user_id), 2.5 for Q4 and Q5", not broken, figure)]
    for peer, least in LEAST.items() if every else ():
        ratios = [(one["cpu"] / ours[name]["cpu"], name) for name, one in told.get(peer, {}).items()]
        if ratios:
            low, name = min(ratios)
            lines.append(
                _line(f"at least {least} times less CPU than {peer}", low >= least, f"{low:.1f} times, {name}")
            )
    return "\n".join(lines)


def prepared(told, every):
    """CPU and error after prepare(), beside the same question asked of all rows, in the same run."""
    rows, broken = [], []
    for name, one in told.get("dalenius-prepared", {}).items():
        exact, plain = told["duckdb"][name]["cpu"], told["dalenius"][name]
        most = FACTOR * exact + EXTRA
        broken += [f"{name} {one['cpu']:.3f} s of {most:.3f}"] if one["cpu"] > most else []
        cpu = [f"{value:.3f}" for value in (exact, plain["cpu"], one["cpu"], most)]
        error = [" ".join(f"{value:.4g}" for value in which["error"]) for which in (plain, one)]
        rows.append([f"{name} {QUERIES[name].title}", *cpu, *error, f"{one['ready']:.1f}"])
    head = ["prepared, CPU s", "DuckDB, exact", "all rows", "prepared", "aim", "RMSE, all rows", "RMSE", "to prepare"]
    lines = [table(head, rows)] if rows else []
    if rows and not every:
        promise = "a prepared answer within 1.3 times DuckDB and 0.05 s"
        lines.append(f"- {promise}: {'MISSED (' + ', '.join(broken) + ')' if broken else 'kept'}")
    return "\n\n".join(lines)


def many_keys():
    """Ten million keys that nobody declared, of a million users."""
    found = run("query_keys_worker.py", "dalenius", str(VENVS / "data" / "keys"), timeout=TIMEOUT)
    if found is None:
        return ""
    figure = f"{found['wall']:.0f} s, {found['cpu']:.0f} s of CPU, {found['peak']:.0f} MB, {found['named']} named"
    kept = found["wall"] <= MOST_SECONDS and found["peak"] < MOST_MEMORY_KEYS
    return _line("ten million unknown keys in one minute and under 4 GB", kept, figure)


def _line(promise, kept, figure):
    return f"- {promise}: {'kept' if kept else 'MISSED'} ({figure})"


def report(size):
    """All tables and promises at one size, each library in a process of its own."""
    folder, every = prepare(VENVS / "data" / str(size), size), size <= SMALL
    told = measure(folder, RUNS if every else LARGE)
    parts = [f"{size:,} rows", seconds(told), errors(told), bars(told, every), prepared(told, every)]
    peak = run("query_worker.py", "dalenius", str(folder), "1", *QUERIES, timeout=TIMEOUT)
    if peak is not None:
        figure = f"{peak['peak']:.0f} MB for all questions in one process"
        parts.append(_line("under 1 GB of memory", peak["peak"] < MOST_MEMORY, figure))
    parts += [by_bound(folder), at_best(folder)] if every else [many_keys()]
    return "\n\n".join(parts)


if __name__ == "__main__":
    text = ""
    for size in [int(size) for size in sys.argv[1:]] or [1_000_000, 10_000_000]:
        text += f"{report(size)}\n\n"
        print(text, flush=True)
    (VENVS / "query.md").write_text(text)
