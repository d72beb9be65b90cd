from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from dalenius.errors import InvalidParameter
from dalenius.guarantees.curves.functionals import total_variation
from dalenius.guarantees.curves.polyline import IDENTITY, Polyline


@st.composite
def pairs(draw, most=4):
    """Two laws on a few outcomes, zeros allowed."""
    size = draw(st.integers(2, most))
    p = draw(st.lists(st.integers(0, 6), min_size=size, max_size=size).filter(sum))
    q = draw(st.lists(st.integers(0, 6), min_size=size, max_size=size).filter(sum))
    return [(Fraction(x, sum(p)), Fraction(y, sum(q))) for x, y in zip(p, q, strict=True)]


polylines = pairs().map(Polyline.of_atoms)
levels = st.fractions(0, 1, max_denominator=60)
fast = settings(deadline=None, max_examples=50)


def least_type_two(atoms, alpha):
    """Over all deterministic tests and mixtures of two of them, by brute force."""
    tests = []
    for rejected in product((0, 1), repeat=len(atoms)):
        level = sum((p for (p, _), r in zip(atoms, rejected, strict=True) if r), Fraction(0))
        miss = sum((q for (_, q), r in zip(atoms, rejected, strict=True) if not r), Fraction(0))
        tests.append((level, miss))
    best = min(miss for level, miss in tests if level <= alpha)
    for (a, b), (c, d) in product(tests, repeat=2):
        if a < alpha < c:
            best = min(best, b + (d - b) * (alpha - a) / (c - a))
    return best


@fast
@given(pairs(), levels)
@pytest.mark.theorem("A Def 13.1")
def test_of_atoms_is_the_best_test(atoms, alpha):
    assert Polyline.of_atoms(atoms)(alpha) == least_type_two(atoms, alpha)


@pytest.mark.theorem("A Ex 13.1", "A Ex 13.2", "A Ex 13.4")
def test_extreme_pairs():
    half = Fraction(1, 2)
    assert Polyline.of_atoms([(half, half), (half, half)]) == IDENTITY
    assert Polyline.of_atoms([(1, 0), (0, 1)]) == Polyline([(0, 0), (1, 0)])
    # X and −X: squaring leaves one law
    law = {-1: (Fraction(1, 4), Fraction(3, 4)), 1: (Fraction(3, 4), Fraction(1, 4))}
    assert Polyline.of_atoms(law.values()) != IDENTITY
    assert Polyline.of_atoms([tuple(map(sum, zip(*law.values(), strict=True)))]) == IDENTITY


@fast
@given(polylines)
@pytest.mark.theorem("A Ex 14.1", "A Prop 14.3")
def test_atoms_realise_the_function(f):
    atoms = f.atoms()
    assert sum(p for p, _ in atoms) == sum(q for _, q in atoms) == 1
    assert Polyline.of_atoms(atoms) == f


@pytest.mark.theorem("A Ex 14.1")
def test_printed_density_realises_nothing_of_the_kind():
    """Printed: Q has density f(1−x) ≤ x < 1, so no event of Q outweighs P's uniform: δ = 0 for every ε ≥ 0."""
    f = Polyline([(0, 1), (Fraction(1, 4), Fraction(1, 4)), (1, 0)])
    grid = [Fraction(i, 100) for i in range(101)]
    assert all(f(1 - x) <= 1 for x in grid)
    assert 1 + f.conjugate(-1) == Fraction(1, 2)  # the truth at ε = 0


@fast
@given(polylines, levels)
@pytest.mark.theorem("A Prop 13.2", "A Rem 13.2", "A Rem 13.1")
def test_inverse_is_the_swapped_pair_and_symmetrised_is_symmetric(f, alpha):
    assert f.inverse() == Polyline.of_atoms((q, p) for p, q in f.atoms())
    assert f.inverse().inverse() == f
    symmetric = f.symmetrised()
    assert symmetric == symmetric.inverse()
    assert symmetric(alpha) == max(f(alpha), f.inverse()(alpha))


@fast
@given(pairs(3), pairs(3))
@pytest.mark.theorem("A Def 13.5", "A Lem 12", "A Thm 13.4", "A Rem 13.8")
def test_tensor_is_the_product_pair_and_obeys_its_laws(first, second):
    f, g = Polyline.of_atoms(first), Polyline.of_atoms(second)
    assert f.tensor(g) == Polyline.of_atoms((p * r, q * s) for p, q in first for r, s in second)
    assert f.tensor(g) == g.tensor(f)
    assert f.tensor(IDENTITY) == f
    assert f.tensor(g).inverse() == f.inverse().tensor(g.inverse())
    assert f.tensor(g).below(f)


@settings(deadline=None, max_examples=20)
@given(pairs(2), pairs(2), pairs(2))
@pytest.mark.theorem("A Lem 12")
def test_tensor_is_associative_and_monotone(a, b, c):
    f, g, h = map(Polyline.of_atoms, (a, b, c))
    assert f.tensor(g).tensor(h) == f.tensor(g.tensor(h))
    if g.below(h):
        assert f.tensor(g).below(f.tensor(h))


