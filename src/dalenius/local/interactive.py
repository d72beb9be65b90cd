"""Collections in which the next question depends on earlier answers."""

from collections.abc import Callable, Iterable
from typing import Any

from dalenius.errors import InvalidParameter
from dalenius.guarantees import PureDP
from dalenius.local.protocol import Protocol
from dalenius.neighbors import Relation
from dalenius.noise import Bits
from dalenius.numerics import Number, positive

Told = tuple[tuple[Protocol[Any], bytes], ...]
"""The questions asked so far, each with the report that came."""


class Interactive:
    """A sequentially interactive collection: each person is asked once, by a question that earlier reports may choose.

    Given what was told before, a report is ε-DP in the person's own value, and people after only see reports: the whole
    transcript is ε-DP for each person, and centrally for change-one neighbors  [A Def 4.1, A Rem 4.4].

    >>> from dalenius.local import Frequency
    >>> halves = Interactive(1, lambda told: Frequency(2, 1))
    >>> halves.tell(halves.ask().client().randomize(0)), len(halves.told)
    (True, 1)
    """

    __slots__ = ("_asked", "_budget", "_choose", "rejected", "told")

    def __init__(self, epsilon: Number, choose: "Callable[[Told], Protocol[Any]]") -> None:
        """Name the most that a person pays, and how the next question is chosen.

        Parameters
        ----------
        epsilon : the most that any question may cost; one that costs more is refused before it is asked.
        choose : earlier questions and reports → the next question; it sees nothing else of anybody.
        """
        self._budget = positive(epsilon, "epsilon")
        self._choose = choose
        self._asked: Protocol[Any] | None = None
        self.told: Told = ()
        self.rejected = 0

    def guarantee(self) -> PureDP:
        """ε for each person  [A Def 4.1]."""
        return PureDP(self._budget, Relation.CHANGE_ONE)

    def ask(self) -> Protocol[Any]:
        """The question for the next person; the same until somebody has answered it."""
        if self._asked is None:
            question = self._choose(self.told)
            if question.guarantee().budget > self._budget:
                raise InvalidParameter(
                    f"the question costs {question.guarantee().budget}, and each person was promised {self._budget}"
                )
            self._asked = question
        return self._asked

    def tell(self, report: bytes) -> bool:
        """Take the report of the person who was asked: false, and counted, if no client could have sent it."""
        question = self.ask()
        payloads, others = question.format.parse([report])
        if others or not question.valid(payloads).all():
            self.rejected += 1
            return False
        self.told += ((question, report),)
        self._asked = None
        return True

    def simulate(self, values: Iterable[Any], bits: Bits | None = None) -> Told:
        """Ask one person after the other; `values` are functions from a question to the person's answer.

        Parameters
        ----------
        values : for each person, what they answer to any question.
        bits : the source of randomness; a fresh secure one if left out.
        """
        source = Bits() if bits is None else bits
        for answer in values:
            question = self.ask()
            self.tell(question.client(source).randomize(answer(question)))
        return self.told
