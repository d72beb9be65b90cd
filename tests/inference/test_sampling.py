import pytest

from dalenius import inference
from dalenius import statistics as st
from dalenius.curator import Release
from dalenius.errors import UnprovenClaim
from dalenius.inference.sampling import check_one_draw, contributions_of
from tests.inference.releases import counts, release_of

DATA = {"u": [1, 1, 2, 3], "g": ["a", "b", "a", "b"]}


def owned(contributions):
    return release_of(st.histogram("g", ["a", "b"], epsilon=1, unit="u", contributions=contributions), DATA)


def test_a_release_says_how_many_rows_of_a_person_count():
    assert contributions_of(counts(["a"], 1)) == 1
    assert contributions_of(owned(3)) == 3
    assert contributions_of(Release.from_dict(owned(3).to_dict())) == 3


def test_people_with_several_rows_are_not_several_draws():
    with pytest.raises(UnprovenClaim, match="contributions=1"):
        inference.proportion(owned(2))
    assert check_one_draw(owned(1)) == "Each u is taken to stand in one group."
    assert inference.proportion(owned(1)).interval[1] <= 1
