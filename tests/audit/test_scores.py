import math

import numpy as np
import pytest

from dalenius.audit.scores import LogisticScore, Nothing, Product, Ratios, ScorePair, Tail, Trees, matrix_of

RNG = np.random.default_rng(5)


def sides(first, second, name="a"):
    return {name: np.asarray(first, float)}, {name: np.asarray(second, float)}


def auc(score, first, second):
    one, other = score(first), score(second)
    return float(np.mean(one[:, None] > other[None, :]) + np.mean(one[:, None] == other[None, :]) / 2)


def test_a_table_has_the_log_ratio_of_each_heavy_value():
    x, x2 = sides([0] * 300 + [1] * 100, [0] * 100 + [1] * 300)
    fitted = Ratios("a").fit(x, x2)
    assert fitted({"a": np.array([0.0, 1.0])}) == pytest.approx([math.log(301 / 101), math.log(101 / 301)])
    assert fitted.event_text(0.5) == "a in {0}"


def test_a_table_bins_what_is_not_heavy_and_keeps_nan_apart():
    normal = RNG.normal(0, 1, (2, 4000))
    x, x2 = sides(np.r_[normal[0], [np.nan] * 500], np.r_[normal[1] * 3, [np.nan] * 5])
    fitted = Ratios("a").fit(x, x2)
    near, far, none = fitted({"a": np.array([0.0, 7.0, np.nan])})
    assert near > 0.5
    assert far < -1
    assert none > 3


def test_symbols_never_seen_have_the_ratio_of_the_rest():
    x, x2 = {"s": np.array([1, 1, 2, 3, 4] * 10)}, {"s": np.array([1, 5, 6, 7, 8] * 10)}
    fitted = Ratios("s").fit(x, x2)
    assert fitted({"s": np.array([99])})[0] == pytest.approx(0, abs=1e-9)
    assert fitted.sparse(x)
    assert fitted.fitted


@pytest.mark.parametrize(
    "score", [Product(("a", "b")), LogisticScore(("a", "b")), Trees(("a", "b"))], ids=lambda s: s.name
)
def test_scores_of_several_columns_order_shifted_laws(score):
    x = {"a": RNG.normal(0, 1, 3000), "b": RNG.normal(0, 1, 3000)}
    x2 = {"a": RNG.normal(1, 1, 3000), "b": RNG.normal(-1, 1, 3000)}
    fresh = (
        {"a": RNG.normal(0, 1, 500), "b": RNG.normal(0, 1, 500)},
        {
            "a": RNG.normal(1, 1, 500),
            "b": RNG.normal(-1, 1, 500),
        },
    )
    # the best area is Φ(√2/√2) = 0.841; 0.02 is seven deviations away
    assert auc(score.fit(x, x2), *fresh) > 0.78


def test_a_pair_sees_what_no_column_shows():
    signs = RNG.choice([-1.0, 1.0], (2, 4000))
    x = {"a": signs[0], "b": signs[0]}
    x2 = {"a": signs[1], "b": -signs[1]}
    assert auc(ScorePair("a", "b").fit(x, x2), x, x2) == 1
    assert abs(auc(Product(("a", "b")).fit(x, x2), x, x2) - 0.5) < 0.1


def test_a_tail_is_the_column_and_nothing_is_nothing():
    assert Tail("a")({"a": np.array([3.0])}).tolist() == [3]
    assert Tail("a").event_text(2) == "a ≥ 2"
    assert Nothing()({"the whole output": np.zeros(2)}).tolist() == [0, 0]
    assert "no event" in Nothing().event_text(0)
    assert np.isfinite(matrix_of({"a": np.array([np.nan, np.inf])}, ("a",))).all()
