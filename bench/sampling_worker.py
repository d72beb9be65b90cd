"""Samples per second of one library's noise, in the interpreter that has it. Prints one line of JSON.

A workload is (law, n, scale): noise on a vector of n zeros; integers for the discrete laws, floats for the others.
`scale` is b for Laplace and σ for Gauss. Process CPU time, warm, best of 5. Where n values would take longer than the
budget, fewer are drawn and the rate is taken from those.
"""

import json
import math
import sys
import time
import warnings

import numpy as np

warnings.filterwarnings("ignore")

LAWS = ("discrete_laplace", "discrete_gaussian", "laplace", "gaussian")
SIZES = (1, 1_000_000)
SCALES = (1.0, 10.0, 10_000.0)
REPEATS, BUDGET = 5, 1.0


def zeros(law, as_list=False):
    integer = law.startswith("discrete")
    if as_list:
        return lambda n: [0 if integer else 0.0] * n
    return lambda n: np.zeros(n, np.int64 if integer else np.float64)


def build_dalenius(law, scale):
    from dalenius import noise

    bits = noise.Bits()
    kinds = {
        "discrete_laplace": noise.DiscreteLaplace,
        "discrete_gaussian": noise.DiscreteGaussian,
        "laplace": noise.RoundedLaplace,
        "gaussian": noise.RoundedGaussian,
    }
    noise_law = kinds[law](scale)
    if law.startswith("discrete"):
        return zeros(law), lambda x: x + noise_law.steps(bits, x.size)
    lattice = noise_law.lattice
    return zeros(law), lambda x: lattice.values(lattice.toward_zero(x) + noise_law.steps(bits, x.size))


def build_numpy(law, scale):
    rng = np.random.default_rng()
    if law == "laplace":
        return zeros(law), lambda x: x + rng.laplace(0.0, scale, x.size)
    if law == "gaussian":
        return zeros(law), lambda x: x + rng.normal(0.0, scale, x.size)
    if law == "discrete_laplace":
        p = -math.expm1(-1.0 / scale)
        return zeros(law), lambda x: x + rng.geometric(p, x.size) - rng.geometric(p, x.size)
    return zeros(law), lambda x: x + np.rint(rng.normal(0.0, scale, x.size)).astype(np.int64)


def build_opendp(law, scale):
    import opendp.prelude as dp

    dp.enable_features("contrib")
    number = "i64" if law.startswith("discrete") else "f64"
    atom = dp.atom_domain(T=number) if number == "i64" else dp.atom_domain(T=number, nan=False)
    if law.endswith("laplace"):
        release = dp.m.make_laplace(dp.vector_domain(atom), dp.l1_distance(T=number), scale)
    else:
        release = dp.m.make_gaussian(dp.vector_domain(atom), dp.l2_distance(T="f64"), scale)
    return zeros(law, as_list=True), release


def build_diffprivlib(law, scale):
    from diffprivlib import mechanisms as m

    if law == "laplace":
        noise = m.Laplace(epsilon=1.0 / scale, sensitivity=1.0)
    elif law == "discrete_laplace":
        noise = m.Geometric(epsilon=1.0 / scale, sensitivity=1)
    elif law == "gaussian":
        noise = m.Gaussian(epsilon=1.0, delta=1e-5, sensitivity=scale / math.sqrt(2 * math.log(1.25e5)))
    else:
        noise = m.GaussianDiscrete(epsilon=1.0, delta=1e-5, sensitivity=1)
        noise._scale = scale  # its search for a scale is not what is timed
    return zeros(law, as_list=True), lambda xs: [noise.randomise(x) for x in xs]


def build_python_dp(law, scale):
    from pydp.algorithms.numerical_mechanisms import GaussianMechanism, LaplaceMechanism

    if law.endswith("laplace"):
        noise = LaplaceMechanism(1.0 / scale, 1.0)
    else:
        noise = GaussianMechanism.create_from_standard_deviation(scale)
    return zeros(law, as_list=True), lambda xs: [noise.add_noise(x) for x in xs]


BUILD = {
    "dalenius": build_dalenius,
    "numpy": build_numpy,
    "opendp": build_opendp,
    "diffprivlib": build_diffprivlib,
    "python-dp": build_python_dp,
}


def rate(build, law, scale, n):
    prepare, run = build(law, scale)
    used, took = 1, 0.0
    while True:  # grow, so that a slow sampler is cut early; this is the warming up too
        data = prepare(used)
        start = time.process_time()
        run(data)
        took = max(time.process_time() - start, 1e-7)
        if used >= n or took > BUDGET / 2:
            break
        used = int(min(n, used * min(32.0, max(1.5, BUDGET / took / 2))))
    calls, best = max(1, int(0.05 / took)), math.inf
    for _ in range(REPEATS):
        start = time.process_time()
        for _ in range(calls):
            run(data)
        best = min(best, (time.process_time() - start) / calls)
    return used / best


def main(peer):
    rates = {}
    for law in LAWS:
        for n in SIZES:
            for scale in SCALES:
                try:
                    rates[f"{law}/{n}/{scale:g}"] = rate(BUILD[peer], law, scale, n)
                except ImportError:
                    raise
                except Exception as error:
                    print(f"{peer} {law} {n} {scale}: {error}", file=sys.stderr)
    print(json.dumps(rates))


if __name__ == "__main__":
    main(sys.argv[1])
