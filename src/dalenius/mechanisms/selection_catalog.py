"""The catalog's entries for mechanisms that choose or answer for themselves, with the law of each on its worst pair."""

import itertools
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from flint import arb

from dalenius.mechanisms.catalog_entry import Entry
from dalenius.mechanisms.exponential import Exponential, ExponentialChoice, MonotoneExponential
from dalenius.mechanisms.interval_exponential import IntervalExponential, Steps, steps
from dalenius.mechanisms.knorm import KNorm
from dalenius.mechanisms.noisy_max import (
    ExponentialNoisyMax,
    GumbelNoisyMax,
    LaplaceMax,
    LaplaceNoisyMax,
    MonotoneLaplaceNoisyMax,
    difference_tail,
)
from dalenius.mechanisms.partition_selection import PartitionSelection
from dalenius.mechanisms.permute_and_flip import Flips, MonotonePermuteAndFlip, PermuteAndFlip
from dalenius.mechanisms.quantile import Quantile
from dalenius.mechanisms.quantiles import Quantiles
from dalenius.mechanisms.randomized_response import RandomizedResponse, Response, TunedResponse
from dalenius.mechanisms.ranks import Ranks
from dalenius.mechanisms.sparse_vector import AboveThreshold, MonotoneSparseVector, SparseVector
from dalenius.mechanisms.top_k import TopK
from dalenius.neighbors import Metric, Relation, Sensitivity
from dalenius.noise import Choice, DiscreteLaplace
from dalenius.numerics import ball

Masses = list[arb]


def _each(law: Callable[[Any, Any], Masses]) -> Callable[[Any, Any, Any], Sequence[tuple[arb, arb]]]:
    """The masses under two answers, outcome by outcome."""
    return lambda mechanism, first, second: list(zip(law(mechanism, first), law(mechanism, second), strict=True))


def exponential(mechanism: ExponentialChoice, scores: Sequence[int]) -> Masses:
    """All P[i] of the exponential mechanism  [A Thm 7.1]."""
    return list(mechanism.law(scores).masses())


def gumbel(mechanism: GumbelNoisyMax, scores: Sequence[int]) -> Masses:
    """All P[i] of noisy max with Gumbel noise  [A Prop 7.1]."""
    return list(Choice(scores, 1 / mechanism.scale).masses())


def flips(mechanism: Flips, scores: Sequence[int]) -> Masses:
    """All P[i] of permute and flip  [MS20]."""
    return mechanism.probabilities(scores)


def laplace_of_two(mechanism: LaplaceMax, scores: Sequence[int]) -> Masses:
    """P[0] and P[1] for two candidates of which the second leads: the first wins ties  [A §5.1 report noisy max]."""
    first, second = scores
    upset = difference_tail(mechanism.scale, second - first)
    return [upset, 1 - upset]


def ordered(mechanism: TopK, scores: Sequence[int]) -> Masses:
    """All ordered choices of k candidates, by peeling  [DR19]."""
    masses = []
    for order in itertools.permutations(range(len(scores)), mechanism.k):
        mass, left = arb(1), list(range(len(scores)))
        for index in order:
            law = Choice([scores[i] for i in left], 1 / mechanism.selection.scale).masses()
            mass *= law[left.index(index)]
            left.remove(index)
        masses.append(mass)
    return masses


def response(mechanism: Response, truth: Sequence[int]) -> Masses:
    """All P[report] for one person  [A Thm 3.1]."""
    stay = mechanism.stay()
    return [stay if value == truth[0] else (1 - stay) / (mechanism.values - 1) for value in range(mechanism.values)]


def cells(mechanism: IntervalExponential, utility: tuple[Steps]) -> Masses:
    """All P[cell]: of each piece the part that lies in the cell  [A Thm 7.1]."""
    (u,) = utility
    width = (mechanism.upper - mechanism.lower) / mechanism.cells
    pieces = list(zip(mechanism.law(u).masses(), itertools.pairwise(u.edges), strict=True))

    def mass(cell: int) -> arb:
        low = mechanism.lower + cell * width
        shares = ((p, max(Fraction(0), min(b, low + width) - max(a, low)), b - a) for p, (a, b) in pieces)
        return sum((p * ball(common / length) for p, common, length in shares if length), arb(0))

    return [mass(cell) for cell in range(mechanism.cells)]


