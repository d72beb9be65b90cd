"""Every mechanism, once, with what tests, audit and documentation need to exercise it."""

from dataclasses import dataclass
from fractions import Fraction

from dalenius.errors import UnknownName
from dalenius.mechanisms.geometric import Geometric
from dalenius.mechanisms.mechanism import AdditiveMechanism
from dalenius.neighbors import Metric, Sensitivity


@dataclass(frozen=True, slots=True)
class Entry:
    """A mechanism at typical parameters, and the answers on its worst pair of neighbors.

    `tight` says that the claimed δ(ε) is the true one at every ε. Elsewhere the claim is still attained at δ = 0: the
    largest loss on this pair is the claimed ε.
    """

    mechanism: AdditiveMechanism
    sensitivity: Sensitivity
    neighbors: tuple[tuple[int, ...], tuple[int, ...]]
    tight: bool
    theorem: str

    @property
    def label(self) -> str:
        """What a report calls this entry."""
        distance = f"{self.sensitivity.value} in {self.sensitivity.metric.value}"
        return f"{self.mechanism.name}, sensitivity {distance}, {len(self.neighbors[0])} cells"


CATALOG: tuple[Entry, ...] = (
    Entry(Geometric(Fraction(1)), Sensitivity(1, Metric.L1), ((0,), (1,)), tight=True, theorem="D Thm 2.8"),
    Entry(Geometric(Fraction(5, 2)), Sensitivity(1, Metric.L1), ((7,), (6,)), tight=True, theorem="D Thm 2.8"),
    Entry(Geometric(Fraction(3, 2)), Sensitivity(3, Metric.L1), ((0,), (3,)), tight=False, theorem="D Thm 2.8"),
    Entry(Geometric(Fraction(1)), Sensitivity(2, Metric.L1), ((4, 0), (3, 1)), tight=False, theorem="D Thm 2.8"),
)

_NAMED: dict[str, type[AdditiveMechanism]] = {entry.mechanism.name: type(entry.mechanism) for entry in CATALOG}


def mechanism_of(facts: dict[str, str]) -> AdditiveMechanism:
    """The mechanism that a stored release names."""
    if facts["name"] not in _NAMED:
        raise UnknownName(f"no mechanism is called {facts['name']!r} in this version")
    return _NAMED[facts["name"]].from_facts(facts)
