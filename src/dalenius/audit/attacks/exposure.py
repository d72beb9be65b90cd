"""What an attacker would rebuild at a planned budget, simulated before anything is released."""

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from dalenius.audit.attacks.reconstruction import linear_program, random_subsets
from dalenius.calls import named_arguments
from dalenius.errors import InvalidParameter
from dalenius.guarantees import ApproxDP, Guarantee, PureDP
from dalenius.ledger import Amount
from dalenius.mechanisms import DiscreteGaussian, Geometric
from dalenius.noise import Bits
from dalenius.numerics import rational


@dataclass(frozen=True, slots=True)
class Exposure:
    """The share of secret bits rebuilt by the linear program, and the most that any attack could expect."""

    people: int
    queries: int
    noise: float
    agreement: float
    cap: float
    """No attack guesses one random bit right with a larger probability  [A Thm 3.4]."""
    whole: "Exposure | None" = None
    """The same if all that a session has left were spent so, this plan among it; None without a session."""

    def __str__(self) -> str:
        alone = (
            f"{self.queries} counts over {self.people} simulated people, each with noise of scale {self.noise:.4g}: "
            f"{self.agreement:.1%} of the bits rebuilt (chance is 50 %, no attack exceeds {self.cap:.1%})"
        )
        return alone if self.whole is None else f"{alone}\nwith all that is left of the budget: {self.whole}"


@named_arguments
def exposure(
    session: Any, plan: Any = None, *, people: int = 96, queries: int | None = None, bits: Bits | None = None
) -> Exposure:
    """Simulate the LP attack on `queries` subset counts (4 a person) that share the budget of a plan or guarantee.

    `exposure(session, plan)` asks before a release: what an attacker would rebuild who may spend what the plan costs,
    and, as `whole`, all that the session has left. `exposure(plan)` needs no session. People and their bits are made
    up: no data is read and nothing is charged. Counts get geometric noise of scale queries/ε for a budget that is a
    sum of ε, discrete Gaussian noise for one in zCDP. Best guess of one bit: with prior ½ the total of type I and
    II errors is at least 2α at the fixed point α = f(α), so at most 1 − α is right  [A Thm 3.4].
    """
    source = Bits() if bits is None else bits
    if plan is None:
        return _simulated(_guarantee(session), people, queries, source)
    wanted, left = _guarantee(plan), _left(session)
    if getattr(plan, "unit", None) is not None and getattr(session, "unit", plan.unit) != plan.unit:
        raise InvalidParameter("the plan protects another unit than the session")
    whole = None if left is None else _simulated(left, people, queries, source)
    return replace(_simulated(wanted, people, queries, source), whole=whole)


def _guarantee(plan: Any) -> Guarantee:
    guarantee = plan if isinstance(plan, Guarantee) else getattr(plan, "guarantee", None)
    if not isinstance(guarantee, Guarantee):
        raise InvalidParameter(f"a plan or a guarantee is needed, got {type(plan).__name__}")
    return guarantee


def _left(session: Any) -> Guarantee | None:
    """All that a session may still spend; None if that is nothing."""
    amount = getattr(session, "budget", None)
    if not isinstance(amount, Amount):
        raise InvalidParameter(f"a session or a curator is needed before the plan, got {type(session).__name__}")
    if not amount.epsilon:
        return None
    return ApproxDP(amount.epsilon, amount.delta) if amount.delta else PureDP(amount.epsilon)


def _simulated(guarantee: Guarantee, people: int, queries: int | None, source: Bits) -> Exposure:
    asked = 4 * people if queries is None else queries
    subsets = random_subsets(people, asked, source)
    truth = random_subsets(1, people, source)[:, 0].astype(np.int64)
    noise = _noise(guarantee, asked)
    answers = noise.release(subsets @ truth, source)
    rebuilt = linear_program(subsets, answers.astype(np.float64))
    return Exposure(people, asked, float(noise.scale), rebuilt.agreement(truth), _cap(guarantee))


def _noise(guarantee: Guarantee, queries: int) -> Geometric | DiscreteGaussian:
    form = guarantee.sum_form
    if form is not None and form[1] == 0 and form[0] > 0:
        return Geometric(queries / form[0])
    rho = None if guarantee.concentrated_form is None else guarantee.concentrated_form.rho
    if rho is None:
        epsilon = guarantee.epsilon(1e-6)
        if not 0 < epsilon < math.inf:
            raise InvalidParameter(f"{guarantee!r} has no finite budget to share")
        return Geometric(queries / rational(epsilon, "epsilon"))
    if rho == 0:
        raise InvalidParameter(f"{guarantee!r} has no budget to share")
    return DiscreteGaussian(Fraction(math.sqrt(queries / (2 * rho))).limit_denominator(10**6))


def _cap(guarantee: Guarantee) -> float:
    """1 − α at the α where f(α) = α, by bisection, rounded up."""
    low, high = 0.0, 0.5
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (middle, high) if guarantee.beta(middle) > middle else (low, middle)
    return 1 - low
