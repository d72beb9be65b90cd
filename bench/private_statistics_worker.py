"""What one library's statistics cost and how far they err. Prints one line of JSON.

    private_statistics_worker.py <peer> time     CPU seconds on ten million numbers in the form that the library takes
    private_statistics_worker.py <peer> error    mean absolute error over many releases at n = 10 000

A peer that cannot make 20 000 releases of a statistic within its seconds makes fewer, and says how many.
"""

import json
import sys
import time

import numpy as np

LOW, HIGH, BINS = 0.0, 100.0, 100
LONG, SHORT, RELEASES, SECONDS = 10_000_000, 10_000, 20_000, 10
EPSILONS = (0.1, 1.0)
SLOW = 2.0


def numbers(size):
    return np.clip(np.random.default_rng(7).normal(40, 12, size), LOW, HIGH)


def truths(x):
    """Each statistic without noise."""
    edges = np.linspace(LOW, HIGH, BINS + 1)
    return {"mean": x.mean(), "variance": x.var(), "histogram": np.histogram(x, edges)[0], "median": np.median(x)}


# ------------------------------------------------------------------------------------------- numpy


def numpy(x, epsilon):
    return {
        "mean": lambda: np.mean(x),
        "variance": lambda: np.var(x),
        "histogram": lambda: np.histogram(x, bins=BINS, range=(LOW, HIGH)),
        "median": lambda: np.median(x),
    }


# ------------------------------------------------------------------------------------------- dalenius


def plans(size, epsilon):
    """Plans for add-remove neighbors, and for changed rows where the number of rows is public."""
    from dalenius import statistics
    from dalenius.curator import Facts
    from dalenius.neighbors import Relation, Unit

    public = Facts.declare(unit=Unit.row(Relation.CHANGE_ONE), rows=size)
    edges = np.linspace(LOW, HIGH, BINS + 1).tolist()
    made = {
        "mean": statistics.mean("x", (LOW, HIGH), epsilon=epsilon),
        "mean, n public": statistics.mean("x", (LOW, HIGH), epsilon=epsilon, about=public),
        "variance": statistics.variance("x", (LOW, HIGH), epsilon=epsilon),
        "variance, n public": statistics.variance("x", (LOW, HIGH), epsilon=epsilon, about=public),
        "histogram": statistics.histogram("x", edges=edges, epsilon=epsilon),
    }
    if hasattr(statistics, "median"):
        made["median"] = statistics.median("x", (LOW, HIGH), epsilon=epsilon)
    return made


def dalenius(x, epsilon):
    from dalenius.noise import Bits
    from dalenius.queries import Table

    view, bits = Table.of({"x": x}), Bits()
    return {name: (lambda plan=plan: plan.run(view, bits)) for name, plan in plans(len(x), epsilon).items()}


def dalenius_errors(x, epsilon):
    """Many releases at once: the exact answer once, then the plan's own mechanism and formula for each draw."""
    from dalenius.curator import Measured, Outcome
    from dalenius.noise import Bits
    from dalenius.queries import Table

    view, bits, found, exact = Table.of({"x": x}), Bits(), {}, truths(x)
    for name, plan in plans(len(x), epsilon).items():
        truth = exact[name.split(",")[0]]
        inner = plan
        while hasattr(inner, "plan"):
            inner = inner.plan
        answer = inner.query.evaluate(view)
        if name == "median":
            draws = [
                inner.query.chosen("m", inner.mechanism.release(answer, bits), inner.mechanism) for _ in range(RELEASES)
            ]
            values = np.array([draw.values[0] for draw in draws], float)
            found[name] = (float(abs(values - truth).mean()), RELEASES)
            continue
        if name == "histogram":
            times = RELEASES // BINS
            noisy = inner.mechanism.release(np.tile(answer, times), bits).reshape(times, -1)
            found[name] = (float(abs(noisy - truth).mean()), RELEASES)
            found["histogram, held at 0"] = (float(abs(np.maximum(noisy, 0) - truth).mean()), RELEASES)
            continue
        columns = tuple(
            Measured(
                part,
                tuple(inner.mechanism.release(np.full(RELEASES, cell), bits).tolist()),
                inner.query.lattice,
                inner.mechanism,
            )
            for part, cell in zip(inner.names, answer, strict=True)
        )
        outcome = Outcome(columns, layout=plan.layout)
        values = np.array(outcome.column(outcome.numbers[0]), float)
        found[name] = (float(abs(values - truth).mean()), RELEASES)
    return found


# ------------------------------------------------------------------------------------------- diffprivlib


