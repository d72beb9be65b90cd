"""Every citation tag resolves, and every method that states a theorem cites it."""

import pytest

from tests.house.citations import Sources, broken_tags, sources_of, tags, unproved_methods, unresolved
from tests.house.tree import SRC

SOURCES = Sources.of_the_repository()


def test_every_tag_in_src_resolves():
    wrong = {
        str(path.relative_to(SRC)): broken
        for path in sources_of(SRC)
        if (broken := broken_tags(path.read_text(encoding="utf-8"), SOURCES))
    }
    assert wrong == {}


def test_every_method_that_states_a_theorem_cites_it():
    bare = {
        str(path.relative_to(SRC)): methods
        for path in sources_of(SRC)
        if (methods := unproved_methods(path.read_text(encoding="utf-8")))
    }
    assert bare == {}


@pytest.mark.parametrize(
    "tag",
    [
        "A Thm 7.1",
        "D Def 2.6",
        "A §4.1",
        "A §13",
        "A Def 3.4, D Def 2.2",
        "A Thm 3.3; KOV15, Thm 3.2",
        "KOV15, Thm 3.2",
        "G complaints count",
        "CKS20",
    ],
)
def test_a_good_tag_resolves(tag):
    assert tags(f"So it is  [{tag}].") == [tag]
    assert unresolved(tag, SOURCES) == []


@pytest.mark.parametrize(
    ("tag", "wrong"),
    [
        ("A Thm 99.1", ["A Thm 99.1"]),
        ("B Thm 1.1", ["B Thm 1.1"]),
        ("A §99.1", ["A §99.1"]),
        ("A Theorem 7.1", ["A Theorem 7.1"]),
        ("A Thm 3.3, 3.4", ["3.4"]),
        ("A Thm 3.3, D Thm 9.9", ["D Thm 9.9"]),
        ("XYZ99, Thm 1", ["XYZ99"]),
        ("KOV15, Thm 3.2; A Lem 99", ["A Lem 99"]),
    ],
)
def test_a_bogus_tag_is_refused(tag, wrong):
    source = f'def f():\n    """So it is  [{tag}]."""\n'
    assert broken_tags(source, SOURCES) == wrong
    assert broken_tags(f"x = 1  # so it is [{tag}]\n", SOURCES) == wrong


def test_brackets_that_are_no_citation_are_left_alone():
    assert tags("a list [0, 1], a [A, B] and tuple[int, ...] with x in [L, U] and [1 - p]") == []


def test_a_method_without_a_tag_is_seen_and_an_interface_is_exempt():
    source = '''
class Bare:
    def compose(self, other):
        """Budgets add."""

    def amplify(self, sampling):
        return self

class Interface(ABC):
    @abstractmethod
    def group(self, size):
        """Whatever holds."""

class Shape(Protocol):
    def guarantee(self): ...

class Cited:
    def accuracy(self, beta):
        """Tail of the noise  [D Thm 2.7]."""
'''
    assert unproved_methods(source) == ["Bare.compose", "Bare.amplify"]
