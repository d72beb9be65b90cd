"""Which frequency oracle is best for a domain and ε, and why."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt

from dalenius.calls import named_arguments
from dalenius.local.oracles import ORACLES, Oracle
from dalenius.numerics import Number, positive

SMALL = 8
"""Bytes up to which a payload counts as small."""
NEAR = 1.1
"""How many times the least variance is near enough for a quicker server to win."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Oracles side by side, the one with the least error first.

    >>> compare(1024, 1, 10**6).best.name
    'projective geometry response'
    """

    oracles: tuple[Oracle, ...]
    reports: int

    @property
    def best(self) -> Oracle:
        """The quickest of those with a small report and a variance near the least; the catalog goes from quick to slow.

        Near is within a tenth of the least variance among small reports: a report of d/8 bytes has to earn its size.
        """
        small = [oracle for oracle in self.oracles if oracle.width <= SMALL]
        least = min(oracle.variance(1) for oracle in small)
        near = [oracle for oracle in small if oracle.variance(1) <= NEAR * least]
        return min(near, key=lambda oracle: ORACLES.index(type(oracle)))

    @property
    def why(self) -> str:
        """The reason in a sentence."""
        best, least = self.best, self.oracles[0]
        more = best.variance(1) / least.variance(1) - 1
        beside = "which is the least of all" if more <= 0 else f"{more:.1%} above the least, of {least.name}"
        return (
            f"{best.name}: a standard error of {sqrt(best.variance(self.reports)):.2g} for a rare value from "
            f"{self.reports} reports of {best.width} bytes each, a variance {beside}"
        )

    def __iter__(self) -> Iterator[Oracle]:
        return iter(self.oracles)

    def __str__(self) -> str:
        rows = [
            f"{oracle.name:<30}{sqrt(oracle.variance(self.reports)):>12.3g}{oracle.width:>10}{oracle.cells:>12}"
            for oracle in self.oracles
        ]
        head = f"{'oracle':<30}{'std. error':>12}{'bytes':>10}{'counters':>12}"
        return "\n".join([head, *rows, self.why])


@named_arguments
def compare(size: int, epsilon: Number, reports: int = 1) -> Comparison:
    """Every oracle of the catalog at one domain size and ε, by the error of a rare value's share.

    Parameters
    ----------
    size : how many values the domain has.
    epsilon : the ε of one report.
    reports : how many people report.
    """
    oracles = [oracle(size, positive(epsilon, "epsilon")) for oracle in ORACLES]
    return Comparison(tuple(sorted(oracles, key=lambda oracle: oracle.variance(reports))), reports)
