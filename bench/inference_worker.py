"""One method's 95 % intervals for a proportion from a noisy count, over draws that every method shares."""

import json
import math
import sys
import time

import numpy as np

CASES = ((20, 0.3, 1.0), (100, 0.02, 1.0), (100, 0.3, 0.1), (1000, 0.3, 1.0), (10_000, 0.3, 1.0))
DRAWS = {"dalenius": 400, "wald": 400, "bootstrap": 400, "opendp": 100}
SECONDS = 15
PUBLIC = ((100, 0.02, 1.0), (10_000, 0.3, 0.1), (1_000_000, 0.3, 0.1), (1_000_000, 0.3, 1.0), (1_000_000, 0.002, 0.1))
PRIVATE = ((100, 0.3, 0.5), (1000, 0.3, 0.5), (10_000, 0.3, 1.0), (100_000, 0.3, 0.5))


def draws(n, p, epsilon, size):
    """Counts with geometric noise, and a uniform number on top for the method that wants Tulap noise."""
    rng, a = np.random.default_rng(7), math.exp(-epsilon)
    y = rng.binomial(n, p, size) + rng.geometric(1 - a, size) - rng.geometric(1 - a, size)
    return y, y + rng.uniform(-0.5, 0.5, size)


def dalenius():
    from fractions import Fraction

    from dalenius import inference
    from dalenius.mechanisms import Geometric

    def interval(y, z, n, epsilon):
        return inference.proportion(int(y), rows=n, mechanism=Geometric(1 / Fraction(str(epsilon)))).interval

    return interval


def wald():
    def interval(y, z, n, epsilon):
        p = min(max(y / n, 0.0), 1.0)
        reach = 1.96 * math.sqrt(p * (1 - p) / n)
        return p - reach, p + reach

    return interval


def bootstrap():
    rng = np.random.default_rng(8)

    def interval(y, z, n, epsilon):
        drawn = rng.binomial(n, min(max(y / n, 0.0), 1.0), 999) / n
        return tuple(np.quantile(drawn, (0.025, 0.975)))

    return interval


def opendp():
    import opendp.prelude as dp
    from opendp.extras.numpy.canonical import BinomialCND

    dp.enable_features("contrib")

    def interval(y, z, n, epsilon):
        return BinomialCND(float(z), d_in=1, d_out=(epsilon, 0.0), size=n).confidence_interval(alpha=0.05)

    return interval


def speeds():
    """CPU milliseconds of one interval of ours where n is large, where it is private, and of repro samples."""
    from fractions import Fraction

    from scipy.special import ndtri

    from dalenius import inference
    from dalenius.mechanisms import Geometric

    def timed(call, times):
        call(0)
        start = time.process_time()
        for turn in range(times):
            call(turn)
        return 1000 * (time.process_time() - start) / times

    def public(n, p, epsilon):
        ys, _ = draws(n, p, epsilon, 40)
        mechanism = Geometric(1 / Fraction(str(epsilon)))
        return timed(lambda turn: inference.proportion(int(ys[turn]), rows=n, mechanism=mechanism), 40)

    def private(n, p, epsilon):
        rng, a = np.random.default_rng(9), math.exp(-epsilon)
        yes = rng.binomial(n, p, 10)
        cells = [x + rng.geometric(1 - a, 10) - rng.geometric(1 - a, 10) for x in (yes, n - yes)]
        mechanism = Geometric(1 / Fraction(str(epsilon)))
        return timed(
            lambda turn: inference.proportion((int(cells[0][turn]), int(cells[1][turn])), mechanism=mechanism), 10
        )

    def clamped(m, u):
        x = np.clip(m + ndtri(u[:, :1000]), -1, 3)
        v = u[:, 1000] - 0.5
        return x.mean(axis=1) - 4 * np.sign(v) * np.log1p(-2 * np.abs(v)) / 1000

    grid = np.linspace(-1, 3, 81)
    found = {f"public n = {n:g}, p = {p:g}, ε = {e:g}": public(n, p, e) for n, p, e in PUBLIC}
    found |= {f"private n = {n:g}, p = {p:g}, ε = {e:g}": private(n, p, e) for n, p, e in PRIVATE}
    found["repro samples, n = 1000, 81 values, 199 draws"] = timed(
        lambda turn: inference.repro_samples(0.7, clamped, grid, seeds=1001), 2
    )
    print(json.dumps(found))


def main(peer, method):
    if method == "speeds":
        speeds()
        return
    find, found = {"dalenius": dalenius, "wald": wald, "bootstrap": bootstrap, "opendp": opendp}[method](), {}
    for n, p, epsilon in CASES:
        ys, zs = draws(n, p, epsilon, DRAWS[method])
        held, widths, raised, made = 0, [], 0, 0
        find(ys[0], zs[0], n, epsilon) if method == "dalenius" else None
        start = time.process_time()
        for y, z in zip(ys, zs, strict=True):
            if time.process_time() - start > SECONDS:
                break
            made += 1
            try:
                low, high = find(y, z, n, epsilon)
            except ValueError:
                raised += 1
                continue
            held += low <= p <= high
            widths.append(high - low)
        spent = 1000 * (time.process_time() - start) / made
        answered = max(1, made - raised)
        found[f"{n:g}/{p:g}/{epsilon:g}"] = [held / answered, float(np.mean(widths or [0])), spent, raised / made]
    print(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
