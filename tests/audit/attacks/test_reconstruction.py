import duckdb
import numpy as np
import pyarrow
import pytest

from dalenius.audit.attacks import (
    exhaustive,
    least_squares,
    linear_program,
    random_subsets,
    sql_counts,
    threshold_curve,
)
from dalenius.errors import AuditFailed, InvalidParameter
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
