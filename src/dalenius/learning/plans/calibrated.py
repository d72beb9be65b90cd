"""What a fitted model promises: a proof, the (ε, δ) it was made for, and what it takes as public."""

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from dalenius.errors import UnprovenClaim
from dalenius.escape import escaped
from dalenius.guarantees import Guarantee
from dalenius.guarantees.guarantee import ConcentratedForm
from dalenius.neighbors import Relation
from dalenius.numerics import Number, digits_above, nonnegative, probability

if TYPE_CHECKING:
    from dalenius.guarantees import Sampling
    from dalenius.guarantees.loss import LossDistribution


@dataclass(frozen=True, slots=True, init=False)
class Calibrated(Guarantee):
    """A guarantee together with the (ε, δ) that it was calibrated to and is checked to imply.

    Everything but the plain sum reads the narrower guarantee; a ledger that adds ε and δ counts what was asked for.
    `public` names the facts about the data that the proof takes as known to everybody.

    >>> from dalenius.guarantees import PureDP
    >>> print(Calibrated(PureDP(1), 1, 0, public=("the set of labels",)))  # doctest: +ELLIPSIS
    1-differential privacy for add-remove neighbors, by ...; public: the set of labels
    """

    proved: Guarantee
    target: tuple[Fraction, Fraction]
    public: tuple[str, ...]

    proof: ClassVar[str] = "the guarantee that it was calibrated from"

    def __init__(self, proved: Guarantee, epsilon: Number, delta: Number, public: tuple[str, ...] = ()) -> None:
        target = nonnegative(epsilon, "epsilon"), probability(delta, "delta")
        if not _implies(proved, *target):
            raise UnprovenClaim("what is proved does not imply the (ε, δ) that was asked for")
        object.__setattr__(self, "proved", proved)
        object.__setattr__(self, "target", target)
        object.__setattr__(self, "public", public)

    @property
    def relation(self) -> Relation:
        """What makes two data sets neighbors here."""
        return self.proved.relation

    def delta_interval(self, epsilon: float) -> tuple[float, float]:
        """That of the narrower guarantee."""
        return self.proved.delta_interval(epsilon)

    def epsilon_interval(self, delta: float, rtol: float = 1e-6) -> tuple[float, float]:
        """That of the narrower guarantee."""
        return self.proved.epsilon_interval(delta, rtol)

    def beta(self, alpha: float) -> float:
        """That of the narrower guarantee."""
        return self.proved.beta(alpha)

    def renyi(self, order: Number) -> float:
        """That of the narrower guarantee."""
        return self.proved.renyi(order)

    def repeat(self, times: int) -> Guarantee:
        """The narrower guarantee, repeated  [A Thm 3.3]."""
        return self.proved.repeat(times)

    def group(self, size: int) -> Guarantee:
        """The narrower guarantee for a group  [A Def 13.4]."""
        return self.proved.group(size)

    def compose(self, *others: Guarantee) -> Guarantee:
        """The narrower guarantees, composed  [A Thm 3.3]."""
        return self.proved.compose(*(other.proved if isinstance(other, Calibrated) else other for other in others))

    def amplify(self, sampling: "Sampling") -> Guarantee:
        """The narrower guarantee, amplified  [A Thm 14.3]."""
        return self.proved.amplify(sampling)

    def to(self, relation: Relation) -> Guarantee:
        """The narrower guarantee under another relation."""
        return self if Relation.of(relation) is self.relation else self.proved.to(relation)

    def loss(self) -> "LossDistribution | None":
        """That of the narrower guarantee."""
        return self.proved.loss()

    @property
    def sum_form(self) -> tuple[Fraction, Fraction]:
        """The (ε, δ) that was asked for."""
        return self.target

    @property
    def concentrated_form(self) -> ConcentratedForm | None:
        """That of the narrower guarantee."""
        return self.proved.concentrated_form

    @property
    def gaussian_form(self) -> Fraction | None:
        """That of the narrower guarantee."""
        return self.proved.gaussian_form

    @escaped
    def __str__(self) -> str:
        epsilon, delta = self.target
        asked = f"({digits_above(epsilon)}, {digits_above(delta)})-" if delta else f"{digits_above(epsilon)}-"
        known = f"; public: {', '.join(self.public)}" if self.public else ""
        return f"{asked}differential privacy for {self.relation.value} neighbors, by {self.proved.proof}{known}"


def _implies(proved: Guarantee, epsilon: Fraction, delta: Fraction) -> bool:
    form = proved.sum_form
    if form is not None and form[0] <= epsilon and form[1] <= delta:
        return True
    return delta > 0 and Fraction(proved.delta(epsilon)) <= delta  # type: ignore[arg-type]
