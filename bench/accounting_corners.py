"""Random corners of accounting: how narrow and how quick ε(δ) and δ(ε) are over sampled Gaussian mechanisms.

    accounting_corners.py [configurations] [seed]

Rates from 1e-5 to 1, σ from .3 to 50, 1 to 1e7 steps and δ from 1e-40 to 1e-2, all uniform on a logarithmic scale. CPU
time of each call with whatever was computed before still at hand.
"""

import math
import random
import sys
import time

from side_by_side import table

from dalenius.guarantees import GDP, PoissonSampling


def timed(call):
    start = time.process_time()
    result = call()
    return result, time.process_time() - start


def corner(rng):
    """One random configuration: its width and CPU both ways."""
    rate, scale = 10 ** rng.uniform(-5, 0), math.exp(rng.uniform(math.log(0.3), math.log(50)))
    steps, delta = round(10 ** rng.uniform(0, 7)), 10 ** rng.uniform(-40, -2)
    guarantee = GDP(1 / scale).amplify(PoissonSampling(rate)).repeat(steps)
    (low, high), taken = timed(lambda: guarantee.epsilon_interval(delta))
    at = (low + high) / 2 if high < math.inf else 1.0
    (least, most), also = timed(lambda: guarantee.delta_interval(at))
    return {
        "few": steps <= 20 and rate < 1e-3,
        "epsilon": ((high - low) / high if 0 < high < math.inf else float(high == math.inf), taken),
        "delta": ((most - least) / most if most >= 1e-40 else 0.0, also),
        "vacuous": high == math.inf or (most >= 1.0 and least < 0.5),
    }


def main(count, seed):
    rng = random.Random(seed)
    found = [corner(rng) for _ in range(count)]
    rows = []
    for name, some in (
        ("all", found),
        ("1 to 20 steps at a rate below 1e-3", [each for each in found if each["few"]]),
        ("all others", [each for each in found if not each["few"]]),
    ):
        for way in ("epsilon", "delta"):
            widths, times = zip(*(each[way] for each in some), strict=True)
            rows.append(
                [f"{name}: {'ε at δ' if way == 'epsilon' else 'δ at that ε'}", str(len(some))]
                + [f"{sum(width <= limit for width in widths) / len(some):.1%}" for limit in (1e-6, 1e-3)]
                + [f"{sum(taken <= limit for taken in times) / len(some):.1%}" for limit in (0.05, 1.0)]
                + [f"{1000 * sorted(times)[len(times) // 2]:.1f}", f"{max(times):.2f}"]
                + [str(sum(each["vacuous"] for each in some))]
            )
    head = [
        "configurations",
        "number",
        "width ≤ 1e-6",
        "≤ 1e-3",
        "CPU ≤ 50 ms",
        "≤ 1 s",
        "median ms",
        "largest s",
        "vacuous",
    ]
    return table(head, rows)


if __name__ == "__main__":
    print(main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000, int(sys.argv[2]) if len(sys.argv) > 2 else 1))