def diffprivlib(x, epsilon):
    import warnings

    from diffprivlib import tools

    warnings.simplefilter("ignore")
    bounds = (LOW, HIGH)
    return {
        "mean, n public": lambda: tools.mean(x, epsilon=epsilon, bounds=bounds),
        "variance, n public": lambda: tools.var(x, epsilon=epsilon, bounds=bounds),
        "histogram, held at 0": lambda: tools.histogram(x, epsilon=epsilon, bins=BINS, range=bounds)[0],
        "median": lambda: tools.median(x, epsilon=epsilon, bounds=bounds),
    }


# ------------------------------------------------------------------------------------------- opendp


def opendp(x, epsilon):
    import opendp.prelude as dp

    dp.enable_features("contrib", "idealized-numerics")
    atoms = dp.atom_domain(T=float, nan=True)  # what is no number is filled, as ours is dropped or filled
    filled = dp.t.then_impute_constant(0.0)
    sized = (dp.vector_domain(atoms, size=len(x)), dp.symmetric_distance()) >> filled >> dp.t.then_clamp((LOW, HIGH))
    free = (dp.vector_domain(atoms), dp.symmetric_distance()) >> filled
    edges = np.linspace(LOW, HIGH, BINS + 1).tolist()
    counted = (
        free
        >> dp.t.then_find_bin(edges=edges[1:-1])
        >> dp.t.then_count_by_categories(categories=list(range(BINS)), null_category=False, TOA="i64")
    )
    candidates = np.linspace(LOW, HIGH, 1 << 15).tolist()  # finer than the error, so that where they lie is no luck

    def noisy(part, changed):
        return dp.binary_search_chain(lambda scale: part >> dp.m.then_laplace(scale), d_in=changed, d_out=epsilon)

    def median(scale):
        return free >> dp.m.then_private_quantile(dp.max_divergence(), candidates, 0.5, scale)

    chains = {
        "mean, n public": lambda: noisy(sized >> dp.t.then_mean(), 2),
        "variance, n public": lambda: noisy(sized >> dp.t.then_variance(), 2),
        "histogram": lambda: noisy(counted, 1),
        "median": lambda: dp.binary_search_chain(median, d_in=1, d_out=epsilon),
    }
    ready = {}
    for name, make in chains.items():
        try:
            chain = make()
        except Exception as reason:
            print(f"opendp {name}: {str(reason).splitlines()[0][:200]}", file=sys.stderr)
            continue
        ready[name] = lambda chain=chain: chain(x)
    return ready


# ------------------------------------------------------------------------------------------- python-dp


def python_dp(x, epsilon):
    from pydp.algorithms import laplacian

    rows = x.tolist()

    def of(kind):
        return lambda: kind(epsilon=epsilon, lower_bound=LOW, upper_bound=HIGH, dtype="float").quick_result(rows)

    edges = np.linspace(LOW, HIGH, BINS + 1)
    groups = [[1.0] * int(size) for size in np.histogram(x, edges)[0]]
    return {
        "mean": of(laplacian.BoundedMean),
        "variance": of(laplacian.BoundedVariance),
        "median": of(laplacian.Median),
        "histogram": lambda: [laplacian.Count(epsilon=epsilon, dtype="float").quick_result(group) for group in groups],
    }


PEERS = {"numpy": numpy, "dalenius": dalenius, "diffprivlib": diffprivlib, "opendp": opendp, "python-dp": python_dp}


def seconds(run):
    """CPU seconds, best of five; of one if that takes long."""
    best = float("inf")
    for _ in range(5):
        start = time.process_time()
        run()
        best = min(best, time.process_time() - start)
        if best > SLOW:
            break
    return best


def errors(run, truth):
    """Mean absolute error, and of how many releases."""
    total, made, start = 0.0, 0, time.process_time()
    while made < RELEASES and time.process_time() - start < SECONDS:
        total += float(np.abs(np.asarray(run(), float) - truth).mean())
        made += np.size(truth)
    return total / (made / np.size(truth)), made


def guarded(name, work):
    try:
        return work()
    except Exception as reason:
        print(f"{name}: {str(reason).splitlines()[0][:200]}", file=sys.stderr)
        return None


def main(peer, what):
    if what == "time":
        runs = PEERS[peer](numbers(LONG), 1.0)
        found = {name: guarded(name, lambda run=run: seconds(run)) for name, run in runs.items()}
    else:
        x, found = numbers(SHORT), {}
        for epsilon in EPSILONS:
            if peer == "dalenius":
                told = dalenius_errors(x, epsilon)
            else:
                exact, runs = truths(x), PEERS[peer](x, epsilon)
                told = {
                    name: guarded(name, lambda run=run, name=name, exact=exact: errors(run, exact[name.split(",")[0]]))
                    for name, run in runs.items()
                }
            found |= {f"{name}/{epsilon:g}": each for name, each in told.items()}
    print(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
