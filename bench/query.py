"""Private SQL: CPU seconds, error and memory of dalenius, DuckDB without privacy and four peers, in one run.

Arguments: numbers of rows, by default 1000000 and 10000000. Peers that take minutes are asked up to a million rows.
"""

import sys

from query_workload import QUERIES, prepare
from side_by_side import VENVS, run, table

PEERS = ("opendp-polars", "smartnoise", "pipeline-dp", "qrlew")
COMPARED = ("Q1", "Q2", "Q3", "Q7", "D1")
RUNS = {
    "dalenius": 20,
    "duckdb": 20,
    "duckdb-distinct": 20,
    "qrlew": 20,
    "opendp-polars": 5,
    "smartnoise": 5,
    "pipeline-dp": 2,
}
LARGE = {"dalenius": 5, "duckdb": 5, "duckdb-distinct": 5, "qrlew": 3}
LEAST = {"opendp-polars": 5, "smartnoise": 5, "pipeline-dp": 5, "qrlew": 2}
"""How many times less CPU than a peer we promise to take at a million rows."""
BOUNDS = (10, 30, 100, 300)
SMALL, TIMEOUT, MOST_MEMORY = 1_000_000, 900.0, 1024


def measure(folder, runs):
    """What each library took and erred, {library: {question: …}}; one that fails is left out, with a line."""
    told = {}
    for library, times in runs.items():
        names = QUERIES if library in ("dalenius", "duckdb", "duckdb-distinct") else COMPARED
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
            ours = told["dalenius"][name]["error"][place]
            theirs = [told[peer].get(name) for peer in peers]
            found = [None if one is None else one["error"][place] for one in theirs]
            best = min((one for one in found if one is not None), default=None)
            cells = ["–" if one is None else f"{one:.4g}" for one in found]
            rows.append([f"{name} {what}", f"{ours:.4g}", *cells, "–" if best is None else f"{ours / best:.3f}"])
    return table(["question, RMSE", "dalenius", *peers, "÷ best peer"], rows)


def by_bound(folder):
    """RMSE of Q2 as T grows: what a T costs in noise, and what it saves in rows that are cut off."""
    names = [f"Q2@{bound}" for bound in BOUNDS]
    rows = []
    for library in ("dalenius", "smartnoise", "qrlew"):
        found = run("query_worker.py", library, str(folder), "5", *names, timeout=TIMEOUT)
        if found is not None:
            rows.append([library, *(f"{found['queries'][name]['error'][0]:.4g}" for name in names)])
    return table(["Q2, RMSE", *(f"T = {bound}" for bound in BOUNDS)], rows)


def bars(told, every):
    """Each promise, and whether this run kept it."""
    ours = told["dalenius"]
    most = max((ours[n]["cpu"] / told["duckdb-distinct"][n]["cpu"], n) for n in QUERIES)
    lines = [_line("at most 2 times COUNT(DISTINCT user_id)", most[0] <= 2, f"{most[0]:.2f} times, {most[1]}")]
    for peer, least in LEAST.items() if every else ():
        ratios = [(one["cpu"] / ours[name]["cpu"], name) for name, one in told.get(peer, {}).items()]
        if ratios:
            low, name = min(ratios)
            lines.append(
                _line(f"at least {least} times less CPU than {peer}", low >= least, f"{low:.1f} times, {name}")
            )
    return "\n".join(lines)


def _line(promise, kept, figure):
    return f"- {promise}: {'kept' if kept else 'MISSED'} ({figure} at the worst)"


def report(size):
    """All tables and promises at one size, each library in a process of its own."""
    folder, every = prepare(VENVS / "data" / str(size), size), size <= SMALL
    told = measure(folder, RUNS if every else LARGE)
    parts = [f"{size:,} rows", seconds(told), errors(told), bars(told, every)]
    peak = run("query_worker.py", "dalenius", str(folder), "1", *QUERIES, timeout=TIMEOUT)
    if peak is not None:
        figure = f"{peak['peak']:.0f} MB for all questions in one process"
        parts.append(_line("under 1 GB of memory", peak["peak"] < MOST_MEMORY, figure))
    if every:
        parts.append(by_bound(folder))
    return "\n\n".join(parts)


if __name__ == "__main__":
    text = ""
    for size in [int(size) for size in sys.argv[1:]] or [1_000_000, 10_000_000]:
        text += f"{report(size)}\n\n"
        print(text, flush=True)
    (VENVS / "query.md").write_text(text)
