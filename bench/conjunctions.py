"""More questions than rows: width-3 conjunctions over UCI Adult as 14 yes-no columns, ε = 1, mean error as a share.

One run of each method of ours, and noise on each question apart. `python bench/conjunctions.py [questions]`.
"""

import itertools
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from side_by_side import table
from synthesis import load

from dalenius.curator import Curator
from dalenius.ledger import Ledger
from dalenius.mechanisms import Gaussian, calibrate
from dalenius.neighbors import Metric, Sensitivity
from dalenius.synthesis import conjunctions

EPSILON, DELTA = 1, "1e-5"


def yes_no(frame):
    """Fourteen public yes-no questions about a row."""
    return {
        "older": frame.age > 38,
        "private": frame.workclass == "Private",
        "degree": frame.education_num >= 13,
        "school": frame.education_num >= 9,
        "married": frame.marital_status.str.startswith("Married", na=False),
        "husband": frame.relationship == "Husband",
        "manager": frame.occupation.isin(["Exec-managerial", "Prof-specialty"]),
        "white": frame.race == "White",
        "male": frame.sex == "Male",
        "gain": frame.capital_gain > 0,
        "loss": frame.capital_loss > 0,
        "long": frame.hours_per_week > 40,
        "american": frame.native_country == "United-States",
        "rich": frame.income.str.startswith(">", na=False),
    }


def main() -> None:
    questions = int(sys.argv[1]) if len(sys.argv) > 1 else 3000
    *_, train, _ = load()
    data = {name: np.asarray(values).astype(int) for name, values in yes_no(train).items()}
    names, n = list(data), len(train)
    universe = conjunctions.YesNo.of(dict.fromkeys(names, (0, 1)))
    mixed = np.random.default_rng()
    asked = []
    for _ in range(questions):
        chosen = mixed.choice(len(names), 3, replace=False)
        asked.append({names[i]: bool(mixed.integers(2)) for i in chosen})
    exact = np.array([np.all([data[k] == v for k, v in one.items()], axis=0).sum() for one in asked])
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        ledger = Ledger.open(Path(folder) / "c.ledger")
        ledger.create("d", epsilon=100, delta="1e-2", unit="row")
        curator = Curator(data, unit="row", ledger=ledger, dataset="d")

        def told(name, guarantee, answers, start):
            error = np.mean(np.abs(np.array(answers) - exact)) / n
            lines.append([name, guarantee, f"{error:.5f}", f"{time.process_time() - start:.1f}"])

        start = time.process_time()
        run = curator.open(conjunctions.multiplicative_weights(universe, epsilon=EPSILON))
        told(f"multiplicative weights, {questions} one by one", "pure", [run.count(**one) for one in asked], start)
        start = time.process_time()
        held = conjunctions.MwemCopy.of(curator.release(conjunctions.mwem(universe, epsilon=EPSILON)))
        told("MWEM, 40 rounds", "pure", [held.count(**one) for one in asked], start)
        for delta in (None, DELTA):
            start = time.process_time()
            plan = conjunctions.parities(universe, width=3, epsilon=EPSILON, delta=delta)
            counts = conjunctions.ParityCounts.of(curator.release(plan))
            told("parities up to width 3", delta or "pure", [counts.count(**one)[0] for one in asked], start)
    start, every = time.process_time(), 8 * len(list(itertools.combinations(names, 3)))
    told(f"Laplace on each of {questions}", "pure", exact + mixed.laplace(0, questions / EPSILON, questions), start)
    sigma = float(calibrate(Gaussian, Sensitivity(1, Metric.L2), epsilon=EPSILON, delta=DELTA).scale)
    told(f"Gaussian on each of {questions}", DELTA, exact + mixed.normal(0, sigma * questions**0.5, questions), start)
    print(f"{n} rows, {every} conjunctions of three columns, {2**14} cells")
    print(table(["method", "δ", "mean error, share of the rows", "CPU s"], lines))


if __name__ == "__main__":
    main()
