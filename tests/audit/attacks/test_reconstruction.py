import duckdb
import numpy as np
import pyarrow
import pytest

from dalenius.audit.attacks import (
    exhaustive,
    exposure,
    least_squares,
    linear_program,
    random_subsets,
    sql_counts,
    threshold_curve,
)
from dalenius.errors import AuditFailed, InvalidParameter
from dalenius.guarantees import PureDP
from tests.noise.seeded import SeededBits

RNG = np.random.default_rng(7)


@pytest.mark.parametrize("error", [0, 1])
@pytest.mark.theorem("A Thm 2.1")
def test_an_exhaustive_search_is_within_four_errors(error):
    for _ in range(6):
        truth = RNG.integers(0, 2, 9)
        noise = RNG.integers(-error, error + 1, 2**9)
        answers = iter(noise.tolist())
        rebuilt = exhaustive(lambda S, t=truth, a=answers: t[list(S)].sum() + next(a), 9, error)
        assert np.sum(rebuilt.bits != truth) <= 4 * error


def test_answers_that_err_by_more_are_noticed():
    with pytest.raises(AuditFailed, match="errs by more"):
        exhaustive(lambda S: 100, 3, 1)
    with pytest.raises(InvalidParameter, match="from 1 to 16"):
        exhaustive(len, 40, 1)


@pytest.mark.parametrize("wild", [0, 0.1])
@pytest.mark.theorem("A Thm 2.2")
def test_the_linear_program_rebuilds_96_bits_from_four_answers_each(wild):
    truth, right = RNG.integers(0, 2, 96), []
    for seed in range(3):
        subsets = random_subsets(96, 384, SeededBits(seed))
        answers = subsets @ truth + RNG.integers(-1, 2, 384)
        answers = np.where(RNG.random(384) < wild, RNG.integers(0, 97, 384), answers)
        right.append(linear_program(subsets, answers).agreement(truth))
    assert np.mean(right) >= 0.99


def test_answers_off_by_exactly_one_with_a_tenth_far_away_are_no_hindrance():
    # the sum of |error| is flat around a truth with errors of ±1: squares over the answers that are not wild decide
    truth, subsets = RNG.integers(0, 2, 96), random_subsets(96, 384, SeededBits(9))
    answers = subsets @ truth + RNG.choice([-1, 1], 384)
    far = np.where(RNG.random(384) < 0.1, 1000, answers)
    assert linear_program(subsets, far).agreement(truth) >= 0.99


def test_few_questions_are_answered_by_the_program_alone():
    truth, subsets = RNG.integers(0, 2, 20), random_subsets(20, 12, SeededBits(9))
    assert len(linear_program(subsets, subsets @ truth).bits) == 20


def test_at_a_total_of_one_the_attack_is_at_chance():
    # 12 runs of 96 fair bits: a share beyond 0.5 ± 0.09 has probability below 1e-9
    share = np.mean([exposure(PureDP(1), bits=SeededBits(seed)).agreement for seed in range(12)])
    assert abs(share - 0.5) < 0.09


def test_least_squares_rebuilds_little_noise_and_fails_on_wild_answers():
    truth, subsets = RNG.integers(0, 2, 64), random_subsets(64, 256, SeededBits(3))
    answers = subsets @ truth
    assert least_squares(subsets, answers).agreement(truth) == 1
    wild = np.where(RNG.random(256) < 0.15, RNG.integers(0, 65, 256), answers)
    assert least_squares(subsets, wild).agreement(truth) < linear_program(subsets, wild).agreement(truth) == 1


@pytest.mark.theorem("A Ex 2.2", "A Prop 2.1")
def test_agreement_falls_from_all_to_chance_around_the_square_root_of_n():
    rows = threshold_curve(64, [0.5, 1, 200], bits=SeededBits(1))
    assert [row["agreement"] >= 0.98 for row in rows] == [True, True, False]
    # 64 bits at chance: 0.78 or more has probability below 1e-5
    assert rows[-1]["agreement"] < 0.78
    assert rows[1]["ratio"] == 0.125
    (mean,) = threshold_curve(32, [8], repeats=6, bits=SeededBits(1))
    assert 0.5 < mean["agreement"] < 1
    with pytest.raises(InvalidParameter, match="repeats"):
        threshold_curve(32, [8], repeats=0)


def test_an_exact_database_is_rebuilt_through_sql():
    truth = RNG.integers(0, 2, 40)
    people = pyarrow.table({"id": list(range(40)), "trait": truth.tolist()})
    con = duckdb.connect()
    con.register("people", people)
    subsets = random_subsets(40, 120, SeededBits(2))
    subsets[0] = False
    answers = sql_counts(
        lambda query: con.execute(query).fetchone()[0], subsets, table="people", key="id", condition="trait = 1"
    )
    assert answers.tolist() == (subsets @ truth).tolist()
    assert linear_program(subsets, answers).agreement(truth) == 1


def test_text_keys_are_quoted():
    asked = []
    sql_counts(lambda q: asked.append(q) or 0, [[True]], table="t", key="k", condition="x", keys=["O'Neil"])
    assert asked == ["SELECT COUNT(*) AS n FROM t WHERE k IN ('O''Neil') AND (x)"]


def test_bad_input_is_named():
    with pytest.raises(InvalidParameter, match="matrix"):
        linear_program([[True]], [1, 2])
    with pytest.raises(InvalidParameter, match="matrix"):
        least_squares([[True]], [np.nan])
    with pytest.raises(InvalidParameter, match="people"):
        random_subsets(0, 3)


@pytest.mark.long
def test_500_bits_take_less_than_ten_seconds_of_one_core():
    import time

    truth, subsets = RNG.integers(0, 2, 500), random_subsets(500, 2000)
    start = time.process_time()
    rebuilt = linear_program(subsets, subsets @ truth + RNG.integers(-1, 2, 2000))
    assert rebuilt.agreement(truth) >= 0.99
    assert time.process_time() - start < 10