@fast
@given(polylines, polylines)
@pytest.mark.theorem("A §13.7 chained composition", "A Lem 10")
def test_chaining_keeps_trade_off_functions_and_turns_round(f, g):
    assert f.chained(g).inverse() == g.inverse().chained(f.inverse())
    assert f.symmetrised().grouped(3) == f.symmetrised().grouped(3).inverse()


@fast
@given(pairs(3), st.lists(st.integers(0, 6), min_size=3, max_size=3).filter(sum))
@pytest.mark.theorem("A Lem 11", "A Def 13.4", "A Prop 4.2")
def test_chain_of_three_laws_stays_above_the_chained_bound(atoms, third):
    atoms = [*atoms, *[(Fraction(0), Fraction(0))] * (3 - len(atoms))]
    r = [Fraction(x, sum(third)) for x in third]
    p, q = zip(*atoms, strict=True)
    one = Polyline.of_atoms(zip(p, q, strict=True))
    two = Polyline.of_atoms(zip(q, r, strict=True))
    assert two.chained(one).below(Polyline.of_atoms(zip(p, r, strict=True)))


@fast
@given(polylines, levels, st.integers(1, 4))
@pytest.mark.theorem("A Thm 13.3", "A Rem 13.7")
def test_group_is_iteration(f, alpha, size):
    value = alpha
    for _ in range(size):
        value = 1 - f(value)
    assert f.grouped(size)(alpha) == 1 - value


@fast
@given(pairs(), st.lists(st.lists(st.integers(0, 3), min_size=4, max_size=4).filter(sum), min_size=4, max_size=4))
@pytest.mark.theorem("A Lem 8", "A Prop 13.3", "A Thm 13.2", "A Lem 9", "A Prop 13.4")
def test_processing_raises_the_function_and_lowers_divergences(atoms, channel):
    rows = [[Fraction(x, sum(row)) for x in row] for row in channel]
    processed = [
        (
            sum(p * row[j] for (p, _), row in zip(atoms, rows, strict=False)),
            sum(q * row[j] for (_, q), row in zip(atoms, rows, strict=False)),
        )
        for j in range(4)
    ]
    f, g = Polyline.of_atoms(atoms), Polyline.of_atoms(processed)
    assert f.below(g)
    assert total_variation(g) <= total_variation(f)


@pytest.mark.theorem("A Thm 13.2", "A Rem 13.6")
def test_blackwell_order_is_partial():
    steep, flat = Polyline([(0, "0.9"), ("0.9", 0), (1, 0)]), Polyline([(0, 1), ("0.3", "0.3"), (1, 0)])
    assert not steep.below(flat)
    assert not flat.below(steep)
    assert steep.below(IDENTITY)


@fast
@given(polylines, st.fractions(0, 20, max_denominator=20))
@pytest.mark.theorem("A Prop 13.9", "A Thm 9.1", "A Rem 14.4")
def test_conjugate_is_the_hockey_stick_of_the_swapped_pair(f, growth):
    truth = sum((max(Fraction(0), q - growth * p) for p, q in f.atoms()), Fraction(0))
    assert 1 + f.conjugate(-growth) == truth


@fast
@given(polylines, st.fractions(0, 1, max_denominator=12), levels)
@pytest.mark.theorem("A Def 13.6")
def test_sampling_operator_is_the_envelope(f, rate, alpha):
    sampled = f.sampled(rate)
    mixed = rate * f(alpha) + (1 - rate) * (1 - alpha)
    assert f.sampled(0) == IDENTITY
    assert sampled(alpha) <= mixed
    assert sampled.inverse() == sampled
    assert f.symmetrised().sampled(1) == f.symmetrised()


@settings(deadline=None, max_examples=20)
@given(st.integers(1, 5), st.integers(1, 5), st.integers(1, 3))
@pytest.mark.theorem("A Thm 13.7")
def test_subset_sampling_by_enumeration(a, b, size):
    """n = 3 rows; the mechanism answers whether the sampled rows sum to an odd number, flipped with odds a : b."""
    truth, lie = Fraction(a, a + b), Fraction(b, a + b)
    base = Polyline.of_atoms([(truth, lie), (lie, truth)]).symmetrised()
    from itertools import combinations

    def law(rows):
        subsets = list(combinations(rows, size))
        odd = Fraction(sum(sum(s) % 2 for s in subsets), len(subsets))
        yes = odd * truth + (1 - odd) * lie
        return yes, 1 - yes

    for rows in product((0, 1), repeat=3):
        changed = (1 - rows[0], *rows[1:])
        pair = Polyline.of_atoms(zip(law(rows), law(changed), strict=True))
        assert base.sampled(Fraction(size, 3)).below(pair)


