"""Releases without a ledger, and simulated answers of which the true population is known."""

import sys

import numpy as np

from dalenius import statistics as st
from dalenius.curator import Facts
from dalenius.curator.release import released
from dalenius.ledger import Receipt
from dalenius.neighbors import Relation, Unit
from dalenius.noise import Bits
from dalenius.queries import Table

CHANGED = Facts.declare(unit=Unit.row(Relation.CHANGE_ONE))


def release_of(plan, data, bits=None, number=1):
    """What a curator would release of a plan over columns."""
    outcome = plan.run(Table.of(data), bits or Bits())
    return released(outcome, Receipt("people", plan.guarantee, plan.unit, f"{number:064x}", number))


def counts(groups, epsilon, keys=("a", "b"), **more):
    """A release of the number of rows of each key."""
    return release_of(st.histogram("g", keys, epsilon=epsilon, **more), {"g": groups})


def generator():
    """Fresh entropy, told when a test fails."""
    seed = int(np.random.SeedSequence().entropy % 2**32)
    sys.stdout.write(f"seed {seed}\n")
    return np.random.default_rng(seed)


def most_hits(draws, chance, alarm=1e-9):
    """How many of so many draws may hit at most, if each does with `chance`, but for a false alarm of 1e-9."""
    from scipy.stats import binom

    return int(binom.isf(alarm, draws, chance))


def least_hits(draws, chance, alarm=1e-9):
    """How many of so many draws must at least hit, if each does with `chance`, but for a false alarm of 1e-9."""
    from scipy.stats import binom

    return int(binom.ppf(alarm, draws, chance))
