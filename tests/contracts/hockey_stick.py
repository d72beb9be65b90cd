"""How far an enumerated pair of laws violates a claim."""

import bisect
import math

from flint import arb

from dalenius.numerics import ball, ends, precision


class HockeyStick:
    """ε → ∫(p − e^ε q)⁺ of finitely many outcomes, by the outcomes whose ratio exceeds e^ε."""

    def __init__(self, outcomes):
        with precision(160):
            told = sorted(((_loss(p, q), p, q) for p, q in outcomes), key=lambda each: -each[0])
            self.losses = [-loss for loss, _, _ in told]
            self.first, self.second = [arb(0)], [arb(0)]
            for _, p, q in told:
                self.first.append(self.first[-1] + p)
                self.second.append(self.second[-1] + q)

    def __call__(self, epsilon):
        """Proven bounds, the lower one the mass of an event under both laws."""
        with precision(160):
            growth = ball(epsilon).exp()
            middle = bisect.bisect_left(self.losses, -float(epsilon))
            near = range(max(0, middle - 2), min(len(self.losses), middle + 2) + 1)
            return max(ends(self.first[k] - growth * self.second[k]) for k in near)


def _loss(p, q):
    if not q > 0:
        return math.inf if p > 0 else 0.0
    return float((p.log() - q.log()).mid()) if p > 0 else -math.inf


def both_directions(outcomes):
    return HockeyStick(outcomes), HockeyStick([(q, p) for p, q in outcomes])


def violates(sticks, claim, grid):
    """Whether some ε shows more than the claim, in either direction."""
    return any(stick(epsilon)[0] > claim.delta(epsilon) + 1e-30 for stick in sticks for epsilon in grid)
