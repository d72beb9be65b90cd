import pytest

from dalenius import inference
from dalenius import statistics as st
from dalenius.errors import InvalidParameter, MixedRelations, UnknownName, UnprovenClaim
from dalenius.guarantees import ZCDP, PureDP
from dalenius.inference.arguments import (
    check_same_people,
    key_label,
    noisy_number,
    noisy_numbers,
    privacy_of,
    short_guarantee,
)
from dalenius.mechanisms import DiscreteGaussian, Geometric, Tulap
from tests.inference.releases import CHANGED, counts, release_of


def test_a_release_gives_its_numbers_with_their_noise():
    found = noisy_numbers(counts(["a", "a", "b"], 30), None, "a test")
    assert [number.value for number in found] == [2, 1]
    assert found[0].noise.variance < 1e-9


def test_numbers_need_a_mechanism_and_releases_do_not():
    for given, mechanism in ((3, None), ("three", Geometric(1)), (float("inf"), Geometric(1))):
        with pytest.raises(InvalidParameter):
            noisy_number(given, mechanism, "a test")
    with pytest.raises(InvalidParameter, match="one released number"):
        noisy_number((3, 4), Geometric(1), "a test")
    assert noisy_number(3, Geometric(1), "a test").value == 3.0


def test_a_release_that_shows_no_count_is_refused():
    answer = release_of(st.mean("x", (0, 5), epsilon=1), {"x": [1.0, 2.0]})
    with pytest.raises(UnprovenClaim, match="noisy count"):
        inference.rate(answer)


def test_different_neighbors_are_not_mixed():
    with pytest.raises(MixedRelations):
        check_same_people(counts(["a"], 1), counts(["a"], 1, about=CHANGED))
    check_same_people(counts(["a"], 1), counts(["a"], 1))


def test_privacy_is_named_as_a_paper_does():
    assert short_guarantee(PureDP("0.5")) == "ε = 0.5 differential privacy (add-remove neighbors)"
    assert "0.5-zCDP" in short_guarantee(ZCDP("0.5"))
    assert privacy_of(3, Geometric(1)) == "ε = 1 differential privacy (geometric noise on a count)"


def test_a_number_with_its_mechanism_tells_the_epsilon_of_a_count():
    assert "ε = 0.5 differential privacy" in inference.proportion(3, rows=20, mechanism=Geometric(2)).sentence
    assert "ε = 1, δ = 0.01" in inference.proportion(3.2, rows=20, mechanism=Tulap(1, 1, "0.01")).sentence
    assert "discrete_gaussian noise" in inference.proportion(3, rows=20, mechanism=DiscreteGaussian(2)).sentence


def test_the_group_whose_key_is_null_is_named_by_a_tuple_since_none_names_no_group():
    groups = ["a"] * 70 + ["b"] * 20 + [None] * 10
    release = counts(groups, 10**4, keys=("a", "b", None))
    assert inference.proportion(release, key=(None,)).estimate == pytest.approx(0.1)
    assert inference.proportion(release).estimate == pytest.approx(0.7)
    said = inference.population(release)
    assert said["count"][None].estimate == pytest.approx(0.1)
    assert "count NULL: " in str(said)
    assert "proportion of NULL" in said["count"][None].quantity
    assert key_label((None,), ["a", None], "mean") is None
    with pytest.raises(UnknownName, match=r"one of 'a', \(None,\)"):
        key_label(None, ["a", None], "mean")
