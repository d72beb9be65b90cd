"""Many releases of one plan at once: a formula works cell by cell, so a column of draws is as many releases."""

from dataclasses import replace

import numpy as np

from dalenius.curator import Measured, Outcome
from dalenius.noise import Bits
from tests.statistics.neighbors import measures


def many(plan, view, size, bits=None):
    """An outcome whose cells are independent releases of a plan without keys."""
    (parts,) = measures(plan)
    exact = parts.query.evaluate(view)
    bits = bits or Bits()
    columns = tuple(
        Measured(
            name,
            tuple(parts.mechanism.release(np.full(size, cell), bits).tolist()),
            parts.query.lattice,
            parts.mechanism,
        )
        for name, cell in zip(parts.names, exact, strict=True)
    )
    return Outcome(columns, layout=getattr(plan, "layout", ()))


def values(outcome):
    """The released numbers of the first column shown."""
    return np.array(outcome.column(outcome.numbers[0]), float)


def intervals(outcome, level=0.95):
    """Lower and upper ends for each release."""
    return np.array(outcome.interval(outcome.numbers[0], level), float).T


def thinner(outcome, factor):
    """The same releases as if their noise had been `factor` times the real one."""
    columns = tuple(replace(c, mechanism=c.mechanism.scaled(factor)) for c in outcome.columns)
    return replace(outcome, columns=columns)
