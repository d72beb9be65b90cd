import itertools
import math
from fractions import Fraction

import pytest

from dalenius.errors import InvalidParameter
from dalenius.local import Frequency, Interactive
from dalenius.neighbors import Relation
from tests.local.enumerated import law


def below(told):
    """Bisection: is your number below the middle of what is left? A yes moves the upper end, a no the lower one."""
    low, high = 0, 8
    for _, report in told:
        middle = (low + high) // 2
        low, high = (low, middle) if report[-1] == 0 else (middle, high)
    middle = max(1, (low + high) // 2)
    return Frequency([f"below {middle}", f"from {middle}"], 1, "k-ary response")


def answer(number):
    def about(question):
        bound = int(question.domain.values[0].split()[1])
        return question.domain.values[0 if number < bound else 1]

    return about


def transcript(numbers):
    def draw(bits):
        told = Interactive(1, below).simulate([answer(number) for number in numbers], bits)
        return b"".join(report for _, report in told)

    return law(draw, set())


@pytest.mark.theorem("A Def 4.1")
def test_the_whole_transcript_is_private_for_each_person():
    base = (1, 6, 3)
    steady = transcript(base)
    worst = Fraction(1)
    for person, number in itertools.product(range(3), range(8)):
        changed = transcript((*base[:person], number, *base[person + 1 :]))
        assert changed.keys() == steady.keys()
        worst = max(worst, *(changed[y] / steady[y] for y in steady), *(steady[y] / changed[y] for y in steady))
    assert math.log(worst) == pytest.approx(1, rel=1e-12)
    assert worst <= Fraction(math.e) + Fraction(1, 10**15)
    two = transcript((1, 6, 6))
    both = max(transcript((1, 1, 1))[y] / two[y] for y in two)  # two people changed: more than one person's e
    assert both > 3


def test_a_question_that_costs_more_is_refused_before_it_is_asked():
    dear = Interactive(1, lambda told: Frequency(2, 1 + len(told)))
    assert dear.ask() is dear.ask()
    assert dear.tell(dear.ask().client().randomize(0))
    with pytest.raises(InvalidParameter, match="costs 2, and each person was promised 1"):
        dear.ask()
    assert dear.guarantee().relation is Relation.CHANGE_ONE
    assert dear.guarantee().budget == 1


def test_a_forged_report_is_counted_and_the_question_stands():
    asked = Interactive(1, below)
    question = asked.ask()
    assert not asked.tell(b"forged")
    assert not asked.tell(question.format.head + b"\x09")
    assert (asked.rejected, asked.told, asked.ask() is question) == (2, (), True)
