"""Seconds to release a histogram of a million cells with one library's mechanisms. Prints one line of JSON."""

import json
import sys
import time

import numpy as np

CELLS, REPEATS = 1_000_000, 5
SCALES = (1.0, 10.0, 10_000.0)


def dalenius(kind, scale):
    from dalenius import mechanisms, noise

    mechanism = {"laplace": mechanisms.Geometric, "gaussian": mechanisms.DiscreteGaussian}[kind](scale)
    bits, counts = noise.Bits(), np.arange(CELLS, dtype=np.int64) % 1000
    return lambda: mechanism.release(counts, bits)


def opendp(kind, scale):
    import opendp.prelude as dp

    dp.enable_features("contrib")
    domain = dp.vector_domain(dp.atom_domain(T="i64"))
    if kind == "laplace":
        release = dp.m.make_laplace(domain, dp.l1_distance(T="i64"), scale)
    else:
        release = dp.m.make_gaussian(domain, dp.l2_distance(T="f64"), scale)
    counts = [i % 1000 for i in range(CELLS)]
    return lambda: release(counts)


def main(peer):
    found = {}
    for kind in ("laplace", "gaussian"):
        for scale in SCALES:
            run, best = {"dalenius": dalenius, "opendp": opendp}[peer](kind, scale), float("inf")
            for _ in range(REPEATS if peer == "dalenius" else 1):
                start = time.process_time()
                run()
                best = min(best, time.process_time() - start)
            found[f"{kind}/{scale:g}"] = best
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1])
