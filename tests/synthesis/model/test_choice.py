import itertools

import numpy as np

from dalenius.synthesis.model.choice import chosen_settings, usual_settings
from dalenius.synthesis.model.evidence import NoisyTable, NoisyTables
from dalenius.synthesis.model.mixture import Shape
from dalenius.synthesis.model.public_coins import PublicCoins
from tests.synthesis.model.test_evidence import TABLES


def test_more_noise_takes_fewer_components_and_stronger_priors():
    loud, usual, quiet = (usual_settings(noise) for noise in (0.01, 0.001, 0.0001))
    assert loud.components < usual.components < quiet.components
    assert loud.pull > usual.pull > quiet.pull
    assert loud.smooth > usual.smooth > quiet.smooth


def test_settings_are_chosen_from_the_release_alone_and_the_same_again():
    assert chosen_settings(TABLES, PublicCoins("c")) == chosen_settings(TABLES, PublicCoins("c"))


def test_one_column_needs_no_choice():
    alone = NoisyTables(Shape((2,), (False,)), 1, TABLES.tables[:1])
    assert chosen_settings(alone, PublicCoins("c")) == usual_settings(alone.noise)


def noisy(rows, sizes, sigma):
    """All one- and two-way tables with noise."""
    rng, tables = np.random.default_rng(1), []
    for width in (1, 2):
        for chosen in itertools.combinations(range(len(sizes)), width):
            shape = [sizes[i] for i in chosen]
            counts = np.bincount(np.ravel_multi_index(rows[:, chosen].T, shape), minlength=int(np.prod(shape)))
            cells = counts.reshape(shape) + sigma * rng.normal(size=shape)
            tables.append(NoisyTable(chosen, cells[..., None], sigma**2))
    return NoisyTables(Shape(tuple(sizes), (False,) * len(sizes)), 1, tables)


def test_independent_columns_are_told_from_ones_that_hang_together():
    rng = np.random.default_rng(0)
    apart = rng.integers(0, 6, (2000, 4))
    together = np.stack([(apart[:, 0] + rng.integers(0, 2, 2000)) % 6 for _ in range(4)], axis=1)
    assert chosen_settings(noisy(apart, [6] * 4, 30), PublicCoins("c")).components == 1
    assert chosen_settings(noisy(together, [6] * 4, 30), PublicCoins("c")).components > 1


def test_priors_give_way_where_the_tables_show_more_than_they_allow():
    """Thirty levels that follow from one another nine times in ten: the usual priors would hide most of it."""
    rng, columns = np.random.default_rng(6), [np.random.default_rng(6).integers(0, 30, 30_000)]
    for _ in range(4):
        columns.append(
            np.where(rng.random(30_000) < 0.9, rng.permutation(30)[columns[-1]], rng.integers(0, 30, 30_000))
        )
    tables = noisy(np.stack(columns, axis=1), [30] * 5, 220)
    assert chosen_settings(tables, PublicCoins("c")).pull < usual_settings(tables.noise).pull
