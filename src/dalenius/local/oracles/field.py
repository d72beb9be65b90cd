"""Finite fields, on arrays.

The elements of a field with p^m elements are the numbers 0, …, p^m − 1. With m = 1 they are added and multiplied
modulo p. Else a number's digits in base p are the coefficients of a polynomial, multiplied modulo the first irreducible
monic polynomial of degree m, in the order of its own number.
"""

import itertools
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InvalidParameter

Elements = NDArray[np.int64]
_LARGEST_TABLE = 256


@dataclass(frozen=True, slots=True)
class Field:
    """The field with `order` elements, a prime, or a prime power up to 256.

    >>> int(Field(4).multiply(np.array(2), np.array(3)))
    1
    """

    order: int

    def __post_init__(self) -> None:
        if not is_field_order(self.order):
            raise InvalidParameter(f"order must be a prime, or a prime power up to {_LARGEST_TABLE}, got {self.order}")

    @property
    def modulus(self) -> int:
        """The number of the polynomial that products are reduced by; 0 for a prime order."""
        return _modulus(self.order)

    def add(self, a: Elements, b: Elements) -> Elements:
        """The sums."""
        if self.modulus:
            return _tables(self.order)[0][a, b]
        return (a + b) % self.order

    def multiply(self, a: Elements, b: Elements) -> Elements:
        """The products."""
        if self.modulus:
            return _tables(self.order)[1][a, b]
        return a * b % self.order

    def negative(self, a: Elements) -> Elements:
        """The elements that add up to 0 with a."""
        if self.modulus:
            return _tables(self.order)[2][a]
        return -a % self.order

    def inverse(self, a: Elements) -> Elements:
        """The elements whose products with a are 1; 0 for 0."""
        return _inverses(self.order)[a]

    def digits(self, numbers: Elements, length: int) -> list[Elements]:
        """The digits of numbers in base `order`, the highest first."""
        return [numbers // self.order**place % self.order for place in reversed(range(length))]


@lru_cache(maxsize=4096)
def is_field_order(order: int) -> bool:
    """Whether `Field` takes this order."""
    p = _characteristic(order)
    return p is not None and (p == order or order <= _LARGEST_TABLE)


def _characteristic(order: int) -> int | None:
    """The prime of a prime power, else None."""
    if order < 2:
        return None
    p = next((d for d in range(2, int(order**0.5) + 1) if order % d == 0), order)
    rest = order
    while rest % p == 0:
        rest //= p
    return p if rest == 1 else None


def _degree(order: int, p: int) -> int:
    return next(m for m in itertools.count(1) if p**m == order)


def _coefficients(number: int, p: int, length: int) -> list[int]:
    return [number // p**i % p for i in range(length)]


def _reduced(product: list[int], modulus: list[int], p: int) -> list[int]:
    """The remainder of a polynomial (lowest coefficient first) by a monic one."""
    m = len(modulus) - 1
    rest = list(product)
    for at in range(len(rest) - 1, m - 1, -1):
        lead = rest[at]
        for i, coefficient in enumerate(modulus):
            rest[at - m + i] = (rest[at - m + i] - lead * coefficient) % p
    return rest[:m]


@lru_cache(maxsize=64)
def _modulus(order: int) -> int:
    p = _characteristic(order)
    if p is None or p == order:
        return 0
    m = _degree(order, p)
    for number in range(order, 2 * order):
        candidate = _coefficients(number, p, m + 1)
        if not any(
            not any(_reduced(candidate, _coefficients(divisor, p, degree + 1), p))
            for degree in range(1, m // 2 + 1)
            for divisor in range(p**degree, 2 * p**degree)
        ):
            return number
    raise InvalidParameter(f"no irreducible polynomial for order {order}")  # there is one for every prime power


@lru_cache(maxsize=64)
def _tables(order: int) -> tuple[Elements, Elements, Elements]:
    p = _characteristic(order) or order
    m = _degree(order, p)
    modulus = _coefficients(_modulus(order), p, m + 1)
    vectors = [_coefficients(number, p, m) for number in range(order)]
    weights = [p**i for i in range(m)]

    def number_of(vector: list[int]) -> int:
        return sum(weight * digit for weight, digit in zip(weights, vector, strict=True))

    def product(a: list[int], b: list[int]) -> list[int]:
        full = [0] * (2 * m - 1)
        for i, x in enumerate(a):
            for j, y in enumerate(b):
                full[i + j] = (full[i + j] + x * y) % p
        return _reduced(full, modulus, p)

    sums = [[number_of([(x + y) % p for x, y in zip(a, b, strict=True)]) for b in vectors] for a in vectors]
    products = [[number_of(product(a, b)) for b in vectors] for a in vectors]
    negatives = [number_of([-x % p for x in a]) for a in vectors]
    return np.array(sums), np.array(products), np.array(negatives)


@lru_cache(maxsize=64)
def _inverses(order: int) -> Elements:
    if _modulus(order):
        products = _tables(order)[1]
        return np.concatenate([[0], np.argmax(products[1:] == 1, axis=1)])
    return np.array([pow(a, -1, order) if a else 0 for a in range(order)])