@pytest.mark.theorem("A Prop 13.1")
@pytest.mark.parametrize(
    ("vertices", "reason"),
    [
        ([(0, 1), ("0.5", "0.6"), (1, 0)], "1 - alpha"),
        ([(0, "0.5"), ("0.2", "0.6"), (1, 0)], "increase"),
        ([(0, "0.6"), ("0.3", "0.55"), ("0.4", "0.1"), (1, 0)], "convex"),
        ([(0, "0.5"), ("0.5", "-0.1"), (1, 0)], "≥ 0"),
        ([("0.1", "0.5"), (1, 0)], "alpha = 0"),
        ([(0, 1), ("0.5", "0.2"), ("0.5", "0.1"), (1, 0)], "growing"),
    ],
)
def test_what_is_no_trade_off_function_is_refused(vertices, reason):
    with pytest.raises(InvalidParameter, match=reason):
        Polyline(vertices)


def test_masses_that_do_not_sum_to_one_are_refused():
    for atoms in ([(1, Fraction(1, 2))], [(Fraction(3, 2), 1), (Fraction(-1, 2), 0)], []):
        with pytest.raises(InvalidParameter):
            Polyline.of_atoms(atoms)


@settings(deadline=None, max_examples=150)
@given(pairs(), pairs())
@pytest.mark.theorem("A Rem 13.6", "A Thm 13.2")
def test_below_is_the_blackwell_order_by_a_linear_program(one, other):
    """f ≤ g exactly where some channel makes the second pair of the first: a feasible linear program, and nowhere else.

    Most random pairs are incomparable, and then neither is made of the other.
    """
    f, g = Polyline.of_atoms(one), Polyline.of_atoms(other)
    assert f.below(g) == _processable(one, other)
    assert g.below(f) == _processable(other, one)


def _processable(one, other):
    """Whether a stochastic matrix K has p·K = r and q·K = s, up to 1e-9: the atoms are multiples of 1/24 and more."""
    m, n = len(one), len(other)
    rows, values = [], []
    for side in (0, 1):
        for j in range(n):
            row = np.zeros(m * n)
            row[j::n] = [float(atom[side]) for atom in one]
            rows.append(row)
            values.append(float(other[j][side]))
    for i in range(m):
        row = np.zeros(m * n)
        row[i * n : (i + 1) * n] = 1
        rows.append(row)
        values.append(1.0)
    return linprog(np.zeros(m * n), A_eq=np.array(rows), b_eq=values, bounds=(0, 1), method="highs").status == 0


@fast
@given(polylines, levels, st.integers(1, 4))
@pytest.mark.theorem("A §13.7 chained composition")
def test_the_kth_chained_power_is_one_less_the_kth_iterate(f, alpha, size):
    power, value = f, alpha
    for _ in range(size - 1):
        power = power.chained(f)
    for _ in range(size):
        value = 1 - f(value)
    assert power(alpha) == 1 - value


@fast
@given(pairs(), st.integers(1, 3))
@pytest.mark.theorem("A Lem 13", "A Rem 14.1", "A Lem 14", "A Rem 14.2", "A Cor 14.1")
def test_the_loss_alone_has_the_trade_off_function_of_the_pair(atoms, pieces):
    """Outcomes of one loss are one outcome, however they are divided; Q is P tilted by e^(−loss)  (L = log p/q)."""
    divided = [(p / pieces, q / pieces) for p, q in atoms for _ in range(pieces)]
    by_ratio: dict = {}
    for p, q in divided:
        ratio = None if q == 0 else p / q
        mass = by_ratio.get(ratio, (Fraction(0), Fraction(0)))
        by_ratio[ratio] = (mass[0] + p, mass[1] + q)
    assert Polyline.of_atoms(by_ratio.values()) == Polyline.of_atoms(atoms) == Polyline.of_atoms(divided)
    for ratio, (p, q) in by_ratio.items():
        assert ratio is None or p == ratio * q
    f, alpha, beta = Polyline.of_atoms(atoms), Fraction(0), Fraction(1) - sum(q for p, q in atoms if p == 0)
    for ratio in sorted(r for r in by_ratio if r is not None and r > 0):  # rejecting losses up to log r: level 1 − F
        alpha, beta = alpha + by_ratio[ratio][0], beta - by_ratio[ratio][1]
        assert f(alpha) == beta  # f(P[L ≤ l]) = Q[L > l], the points of Cor 14.1


@fast
@given(pairs(), st.fractions(0, 20, max_denominator=20))
@pytest.mark.theorem("A Lem 15", "A Cor 14.2")
def test_the_law_of_the_loss_is_read_off_the_slopes_of_the_function(atoms, growth):
    """F(x) = P[log q/p ≤ x] = 1 − (where f's slope is still below −e^x); symmetric functions have one law for both."""
    f = Polyline.of_atoms(atoms)
    steep = max(
        (x1 for (x0, y0), (x1, y1) in zip(f.vertices, f.vertices[1:], strict=False) if y0 - y1 > growth * (x1 - x0)),
        default=Fraction(0),
    )
    assert sum((p for p, q in atoms if p and q <= growth * p), Fraction(0)) == 1 - steep
    both = f.symmetrised()
    losses = [sorted(((p, q) if forth else (q, p)) for p, q in both.atoms() if p or q) for forth in (True, False)]
    assert losses[0] == losses[1]
    assert [sum(side, Fraction(0)) for side in zip(*both.atoms(), strict=True)] == [1, 1]
    assert Polyline.of_atoms(both.atoms()) == both
