"""Synthetic copies of UCI Adult, ours and peers: total variation of all two- and three-way tables, models trained, CPU.

Fitted on the 32,561 training rows; numbers in 32 equal bins, values outside in the end bins; logistic regression and a
boosted tree are trained on the copy and tested on the 16,281 others. Every row of the table is printed when it is done.
`python bench/synthesis.py [epsilon …] [--seeds n] [--only method …] [--within seconds]`; peers run once.
"""

import argparse
import itertools
import tempfile
from pathlib import Path

import numpy as np
from side_by_side import run, table

from dalenius.datasets import adult_table

BOUNDS = {
    "age": (16, 96),
    "fnlwgt": (0, 1_600_000),
    "capital_gain": (0, 100_000),
    "capital_loss": (0, 5_000),
    "hours_per_week": (0, 100),
}
TARGET = "income"
METHODS = {
    "plain": "dalenius",
    "target": "dalenius",
    "real rows, resampled": "numpy",
    "independent columns, no noise": "numpy",
    "mbi MST by OpenDP": "opendp-mbi",
    "dpmm MST": "dpmm",
    "dpmm PrivBayes": "dpmm",
    "smartnoise MST": "smartnoise-synth",
    "smartnoise MWEM": "smartnoise-synth",
    "mbi AIM by OpenDP": "opendp-mbi",
    "dpmm AIM": "dpmm",
    "smartnoise AIM": "smartnoise-synth",
}
HEAD = ["method", "ε", "2-way TV", "3-way TV", "LR acc", "tree acc", "tree log loss", "CPU s", "MB", "runs"]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("epsilon", nargs="*", type=float, default=[0.1, 1.0, 10.0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", nargs="*", default=list(METHODS))
    parser.add_argument("--within", type=float, default=1800)
    given = parser.parse_args()
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        names, keys, train, test = load()
        codes, sizes = coded(names, keys, train)
        tests, _ = coded(names, keys, test)
        place = Path(folder) / "rows.npz"
        ordered = [name in BOUNDS or name == "education_num" for name in names]
        np.savez(place, rows=codes, sizes=sizes, ordered=ordered)
        for method, epsilon in itertools.product(given.only, given.epsilon):
            runs = given.seeds if METHODS[method] == "dalenius" else 1
            found = [measured(method, epsilon, place, codes, tests, sizes, given.within) for _ in range(runs)]
            if all(one is not None for one in found):
                lines.append([method, f"{epsilon:g}", *told(np.mean(found, axis=0)), str(runs)])
                print(" | ".join(lines[-1]), flush=True)
    print(table(HEAD, lines))


def load():
    held = adult_table().to_pandas()
    names = [name for name in held.columns if name != "split"]
    keys = {name: sorted(held[name].dropna().unique().tolist()) for name in names if name not in BOUNDS}
    parts = [held[held.split == part][names].reset_index(drop=True) for part in ("train", "test")]
    return names, keys, *parts


def coded(names, keys, frame):
    """The level of each row's value: a bin, a key, or, after the keys, the empty value where there is one."""
    columns, sizes = [], []
    for name in names:
        if name in BOUNDS:
            low, high = BOUNDS[name]
            columns.append(np.clip((frame[name].to_numpy(float) - low) * 32 / (high - low), 0, 31).astype(int))
            sizes.append(32)
        else:
            places = {value: place for place, value in enumerate(keys[name])}
            columns.append(np.array([places.get(value, len(places)) for value in frame[name].tolist()]))
            sizes.append(max(len(places), int(columns[-1].max()) + 1))
    return np.stack(columns, axis=1), sizes


def measured(method, epsilon, place, codes, tests, sizes, within):
    made = place.with_name("made.npy")
    done = run("synthesis_worker.py", METHODS[method], method, str(epsilon), str(place), str(made), timeout=within)
    if done is None:
        return None
    ours = np.load(made)
    distances = [distance(ours, codes, sizes, width) for width in (2, 3)]
    return *distances, *trained(ours, tests, sizes), done["cpu"], done["mb"]


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


def trained(train, test, sizes):
    """Accuracy of logistic regression; accuracy and log loss of a boosted tree. The last column is the label."""
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import log_loss

    def one_hot(rows):
        return np.concatenate([np.eye(size, dtype=np.float32)[rows[:, i]] for i, size in enumerate(sizes[:-1])], axis=1)

    if len(set(train[:, -1].tolist())) < 2:
        return np.nan, np.nan, np.nan
    linear = LogisticRegression(C=1, max_iter=300).fit(one_hot(train), train[:, -1])
    tree = HistGradientBoostingClassifier(random_state=0).fit(train[:, :-1], train[:, -1])
    chances = tree.predict_proba(test[:, :-1])
    return (
        linear.score(one_hot(test), test[:, -1]),
        float((tree.classes_[chances.argmax(1)] == test[:, -1]).mean()),
        log_loss(test[:, -1], chances, labels=tree.classes_),
    )


def told(figures):
    two, three, linear, tree, loss, seconds, memory = figures
    return [
        *(f"{share:.4f}" for share in (two, three, linear, tree)),
        *(f"{loss:.3f}", f"{seconds:.1f}", f"{memory:.0f}"),
    ]


if __name__ == "__main__":
    main()