def ranked(mechanism: Quantile, answer: tuple[Ranks]) -> Masses:
    """All P[cell]  [A Alg 4]."""
    return mechanism.masses(answer[0])


def halved(mechanism: Quantiles, answer: tuple[Ranks]) -> Masses:
    """All P[cells of all levels], for rows whose order inside their cells is known  [KSS22]."""
    return [mass for _, mass in sorted(mechanism.outputs(answer[0]).items())]


def named(mechanism: PartitionSelection, units: Sequence[int]) -> Masses:
    """P[named] and P[not] of one group  [DVGM22]."""
    chance = mechanism.chance(units[0])
    return [chance, 1 - chance]


def said(mechanism: AboveThreshold, answers: Sequence[int]) -> Masses:
    """P[below, …, below, above] for each place of the first "above", with cutoff 1  [LSL17].

    A sum over ρ within 60 scales; what is left out is added to each radius.
    """
    reach = int(60 * mechanism.threshold_scale) + 1
    rho, nu = DiscreteLaplace(mechanism.threshold_scale), DiscreteLaplace(mechanism.query_scale)
    masses = [arb(0)] * (len(answers) + 1)
    for r in range(-reach, reach + 1):
        alive = rho.mass(r)
        for at, answer in enumerate(answers):
            above = _at_least(nu, r - answer)
            masses[at] += alive * above
            alive *= 1 - above
        masses[-1] += alive
    rest = arb(0).union(rho.outside(reach))
    return [mass + rest for mass in masses]


def _at_least(law: DiscreteLaplace, z: int) -> arb:
    """P[Z ≥ z]."""
    return law.outside(z - 1) / 2 if z > 0 else 1 - law.outside(-z) / 2


_ONE = Sensitivity(1, Metric.LINF)
_LOCAL = Sensitivity(1, Metric.UNITS)
_TWO = Fraction(2)
_HEAVY = (Fraction(1), Fraction(10**6))
_BELOW = 40
_CELLS = 1 << 12

_SCORES = "print(mechanism.release([3, 12, 5, 7, 4], Bits()))"
_PAIR = "print(mechanism.release([3, 12], Bits()))"
_TRUTHS = "print(mechanism.release([0, 1, 1, 0], Bits()))"
_UTILITY = """utility = Steps((Fraction(0), Fraction("1/2"), Fraction(1)), (0, 20))
print(mechanism.release(utility, Bits()))"""
_RANKS = """ranks = Ranks.of([0, 1, 1, 2], size=4096)  # rows by the number of their cell
print(mechanism.release(ranks, Bits()))"""
_FEW_RANKS = _RANKS.replace("4096", "3")
_UNITS = "print(mechanism.release([1, 5, 100], Bits()))  # how many units are in each group"
_ANSWERS = "print(mechanism.release([-30, -25, 40, 50], Bits()))"
_VECTOR = """steps = int(1 / mechanism.lattice.step)  # answers are counted in steps of the lattice
print(mechanism.release(np.array([42, 17]) * steps, Bits()) / steps)"""

