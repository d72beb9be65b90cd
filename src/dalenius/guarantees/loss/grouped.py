"""The group rule of a privacy profile: what it says of several units together."""

from dataclasses import dataclass

from dalenius.guarantees.guarantee import Guarantee, count
from dalenius.neighbors import Relation
from dalenius.numerics import ball, float_below, nonnegative, precision, upper


@dataclass(frozen=True, slots=True)
class GroupedLoss(Guarantee):
    """`size` units of what `base` promises for one  [A Thm 13.3].

    If δ(ε) holds for neighbors, then for data `size` apart (ε, δ(ε/k)·(e^ε − 1)/(e^(ε/k) − 1)) does. The lower end is
    0: no tight rule.
    """

    base: Guarantee
    size: int
    relation: Relation

    def delta_interval(self, epsilon: float) -> tuple[float, float]:
        """Σ_{i<k} e^(iε/k)·δ(ε/k), rounded up  [A Thm 13.3]."""
        at = nonnegative(epsilon, "epsilon") / self.size
        with precision(96):
            factor = sum((ball(i * at).exp() for i in range(self.size)), ball(0))
            return 0.0, min(1.0, upper(factor * ball(self.base.delta(float_below(at)))))

    def repeat(self, times: int) -> "GroupedLoss":
        """The base repeated, for the same group: who is `size` apart in one release is so in all  [A Thm 14.2]."""
        return GroupedLoss(self.base.repeat(times), self.size, self.relation)

    def group(self, size: int) -> "GroupedLoss":
        """Groups of groups  [A Thm 13.3]."""
        return GroupedLoss(self.base, self.size * count(size, "size"), self.relation)

    def _under(self, relation: Relation) -> "GroupedLoss":
        return GroupedLoss(self.base, self.size, relation)
