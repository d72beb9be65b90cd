"""One synthetic copy of the coded rows in a file, by one method, in the interpreter that has it: rows, CPU, memory.

Arguments: the environment, the method, ε, the file with rows and sizes, the file for the synthetic rows.
"""

import importlib
import json
import sys
import time
import warnings
from pathlib import Path

import numpy as np

warnings.filterwarnings("ignore")
DELTA = 1e-5


def main():
    _, method, epsilon, given, made = sys.argv[1:]
    held = np.load(given)
    run = METHODS[method]
    start = time.process_time()
    rows = run(held["rows"], held["sizes"].tolist(), held["ordered"].tolist(), float(epsilon))
    seconds = time.process_time() - start
    np.save(made, np.asarray(rows, np.int64))
    print(json.dumps({"cpu": seconds, "mb": most_memory()}))


def most_memory():
    """Most memory of this process alone, in MB: what getrusage says counts the process that started it, too."""
    told = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in told if line.startswith("VmHWM")) / 1024


def names_of(rows):
    return [f"c{place:02d}" for place in range(rows.shape[1])]


def dalenius(target):
    """Ours, through curator and ledger; `target`: the place of a label column, or None."""

    def run(rows, sizes, ordered, epsilon):
        import tempfile

        from dalenius.curator import Curator
        from dalenius.ledger import Ledger
        from dalenius.synthesis import fit

        names = names_of(rows)
        # texts have no order, as the levels of these columns have none; numbers that rise would have one
        keys = {n: [str(i) for i in range(s)] for n, s, o in zip(names, sizes, ordered, strict=True) if not o}
        bounds = {n: (0, s) for n, s, o in zip(names, sizes, ordered, strict=True) if o}
        with tempfile.TemporaryDirectory() as folder:
            ledger = Ledger.open(Path(folder) / "bench.ledger")
            ledger.create("d", epsilon=100, delta="1e-3", unit="row")
            data = {n: rows[:, i].astype(str).astype(object) if n in keys else rows[:, i] for i, n in enumerate(names)}
            curator = Curator(data, unit="row", ledger=ledger, dataset="d", keys=keys, bounds=bounds)
            copy = fit(
                curator,
                names,
                epsilon=epsilon,
                delta=DELTA,
                nulls=[],
                bins=dict(zip(names, sizes, strict=True)),
                kinds=dict.fromkeys(bounds, "integer"),
                target=None if target is None else names[target],
            )
            made = copy.sample()
        return np.stack([np.array(made.columns[name], np.int64) for name in names], axis=1)

    return run


def opendp(kind):
    """OpenDP's mechanisms over mbi: mbi itself ships none. "sample" is the sampler that is not known to be wrong."""

    def run(rows, sizes, ordered, epsilon):
        import opendp.prelude as dp
        import polars as pl

        dp.enable_features("contrib")
        names = names_of(rows)
        rho = zcdp(epsilon)
        frame = pl.LazyFrame({name: rows[:, place] for place, name in enumerate(names)})
        context = dp.Context.compositor(
            data=frame,
            privacy_unit=dp.unit_of(contributions=1),
            privacy_loss=dp.loss_of(rho=rho * (1 + 1e-9)),  # its parts add up to more than the whole
        )
        method = dp.mbi.AIM(queries=2) if kind == "aim" else dp.mbi.MST()
        keys = {name: list(range(size)) for name, size in zip(names, sizes, strict=True)}
        table = context.query(rho=rho).select(*names).contingency_table(keys=keys, algorithm=method).release()
        return table.synthesize(rows=len(rows), method="sample").select(names).to_numpy()

    return run


def zcdp(epsilon):
    """The largest ρ whose (ε, δ) is within the one given  [CKS20, Prop 7]."""
    orders = np.concatenate([np.linspace(1.0001, 50, 20000), np.geomspace(50, 1e6, 5000)])
    low, high = 0.0, 100.0
    for _ in range(80):
        rho = (low + high) / 2
        delta = np.min((orders - 1) * (orders * rho - epsilon) + orders * np.log1p(-1 / orders) - np.log(orders - 1))
        low, high = (rho, high) if delta <= np.log(DELTA) else (low, rho)
    return low


def dpmm(module, name, **settings):
    def run(rows, sizes, ordered, epsilon):
        import pandas as pd

        names = names_of(rows)
        kind = getattr(importlib.import_module(f"dpmm.models.{module}"), name)
        domain = dict(zip(names, map(int, sizes), strict=True))
        model = kind(epsilon=epsilon, delta=DELTA, domain=domain, **settings)
        model.set_random_state(np.random.RandomState())
        model.fit(pd.DataFrame(rows, columns=names))
        return model.generate(n_records=len(rows))[names].to_numpy()

    return run


def smartnoise(kind, **settings):
    def run(rows, sizes, ordered, epsilon):
        import pandas as pd
        from snsynth import Synthesizer

        names = names_of(rows)
        frame = pd.DataFrame(rows, columns=names)
        made = Synthesizer.create(kind, epsilon=epsilon, **settings)
        made.fit(frame, categorical_columns=names, preprocessor_eps=0.0)
        return made.sample(len(rows))[names].to_numpy()

    return run


def resampled(rows, sizes, ordered, epsilon):
    return rows[np.random.default_rng().integers(0, len(rows), len(rows))]


def independent(rows, sizes, ordered, epsilon):
    mixed = np.random.default_rng()
    return np.stack([mixed.permutation(rows[:, place]) for place in range(rows.shape[1])], axis=1)


METHODS = {
    "plain": dalenius(None),
    "target": dalenius(-1),
    "real rows, resampled": resampled,
    "independent columns, no noise": independent,
    "mbi MST by OpenDP": opendp("mst"),
    "mbi AIM by OpenDP": opendp("aim"),
    "dpmm MST": dpmm("mst", "MSTGM"),
    "dpmm PrivBayes": dpmm("priv_bayes", "PrivBayesGM"),
    "dpmm AIM": dpmm("aim", "AIMGM", max_model_size=4),
    "smartnoise MST": smartnoise("mst", delta=DELTA),
    "smartnoise AIM": smartnoise("aim", delta=DELTA, max_model_size=4),
    "smartnoise MWEM": smartnoise("mwem", split_factor=3),
}

if __name__ == "__main__":
    main()
