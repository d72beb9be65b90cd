"""Under a peer's interpreter: judge outputs that were drawn elsewhere with its tester, or draw from its mechanisms.

    python audit_worker.py pystatdp judge samples.npz 0.05
    python audit_worker.py diffprivlib draw laplace samples.npz 20000

The last line printed is JSON. Samples of a case are x_<k> and x2_<k>, matrices with a row a draw, and epsilon_<k>.
"""

import json
import sys
import time
from typing import Any

import numpy as np


class OneProcess:
    """What pystatdp asks of a process pool, in this process: CPU is counted here."""

    _processes = 1
    imap_unordered = staticmethod(map)


def replayed(first: Any, second: Any) -> Any:
    """A mechanism that gives the rows drawn on x, or on x2, one after the other."""
    rows = {0: iter(first.tolist()), 1: iter(second.tolist())}

    def algorithm(side: int) -> Any:
        row = next(rows[side])
        return row[0] if len(row) == 1 else tuple(row)

    return algorithm


def pystatdp(first: Any, second: Any, epsilon: float, alpha: float) -> bool:
    from pystatdp.hypotest import hypothesis_test
    from pystatdp.selectors import select_event

    size = len(first)
    half = (size - 2) // 2  # one draw of each call is its look at the type
    algorithm = replayed(first, second)
    _, _, _, event = select_event(algorithm, ((0, 1, {}),), epsilon, half, OneProcess(), quiet=True)
    # it takes the larger of the two counts for x, so its one-sided p-value is doubled here
    p = hypothesis_test(algorithm, 0, 1, {}, event, epsilon, half, OneProcess(), report_p2=False)
    return 2 * float(p) <= alpha


def privacy_estimates(first: Any, second: Any, epsilon: float, alpha: float) -> bool:
    """Its certified ε of an attack by a threshold on the sum, chosen on one half and counted on the other."""
    from privacy_estimates import AttackResults, compute_eps_lo_hi

    a, b = first.sum(axis=1), second.sum(axis=1)
    half, found = len(a) // 2, False
    for sign in (1, -1):
        x, x2 = sign * a, sign * b
        cuts = np.quantile(np.concatenate([x[:half], x2[:half]]), np.linspace(0.01, 0.99, 60))
        p, q = ((side[:half, None] >= cuts).mean(axis=0) for side in (x, x2))
        cut = cuts[int(np.argmax(np.log(p + 1e-3) - np.log(q + 1e-3)))]
        positive, negative = x[half:] >= cut, x2[half:] >= cut
        counts = AttackResults(
            FN=int((~positive).sum()), FP=int(negative.sum()), TN=int((~negative).sum()), TP=int(positive.sum())
        )
        low, _ = compute_eps_lo_hi(count=counts, delta=0.0, alpha=alpha, method="beta")
        found |= bool(low > epsilon)
    return found


def judge(peer: str, path: str, alpha: float) -> dict[str, Any]:
    tester = {"pystatdp": pystatdp, "privacy-estimates": privacy_estimates}[peer]
    samples = np.load(path)
    cases = sorted(name.removeprefix("epsilon_") for name in samples.files if name.startswith("epsilon_"))
    warm = np.random.default_rng(0).normal(size=(2000, 1))
    tester(warm, warm, 1.0, alpha)  # what is compiled once is not counted
    rejected, failed, start = [], 0, time.process_time()
    for case in cases:
        try:
            if tester(samples[f"x_{case}"], samples[f"x2_{case}"], float(samples[f"epsilon_{case}"]), alpha):
                rejected.append(case)
        except Exception:
            failed += 1
    return {"rejected": rejected, "failed": failed, "seconds": time.process_time() - start}


def mechanism(peer: str, name: str) -> Any:
    if peer == "diffprivlib":
        from diffprivlib import mechanisms

        made = {
            "laplace": lambda: mechanisms.Laplace(epsilon=1, sensitivity=1),
            "laplace, truncated": lambda: mechanisms.LaplaceTruncated(epsilon=1, sensitivity=1, lower=-5, upper=5),
            "geometric": lambda: mechanisms.Geometric(epsilon=1, sensitivity=1),
            "staircase": lambda: mechanisms.Staircase(epsilon=1, sensitivity=1),
            "snapping": lambda: mechanisms.Snapping(epsilon=1, sensitivity=1, lower=-10, upper=10),
        }[name]()
        return lambda value: made.randomise(int(value) if name == "geometric" else float(value))
    import opendp.prelude as dp

    dp.enable_features("contrib")
    kind = float if name == "laplace" else int
    domain = dp.atom_domain(T=kind, nan=False) if kind is float else dp.atom_domain(T=kind)
    measured = dp.m.make_laplace(domain, dp.absolute_distance(T=kind), scale=1.0)
    return lambda value: measured(kind(value))


def drawn(peer: str, name: str, path: str, draws: int) -> dict[str, Any]:
    run, start = mechanism(peer, name), time.process_time()
    first, second = [], []
    for _ in range(draws):
        first.append(float(run(0)))
        second.append(float(run(1)))
    np.savez(path, x=np.array(first), x2=np.array(second))
    return {"seconds": time.process_time() - start}


if __name__ == "__main__":
    peer, task, *words = sys.argv[1:]
    told = judge(peer, words[0], float(words[1])) if task == "judge" else drawn(peer, words[0], words[1], int(words[2]))
    print(json.dumps(told))
