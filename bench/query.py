"""Private SQL in one run: error of dalenius and four peers over one grid of settings, CPU seconds and memory.

    query.py                                    a million rows with the peers, then ten million of ours alone
    query.py --quick                            the same with fewer answers of the peers, on a busy machine
    query.py --rows 1000000 --only error --questions Q5 Q6 --systems dalenius qrlew

Each system is asked every question at every setting of query_grid.py, and then anew at the one that was best: the
second answers are those that are compared, so that no system gains by luck in the choice.
"""

import argparse

from query_grid import ANSWERS, COMPARED, QUICK, SYSTEMS, points
from query_tables import at_best, by_setting, line, mean_square, own_setting, prepared, seconds
from query_workload import QUERIES, prepare
from side_by_side import VENVS, run

SMALL, LARGE, TIMEOUT, MOST_MEMORY = 1_000_000, 10_000_000, 3600.0, 1024
MOST_SECONDS, MOST_MEMORY_KEYS = 60, 4096
TURNS = {SMALL: "30", LARGE: "5"}
"""Answers of which the median CPU is taken, ours and DuckDB's in turns."""
PREPARED = ("Q1", "Q2", "Q3", "Q5", "Q7", "D2", "V1")
"""Questions that a prepared table answers; the others are asked of all rows."""


def measured(systems, folder, answers, texts):
    """What a worker measured, {library: {text: …}}; a system that fails is left out, with a line."""
    result = run("query_worker.py", systems, str(folder), answers, *texts, timeout=TIMEOUT) if texts else None
    return {library: {} for library in systems.split("+")} if result is None else result["libraries"]


def errors(folder, systems, names, quick):
    """The tables of errors, and what was measured on the grid."""
    on_grid, best = {}, {}
    for system in systems:
        first, second = (QUICK if quick else ANSWERS)[system]
        texts = [point for name in names for point in points(system, name, quick)]
        on_grid[system] = measured(system, folder, first, texts)[system]
        chosen = {}
        for name in names:
            held = [point for point in points(system, name) if point in on_grid[system]]
            if held:
                chosen[min(held, key=lambda point: mean_square(on_grid[system][point]))] = name
        again = measured(system, folder, second, list(chosen))[system]
        best[system] = {chosen[point]: (point.partition("@")[2], one) for point, one in again.items()}
    return [by_setting(on_grid, systems, names), at_best(best, systems, names)], on_grid


def times(folder, rows, names, quick):
    """CPU of ours, exact and distinct, in turns in one process."""
    turns = "15" if quick and rows <= SMALL else TURNS.get(rows, "10")
    return measured("dalenius+duckdb+duckdb-distinct", folder, turns, names)


def own_times(folder, systems, on_grid, names):
    """What was measured at the workload's own setting, asked for where the grid was not gone through."""
    if on_grid:
        return on_grid
    texts = [own_setting(name) for name in names if name in COMPARED]
    return {system: measured(system, folder, "1", texts)[system] for system in systems if system != "dalenius"}


def memory(folder):
    """The peak of one process that answers all questions."""
    peak = run("query_worker.py", "dalenius", str(folder), "1", *QUERIES, timeout=TIMEOUT)
    if peak is None:
        return ""
    figure = f"{peak['peak']:.0f} MB for all questions in one process"
    return line("under 1 GB of memory", peak["peak"] < MOST_MEMORY, figure)


def many_keys():
    """Ten million keys that nobody declared, of a million users."""
    result = run("query_keys_worker.py", "dalenius", str(VENVS / "data" / "keys"), timeout=TIMEOUT)
    if result is None:
        return ""
    figure = f"{result['wall']:.0f} s, {result['cpu']:.0f} s of CPU, {result['peak']:.0f} MB, {result['named']} named"
    kept = result["wall"] <= MOST_SECONDS and result["peak"] < MOST_MEMORY_KEYS
    return line("ten million unknown keys in one minute and under 4 GB", kept, figure)


def report(rows, only, systems, names, quick):
    """Each part of the report at one size as soon as it is there; every library in a process of its own."""
    folder, small = prepare(VENVS / "data" / str(rows), rows), rows <= SMALL
    yield f"{rows:,} rows"
    on_grid = {}
    if "error" in only and small:
        tables, on_grid = errors(folder, systems, [name for name in names if name in COMPARED], quick)
        yield from tables
    if "cpu" in only:
        cpu = times(folder, rows, names, quick)
        yield seconds(cpu, own_times(folder, systems, on_grid, names) if small else {}, names)
        yield memory(folder)
        if not small:
            ready = [name for name in PREPARED if name in names]
            yield prepared(cpu, measured("dalenius-prepared", folder, TURNS[LARGE], ready)["dalenius-prepared"])
            yield many_keys()


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[SMALL, LARGE])
    parser.add_argument("--only", nargs="+", choices=("error", "cpu"), default=["error", "cpu"])
    parser.add_argument("--questions", nargs="+", choices=tuple(QUERIES), default=list(QUERIES))
    parser.add_argument("--quick", action="store_true", help="fewer answers, and pipeline-dp at fewer settings")
    parser.add_argument("--systems", nargs="+", choices=SYSTEMS, default=list(SYSTEMS))
    return parser.parse_args()


if __name__ == "__main__":
    chosen = arguments()
    parts = []
    for size in chosen.rows:
        for part in report(size, chosen.only, chosen.systems, chosen.questions, chosen.quick):
            parts.append(part)
            print(part, end="\n\n", flush=True)
    (VENVS / "query.md").write_text("\n\n".join(parts) + "\n")
