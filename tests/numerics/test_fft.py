"""Convolutions against exact integers: the bound holds, is not vacuous, and a float32 transform breaks it."""

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
import scipy.fft
from flint import acb, arb, fmpz_poly
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from dalenius.errors import AssumptionFailed, InvalidParameter
from dalenius.numerics import fft
from dalenius.numerics.enclosure import precision
from dalenius.numerics.floats import Vector

vectors = arrays(np.float64, array_shapes(max_dims=1, max_side=40), elements=st.floats(0, 1e150))


def polynomial(a: Vector) -> tuple[fmpz_poly, int]:
    """Numerators over one power of two."""
    parts = [x.as_integer_ratio() for x in a.tolist()]
    denominator = max(q for _, q in parts)
    return fmpz_poly([p * (denominator // q) for p, q in parts]), denominator


def error_of_convolution(a: Vector, b: Vector) -> tuple[Fraction, Fraction]:
    """Largest error of an entry, and the bound."""
    values, bound = fft.convolve(a, b)
    (first, i), (second, j) = polynomial(a), polynomial(b)
    truth = first * second
    return _largest_gap(values, truth, i * j), Fraction(bound)


def error_of_power(a: Vector, count: int, size: int) -> tuple[Fraction, Fraction]:
    values, bound = fft.power(a, count, size)
    base, denominator = polynomial(a)
    whole = (base**count).coeffs()
    wrapped = fmpz_poly([sum(map(int, whole[j::size])) for j in range(size)])
    return _largest_gap(values, wrapped, denominator**count), Fraction(bound)


def _largest_gap(values: Vector, truth: fmpz_poly, denominator: int) -> Fraction:
    return max(abs(Fraction(x) - Fraction(int(truth[k]), denominator)) for k, x in enumerate(values.tolist()))


def uniform(n: int) -> Vector:
    return np.random.default_rng(n).random(n)


SHAPES: dict[str, Callable[[int], Vector]] = {
    "uniform": uniform,
    "all equal": lambda n: np.full(n, 0.1),
    "one spike": lambda n: np.eye(n)[n // 3],
    "spike in dust": lambda n: np.where(np.arange(n) == n // 2, 1.0, 1e-17 * uniform(n)),
    "alternating sizes": lambda n: np.where(np.arange(n) % 2, 1e-12, 1.0) * uniform(n),
    "300 orders of magnitude": lambda n: 10.0 ** (150 - 300 * uniform(n)),
    "bell": lambda n: np.exp(-(np.linspace(-9, 9, n) ** 2) / 2) / 7,
    "geometric": lambda n: 0.9 ** np.arange(n) / 10,
    "subnormal": lambda n: 5e-324 * np.arange(1, n + 1),
    "ends": lambda n: (np.arange(n) % max(n - 1, 1) == 0).astype(np.float64),
}
shapes = pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)


@shapes
@pytest.mark.parametrize("n", [1, 2, 3, 64, 65, 700])
def test_convolution_is_within_its_bound_of_the_exact_one(shape: Callable[[int], Vector], n: int) -> None:
    for other in (shape(n), uniform(n // 2 + 1)):
        error, bound = error_of_convolution(shape(n), other)
        assert error <= bound


@given(vectors, vectors)
def test_convolution_of_any_vectors_is_within_its_bound(a: Vector, b: Vector) -> None:
    error, bound = error_of_convolution(a, b)
    assert error <= bound


@pytest.mark.parametrize("n", [64, 1000, 4000])
def test_bound_of_a_convolution_is_within_a_thousand_of_the_error(n: int) -> None:
    error, bound = error_of_convolution(uniform(n), uniform(n + 1))
    assert bound <= 1000 * error


@pytest.mark.parametrize("n", [64, 700])
def test_a_float32_transform_breaks_the_bound(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    transform = scipy.fft.rfft
    monkeypatch.setattr(scipy.fft, "rfft", lambda a, n: transform(a.astype(np.float32), n).astype(np.complex128))
    error, bound = error_of_convolution(uniform(n), uniform(n + 1))
    assert error > bound
    error, bound = error_of_power(uniform(n) / n, 5, 1024)
    assert error > bound
    with pytest.raises(AssumptionFailed, match=r"scipy\.fft is off by"):
        fft.verify()


@shapes
@pytest.mark.parametrize(("n", "count", "size"), [(1, 7, 1), (2, 100, 16), (33, 1, 64), (60, 2, 128), (60, 41, 64)])
def test_power_is_within_its_bound_of_the_exact_one(
    shape: Callable[[int], Vector], n: int, count: int, size: int
) -> None:
    a = shape(n)
    a = a / np.sum(a) if np.sum(a) > 1e-300 else a
    error, bound = error_of_power(a, count, size)
    assert error <= bound


def test_power_of_a_mass_above_one_is_within_its_bound() -> None:
    error, bound = error_of_power(np.array([1.0, 0.5, 0.25]), 50, 128)
    assert error <= bound


@pytest.mark.parametrize(("count", "size"), [(2, 1024), (30, 4096), (100, 8192)])
def test_bound_of_a_power_is_within_ten_thousand_of_the_error(count: int, size: int) -> None:
    a = uniform(64)
    error, bound = error_of_power(a / a.sum(), count, size)
    assert bound <= 10_000 * error


def test_power_of_a_binomial_step_is_the_binomial_law() -> None:
    with precision(200):
        count = 1 << 14
        values, bound = fft.power(np.array([0.75, 0.25]), count, 2 * count)
        for k in (0, 1, 4000, 4096, 4200, count):
            truth = arb(math.comb(count, k)) * arb(0.25) ** k * arb(0.75) ** (count - k)
            assert abs(arb(float(values[k])) - truth) <= arb(bound)
    assert bound <= 1e-9 * values.max()


@pytest.mark.parametrize("size", [2, 8, 64, 1024])
@pytest.mark.parametrize("shape", ["uniform", "one spike", "alternating sizes"])
def test_forward_transform_is_within_the_assumed_errors(size: int, shape: str) -> None:
    """(F1) and (F2) themselves, against the definition in balls."""
    x = SHAPES[shape](size)
    computed = scipy.fft.rfft(x)
    e = (1 + fft.LEVEL) ** (size.bit_length() - 1) - 1
    rows = range(0, size // 2 + 1, max(size // 32, 1))
    errors = []
    with precision(128):
        twiddles = [(acb(-2 * j) / size).exp_pi_i() for j in range(size)]
        for k in rows:
            truth = sum((acb(value) * twiddles[j * k % size] for j, value in enumerate(x.tolist())), acb(0))
            errors.append(float(abs(truth - acb(complex(computed[k]))).upper()))
    assert max(errors) <= e * np.sum(x)
    assert np.sqrt(np.mean(np.square(errors))) <= e * np.sqrt(np.sum(x * x))


def test_verify_holds_here() -> None:
    assert 0 < fft.verify() <= 1
    assert fft.verify(2) <= 1


@pytest.mark.parametrize(
    ("a", "words"),
    [([-1.0, 2.0], "≥ 0"), ([np.nan], "finite"), ([np.inf], "finite"), ([], "vector"), ([[1.0]], "vector")],
)
def test_what_is_no_nonnegative_vector_is_refused(a: list[float], words: str) -> None:
    with pytest.raises(InvalidParameter, match=words):
        fft.convolve(a, [1.0])
    with pytest.raises(InvalidParameter, match=words):
        fft.power(a, 2, 16)


def test_other_misuse_is_refused_by_name() -> None:
    for size in (3, 1, 0):
        with pytest.raises(InvalidParameter, match="power of two"):
            fft.power([0.5, 0.5], 2, size)
    with pytest.raises(InvalidParameter, match="count"):
        fft.power([0.5, 0.5], 0, 2)
    with pytest.raises(InvalidParameter, match="too large; divide"):
        fft.power([2.0], 100, 2)
    with pytest.raises(InvalidParameter, match="beyond the largest float"):
        fft.convolve([1e200], [1e200])
