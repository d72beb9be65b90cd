"""Intervals for a proportion of a population, side by side: coverage, width and CPU time over the same draws."""

from side_by_side import run, table

CASES = ((20, 0.3, 1.0), (100, 0.02, 1.0), (100, 0.3, 0.1), (1000, 0.3, 1.0), (10_000, 0.3, 1.0))


def cell(found, case):
    """Coverage, mean width and milliseconds of one method in one case."""
    told = (found or {}).get("/".join(f"{part:g}" for part in case))
    if not told:
        return ["–", "–", "–"]
    covered, width, milliseconds, raised = told
    mark = f" (raised {100 * raised:.0f} %)" if raised else ""
    return [f"{covered:.3f}{mark}", f"{width:.4f}", f"{milliseconds:.3g}"]


def main() -> str:
    methods = ("dalenius", "wald", "bootstrap", "opendp")
    peers = {"dalenius": "dalenius", "wald": "numpy", "bootstrap": "numpy", "opendp": "opendp"}
    found = {method: run("inference_worker.py", peers[method], method, timeout=600) for method in methods}
    rows = []
    for case in CASES:
        n, p, epsilon = case
        for method in methods:
            rows.append([f"n = {n}, p = {p:g}, ε = {epsilon:g}", method, *cell(found[method], case)])
    first = table(["case", "method", "coverage", "mean width", "CPU, ms"], rows)
    speeds = run("inference_worker.py", "dalenius", "speeds", timeout=600) or {}
    second = table(["one interval of ours", "CPU, ms"], [[case, f"{spent:.3g}"] for case, spent in speeds.items()])
    return f"{first}\n\n{second}"


if __name__ == "__main__":
    print(main())