SELECTION: tuple[Entry, ...] = (
    Entry(
        Exponential(_TWO, _HEAVY),
        _ONE,
        ((1, 0), (0, 1)),
        _each(exponential),
        tight=False,
        theorem="A Thm 7.1",
        example=_PAIR,
    ),
    Entry(
        MonotoneExponential(Fraction(1), _HEAVY),
        _ONE,
        ((0, 0), (0, 1)),
        _each(exponential),
        tight=False,
        theorem="A Thm 7.1",
        example=_PAIR,
    ),
    Entry(
        GumbelNoisyMax(_TWO),
        _ONE,
        ((1,) + (0,) * 99, (0,) + (1,) * 99),
        _each(gumbel),
        tight=False,
        theorem="A Prop 7.1",
        example=_SCORES,
        factor=Fraction(1011, 1000),
    ),
    Entry(PermuteAndFlip(_TWO), _ONE, ((0, 2), (1, 1)), _each(flips), tight=False, theorem="MS20", example=_SCORES),
    Entry(
        ExponentialNoisyMax(_TWO),
        _ONE,
        ((0, 3), (1, 2)),
        _each(flips),
        tight=False,
        theorem="MS20",
        example=_SCORES,
    ),
    Entry(
        MonotonePermuteAndFlip(Fraction(1)),
        _ONE,
        ((0, 1), (0, 2)),
        _each(flips),
        tight=False,
        theorem="MS20",
        example=_SCORES,
    ),
    Entry(
        LaplaceNoisyMax(_TWO),
        _ONE,
        ((0, _BELOW), (1, _BELOW - 1)),
        _each(laplace_of_two),
        tight=False,
        theorem="A Prop 5.1",
        example=_SCORES,
        factor=Fraction(105, 100),
    ),
    Entry(
        MonotoneLaplaceNoisyMax(Fraction(1)),
        _ONE,
        ((0, _BELOW), (1, _BELOW)),
        _each(laplace_of_two),
        tight=False,
        theorem="A Prop 5.1",
        example=_SCORES,
        factor=Fraction(103, 100),
    ),
    Entry(
        TopK(GumbelNoisyMax(Fraction(4)), 2),
        _ONE,
        ((1, 1, 0, 0, 0), (0, 0, 1, 1, 1)),
        _each(ordered),
        tight=False,
        theorem="A Thm 3.3",
        example=_SCORES,
        factor=Fraction(3, 2),
    ),
    Entry(
        RandomizedResponse(Fraction(1, 2)),
        _LOCAL,
        ((0,), (1,)),
        _each(response),
        tight=True,
        theorem="A Thm 3.1",
        example=_TRUTHS,
        relation=Relation.CHANGE_ONE,
    ),
    Entry(
        TunedResponse(Fraction(1), 5),
        _LOCAL,
        ((0,), (3,)),
        _each(response),
        tight=False,
        theorem="A Thm 3.1",
        example=_TRUTHS,
        relation=Relation.CHANGE_ONE,
    ),
    Entry(
        IntervalExponential(_TWO, Fraction(0), Fraction(1), 64),
        _ONE,
        ((steps(["0", "1/64", "1"], [1, 0]),), (steps(["0", "1/64", "1"], [0, 1]),)),
        _each(cells),
        tight=False,
        theorem="A Thm 7.1",
        example=_UTILITY,
        factor=Fraction(102, 100),
    ),
    Entry(
        Quantile(Fraction(1), Fraction(1, 2), Fraction(0), Fraction(100), _CELLS),
        Sensitivity(1, Metric.L1),
        ((Ranks.of([1, 1, 1], size=_CELLS),), (Ranks.of([0, 1, 1, 1], size=_CELLS),)),
        _each(ranked),
        tight=False,
        theorem="A Alg 4",
        example=_RANKS,
    ),
    Entry(
        Quantiles(_TWO, (Fraction(1, 4), Fraction(1, 2), Fraction(3, 4)), Fraction(0), Fraction(100), 3),
        Sensitivity(1, Metric.L1),
        ((Ranks.of([1, 1, 2], size=3),), (Ranks.of([1, 1, 2, 2], size=3),)),
        _each(halved),
        tight=False,
        theorem="KSS22",
        example=_FEW_RANKS,
        factor=Fraction(8, 5),
    ),
    Entry(
        PartitionSelection(Fraction(1), Fraction(1, 1000)),
        _LOCAL,
        ((3,), (4,)),
        _each(named),
        tight=False,
        theorem="DVGM22",
        example=_UNITS,
    ),
    Entry(
        SparseVector(_TWO, Fraction(4), 1),
        _ONE,
        ((0,) * 60 + (0,), (1,) * 60 + (-1,)),
        _each(said),
        tight=False,
        theorem="LSL17",
        example=_ANSWERS,
    ),
    Entry(
        MonotoneSparseVector(_TWO, _TWO, 1),
        _ONE,
        ((0,) * 60 + (0,), (1,) * 60 + (0,)),
        _each(said),
        tight=False,
        theorem="LSL17",
        example=_ANSWERS,
    ),
    Entry(
        KNorm(Metric.LINF, _TWO),
        _ONE,
        ((0, 0), (1, 1)),
        None,
        tight=False,
        theorem="A §6.1 objective perturbation",
        example=_VECTOR,
    ),
)
"""One entry a mechanism, at ε = 1 or near it."""
