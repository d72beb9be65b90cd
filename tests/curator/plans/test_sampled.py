import itertools
import math
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest

from dalenius.curator import Curator, Measure, Outcome, Sampled, Together
from dalenius.curator.plans.sampled import drawn
from dalenius.errors import InvalidParameter, MixedRelations, UnprovenClaim
from dalenius.guarantees import PoissonSampling, PureDP, SubsetSampling
from dalenius.ledger import Ledger
from dalenius.mechanisms import Geometric
from dalenius.neighbors import Relation, Unit
from dalenius.noise import Bits
from dalenius.queries import Contributions, Count, Keys, Sum, Table, View

ROW, CHANGED = Unit.row(), Unit.row(Relation.CHANGE_ONE)
SCALE = Fraction(1)
REACH = 40
ONE, TWO = Count(Keys("x", ["a"])), Count(Keys("x", ["a", "b"]))
QUARTER, PAIR = PoissonSampling(Fraction(1, 4)), SubsetSampling(2, 3)


class Scripted:
    """Bits that were written down beforehand."""

    def __init__(self, words):
        self.script = list(words)

    def words(self, dtype, size):
        given, self.script = self.script[:size], self.script[size:]
        return np.array(given, dtype)


@dataclass(frozen=True)
class Exact:
    """A measure without its noise, whose law the tests write down themselves."""

    measure: Measure

    def __getattr__(self, name):
        return getattr(self.measure, name)

    def run(self, view, _):
        return tuple(self.measure.query.evaluate(view).tolist())


def scripts(sampling, rows):
    """Every script of equal probability: one of 1, 2 or 4 values a row, or every order of marks."""
    if isinstance(sampling, PoissonSampling):
        return itertools.product(range(sampling.rate.denominator), repeat=rows)
    return itertools.permutations(range(rows))


def noise(shift):
    a = math.exp(-1 / SCALE)
    z = np.abs(np.arange(-REACH, REACH + 1) - shift)
    return (1 - a) / (1 + a) * a**z


def law(query, data, unit, sampling):
    """The exact law of the output: what the code's sample holds under every script, times noise by its formula."""
    table = Table({"x": np.array(data, object)})
    plan = Sampled(Exact(Measure(query, Geometric(SCALE), unit)), sampling)
    answers = Counter(plan.run(table, Scripted(script)) for script in scripts(sampling, len(data)))
    total = sum(answers.values())
    out = 0
    for answer, times in answers.items():
        joint = np.ones(1)
        for cell in answer:
            joint = np.multiply.outer(joint, noise(cell))
        out = out + float(Fraction(times, total)) * joint
    return out


def neighbors(unit):
    if unit is CHANGED:
        pairs = itertools.product(itertools.product("abz", repeat=3), repeat=2)
        return [(a, b) for a, b in pairs if sum(x != y for x, y in zip(a, b, strict=True)) == 1]
    larger = [rows for size in (1, 2, 3) for rows in itertools.product("abz", repeat=size)]
    pairs = [(rows, rows[:at] + rows[at + 1 :]) for rows in larger for at in range(len(rows))]
    return pairs + [(small, large) for large, small in pairs]


def excess(query, unit, sampling, claim):
    """By how much the largest hockey-stick divergence between neighbors exceeds the claim, over a grid of ε."""
    pairs = neighbors(unit)
    laws = {data: law(query, data, unit, sampling) for data in {data for pair in pairs for data in pair}}
    assert all(abs(each.sum() - 1) < 1e-12 for each in laws.values())
    grid = [(epsilon, claim.delta(epsilon)) for epsilon in (0, 0.1, 0.2, 0.3, 0.5, 0.8, 1.2, 2)]
    worst = -1.0
    for p, q in ((laws[a], laws[b]) for a, b in pairs):
        worst = max(worst, *(np.maximum(p - math.exp(e) * q, 0).sum() - delta for e, delta in grid))
    return worst


CASES = [(ONE, ROW, QUARTER), (TWO, ROW, QUARTER), (ONE, CHANGED, PAIR), (TWO, CHANGED, PAIR)]


@pytest.mark.theorem("A Alg 6", "A Prop 11.1", "A Thm 13.7", "A Rem 11.2")
@pytest.mark.parametrize(("query", "unit", "sampling"), CASES)
def test_the_exact_output_law_keeps_the_promise_for_all_neighbors(query, unit, sampling):
    claim = Sampled(Measure(query, Geometric(SCALE), unit), sampling).guarantee
    assert excess(query, unit, sampling, claim) <= 1e-12


@pytest.mark.parametrize(
    ("query", "unit", "sampling", "charged"),
    [
        (ONE, ROW, PoissonSampling(Fraction(1, 2)), QUARTER),
        (ONE, ROW, PoissonSampling(1), QUARTER),
        (ONE, CHANGED, PAIR, SubsetSampling(1, 3)),
        (TWO, CHANGED, SubsetSampling(3, 3), PAIR),
    ],
)
def test_a_sample_larger_than_the_one_charged_for_is_caught(query, unit, sampling, charged):
    claim = Sampled(Measure(query, Geometric(SCALE), unit), charged).guarantee
    assert excess(query, unit, sampling, claim) > 1e-3


