"""The posterior of a model's parameters, given what was released: the private rows are drawn along with them."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.calls import named_arguments
from dalenius.errors import InvalidParameter
from dalenius.escape import escaped
from dalenius.inference.noise import Floats, ReleaseNoise
from dalenius.inference.result import checked_level, checked_rows
from dalenius.inference.tables import uniform
from dalenius.mechanisms import AdditiveMechanism
from dalenius.noise import Bits
from dalenius.numerics import Number

Records = Callable[[Floats, Floats], Floats]
"""From parameters and uniform numbers, a row a person, to the person's record, a row for each."""
Contributions = Callable[[Floats], Floats]
"""From records to what each adds to the released sums, a row for each."""
Conjugate = Callable[[Floats, Floats], Floats]
"""From all records and uniform numbers to parameters drawn from their posterior, had the records been public."""


@dataclass(frozen=True, slots=True)
class Posterior:
    """Draws of the parameters from their posterior, a row each, after those of the start were thrown away."""

    draws: Floats
    acceptance: float
    """The share of new records that were accepted; with pure ε it is at least e^−ε on average."""
    rows: int
    privacy: str

    @property
    def mean(self) -> Floats:
        """The posterior mean of each parameter."""
        return np.asarray(self.draws.mean(axis=0))

    def interval(self, level: Number = 0.95) -> list[tuple[float, float]]:
        """Ends that hold each parameter with a posterior probability of `level`, with equal tails.

        It is a statement about the parameter under the prior, and no confidence interval.
        """
        half = (1 - float(checked_level(level))) / 2
        ends = np.quantile(self.draws, [half, 1 - half], axis=0)
        return [(float(low), float(high)) for low, high in ends.T]

    @property
    def effective_draws(self) -> Floats:
        """How many independent draws would have told as much, by batch means: few of them call for a longer chain."""
        size = max(1, int(math.sqrt(len(self.draws))))
        batches = self.draws[: size * (len(self.draws) // size)].reshape(-1, size, self.draws.shape[1])
        between = size * batches.mean(axis=1).var(axis=0, ddof=1)
        return np.asarray(np.minimum(len(self.draws), len(self.draws) * self.draws.var(axis=0) / (between + 1e-300)))

    @escaped
    def __str__(self) -> str:
        coefficients = [
            f"{mean:.4g} [{low:.4g}, {high:.4g}]" for mean, (low, high) in zip(self.mean, self.interval(), strict=True)
        ]
        return f"posterior {', '.join(coefficients)} (95 % credible, {len(self.draws)} draws, n = {self.rows})"


@named_arguments
def posterior(
    released: Sequence[float],
    mechanism: AdditiveMechanism,
    *,
    rows: int,
    records: Records,
    contributions: Contributions,
    parameters: Conjugate,
    start: Sequence[float],
    seeds: tuple[int, int] = (1, 1),
    draws: int = 2000,
    burn_in: int = 500,
    bits: Bits | None = None,
) -> Posterior:
    """Draws from the posterior of the parameters given noisy sums, by data augmentation  [JAGR22].

    released: the noisy sums, over a public number of people.
    mechanism: what added the noise to each sum.
    rows: the number of people, which is public.
    records: from parameters and uniform numbers, a row a person, each person's record under the model.
    contributions: from records what each adds to the sums, clamped as was done.
    parameters: from all records and uniform numbers a draw of the parameters, given the records: prior and model.
    start: parameters to begin with.
    seeds: how many uniform numbers a record needs, and how many one draw of the parameters.
    draws, burn_in: how many draws are kept, and how many are thrown away before them.
    bits: where the randomness comes from.

    In turn: a new record for each person from the model, accepted with the chance min(1, η(s | new)/η(s | old)), η the
    law of the noise; then the parameters given all records. The chain has the posterior as its law, exactly; since one
    record moves η by a factor of e^ε at most, a share of e^−ε is accepted or more, at every n  [JAGR22].
    """
    n = checked_rows(rows)
    for name, number in (("draws", draws), ("burn_in", burn_in), *(("seeds", one) for one in seeds)):
        if isinstance(number, bool) or not isinstance(number, int) or number < 1:
            raise InvalidParameter(f"{name} must be a whole number ≥ 1, got {number!r}")
    target = np.atleast_1d(np.asarray(released, np.float64))
    log_density, source = ReleaseNoise.of(mechanism).log_density(), bits or Bits()
    theta = np.atleast_1d(np.asarray(start, np.float64))
    people = _people(records(theta, _uniforms(source, n, seeds[0])), n)
    parts = _people(contributions(people), n)
    if parts.shape[1] != target.size:
        raise InvalidParameter(f"contributions must give {target.size} numbers a person, one for each sum")
    kept, accepted = np.empty((draws, theta.size)), 0
    for turn in range(burn_in + draws):
        proposed = _people(records(theta, _uniforms(source, n, seeds[0])), n)
        new = _people(contributions(proposed), n)
        changed = _accepted(parts, new, target, log_density, uniform(source, n))
        people[changed], parts[changed] = proposed[changed], new[changed]
        theta = np.atleast_1d(np.asarray(parameters(people, _uniforms(source, 1, seeds[1])[0]), np.float64))
        if turn >= burn_in:
            kept[turn - burn_in], accepted = theta, accepted + int(changed.sum())
    return Posterior(kept, accepted / (draws * n), n, f"{mechanism.name} noise")


def _accepted(
    parts: Floats, new: Floats, target: Floats, log_density: Callable[[float], float], uniforms: Floats
) -> NDArray[np.bool_]:
    """Which new records are accepted, one person after the other: each looks at the sums as the last one left them."""
    sums: list[float] = parts.sum(axis=0).tolist()
    aim: list[float] = target.tolist()
    moves, logs = (new - parts).tolist(), np.log(uniforms).tolist()
    now = sum(log_density(y - s) for y, s in zip(aim, sums, strict=True))
    changed = np.zeros(len(moves), np.bool_)
    for person, move in enumerate(moves):
        tried = [s + m for s, m in zip(sums, move, strict=True)]
        then = sum(log_density(y - s) for y, s in zip(aim, tried, strict=True))
        if logs[person] <= then - now:
            sums, now, changed[person] = tried, then, True
    return changed


def _uniforms(bits: Bits, rows: int, columns: int) -> Floats:
    return uniform(bits, rows * columns).reshape(rows, columns)


def _people(given: Floats, rows: int) -> Floats:
    values = np.array(given, np.float64)
    values = values[:, None] if values.ndim == 1 else values
    if values.ndim != 2 or values.shape[0] != rows or not np.isfinite(values).all():
        raise InvalidParameter("records and contributions must be finite numbers, a row for each person")
    return values
