import math
from fractions import Fraction

import pytest

from dalenius.errors import InvalidParameter, MixedRelations
from dalenius.guarantees import ApproxDP, PureDP, Shuffled, ShuffledResponse
from dalenius.ledger import Ledger
from dalenius.neighbors import Relation

# n, ε₀, δ, closed form [FMT21], clones, stronger clones, exact binary response: sums of the pairs in forty digits
TABLE = [
    (1_000, "0.5", 1e-6, 0.272638, 0.07052347, 0.06268657, 0.05685381),
    (1_000, "1", 1e-6, 0.566201, 0.18241235, 0.14867062, 0.12661448),
    (10_000, "1", 1e-6, 0.214026, 0.05300532, 0.04320616, 0.03565882),
    (10_000, "2", 1e-6, 0.500920, 0.15504524, 0.11439962, 0.08701563),
    (100_000, "4", 1e-8, 0.591234, 0.21492802, 0.15066789, 0.10972653),
    (1_000_000, "1", 1e-8, 0.026775, 0.00612548, 0.00501162, 0.00410539),
    (1_000_000, "4", 1e-8, 0.226368, 0.06419684, 0.04507296, 0.03199058),
]


@pytest.mark.parametrize(("n", "local", "delta", "closed", "clones", "stronger", "binary"), TABLE)
def test_the_table_is_reproduced_and_certified_on_both_sides(n, local, delta, closed, clones, stronger, binary):
    collection = Shuffled(local, n)
    low, high = collection.epsilon_interval(delta)
    assert high == pytest.approx(stronger, abs=1e-8 + 1e-6 * stronger)
    assert low == pytest.approx(binary, abs=1e-8 + 1e-6 * binary)
    assert collection.closed_form(delta) == pytest.approx(closed, abs=1e-6)
    step = 1e-8
    assert collection.clones(clones + step)[1] < delta < collection.clones(clones - step)[0]
    assert collection.proved(high)[1] <= delta  # the figure is proved
    assert collection.attained(low) >= delta  # and no generic figure can be below the lower one
    assert binary < stronger < clones < closed


@pytest.mark.parametrize(("n", "local", "values", "stated"), [(1_000, 1, 4, 0.11782414), (1_000, 1, 16, 0.06426847)])
def test_the_blanket_of_a_response_is_better_than_clones(n, local, values, stated):
    response = ShuffledResponse(local, values, n)
    assert response.proved(stated + 1e-8)[1] < 1e-6 < response.proved(stated - 1e-8)[0]
    assert stated < Shuffled(local, n).epsilon(1e-6)
    low, high = response.delta_interval(stated)
    assert low < high


@pytest.mark.long
@pytest.mark.parametrize(("values", "stated"), [(4, 0.10196398), (16, 0.06749029)])
def test_the_blanket_at_ten_thousand_reports(values, stated):
    low, high = ShuffledResponse(2, values, 10_000).epsilon_interval(1e-6)
    assert high == pytest.approx(stated, abs=1e-7)
    assert low < high


@pytest.mark.parametrize("local", [Fraction(1, 2), Fraction(2), Fraction(8), Fraction(20)])
@pytest.mark.parametrize("n", [1, 2, 10, 3_000])
def test_it_is_never_weaker_than_one_report_nor_below_the_exact_binary_case(local, n):
    collection = Shuffled(local, n)
    for epsilon in (0.0, 0.05, 0.4, 1.5):
        low, high = collection.delta_interval(epsilon)
        assert 0 <= low <= high <= PureDP(local).delta(epsilon) + 1e-15
        assert collection.attained(epsilon) <= collection.proved(epsilon)[1] * (1 + 1e-9)
    low, high = collection.epsilon_interval(1e-6)
    assert low <= high <= float(local)


def test_more_reports_hide_better_and_the_worst_case_is_the_largest_distance():
    # the proof takes the pair of the largest total variation: δ must grow with ε₀ at a fixed ε
    figures = [Shuffled(1, n).epsilon(1e-6) for n in (10, 100, 1_000, 10_000)]
    assert figures == sorted(figures, reverse=True)
    deltas = [Shuffled(Fraction(tenths, 10), 500).delta(0.1) for tenths in range(2, 21)]
    assert deltas == sorted(deltas)


def test_the_ends():
    assert Shuffled(1, 100).epsilon_interval(0.0)[1] == 1.0
    assert Shuffled(0, 100).epsilon_interval(1e-6) == (0.0, 0.0)
    assert Shuffled(1, 10**6).epsilon_interval(0.5) == (0.0, 0.0)
    assert Shuffled(1, 100).delta_interval(1.0) == (0.0, 0.0)
    assert Shuffled(9, 100).closed_form(1e-6) == math.inf
    assert Shuffled(1, 100).closed_form(0) == math.inf
    assert Shuffled(1, 100).renyi(2) == PureDP(1).renyi(2)


def test_a_shuffled_collection_is_charged_to_a_ledger(tmp_path):
    collection = Shuffled(1, 10_000, delta=1e-6)
    ledger = Ledger.open(tmp_path / "x.ledger")
    ledger.create("people", epsilon=0.1, delta=1e-5, unit="person", relation=Relation.CHANGE_ONE)
    ledger.reserve(collection, dataset="people", unit="person")
    assert collection.sum_form == (Fraction(collection.epsilon(1e-6)), Fraction(1, 10**6))
    assert len(ledger.entries("people")) == 1
    assert Shuffled(1, 10_000).sum_form == (1, 0)
    assert isinstance(collection.charged, ApproxDP)
    assert collection.repeat(3).epsilon(1e-4) <= 3 * collection.epsilon(1e-6) * (1 + 1e-9)
    assert collection.group(1) is collection
    assert collection.group(2).epsilon(1e-5) >= collection.epsilon(1e-5)
    assert collection.concentrated_form.delta == Fraction(1, 10**6)
    assert collection.parts[0].times == 1
    with pytest.raises(MixedRelations):
        collection.to(Relation.ADD_REMOVE)
    assert "shuffling" in str(collection)


@pytest.mark.parametrize("bad", [(-1, 10), (1, 0), (1, 2.5), (1, True), (1, 10, 2)])
def test_bad_parameters_are_refused(bad):
    with pytest.raises(InvalidParameter):
        Shuffled(*bad)
    with pytest.raises(InvalidParameter):
        ShuffledResponse(1, 1, 10)
    with pytest.raises(InvalidParameter, match="rtol"):
        Shuffled(1, 10).epsilon_interval(1e-6, rtol=2)