OWNED = Count(Keys("x", ["a"]), Contributions("u", 2))
PEOPLE = [(), ("a",), ("a", "a"), ("a", "z"), ("a", "a", "a", "z")]


def law_of_people(people, by_rows=False):
    """The exact law for people who own the given rows; the mutant draws rows in place of people."""
    rows = [(name, row) for name, owned in enumerate(people) for row in owned]
    view = Table({"u": np.array([u for u, _ in rows], np.int64), "x": np.array([x for _, x in rows] or [], object)})
    measure = Measure(OWNED, Geometric(SCALE * 2**20), Unit("u"))
    drawn_from = len(rows) if by_rows else len({name for name, _ in rows})
    out = 0
    for script in itertools.product(range(4), repeat=drawn_from):
        if by_rows:
            kept = drawn(QUARTER, len(rows), Scripted(script))
            answer = OWNED.evaluate(Table({name: column[kept] for name, column in view.columns.items()}))[0]
        else:
            (answer,) = Sampled(Exact(measure), QUARTER).run(view, Scripted(script))
        out = out + noise(int(answer) // 2**20) / 4**drawn_from
    return out


def largest_loss_of_people(by_rows):
    worst = 0.0
    others_of = [()] if by_rows else [(), (("a",),), (("a", "a"), ("a", "z"))]
    for others, one in itertools.product(others_of, PEOPLE):
        p, q = law_of_people(others, by_rows), law_of_people((*others, one), by_rows)
        worst = max(worst, np.abs(np.log(p / q)).max())
    return worst


# one person moves the count by up to 2, which noise of scale 1 hides with ε = 2, and a sample of a quarter with
AMPLIFIED = math.log(1 + (math.exp(2) - 1) / 4)


@pytest.mark.theorem("A Alg 6", "A Thm 13.7")
def test_people_with_several_rows_are_drawn_whole_and_every_neighbor_is_within_the_promise():
    plan = Sampled(Measure(OWNED, Geometric(SCALE * 2**20), Unit("u")), QUARTER)
    assert float(plan.guarantee.sum_form[0]) == pytest.approx(AMPLIFIED, rel=1e-9)
    assert largest_loss_of_people(by_rows=False) <= AMPLIFIED * (1 + 1e-9)


def test_a_sample_of_rows_in_place_of_people_is_caught():
    assert largest_loss_of_people(by_rows=True) > 1.02 * AMPLIFIED


def test_all_rows_of_a_person_are_kept_or_none_and_nobodys_never():
    table = Table.of({"u": [7, None, 7, 3.5, None, 7], "x": list("aaazza")})

    class Rows:
        unit = Unit("u")

        def run(self, view, _):
            return view.column("u").tolist()

    seen = {tuple(Sampled(Rows(), PoissonSampling(Fraction(1, 2))).run(table, Bits())) for _ in range(200)}
    assert seen == {(), (7, 7, 7), (3.5,), (7, 7, 3.5, 7)}  # one of four is missed with chance 4·(3/4)^200 < 1e-24


def test_the_price_is_amplified_never_less():
    plan = Measure(ONE, Geometric(SCALE), ROW)
    claim = Sampled(plan, QUARTER).guarantee
    assert claim == plan.guarantee.amplify(QUARTER)
    assert claim.epsilon(0) == pytest.approx(math.log(1 + (math.e - 1) / 4), rel=1e-12)
    assert Sampled(plan, PoissonSampling(1)).guarantee == plan.guarantee
    assert Sampled(plan, PoissonSampling(0)).guarantee == PureDP(0)


@pytest.mark.parametrize(("unit", "sampling"), [(ROW, QUARTER), (CHANGED, PAIR)])
def test_several_questions_on_one_sample_have_a_price_that_a_ledger_takes(unit, sampling):
    parts = [Measure(query, Geometric(SCALE), unit, name) for name, query in {"n": ONE, "m": ONE}.items()]
    claim = Sampled(Together(parts), sampling).guarantee
    rate = sampling.rate
    assert float(claim.sum_form[0]) == pytest.approx(math.log(1 + rate * (math.exp(2) - 1)), rel=1e-12)
    losses = [Measure(Sum("x", (0, 3)), Geometric(Fraction(3)), unit, name) for name in "nm"]
    claim = Sampled(Together(losses), sampling).guarantee
    assert float(claim.sum_form[0]) == pytest.approx(math.log(1 + rate * (math.exp(2) - 1)), rel=1e-9)


def test_each_row_is_kept_with_exactly_the_rate():
    kept = Counter(tuple(drawn(QUARTER, 3, Scripted(script))) for script in scripts(QUARTER, 3))
    assert all(Fraction(times, 4**3) == Fraction(3 ** (3 - len(rows)), 4**3) for rows, times in kept.items())
    assert len(kept) == 8


def test_every_subset_is_equally_likely_and_equal_marks_are_drawn_again():
    sampling = SubsetSampling(2, 4)
    kept = Counter(tuple(drawn(sampling, 4, Scripted(script))) for script in scripts(sampling, 4))
    assert set(kept) == set(itertools.combinations(range(4), 2))
    assert set(kept.values()) == {4}
    assert drawn(sampling, 4, Scripted([7, 7, 1, 2, 4, 3, 2, 1])).tolist() == [2, 3]


def test_a_real_sample_has_its_size():
    assert drawn(SubsetSampling(10, 1000), 1000, Bits()).size == 10
    assert abs(drawn(PoissonSampling(0.1), 10**6, Bits()).size - 10**5) < 3000  # ten standard deviations
    assert drawn(QUARTER, 0, Bits()).size == 0


def _curator(tmp_path, data, unit):
    ledger = Ledger.open(tmp_path / "x.ledger")
    ledger.create("people", epsilon=1000, unit=unit)
    return Curator(data, unit=unit, ledger=ledger, dataset="people")


@pytest.mark.parametrize(("unit", "sampling"), [(ROW, QUARTER), (CHANGED, PAIR)])
def test_it_goes_through_the_gate_for_the_amplified_price_and_stores_no_sample(tmp_path, unit, sampling):
    curator = _curator(tmp_path, {"x": ["a", "a", "b"]}, unit)
    plan = Sampled(Measure(ONE, Geometric(Fraction(2)), unit), sampling)
    release = curator.release(plan)
    (entry,) = curator.ledger.entries("people")
    assert entry.charged.epsilon == pytest.approx(float(plan.guarantee.sum_form[0]), abs=1e-12)
    assert entry.charged.epsilon < Fraction(1, 2)
    assert set(release.to_dict()["outcome"]) == {"version", "keys", "columns"}


def test_a_subset_of_three_is_a_subset_of_three(tmp_path):
    curator = _curator(tmp_path, {"x": ["a"] * 5}, CHANGED)
    sharp = Measure(ONE, Geometric(Fraction(1, 100)), CHANGED)
    assert curator.release(Sampled(sharp, SubsetSampling(3, 5))).value["value"] == (3,)
    nested = Sampled(Sampled(sharp, SubsetSampling(2, 3)), SubsetSampling(3, 5))
    assert curator.release(nested).value["value"] == (2,)


@pytest.mark.parametrize("wrap", [lambda plan: plan, lambda plan: Together([plan])], ids=["alone", "in together"])
@pytest.mark.parametrize(
    "plan",
    [
        Sampled(Measure(ONE, Geometric(SCALE), CHANGED), PAIR),
        Sampled(Sampled(Measure(ONE, Geometric(SCALE), CHANGED), SubsetSampling(1, 2)), SubsetSampling(3, 5)),
    ],
    ids=["rows", "nested rows"],
)
def test_another_number_of_rows_is_refused_before_the_charge(tmp_path, plan, wrap):
    curator = _curator(tmp_path, {"x": ["a"] * 5}, CHANGED)
    with pytest.raises(InvalidParameter, match="rows"):
        curator.release(wrap(plan))
    assert curator.ledger.entries("people") == []


def test_another_view_is_refused_by_name_before_the_charge(tmp_path):
    class Engine(View):
        pass

    curator = _curator(tmp_path, Engine(), ROW)
    with pytest.raises(UnprovenClaim, match="Engine"):
        curator.release(Sampled(Measure(ONE, Geometric(SCALE), ROW), QUARTER))
    assert curator.ledger.entries("people") == []


def test_crosswise_is_refused():
    with pytest.raises(MixedRelations):
        Sampled(Measure(ONE, Geometric(SCALE), ROW), PAIR)
    with pytest.raises(MixedRelations):
        Sampled(Measure(ONE, Geometric(SCALE), CHANGED), QUARTER)


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(UnprovenClaim, match="user_id"):
        Sampled(Measure(ONE, Geometric(SCALE), Unit("user_id", Relation.CHANGE_ONE)), PAIR)
    with pytest.raises(InvalidParameter, match="denominator"):
        Sampled(Measure(ONE, Geometric(SCALE), ROW), PoissonSampling(Fraction(1, 2**63 + 1)))
    with pytest.raises(UnprovenClaim):
        drawn(PAIR, 4, Bits())


def test_the_fingerprint_follows_plan_and_sampling():
    plan, other = Measure(ONE, Geometric(SCALE), CHANGED), Measure(TWO, Geometric(SCALE), CHANGED)
    samplings = (PAIR, SubsetSampling(4, 6))  # the same rate
    prints = {Sampled(part, sampling).fingerprint for part in (plan, other) for sampling in samplings}
    assert len(prints | {plan.fingerprint}) == 5


def test_explain_says_what_the_error_is_about():
    told = str(Sampled(Measure(ONE, Geometric(SCALE), ROW), QUARTER).explain())
    assert "sample's own answer" in told
    assert "PoissonSampling" in told


def test_an_outcome_is_the_plans_own():
    outcome = Sampled(Measure(ONE, Geometric(SCALE), ROW), QUARTER).run(Table.of({"x": ["a"]}), Bits())
    assert isinstance(outcome, Outcome)
    assert outcome.keys == ONE.keys
