import numpy as np
import pytest

from dalenius.synthesis.model.public_coins import PublicCoins
from dalenius.synthesis.model.sampling import drawn_rows
from tests.synthesis.model.test_mixture import SHAPE, random_mixture


def test_rows_have_the_tables_of_the_model_nearer_than_independent_ones():
    mixture, n = random_mixture(5, components=4), 4000
    codes, labels = drawn_rows(mixture, SHAPE, n, PublicCoins("s"))
    assert codes.shape == (n, 3)
    pair = np.zeros((2, 3, 4))
    np.add.at(pair, (labels, codes[:, 0], codes[:, 1]), 1 / n)
    apart = np.abs(pair - mixture.pairs()[:, 0:3, 3:7]).sum() / 2
    independent = 0.5 * np.sqrt(2 / np.pi) * np.sqrt(pair * (1 - pair) / n).sum()
    assert apart < 0.7 * independent
    single = np.bincount(codes[:, 1], minlength=4) / n
    assert single == pytest.approx(mixture.ones().sum(axis=0)[3:7], abs=12 / n)


def test_impossible_pairs_are_never_drawn():
    mixture = random_mixture(6)
    zeros = ((0, 1, ((0, 0), (0, 1), (1, 2))), (1, 2, ((3, 0),)))
    codes, _ = drawn_rows(mixture, SHAPE, 3000, PublicCoins("z"), zeros)
    for i, j, cells in zeros:
        drawn = set(map(tuple, codes[:, [i, j]].tolist()))
        assert not drawn & set(cells)
    free, _ = drawn_rows(mixture, SHAPE, 3000, PublicCoins("z"))
    assert {(0, 0), (0, 1)} & set(map(tuple, free[:, [0, 1]].tolist()))


@pytest.mark.parametrize("rows", [0, 1, 2])
def test_few_rows_are_drawn_too(rows):
    assert drawn_rows(random_mixture(7), SHAPE, rows, PublicCoins("f"))[0].shape == (rows, 3)
