import itertools

import numpy as np

from dalenius.local.prefix_hashes import SEEDS, buckets_of, combined_masks, extension_excess, public_masks


def test_the_pool_is_the_one_that_every_client_knows():
    # splitmix64 by its definition, in whole numbers
    def mixed(state):
        word = state * 0x9E3779B97F4A7C15 % 2**64
        word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        word = (word ^ word >> 27) * 0x94D049BB133111EB % 2**64
        return word ^ word >> 31

    masks = public_masks(3)
    assert masks.shape == (SEEDS, 3)
    for seed, place in itertools.product((0, 7, SEEDS - 1), range(3)):
        assert int(masks[seed, place]) == mixed(3 * seed + place + 1 + (3 << 32))
    assert int(mixed(1)) == 0xE220A8397B1DCDAF  # the first number of the published generator with seed 0


def test_two_values_share_a_bucket_about_one_time_in_g():
    seeds = np.arange(SEEDS)
    for one, other in ((5, 6), (0, 2**47), (2**48 - 1, 123)):
        a = buckets_of(np.full(SEEDS, one, np.uint64), seeds, 2)
        b = buckets_of(np.full(SEEDS, other, np.uint64), seeds, 2)
        assert abs((a == b).mean() - 0.25) < 6 * (0.1875 / SEEDS) ** 0.5


def test_selections_of_masks_are_their_sums():
    masks, combined = public_masks(2), combined_masks(2).reshape(SEEDS, 3)
    assert np.array_equal(combined[:, 2], masks[:, 0] ^ masks[:, 1])
    assert np.array_equal(combined[:, 1], masks[:, 1])


def test_excess_over_all_extensions_is_the_sum_over_hashes():
    counts = np.arange(SEEDS * 4).reshape(SEEDS, 4) % 7
    found = extension_excess(counts, np.array([3], np.uint64), 2)
    for last in range(4):
        bucket = buckets_of(np.full(SEEDS, 3 << 2 | last, np.uint64), np.arange(SEEDS), 2)
        expected = (counts[np.arange(SEEDS), bucket] - counts.sum(axis=1) / 4).sum()
        assert abs(found[0, last] - expected) < 1e-6
