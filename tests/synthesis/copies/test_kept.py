from dalenius.queries import Contributions
from dalenius.synthesis import Domain, Levels, Marginals
from dalenius.synthesis.copies.kept import not_kept
from dalenius.synthesis.data.attributes import Cells


class Copied:
    """What the sentences read of a copy."""

    def __init__(self, target=None):
        names = (*(Levels(name, (0, 1)) for name in "abc"), Cells("x", 0, 1, 4))
        self.domain = Domain(names)
        self.marginals = Marginals(self.domain, target, Contributions("who", 2))


def test_columns_that_were_not_measured_together_are_named():
    assert not_kept(Copied(), frozenset("ab")) == ()
    assert "a, b and c were not measured together" in not_kept(Copied(), frozenset("abc"))[0]
    assert not_kept(Copied(target=2), frozenset("abc")) == ()
    assert "a, b, c and x" in not_kept(Copied(), None)[0]


def test_bins_and_people_are_told():
    assert "x: drawn evenly" in not_kept(Copied(), frozenset("x"))[0]
    assert "who numbers synthetic people" in not_kept(Copied(), frozenset({"who", "a"}))[0]
