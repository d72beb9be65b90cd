"""What an inference says: an interval or a test, with what it is about and how far it can be trusted."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from dalenius.errors import InvalidParameter
from dalenius.escape import escaped
from dalenius.numerics import Number, rational

Coverage = Literal["guaranteed", "asymptotic"]
Target = Literal["sample", "population", "clamped population"]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number about a population, and an interval that holds it with probability at least `level`.

    The probability is over the draw of the people and over the noise. `coverage` is "guaranteed" where that is proved
    at every sample size, "asymptotic" where it is approached as the sample grows. `target` says what the interval is
    about: the rows at hand ("sample"), whoever they were drawn from ("population"), or that population with its values
    held in declared bounds ("clamped population").
    """

    estimate: float
    interval: tuple[float, float]
    level: float
    method: str
    coverage: Coverage
    target: Target
    quantity: str
    rows: float
    """How many people the estimate is from: the public number, or an estimate of the private one; NaN if unknown."""
    privacy: str
    limits: tuple[float, float] = (float("-inf"), float("inf"))
    """Between which numbers the quantity must lie whatever the data are."""
    remark: str = ""

    @property
    def width(self) -> float:
        """How wide the interval is."""
        return self.interval[1] - self.interval[0]

    @property
    def whole_range(self) -> bool:
        """Whether the interval holds every possible value, so that it says nothing."""
        return self.interval[0] <= self.limits[0] and self.interval[1] >= self.limits[1]

    @property
    @escaped
    def sentence(self) -> str:
        """What a person could write in a paper."""
        low, high = (_short(end) for end in self.interval)
        about = {"sample": "in the sample", "population": "in the population"}.get(
            self.target, "in the population, values held in their declared bounds"
        )
        empty = " The interval is the whole range: the data say nothing at this budget." if self.whole_range else ""
        remark = f" {self.remark}" if self.remark else ""
        size = "" if self.rows != self.rows else f", n ≈ {_short(self.rows)}"
        return (
            f"The {self.quantity} {about} was estimated as {_short(self.estimate)} "
            f"({_percent(self.level)} confidence interval {low} to {high}{size}; {self.method}, "
            f"{self.coverage} coverage), from data released under {self.privacy}.{remark}{empty}"
        )

    @escaped
    def __str__(self) -> str:
        low, high = (_short(end) for end in self.interval)
        whole = ", the whole range" if self.whole_range else ""
        return (
            f"{self.quantity} {_short(self.estimate)} [{low}, {high}]{whole} ({_percent(self.level)}, {self.coverage}, "
            f"{self.target}; {self.method})"
        )

    def with_remark(self, remark: str) -> "Estimate":
        """The same with one more thing said of it."""
        return replace(self, remark=f"{self.remark} {remark}".strip())


@dataclass(frozen=True, slots=True)
class HypothesisTest:
    """A test of a statement about a population, from private output.

    A small `p_value` speaks against the hypothesis: if that is true, a p-value ≤ α comes with probability at most α
    (`size` "guaranteed"), or nearly so ("simulated", "asymptotic").
    """

    p_value: float
    statistic: float
    hypothesis: str
    alternative: str
    method: str
    size: Literal["guaranteed", "simulated", "asymptotic"]
    privacy: str
    remark: str = ""

    def rejected(self, level: Number = Fraction(1, 20)) -> bool:
        """Whether the hypothesis is rejected at a significance level."""
        return self.p_value <= float(checked_level(level))

    @property
    @escaped
    def sentence(self) -> str:
        """What a person could write in a paper."""
        p = "p < 0.001" if self.p_value < 0.001 else f"p = {self.p_value:.3f}"
        remark = f" {self.remark}" if self.remark else ""
        return (
            f"The hypothesis that {self.hypothesis} was tested against {self.alternative} ({self.method}; {p}, "
            f"{self.size} size), from data released under {self.privacy}.{remark}"
        )

    @escaped
    def __str__(self) -> str:
        return f"p = {self.p_value:.4g} for the hypothesis that {self.hypothesis} ({self.method}, {self.size} size)"


def checked_level(level: Number, name: str = "level") -> Fraction:
    """A level as a fraction, refused unless 0 < level < 1."""
    exact = rational(level, name)
    if not 0 < exact < 1:
        raise InvalidParameter(f"{name} must lie strictly between 0 and 1, got {level}")
    return exact


def checked_rows(rows: int, name: str = "rows") -> int:
    """A public number of rows, refused unless it is a whole number ≥ 1."""
    if isinstance(rows, bool) or not isinstance(rows, int) or rows < 1:
        raise InvalidParameter(f"{name} must be a whole number ≥ 1, got {rows!r}")
    return rows


def _short(number: float) -> str:
    return f"{number:.4g}".replace("-", "−").replace("inf", "∞")


def _percent(level: float) -> str:
    return f"{100 * level:.4g} %"
