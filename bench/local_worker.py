"""Microseconds per user and squared error of one library's frequency oracles, in the interpreter that has it."""

import json
import sys
import time
import warnings

import numpy as np

warnings.filterwarnings("ignore")

SIZE, EPSILON = 1024, 1.0
PEOPLE = {"dalenius": 1_000_000}
FEW = 20_000
RUNS = 5


def people(count):
    return (np.random.default_rng(7).zipf(1.3, count) % SIZE).astype(np.int64)


def dalenius(values):
    from dalenius import local
    from dalenius.local.oracles import ORACLES

    for kind in ORACLES:
        protocol = local.Frequency(SIZE, EPSILON, kind)

        def run(values=values, protocol=protocol):
            collected = protocol.aggregator()
            collected.add(protocol.client().randomize_many(values))
            return collected.estimate(), collected.estimate(consistent=True).shares

        run()  # tables of hyperplanes and hashes are made once
        yield kind.name, run


def pure_ldp(values):
    from pure_ldp.frequency_oracles.direct_encoding import DEClient, DEServer
    from pure_ldp.frequency_oracles.hadamard_response import HadamardResponseClient, HadamardResponseServer
    from pure_ldp.frequency_oracles.unary_encoding import UEClient, UEServer

    def runner(client, server):
        def run():
            for value in values:
                server.aggregate(client.privatise(int(value) + 1))
            return np.asarray(server.estimate_all(range(1, SIZE + 1))) / len(values)

        return run

    def index(value):
        return value - 1

    yield "k-ary response", runner(DEClient(EPSILON, SIZE, index), DEServer(EPSILON, SIZE, index))
    for name, oue in (("optimized unary encoding", True), ("symmetric unary encoding", False)):
        yield name, runner(UEClient(EPSILON, SIZE, use_oue=oue, index_mapper=index),
                           UEServer(EPSILON, SIZE, use_oue=oue, index_mapper=index))  # fmt: skip
    server = HadamardResponseServer(EPSILON, SIZE, index_mapper=index)
    yield (
        "hadamard response",
        runner(HadamardResponseClient(EPSILON, SIZE, server.get_hash_funcs(), index_mapper=index), server),
    )


def multi_freq_ldpy(values):
    """Its aggregators cut shares at 0 and bring their sum to 1: their error is that of `estimate(consistent=True)`."""
    from multi_freq_ldpy.pure_frequency_oracles import GRR, SS, UE

    def runner(client, aggregate, *more):
        return lambda: np.asarray(aggregate([client(int(v), SIZE, EPSILON, *more) for v in values]))

    yield "k-ary response", runner(GRR.GRR_Client, lambda reports: GRR.GRR_Aggregator_MI(reports, SIZE, EPSILON))
    yield "subset selection", runner(SS.SS_Client, lambda reports: SS.SS_Aggregator_MI(reports, SIZE, EPSILON))
    for name, best in (("optimized unary encoding", True), ("symmetric unary encoding", False)):
        yield name, runner(UE.UE_Client, lambda r, best=best: UE.UE_Aggregator_MI(r, EPSILON, best), best)


def scaled(shares, true, count):
    """n times the mean squared error: one scale for all numbers of people."""
    return float(((shares - true) ** 2).mean() * count)


def errors_of(run):
    """Errors with as many people as the peers have: cut shares have an error that does not fall as 1/n."""
    values = people(FEW)
    true = np.bincount(values, minlength=SIZE) / FEW
    plain, tidy = zip(*(run(values) for _ in range(RUNS)), strict=True)
    return {
        "error": float(np.mean([scaled(estimate.shares, true, FEW) for estimate in plain])),
        "consistent": float(np.mean([scaled(shares, true, FEW) for shares in tidy])),
    }


BUILD = {"dalenius": dalenius, "pure-ldp": pure_ldp, "multi-freq-ldpy": multi_freq_ldpy}


def main(peer):
    values = people(PEOPLE.get(peer, FEW))
    true = np.bincount(values, minlength=SIZE) / len(values)
    found = {}
    for name, run in BUILD[peer](values):
        try:
            start = time.process_time()
            shares = run()
            took = time.process_time() - start
            if isinstance(shares, tuple):
                found[name] = {"microseconds": took / len(values) * 1e6} | errors_of(run)
                continue
        except Exception as error:
            print(f"{peer} {name}: {error}", file=sys.stderr)
            continue
        found[name] = {"microseconds": took / len(values) * 1e6, "error": scaled(shares, true, len(values))}
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1])
