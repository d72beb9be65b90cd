"""Rows of a mixture, drawn in strata so that they lie nearer to it than independent rows would."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dalenius.synthesis.data.possible_row import possible_row
from dalenius.synthesis.model.mixture import Mixture, Shape
from dalenius.synthesis.model.public_coins import PublicCoins

Codes = NDArray[np.int64]
_TRIES = 5


def drawn_rows(
    mixture: Mixture,
    shape: Shape,
    rows: int,
    coins: PublicCoins,
    impossible: Sequence[tuple[int, int, tuple[tuple[int, int], ...]]] = (),
) -> tuple[Codes, Codes]:
    """The levels of `rows` rows, (rows, columns), and their labels; in no order.

    Components and labels get their share of rows to within one; inside a component every column is drawn from strata of
    equal probability, in an order of its own.
    """
    cell = _systematic(mixture.weights.ravel().astype(np.float64), rows, coins)
    component, label = np.divmod(cell, mixture.weights.shape[1])
    codes = drawn_levels(mixture, shape, component, coins)
    _repair(codes, component, mixture, shape, coins, impossible)
    mixed = np.argsort(coins.words(rows), kind="stable")
    return codes[mixed], label[mixed]


def drawn_levels(mixture: Mixture, shape: Shape, component: Codes, coins: PublicCoins) -> Codes:
    """The levels of rows whose components are given, in their order, which is rising: (rows, columns)."""
    rows = len(component)
    starts = np.concatenate([[0], np.flatnonzero(np.diff(component)) + 1]) if rows else np.zeros(0, np.int64)
    own = np.diff(np.concatenate([starts, [rows]]))
    number, primes = np.arange(rows) - np.repeat(starts, own), _primes(len(shape.sizes))
    codes = np.empty((rows, len(shape.sizes)), np.int64)
    for column, (start, size) in enumerate(zip(shape.starts.tolist(), shape.sizes, strict=True)):
        # a row's place in each column follows a Kronecker sequence: two columns fill their square more evenly than
        # two random orders would
        turned = number * np.sqrt(primes[column]) + np.repeat(coins.uniforms(len(own)), own)
        rank = np.empty(rows, np.int64)
        rank[np.lexsort((turned - np.floor(turned), component))] = number
        at = (rank + coins.uniforms(rows)) / np.repeat(own, own)
        ends = np.cumsum(mixture.theta[:, start : start + size], axis=1, dtype=np.float64)
        codes[:, column] = _inverted(ends, component, at, size)
    return codes


def _primes(count: int) -> list[int]:
    """The first primes: their roots have no whole relation with one another."""
    primes: list[int] = []
    number = 2
    while len(primes) < count:
        if all(number % prime for prime in primes):
            primes.append(number)
        number += 1
    return primes


def _systematic(weights: NDArray[np.float64], rows: int, coins: PublicCoins) -> Codes:
    """`rows` places, in order, each as often as its weight says, to within one."""
    ends = np.cumsum(weights / weights.sum())
    at = (np.arange(rows) + coins.uniforms(1)[0]) / max(rows, 1)
    places: Codes = np.minimum(np.searchsorted(ends, at, side="right"), len(weights) - 1)
    return places


def _inverted(ends: NDArray[np.float64], component: Codes, at: NDArray[np.float64], size: int) -> Codes:
    """The level whose part of its component's law holds the number: all components laid end to end."""
    line = (ends / ends[:, -1:] + np.arange(len(ends))[:, None]).ravel()
    places = np.searchsorted(line, component + at, side="right") - component * size
    levels: Codes = np.clip(places, 0, size - 1)
    return levels


def _repair(
    codes: Codes,
    component: Codes,
    mixture: Mixture,
    shape: Shape,
    coins: PublicCoins,
    impossible: Sequence[tuple[int, int, tuple[tuple[int, int], ...]]],
) -> None:
    """Draw the second column of an impossible pair again, given the first; what is left becomes a possible row."""
    rules = []
    for i, j, cells in impossible:
        possible = np.ones((shape.sizes[i], shape.sizes[j]), np.bool_)
        possible[tuple(np.array(cells).T)] = False
        rules.append((i, j, possible))
    for _ in range(_TRIES):
        for i, j, possible in rules:
            wrong = np.flatnonzero(~possible[codes[:, i], codes[:, j]])
            if not len(wrong):
                continue
            law = mixture.theta[component[wrong], shape.starts[j] : shape.starts[j] + shape.sizes[j]]
            law = (law.astype(np.float64) + 1e-12) * possible[codes[wrong, i]]
            ends, at = np.cumsum(law, axis=1), coins.uniforms(len(wrong))
            codes[wrong, j] = (ends <= at[:, None] * ends[:, -1:]).sum(axis=1).clip(0, shape.sizes[j] - 1)
    bad = np.zeros(len(codes), np.bool_)
    for i, j, possible in rules:
        bad |= ~possible[codes[:, i], codes[:, j]]
    good = np.flatnonzero(~bad)
    if bad.any() and len(good):
        codes[bad] = codes[good[(coins.uniforms(int(bad.sum())) * len(good)).astype(np.int64)]]
    elif bad.any():
        codes[bad] = possible_row(shape.sizes, impossible)
