"""Every assumption about float functions, against arb; the bounds reject functions that are a little worse."""

import math
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import mpmath
import numpy as np
import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

from dalenius.errors import AssumptionFailed, InvalidParameter
from dalenius.numerics import floats
from dalenius.numerics.enclosure import precision
from dalenius.numerics.floats import ASSUMPTIONS, Assumption, Vector, deviation, down, up

POINTS = 1_000_000
each = pytest.mark.parametrize("assumption", ASSUMPTIONS, ids=lambda assumption: assumption.name)
finite = st.floats(allow_nan=False, allow_infinity=False)


@each
def test_assumption_holds_with_a_factor_two_to_spare_on_a_million_points(assumption: Assumption) -> None:
    seed = np.random.SeedSequence().entropy
    found = deviation(assumption, assumption.points(np.random.default_rng(seed).random(POINTS)))
    print(f"seed {seed}: {found}")  # noqa: T201
    assert found.share <= 0.5


@each
def test_assumption_rejects_a_function_rounded_to_float32(assumption: Assumption) -> None:
    def mutant(x: Vector) -> Vector:
        with np.errstate(all="ignore"):
            return assumption.function(x).astype(np.float32).astype(np.float64)

    assert not deviation(replace(assumption, function=mutant), assumption.points(np.linspace(0, 1, 999))).share <= 1


@each
def test_assumption_rejects_a_function_off_by_three_times_the_bound(assumption: Assumption) -> None:
    def mutant(x: Vector) -> Vector:
        return up(assumption.function(x), 3 * assumption.ulps(x))

    assert not deviation(replace(assumption, function=mutant), assumption.points(np.linspace(0, 1, 999))).share <= 1


@each
def test_points_reach_the_hard_places(assumption: Assumption) -> None:
    points = assumption.points(np.random.default_rng(1).random(100_000))
    low, high = assumption.low, assumption.high
    assert points.min() >= low
    assert points.max() <= high
    for centre in (0.0, 1.0):
        if low < centre < high:
            assert np.min(np.abs(points - centre)[points != centre]) < 1e-15
    span = min(high, 1e300) - max(low, -1e300)
    assert points.min() - low <= 1e-3 * span
    assert min(high, 1e300) - points.max() <= 1e-3 * span


@pytest.mark.parametrize(
    ("assumption", "truth"),
    [
        (floats.EXP, mpmath.exp),
        (floats.EXPM1, mpmath.expm1),
        (floats.LOG, mpmath.log),
        (floats.LOG1P, mpmath.log1p),
        (floats.NDTR, mpmath.ncdf),
        (floats.LOG_NDTR, lambda x: mpmath.log1p(-mpmath.ncdf(-x)) if x > 0 else mpmath.log(mpmath.ncdf(x))),
    ],
    ids=lambda each: getattr(each, "name", ""),
)
def test_truth_is_that_of_mpmath(assumption: Assumption, truth: mpmath.mpf) -> None:
    points = assumption.points(np.linspace(0, 1, 200))
    with precision(192), mpmath.workdps(60):
        for x in points[np.abs(points) < 40]:
            error = mpmath.mpf(float((assumption.truth(arb(x)) - arb(str(truth(mpmath.mpf(x))))).abs_upper()))
            assert error <= abs(truth(mpmath.mpf(x))) * mpmath.mpf(2) ** -100


def test_log_ndtr_far_out_is_that_of_mpmath() -> None:
    # mpmath, 50 digits: log(ncdf(-60000)); Mills' ratio serves from -5e4 on.
    with mpmath.workdps(50):
        truth = mpmath.mpf(-60000) ** 2 / -2 - mpmath.log(60000 * mpmath.sqrt(2 * mpmath.pi)) - mpmath.mpf(60000) ** -2
        assert float(floats.log_ndtr_lower(-60000.0)) <= truth <= float(floats.log_ndtr_upper(-60000.0))


@each
def test_ends_hold_the_truth_at_and_beyond_the_domain(assumption: Assumption) -> None:
    ends = [assumption.low, assumption.high]
    beyond = [max(1.5 * end if end else -1.0, assumption.start) for end in ends if abs(end) < 1e100]
    middle = list(assumption.points(np.linspace(0, 1, 500)))
    with precision(192):
        for x in [*ends, *beyond, *middle]:
            if x <= assumption.start or x < -1e5:
                continue
            truth = assumption.truth(arb(x))
            assert not truth < arb(float(assumption.lower(x)))
            assert not truth > arb(float(assumption.upper(x)))


@each
def test_ends_are_exact_at_the_ends_of_the_line(assumption: Assumption) -> None:
    assert assumption.upper(assumption.start) == assumption.lower(assumption.start) == assumption.bottom
    assert assumption.upper(assumption.end) == assumption.lower(assumption.end) == assumption.top


def test_numbers_outside_the_line_are_refused() -> None:
    for x in (-1e-300, math.nan):
        with pytest.raises(InvalidParameter, match="log needs numbers"):
            floats.log_upper([1.0, x])
    with pytest.raises(InvalidParameter, match="exp needs numbers"):
        floats.exp_lower(math.nan)


@given(finite, st.integers(0, 5000))
def test_up_is_at_least_so_many_ulp_above_and_little_more(y: float, ulps: int) -> None:
    raised, gap = float(up(y, ulps)), math.ulp(min(abs(y), 2.0**1023))
    with precision(2200):
        assert math.isinf(raised) or arb(raised) - arb(y) >= ulps * arb(gap)
        assert math.isinf(raised) or arb(raised) - arb(y) <= (ulps + 2) * arb(gap)
    assert down(-y, ulps) == -raised


def test_infinities_are_taken_as_overflows() -> None:
    assert up(math.inf) == math.inf
    assert down(math.inf) == floats.LARGEST
    assert up(-math.inf) == -floats.LARGEST
    assert down(-floats.LARGEST) == -math.inf


def test_verify_passes_here_and_names_a_false_assumption(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [found.assumption for found in floats.verify()] == [assumption.name for assumption in ASSUMPTIONS]
    worse = replace(
        floats.LOG, function=lambda x: np.log(x.astype(np.float32)).astype(np.float64), low=1e-30, high=1e30
    )
    monkeypatch.setattr(floats, "ASSUMPTIONS", (floats.EXP, worse))
    with pytest.raises(AssumptionFailed, match="log is off by"):
        floats.verify(100)


def test_verify_names_arithmetic_that_flushes_subnormals(monkeypatch: pytest.MonkeyPatch) -> None:
    full = np.full
    monkeypatch.setattr(np, "full", lambda n, x: full(n, x) if x > 1e-300 else full(n, 0.0))
    with pytest.raises(AssumptionFailed, match="subnormal"):
        floats.verify(100)


@each
def test_the_page_of_assumptions_states_the_bound_that_is_used(assumption: Assumption) -> None:
    page = Path(__file__).parents[2] / "docs" / "theory" / "assumptions.md"
    bound = f"{assumption.ulp}"
    if assumption.growth:
        bound += f" + {assumption.growth:g}·max(0, {'-' if assumption.side < 0 else ''}x)²"
    row = f"| {assumption.name} | [{assumption.low:g}, {assumption.high:g}] | {bound} |"
    assert row in page.read_text(encoding="utf-8")


def test_import_does_not_load_scipy() -> None:
    code = "import sys, dalenius.numerics, dalenius.numerics.fft; sys.exit('scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
