import itertools
import math
from fractions import Fraction

import mpmath
import pyarrow as pa
import pytest

import dalenius
from dalenius.curator import Curator
from dalenius.errors import BudgetExceeded, InvalidParameter, LedgerMismatch, UnprovenClaim
from dalenius.guarantees import PureDP
from dalenius.ledger import Amount, Ledger, SecretSample, TableIdentity
from dalenius.neighbors import Relation
from dalenius.sql import Policy
from dalenius.statistics import count

TENTH = Fraction(1, 10)


@pytest.fixture
def book(tmp_path):
    opened = Ledger.open(tmp_path / "l")
    opened.create("people", 1, "1e-6", unit="who", sample=TENTH)
    return opened


@pytest.mark.theorem("A Rem 11.2")
@pytest.mark.parametrize("rate", ["1/10", "1/3", "0.001", "999/1000"])
@pytest.mark.parametrize("epsilon", ["0.1", "1", "3", "40", "700"])
def test_the_cap_is_the_largest_that_becomes_no_more_than_the_population_s(rate, epsilon):
    """By mpmath at 60 digits: log(1 + (e^ε − 1)/p), within one unit below; amplified, at most ε."""
    sample = SecretSample.declared(rate, epsilon, "1e-7", Relation.ADD_REMOVE)
    with mpmath.workdps(700):
        p, wanted = mpmath.mpf(Fraction(rate).numerator) / Fraction(rate).denominator, mpmath.mpf(epsilon)
        exact = mpmath.log(1 + mpmath.expm1(wanted) / p)
        given = mpmath.mpf(sample.cap.epsilon_units) / 10**12
        assert 0 <= exact - given < mpmath.mpf(10) ** -12
        assert mpmath.log(1 + p * mpmath.expm1(given)) <= wanted
    assert sample.cap.delta <= Fraction("1e-7") / Fraction(rate) < sample.cap.delta + Fraction(1, 10**30)


def transcript(people, coins, rate, flip):
    """The law of answers about one sample: each question asks whether somebody was drawn, and lies with a chance."""
    law = {}
    for drawn in itertools.product((0, 1), repeat=people):
        chance = math.prod(rate if one else 1 - rate for one in drawn)
        truth = int(any(drawn))
        for answers in itertools.product((0, 1), repeat=coins):
            told = math.prod(1 - flip if answer == truth else flip for answer in answers)
            law[answers] = law.get(answers, 0.0) + chance * told
    return law


def loss(one, other):
    return max(abs(math.log(one[key] / other[key])) for key in one)


@pytest.mark.theorem("A Rem 11.2")
@pytest.mark.parametrize("questions", [1, 3, 6])
@pytest.mark.parametrize("people", [1, 3])
def test_a_whole_transcript_keeps_the_population_s_cap_by_enumeration(questions, people):
    """All questions read one sample: together they may cost the cap, and the population loses no more than its own."""
    population = 0.7
    cap = float(SecretSample.declared("1/4", population, 0, Relation.ADD_REMOVE).cap.epsilon)
    flip = 1 / (1 + math.exp(cap / questions))
    with_person, without = (transcript(size, questions, 0.25, flip) for size in (people, people - 1))
    assert loss(with_person, without) <= population + 1e-9
    if people == 1:
        assert loss(with_person, without) == pytest.approx(population)  # and no less: the cap is tight


@pytest.mark.theorem("A Rem 11.2")
def test_charges_are_not_amplified_one_by_one(book):
    """The mutant: fifteen questions at ε = 0.5, each amplified to 0.063, would add up to 0.95, and lose 5.2."""
    amplified = 15 * math.log1p(0.1 * math.expm1(0.5))
    assert amplified < 1 < 5.1 < math.log1p(0.1 * math.expm1(7.5))
    assert book.limit("people").epsilon == pytest.approx(Fraction(math.log1p(10 * math.expm1(1))))
    for _ in range(5):
        book.reserve(PureDP("0.5"), dataset="people", unit="who", fresh=True)
    with pytest.raises(BudgetExceeded):
        book.reserve(PureDP("0.5"), dataset="people", unit="who", fresh=True)
    assert all(entry.charged == book.entries("people")[0].charged for entry in book.entries("people"))


