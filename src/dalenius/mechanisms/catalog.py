"""Every mechanism, once, with what tests, audit and documentation need to exercise it."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from dalenius.calls import named_arguments, shown
from dalenius.errors import InvalidParameter, UnknownName
from dalenius.guarantees import Polyline
from dalenius.mechanisms.canonical import CanonicalNoise
from dalenius.mechanisms.catalog_entry import Entry
from dalenius.mechanisms.discrete_gaussian import DiscreteGaussian
from dalenius.mechanisms.gaussian import Gaussian
from dalenius.mechanisms.geometric import Geometric
from dalenius.mechanisms.laplace import Laplace
from dalenius.mechanisms.mechanism import AdditiveMechanism
from dalenius.mechanisms.outcomes import additive_outcomes
from dalenius.mechanisms.selection_catalog import SELECTION
from dalenius.mechanisms.staircase import Staircase
from dalenius.mechanisms.truncated_laplace import TruncatedLaplace
from dalenius.mechanisms.tulap import Tulap
from dalenius.neighbors import Metric, Sensitivity
from dalenius.noise import Lattice
from dalenius.noise.lattice import INTEGERS

_FINE = Lattice(-22)
_UNIT = 2**22
_FINER = Lattice(-32)
_MOVE = ((0,), (2**32,))
_COUNT = "print(mechanism.release(np.array([42]), Bits()))"
_REAL = """steps = int(1 / mechanism.lattice.step)  # answers are counted in steps of the lattice
print(mechanism.release(np.array([42]) * steps, Bits()) / steps)"""
_KINKED = Polyline([(0, "49/50"), ("1/10", "1/2"), ("1/2", "1/10"), ("49/50", 0), (1, 0)])


def _entry(
    mechanism: AdditiveMechanism,
    sensitivity: Sensitivity,
    neighbors: tuple[Sequence[int], Sequence[int]],
    theorem: str,
    *,
    tight: bool = True,
    **facts: Any,
) -> Entry:
    first, second = (tuple(answer) for answer in neighbors)
    example = _COUNT if mechanism.lattice.step == 1 else _REAL
    return Entry(mechanism, sensitivity, (first, second), additive_outcomes, tight, theorem, example, **facts)


ADDITIVE: tuple[Entry, ...] = (
    _entry(Geometric(Fraction(1)), Sensitivity(1, Metric.L1), ((0,), (1,)), "D Thm 2.8"),
    _entry(Geometric(Fraction(5, 2)), Sensitivity(1, Metric.L1), ((7,), (6,)), "D Thm 2.8"),
    _entry(Geometric(Fraction(3, 2)), Sensitivity(3, Metric.L1), ((0,), (3,)), "D Thm 2.8"),
    _entry(Geometric(Fraction(1)), Sensitivity(2, Metric.L1), ((4, 0), (3, 1)), "D Thm 2.8", tight=False),
    _entry(Laplace(1, _FINE), Sensitivity(1, Metric.L1), ((0,), (_UNIT,)), "A Thm 3.2"),
    _entry(Laplace(2, _FINE), Sensitivity(3, Metric.L1), ((0, 5), (-3 * _UNIT, 5)), "A Thm 3.2"),
    _entry(Laplace(1, _FINE), Sensitivity(1, Metric.L1), ((0, 0), (_UNIT // 2, -_UNIT // 2)), "A Thm 3.2", tight=False),
    _entry(Gaussian(2, _FINE), Sensitivity(1, Metric.L2), ((0,), (_UNIT,)), "A Thm 13.1"),
    _entry(Gaussian(1, _FINE), Sensitivity(2, Metric.L2), ((3, 0, 0), (3, 0, 2 * _UNIT)), "A Thm 13.1"),
    _entry(Gaussian(Fraction(5, 2), INTEGERS), Sensitivity(3, Metric.L2), ((0,), (3,)), "A Thm 13.1", tight=False),
    _entry(Gaussian(4, INTEGERS), Sensitivity(5, Metric.L2), ((0, 0), (3, 4)), "A Thm 13.1", tight=False),
    _entry(DiscreteGaussian(Fraction(2)), Sensitivity(1, Metric.L1), ((0,), (1,)), "A §9.3 Gaussian mechanism"),
    _entry(DiscreteGaussian(Fraction(7, 2)), Sensitivity(3, Metric.L1), ((0,), (3,)), "A §9.3 Gaussian mechanism"),
    _entry(TruncatedLaplace(1, 7, _FINER), Sensitivity(1, Metric.L1), _MOVE, "A Def 3.5"),
    _entry(Staircase(1, 1, "1/2", _FINER), Sensitivity(1, Metric.L1), _MOVE, "A Def 3.3"),
    _entry(Staircase(1, 1, "3/8", _FINER), Sensitivity(1, Metric.L1), _MOVE, "A Def 3.3", tight=False),
    _entry(Tulap(1, 1, 0, _FINER), Sensitivity(1, Metric.L1), _MOVE, "A Rem 13.3"),
    _entry(Tulap(1, 1, "1/100", _FINER), Sensitivity(1, Metric.L1), _MOVE, "A Rem 13.3"),
    _entry(CanonicalNoise(_KINKED, 1, _FINER), Sensitivity(1, Metric.L1), _MOVE, "A Def 13.2"),
)

CATALOG: tuple[Entry, ...] = ADDITIVE + SELECTION
"""All of them."""

_NAMED: dict[str, type[AdditiveMechanism]] = {
    entry.mechanism.name: type(entry.mechanism) for entry in ADDITIVE if isinstance(entry.mechanism, AdditiveMechanism)
}


@named_arguments
def mechanism_of(facts: dict[str, str]) -> AdditiveMechanism:
    """The mechanism that a stored release names."""
    if not isinstance(facts, Mapping) or "name" not in facts:
        raise InvalidParameter(f"a mechanism is told by its facts, as facts() gives them, got {shown(facts)}")
    if facts["name"] not in _NAMED:
        raise UnknownName(f"no mechanism is called {facts['name']!r} in this version")
    return _NAMED[facts["name"]].from_facts(facts)
