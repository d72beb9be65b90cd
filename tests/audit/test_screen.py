import numpy as np
from scipy.stats import ks_2samp

from dalenius.audit.screen import _distance, most_telling


def test_the_distance_is_scipys():
    rng = np.random.default_rng(3)
    for _ in range(5):
        a, b = np.round(rng.normal(size=50), 1), np.round(rng.normal(0.3, 1, 70), 1)
        assert np.isclose(_distance(a, b), ks_2samp(a, b).statistic)


def test_a_column_that_differs_in_any_way_leads():
    rng = np.random.default_rng(4)
    for change in (lambda v: v + 1, lambda v: v * 3, lambda v: np.where(v > 0.5, np.nan, v), np.round):
        x, x2 = rng.normal(size=(400, 30)), rng.normal(size=(400, 30))
        x2[:, 17] = change(x2[:, 17])
        assert most_telling(x, x2, 3)[0] == 17


def test_all_columns_come_once():
    x = np.zeros((5, 7))
    assert sorted(most_telling(x, x, 99)) == list(range(7))
