"""What query.py prints: errors at every setting, each system at its best, CPU seconds, prepared tables."""

from query_grid import COMPARED, PEERS, points
from query_workload import QUERIES, asked
from side_by_side import table

MOST, MOST_FOR = 2.0, {"Q4": 2.5, "Q5": 2.5}
"""How many times the CPU of counting distinct users we promise to take at most."""
LEAST = {"opendp-polars": 5, "smartnoise": 5, "pipeline-dp": 5, "qrlew": 2}
"""How many times less CPU than a peer we promise to take."""
MOST_ERROR = 1.05
"""How many times the best peer's error we promise to err at most."""
FACTOR, EXTRA = 1.3, 0.05
"""What a prepared answer may take: so many times the exact one, and so many seconds."""


def rmse(measured, place):
    """Root mean square error of one aggregate, and the standard error of that over answers; None of a single one."""
    each = [answer[place] for answer in measured["squares"]]
    mean = sum(each) / len(each)
    if len(each) < 2:
        return mean**0.5, None
    spread = (sum((one - mean) ** 2 for one in each) / (len(each) - 1) / len(each)) ** 0.5
    return mean**0.5, spread / (2 * mean**0.5) if mean else 0.0


def mean_square(measured):
    """What a setting is chosen by: the product of the aggregates' errors, so that no unit weighs more than another."""
    product = 1.0
    for place in range(len(measured["squares"][0])):
        product *= rmse(measured, place)[0]
    return product


def by_setting(on_grid, systems, names):
    """RMSE at every point of the grid, one table for each question."""
    parts = []
    for name in names:
        bounds = list(dict.fromkeys(point.split("@")[1].split("+")[0] for point in points("dalenius", name)))
        rows = []
        for system in systems:
            options = dict.fromkeys(point.partition("+")[2] for point in points(system, name))
            for option in options:
                tail = f"+{option}" if option else ""
                held = [on_grid[system].get(f"{name}@{bound}{tail}") for bound in bounds]
                if any(held):
                    rows.append([f"{name} {system}{' ' + option if option else ''}", *map(_errors, held)])
        parts.append(table([f"RMSE, {QUERIES[name].title}", *bounds], rows))
    return "\n\n".join(parts)


def _errors(measured):
    if measured is None:
        return "–"
    return " ".join(f"{rmse(measured, place)[0]:.3g}" for place in range(len(measured["squares"][0])))


def at_best(best, systems, names):
    """RMSE of each system at its own best setting, from answers that were not used to choose it, and the promise."""
    peers, rows, broken, unclear = [peer for peer in systems if peer in PEERS], [], [], []
    for name in names:
        for place, what in enumerate(QUERIES[name].aggregates):
            held = {system: best[system][name] for system in systems if name in best[system]}
            errors = {system: rmse(measured, place) for system, (_, measured) in held.items()}
            row = [f"{name} {what}"]
            for system in ("dalenius", *peers):
                row.append(f"{_with_error(*errors[system])} @{held[system][0]}" if system in errors else "–")
            theirs = {system: error for system, error in errors.items() if system != "dalenius"}
            if theirs and "dalenius" in errors:
                ratio, spread = _ratio(errors["dalenius"], min(theirs.values(), key=lambda error: error[0]))
                row.append(_with_error(ratio, spread))
                figure = f"{name} {what} {ratio:.2f} ± {spread or 0:.2f}"
                broken += [figure] if ratio - 2 * (spread or 0) > MOST_ERROR else []
                unclear += [figure] if ratio - 2 * (spread or 0) <= MOST_ERROR < ratio else []
            else:
                row.append("–")
            rows.append(row)
    promise = f"error at most {MOST_ERROR} times the best peer's, each at its own best setting"
    head = ["RMSE ± standard error @setting", "dalenius", *peers, "ours ÷ best peer"]
    figures = [", ".join(broken) or "none is above it by more than two standard errors"]
    figures += [f"above it by less than that: {', '.join(unclear)}"] if unclear else []
    return "\n\n".join([table(head, rows), line(promise, not broken, "; ".join(figures))])


def _with_error(value, spread):
    return f"{value:.4g}" if spread is None else f"{value:.4g} ± {spread:.2g}"


def _ratio(ours, theirs):
    ratio = ours[0] / theirs[0]
    if ours[1] is None or theirs[1] is None:
        return ratio, None
    return ratio, ratio * ((ours[1] / ours[0]) ** 2 + (theirs[1] / theirs[0]) ** 2) ** 0.5


def seconds(cpu, on_grid, names):
    """CPU of us, of DuckDB and of the peers at the question's own setting, and the promises about it."""
    peers = [peer for peer in PEERS if on_grid.get(peer)]
    rows, broken, least = [], [], {peer: [] for peer in peers}
    for name in names:
        exact, base, ours = (cpu[library][name]["cpu"] for library in ("duckdb", "duckdb-distinct", "dalenius"))
        broken += [f"{name} {ours / base:.2f}"] if ours / base > MOST_FOR.get(name, MOST) else []
        query = QUERIES[name]
        row = [f"{name} {query.title}", str(query.bound), f"{exact:.3f}", f"{base:.3f}", f"{ours:.3f}"]
        row.append(f"{ours / base:.2f}")
        for peer in peers:
            theirs = on_grid[peer].get(own_setting(name)) if name in COMPARED else None
            row += ["–", "–"] if theirs is None else [f"{theirs['cpu']:.3g}", f"{theirs['cpu'] / ours:.3g}"]
            least[peer] += [] if theirs is None else [(theirs["cpu"] / ours, name)]
        rows.append(row)
    head = ["question, CPU s", "T", "DuckDB, exact", "distinct users", "dalenius", "÷ distinct"]
    text = table(head + [word for peer in peers for word in (peer, "÷ ours")], rows)
    promise = "at most 2 times COUNT(DISTINCT user_id), 2.5 for Q4 and Q5"
    lines = [line(promise, not broken, ", ".join(broken) or "every question")]
    for peer, ratios in least.items():
        if ratios:
            low, name = min(ratios)
            promise = f"at least {LEAST[peer]} times less CPU than {peer}"
            lines.append(line(promise, low >= LEAST[peer], f"{low:.1f} times, {name}"))
    return "\n\n".join([text, "\n".join(lines)])


def own_setting(name):
    """The workload's own bounds, which are in the grid."""
    return f"{name}@{QUERIES[name].groups}x{QUERIES[name].rows}"


def prepared(cpu, ready):
    """CPU and error after prepare(), beside the same question asked of all rows, in the same run."""
    rows, broken = [], []
    for name, one in ready.items():
        exact, plain = cpu["duckdb"][name]["cpu"], cpu["dalenius"][name]
        most = FACTOR * exact + EXTRA
        broken += [f"{name} {one['cpu']:.3f} s of {most:.3f}"] if one["cpu"] > most else []
        spent = [f"{value:.3f}" for value in (exact, plain["cpu"], one["cpu"], most)]
        rows.append([f"{name} {asked(name).query.title}", *spent, *map(_errors, (plain, one)), f"{one['ready']:.1f}"])
    head = ["prepared, CPU s", "DuckDB, exact", "all rows", "prepared", "aim", "RMSE, all rows", "RMSE", "to prepare"]
    promise = line("a prepared answer within 1.3 times DuckDB and 0.05 s", not broken, ", ".join(broken) or "all")
    return "\n\n".join([table(head, rows), promise])


def line(promise, kept, figure):
    return f"- {promise}: {'kept' if kept else 'MISSED'} ({figure})"
