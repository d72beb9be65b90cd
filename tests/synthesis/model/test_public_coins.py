import numpy as np
from scipy import stats

from dalenius.synthesis.model.public_coins import PublicCoins


def test_the_same_text_gives_the_same_numbers_and_another_text_others():
    assert PublicCoins("a").words(5).tolist() == PublicCoins("a").words(5).tolist()
    assert PublicCoins("a").words(5).tolist() != PublicCoins("b").words(5).tolist()
    coins = PublicCoins("a")
    assert coins.words(3).tolist() != coins.words(3).tolist()
    assert len(coins.words(0)) == 0


def test_numbers_are_uniform_and_normal():
    assert stats.kstest(PublicCoins("u").uniforms(20000), "uniform").pvalue > 1e-9
    normals = PublicCoins("n").normals(20000)
    assert stats.kstest(normals, "norm").pvalue > 1e-9
    assert stats.kstest(normals * 1.25, "norm").pvalue < 1e-9
    assert np.isfinite(normals).all()