def test_the_ledger_keeps_it_for_ever(book, tmp_path):
    sample = book.sample("people")
    assert sample == SecretSample(TENTH, Amount.limit(1, "1e-6"))
    again = Ledger.open(tmp_path / "l")
    assert again.sample("people") == sample
    again.create("people", 1, "1e-6", unit="who", sample="0.1")
    again.verify()
    for other in (None, "1/9"):
        with pytest.raises(LedgerMismatch):
            again.create("people", 1, "1e-6", unit="who", sample=other)
    with pytest.raises(LedgerMismatch, match="secret sample"):
        again.create("people", sample.cap.epsilon, sample.cap.delta, unit="who")
    assert "each person of the population was drawn with probability 1/10" in str(sample)
    assert "told to nobody" in str(sample)


@pytest.mark.parametrize("rate", [0, 1, "1.5", -1])
def test_what_is_no_rate_is_refused(rate):
    with pytest.raises(InvalidParameter, match="strictly between 0 and 1"):
        SecretSample.declared(rate, 1, 0, Relation.ADD_REMOVE)


def test_other_neighbors_and_a_delta_above_the_rate_are_refused():
    with pytest.raises(UnprovenClaim, match="add-remove"):
        SecretSample.declared(TENTH, 1, 0, Relation.CHANGE_ONE)
    with pytest.raises(InvalidParameter, match="must lie below"):
        SecretSample.declared(TENTH, 1, "0.1", Relation.ADD_REMOVE)
    with pytest.raises(InvalidParameter, match="ε ≤ 1000"):
        SecretSample.declared(TENTH, 2000, 0, Relation.ADD_REMOVE)


def test_blocks_joined_populations_and_other_tables_are_refused(book):
    with pytest.raises(InvalidParameter, match="no rule for blocks"):
        book.partition("people", "hash", ["a", "b"], kind="hash")
    with pytest.warns(UserWarning, match="both protect"):
        book.create("others", 1, "1e-6", unit="who")
    with pytest.raises(LedgerMismatch, match="same coins"):
        book.join("people", "others")
    book.own_tables("people", [TableIdentity("people")])
    book.own_tables("people", [TableIdentity("people")])
    for tables in ([TableIdentity("visits")], [TableIdentity("people"), TableIdentity("visits")]):
        with pytest.raises(LedgerMismatch, match="one table that does not grow"):
            book.own_tables("people", tables)


def test_more_files_of_a_sample_are_refused(book):
    first, second = {"/a": "1"}, {"/a": "1", "/b": "2"}
    book.own_tables("people", [TableIdentity("people", first)])
    with pytest.raises(LedgerMismatch, match="does not grow"):
        book.own_tables("people", [TableIdentity("people", second)])


ROWS = pa.table({"who": list(range(50)), "x": [1.0] * 50})


def connected(tmp_path, **terms):
    given = {"table": "people", "unit": "who", "contributions": 1, "budget": {"epsilon": 1}, "sample": TENTH}
    return dalenius.connect(ROWS, ledger=tmp_path / "s", **(given | terms))


def test_the_assumption_stands_in_explain_and_in_every_answer(tmp_path):
    db = connected(tmp_path)
    said = "each person of the population was drawn with probability 1/10, independently"
    assert said in str(db.explain("SELECT COUNT(*) FROM people", epsilon=0.5))
    answer = db.sql("SELECT COUNT(*) FROM people", epsilon=0.5)
    assert said in str(answer)
    assert said in answer._repr_html_()
    assert answer.guarantee.sum_form == (Fraction(1, 2), 0)  # what was charged is not amplified
    curator = Curator(ROWS, unit="who", ledger=db.ledger, dataset="people", contributions=1)
    assert said in str(curator.release(count(epsilon=0.1, about=curator)))


def test_tables_beside_a_sample_and_its_versions_are_refused(tmp_path):
    with pytest.raises(UnprovenClaim, match="same coins"):
        connected(tmp_path, tables={"visits": ROWS})
    with pytest.raises(UnprovenClaim, match="does not change"):
        connected(tmp_path, version="2")
    db = connected(tmp_path)
    with pytest.raises(UnprovenClaim, match="does not change"):
        Curator(ROWS, unit="who", ledger=db.ledger, dataset="people", version=2).release(
            count(epsilon=0.1, unit="who", contributions=1)
        )


def test_a_policy_file_keeps_it(tmp_path):
    policy = Policy.declare("t", {"who": "BIGINT"}, unit="who", budget={"epsilon": 1}, sample=TENTH)
    policy.save(tmp_path / "policy.toml")
    assert 'sample = "1/10"' in policy.to_toml()
    assert Policy.load(tmp_path / "policy.toml").to_toml() == policy.to_toml()
