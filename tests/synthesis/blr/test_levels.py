"""The law of BLR: golden values, ε on all neighbors by enumeration, and the sampler against the law."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from dalenius.noise import Bits
from dalenius.numerics import precision
from dalenius.synthesis.blr.concepts import Concepts, conjunctions
from dalenius.synthesis.blr.hierarchy import Hierarchy
from dalenius.synthesis.blr.levels import drawn_database, drawn_level, level_masses
from dalenius.synthesis.blr.thresholds import Thresholds
from tests.noise.fit import FALSE_ALARM, chi_square


def expected_error(family, held, epsilon):
    """E[level]/n, in rows, and the masses of the levels."""
    with precision(200):
        masses = level_masses(family.around(held), Fraction(2 * family.fineness) / Fraction(epsilon))
        mean = sum(level * mass for level, mass in enumerate(masses)) / family.fineness / sum(held)
        return float(mean.mid()), [float(mass.mid()) for mass in masses]


@pytest.mark.theorem("S §2.5 BLR")
@pytest.mark.parametrize(
    ("family", "held", "epsilon", "mean", "masses"),
    [
        (Thresholds(5, 4), (3, 1, 0, 4, 2), 1, 0.328538167399, {1: 0.05592576338, 4: 0.3369255626}),
        (Thresholds(4, 8), (2, 9, 4, 1), 2, 0.137830732546, {1: 0.3631001991}),
        (conjunctions(2, 4, "sequences"), (4, 1, 2, 3), 1, 0.280244109223, {}),
        (conjunctions(2, 4, "multisets"), (4, 1, 2, 3), 1, 0.332686816384, {}),
    ],
)
def test_the_law_has_the_golden_values(family, held, epsilon, mean, masses):
    """Found by brute force over all multisets in 30-digit arithmetic, by another program."""
    found, told = expected_error(family, held, epsilon)
    assert found == pytest.approx(mean, abs=5e-11, rel=1e-10)
    for level, mass in masses.items():
        assert told[level] == pytest.approx(mass, rel=1e-9)


def counted(concept, histogram):
    return sum(c * times for c, times in zip(concept, histogram, strict=True))


def by_enumeration(family, concepts, held, scale):
    """The law written down from its definition, multiset by multiset, in floats."""
    n, m = sum(held), family.rows
    weights = {}
    for found in Concepts(concepts, m).multisets().tolist():
        worst = max(
            abs(
                sum(c * h for c, h in zip(concept, held, strict=True)) * m
                - n * sum(c * f for c, f in zip(concept, found, strict=True))
            )
            for concept in concepts
        )
        level = -(-worst * family.fineness // m)
        base = 1 if family.measure == "multisets" else math.factorial(m) // math.prod(map(math.factorial, found))
        weights[tuple(found)] = base * math.exp(-level / scale)
    total = sum(weights.values())
    return {found: weight / total for found, weight in weights.items()}


THREE = tuple(tuple(int(item <= j) for item in range(3)) for j in range(3))
TREE = ((1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (1, 1, 1))
FAMILIES = [
    *((Thresholds(3, 3, measure), THREE) for measure in ("multisets", "sequences")),
    *((Hierarchy(((0, 1), 2), 3, measure), TREE) for measure in ("multisets", "sequences")),
    *((Concepts(TREE, 3, measure), TREE) for measure in ("multisets", "sequences")),
]

BY_FAMILY = pytest.mark.parametrize(
    ("family", "concepts"), FAMILIES, ids=lambda f: f"{type(f).__name__} {getattr(f, 'measure', '')}"
)


def largest_loss(family, concepts, scale):
    """The largest |log ratio| of the laws over all neighbors, add-remove and change-one, of databases of ≤ 4 rows."""
    laws = {
        held: by_enumeration(family, concepts, held, scale) for held in product(range(5), repeat=3) if sum(held) < 5
    }
    worst = {"add": 0.0, "change": 0.0}
    for held, law in laws.items():
        for item in range(3):
            added = tuple(times + (place == item) for place, times in enumerate(held))
            changed = [
                tuple(times - (place == other) for place, times in enumerate(added))
                for other in range(3)
                if held[other]
            ]
            for kind, neighbors in (("add", [added]), ("change", changed)):
                for neighbor in neighbors:
                    if neighbor in laws:
                        loss = max(abs(math.log(law[found] / laws[neighbor][found])) for found in law)
                        worst[kind] = max(worst[kind], loss)
    return worst


@pytest.mark.theorem("S §2.5 BLR")
@pytest.mark.parametrize(
    ("family", "concepts"), FAMILIES, ids=lambda f: f"{type(f).__name__} {getattr(f, 'measure', '')}"
)
def test_the_law_keeps_epsilon_on_all_neighbors_of_small_databases(family, concepts):
    scale = 2 * family.fineness  # ε = 1 at sensitivity `fineness`
    worst = largest_loss(family, concepts, scale)
    assert 0.3 < worst["add"] <= 1 + 1e-12
    assert 0.5 < worst["change"] <= 1 + 1e-12


def test_the_printed_sensitivity_is_caught():
    """Δ = 1/n for the share, used as if n times the error moved by half a row, loses more than ε."""
    for family, concepts in FAMILIES[:2]:
        worst = largest_loss(family, concepts, scale=1)
        assert worst["change"] > 1.2


@pytest.mark.parametrize(
    ("family", "concepts"), FAMILIES, ids=lambda f: f"{type(f).__name__} {getattr(f, 'measure', '')}"
)
def test_the_sampler_draws_the_law_and_a_law_a_quarter_off_is_rejected(family, concepts):
    # 12 000 draws of the law pass for three quarters of its scale with probability below 1e-8, of every family
    held, scale, size = (3, 0, 1), Fraction(2 * family.fineness), 12_000
    law = by_enumeration(family, concepts, held, float(scale))
    wrong = by_enumeration(family, concepts, held, float(scale) * 0.75)
    order, band, bits = list(law), family.around(held), Bits()
    counts = np.zeros(len(order))
    for _ in range(size):
        counts[order.index(drawn_database(band, scale, bits))] += 1
    assert chi_square(counts.copy(), np.array([law[found] for found in order])) > FALSE_ALARM
    assert chi_square(counts.copy(), np.array([wrong[found] for found in order])) < FALSE_ALARM


def test_levels_are_drawn_by_bisection_as_by_all_of_them():
    """The level of the mixture: t with probability ∝ N(t) e^(−t/scale)."""
    band, scale = Thresholds(6, 5).around((9, 4, 0, 2, 7, 1)), Fraction(3)
    counts = [band.count(level) for level in range(band.largest + 1)]
    weights = np.array([count * math.exp(-level / 3) for level, count in enumerate(counts)])
    weights[-1] /= 1 - math.exp(-1 / 3)
    drawn = np.bincount([drawn_level(band, scale, Bits()) for _ in range(1500)], minlength=len(weights))
    assert chi_square(drawn.astype(float), weights / weights.sum()) > FALSE_ALARM


def test_an_empty_database_gives_every_small_one_the_same_chance():
    band = Thresholds(3, 2).around((0, 0, 0))
    assert band.largest == 0
    assert band.count(0) == 6
    assert sum(drawn_database(band, Fraction(2), Bits())) == 2
