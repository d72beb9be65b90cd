"""Synthetic copies of UCI Adult: total variation of all two- and three-way tables, accuracy of a classifier, CPU.

Fitted on the 32,561 training rows; numbers in 32 equal bins, values outside in the end bins; the classifier is tested
on the 16,281 others. `python bench/synthesis.py [epsilon …] [--seeds n]`.
"""

import argparse
import itertools
import resource
import tempfile
import time
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression

from dalenius.curator import Curator
from dalenius.datasets import adult_table
from dalenius.ledger import Ledger
from dalenius.synthesis import fit

BOUNDS = {
    "age": (16, 96),
    "fnlwgt": (0, 1_600_000),
    "capital_gain": (0, 100_000),
    "capital_loss": (0, 5_000),
    "hours_per_week": (0, 100),
}
TARGET = "income"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("epsilon", nargs="*", type=float, default=[0.1, 1.0, 10.0])
    parser.add_argument("--seeds", type=int, default=3)
    given = parser.parse_args()
    names, keys, train, test = load()
    print("form    epsilon  2-way TV  3-way TV  LR accuracy  CPU s")
    for target, epsilon in itertools.product((None, TARGET), given.epsilon):
        figures = np.mean([measure(names, keys, train, test, epsilon, target) for _ in range(given.seeds)], axis=0)
        two, three, accuracy, seconds = figures
        form = "plain " if target is None else "target"
        print(f"{form}  {epsilon:7g}  {two:8.4f}  {three:8.4f}  {accuracy:11.4f}  {seconds:5.1f}", flush=True)
    print(f"memory at most {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB, this harness included")


def load():
    table = adult_table().to_pandas()
    names = [name for name in table.columns if name != "split"]
    keys = {name: sorted(table[name].dropna().unique().tolist()) for name in names if name not in BOUNDS}
    parts = [table[table.split == part][names].reset_index(drop=True) for part in ("train", "test")]
    return names, keys, *parts


def measure(names, keys, train, test, epsilon, target):
    start = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        ledger = Ledger.open(Path(folder) / "adult.ledger")
        ledger.create("adult", epsilon=100, delta="1e-3", unit="row")
        curator = Curator(train, unit="row", ledger=ledger, dataset="adult", keys=keys, bounds=BOUNDS)
        nulls = [name for name in names if train[name].isna().any()]
        copy = fit(curator, names, epsilon=epsilon, delta="1e-5", nulls=nulls, target=target)
        made = copy.sample().to_pandas()
    seconds = time.process_time() - start
    codes, sizes = coded(names, keys, train)
    ours, _ = coded(names, keys, made)
    tests, _ = coded(names, keys, test)
    accuracy = classified(ours, tests, sizes, names.index(TARGET))
    return *(distance(ours, codes, sizes, width) for width in (2, 3)), accuracy, seconds


def coded(names, keys, frame):
    columns, sizes = [], []
    for name in names:
        if name in BOUNDS:
            low, high = BOUNDS[name]
            columns.append(np.clip((frame[name].to_numpy(float) - low) * 32 / (high - low), 0, 31).astype(int))
            sizes.append(32)
        else:
            places = {value: place for place, value in enumerate(keys[name])}
            columns.append(np.array([places.get(value, len(places)) for value in frame[name].tolist()]))
            sizes.append(len(places) + 1)
    return np.stack(columns, axis=1), sizes


def distance(one, other, sizes, width):
    """Mean total variation over all tables of `width` columns."""
    found = []
    for chosen in itertools.combinations(range(len(sizes)), width):
        shape = [sizes[i] for i in chosen]
        tables = [
            np.bincount(np.ravel_multi_index(rows[:, chosen].T, shape), minlength=int(np.prod(shape))) / len(rows)
            for rows in (one, other)
        ]
        found.append(np.abs(tables[0] - tables[1]).sum() / 2)
    return float(np.mean(found))


def classified(train, test, sizes, target):
    def one_hot(rows):
        parts = [np.eye(size, dtype=np.float32)[rows[:, i]] for i, size in enumerate(sizes) if i != target]
        return np.concatenate(parts, axis=1)

    model = LogisticRegression(C=1, max_iter=300).fit(one_hot(train), train[:, target])
    return model.score(one_hot(test), test[:, target])


if __name__ == "__main__":
    main()
