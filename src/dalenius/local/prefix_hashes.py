"""The public hashes of heavy hitters, and the shares of all extensions of a prefix that reports of them give."""

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.local.oracles import Integers

Words = NDArray[np.uint64]
SEEDS = 8192
"""Public hashes in the pool: with few, a common value's bucket-mates drown the rest."""


@lru_cache(maxsize=16)
def public_masks(parities: int) -> Words:
    """The pool of hashes, a row of masks each: splitmix64 of the hash's number, the same in every language  [SLF14]."""
    places = np.arange(SEEDS * parities, dtype=np.uint64) + np.uint64(1 + (parities << 32))
    with np.errstate(over="ignore"):
        words = places * np.uint64(0x9E3779B97F4A7C15)
        words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: Words = words ^ (words >> np.uint64(31))
    return mixed.reshape(SEEDS, parities)


@lru_cache(maxsize=16)
def combined_masks(parities: int) -> Words:
    """For each hash, the sums modulo 2 of its masks over all non-empty selections, flat."""
    masks = public_masks(parities)
    combined = np.zeros((SEEDS, 1 << parities), np.uint64)
    for place in range(parities):
        half = 1 << place
        combined[:, half : 2 * half] = combined[:, :half] ^ masks[:, place, None]
    return combined[:, 1:].reshape(-1)


def buckets_of(words: Words, seeds: Integers, parities: int) -> Integers:
    """The bucket of each word under its hash: a parity of masked bits for each binary place."""
    masks = public_masks(parities)
    bucket = np.zeros(words.size, np.int64)
    for place in range(parities):
        bucket |= (np.bitwise_count(words & masks[seeds, place]).astype(np.int64) & 1) << place
    return bucket


def extension_excess(counts: Integers, prefixes: Words, grown: int) -> NDArray[np.float64]:
    """Σ_s (N(s, h_s(v)) − n_s/g) for all extensions v of each prefix by `grown` bits, a row for each prefix.

    In the Walsh basis of the buckets, Σ_s N(s, h_s(v)) = Σ_{s,k} N̂(s, k) (−1)^⟨u, v⟩/g with u the masks that k
    selects, added up. The sign is that of the prefix times that of the extension, so sums over the low bits of u
    for each prefix, and one Walsh transform, give all extensions at once. k = 0 is what centring takes off.
    """
    buckets = counts.shape[1]
    weights = _walsh_rows(counts.astype(np.float64))[:, 1:].reshape(-1) / buckets
    masks = combined_masks(buckets.bit_length() - 1)
    low = (masks & np.uint64((1 << grown) - 1)).astype(np.int64)
    high = masks >> np.uint64(grown)
    sums = np.empty((prefixes.size, 1 << grown))
    for row, prefix in zip(sums, prefixes, strict=True):
        odd = np.bitwise_count(high & prefix) & 1
        row[:] = np.bincount(low, weights=np.where(odd, -weights, weights), minlength=1 << grown)
    return _walsh_rows(sums)


def _walsh_rows(rows: NDArray[Any]) -> NDArray[np.float64]:
    """Σ_y (−1)^⟨x, y⟩ r(y) for every x, in every row; the length is a power of two."""
    out = rows.copy()
    half = 1
    while half < out.shape[1]:
        pairs = out.reshape(len(out), -1, 2, half)
        total, difference = pairs[:, :, 0] + pairs[:, :, 1], pairs[:, :, 0] - pairs[:, :, 1]
        pairs[:, :, 0], pairs[:, :, 1] = total, difference
        half *= 2
    return out
