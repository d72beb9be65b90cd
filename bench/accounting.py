"""Accounting, side by side: gap to the truth, CPU, memory and failures of dalenius and its peers, in one run."""

import math
import time
from fractions import Fraction
from pathlib import Path

from accounting_worker import BUDGET, REPEATS, rows
from side_by_side import run, table

WAYS = {
    "dalenius 1e-6": ("dalenius", "1e-6"),
    "dalenius 1e-4": ("dalenius", "1e-4"),
    "dp-acc RDP": ("dp-accounting", "rdp"),
    "dp-acc PLD": ("dp-accounting", "pld"),
    "prv": ("prv-accountant", "prv"),
    "autodp RDP": ("autodp", "rdp"),
    "autodp AFA": ("autodp", "fourier"),
    "opacus RDP": ("opacus", "rdp"),
    "opacus PRV": ("opacus", "prv"),
    "opacus GDP": ("opacus", "gdp"),
    "opendp": ("opendp", "zcdp"),
}
OURS = ("dalenius 1e-6", "dalenius 1e-4")
AGAINST = ("dp-acc PLD", "prv")
ROUNDING = Fraction(1, 10**9)
FAILURES = ("wrong side", "infinite", "raises", "over budget")


def judge(row, found):
    """(gap, failure): the gap of the published bound, relative for a curve; a failure is one of FAILURES or None."""
    if "cpu" not in found:
        return None, "over budget" if "late" in found else "raises"
    curve = isinstance(row["truth"], list)
    truths, uppers = (
        ([*map(Fraction, row["truth"])], found["value"]) if curve else ([Fraction(row["truth"])], [found["value"]])
    )
    if not all(map(math.isfinite, uppers)):
        return math.inf, "infinite"
    lowers = found.get("lower", [0] * len(truths))
    lowers = lowers if isinstance(lowers, list) else [lowers]
    gaps = [float((Fraction(v) - t) / (t if curve else 1)) for v, t in zip(uppers, truths, strict=True)]
    wrong = any(
        Fraction(high) < t * (1 - ROUNDING) or Fraction(low) > t * (1 + ROUNDING)
        for low, high, t in zip(lowers, uppers, truths, strict=True)
    )
    return max(gaps, key=abs), "wrong side" if wrong else None


def gap_cell(row, found):
    gap, failure = judge(row, found)
    mark = "" if failure is None else f" {failure.upper()}"
    return mark.strip() if gap is None else f"{gap:+.1e}{mark}"


def cpu_cell(found):
    return f"{1000 * found['cpu']:.3g}" if "cpu" in found else "–"


def memory_cell(found):
    return f"{found['memory']:.3g}" if "memory" in found else "–"


def ratio_cell(found, ours, theirs):
    both = [found[way].get("cpu") if way in found else None for way in (ours, theirs)]
    return "–" if None in both else f"{both[1] / both[0]:.3g}"


def width_cell(found):
    if "cpu" not in found or "lower" not in found:
        return "–"
    ends = zip(
        *(found[end] if isinstance(found[end], list) else [found[end]] for end in ("lower", "value")), strict=True
    )
    return f"{max((high - low) / high for low, high in ends):.1e}"


def main():
    start, all_rows = time.perf_counter(), rows()
    results = {way: found for way, peer in WAYS.items() if (found := run("accounting_worker.py", *peer)) is not None}
    by_row = {
        row["name"]: {way: each[row["name"]] for way, each in results.items() if row["name"] in each}
        for row in all_rows
    }

    def across(title, cell):
        lines = [[row["name"], *(cell(row, by_row[row["name"]], way) for way in results)] for row in all_rows]
        return f"{title}\n\n" + table(["workload", *results], lines)

    def cell_of(show):
        return lambda row, found, way: show(row, found[way]) if way in found else ""

    ours = [way for way in OURS if way in results]
    pairs = [(us, them) for us in ours for them in AGAINST if them in results]
    ratios = [
        [row["name"], *(width_cell(by_row[row["name"]].get(us, {})) for us in ours)]
        + [ratio_cell(by_row[row["name"]], us, them) for us, them in pairs]
        for row in all_rows
    ]
    failures = []
    for way, found in results.items():
        kinds = [judge(row, found[row["name"]])[1] for row in all_rows if row["name"] in found]
        failures.append([way, str(len(kinds)), *(str(kinds.count(kind)) for kind in FAILURES)])
    gap = "Published ε (σ for the calibration) minus truth; of δ the relative gap, the worst of a curve."
    cpu = f"CPU, ms: caches cold, imports behind, best of {REPEATS}; at most {BUDGET} s."
    return "\n\n".join(
        [
            across(gap, cell_of(gap_cell)),
            across(cpu, cell_of(lambda _, found: cpu_cell(found))),
            across("Peak memory above the start, MB.", cell_of(lambda _, found: memory_cell(found))),
            "Relative width of our interval, and how many times less CPU it takes.\n\n"
            + table(["workload", *(f"width {us}" for us in ours), *(f"{them} ÷ {us}" for us, them in pairs)], ratios),
            "Rows answered, and how they fail.\n\n" + table(["library", "rows", *FAILURES], failures),
            f"{time.perf_counter() - start:.0f} s in all.",
        ]
    )


if __name__ == "__main__":
    text = main()
    print(text)
    out = Path(__file__).parent.parent / ".bench" / "accounting.md"
    out.parent.mkdir(exist_ok=True)
    out.write_text(text + "\n")
