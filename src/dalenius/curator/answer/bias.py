"""What bounding each unit's contribution has cut off an answer: an estimate, made from what was released before."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalenius.curator.formula import Formula, Ratio
from dalenius.curator.formula.base import Column, nearest
from dalenius.words import counted_people, counted_rows

NOTE = "cut off"
"""The name under which an outcome's notes keep it."""


@dataclass(frozen=True, slots=True)
class Bias:
    """How far the bounded answer lies from the one that counts every row: answer minus truth, as an estimate.

    `low` and `high` are estimates too, the least and the most by which it is off if the histogram's noisy counts were
    true and the cell's rows were cut off like all rows: they are no interval, and hold with no stated probability.
    `at_least` says that more may be cut off than can be known, since the histogram is unsure or people may own much
    without showing in it: then the end farther from 0 is infinite. That of a mean never is: it lies in its bounds, and
    so does the truth, however many rows are cut off; where their share is not known, its ends are those of the bounds.
    """

    estimate: float
    low: float
    high: float
    at_least: bool = False

    def __str__(self) -> str:
        known = self.low if abs(self.low) < abs(self.high) else self.high
        if self.at_least:
            return f"{_signed(known)} or further"
        if self.low == self.high:
            return _signed(self.estimate)
        return f"{_signed(self.estimate)} (estimates from {_signed(self.low)} to {_signed(self.high)})"


@dataclass(frozen=True, slots=True)
class CutOff:
    """The share of rows that the weights of units do not count: Σ(nᵤ − T)⁺ / Σnᵤ, estimated.

    `columns` are the released columns that lose this share, `whole` those that lose nothing; of any other nothing is
    known. With `at_least`, people own more rows than the histogram tells, or may: up to `unseen` people may own more
    than `beyond` rows without showing in it, and whatever of theirs is cut off comes on top. Then the share has no
    known upper end, so `high` is 1. The shares take the histogram's noisy counts as true: they are estimates.
    """

    low: float
    share: float
    high: float
    at_least: bool = False
    columns: tuple[str, ...] = ()
    whole: tuple[str, ...] = ()
    unseen: int = 0
    beyond: int = 0

    def __post_init__(self) -> None:
        if self.unseen > 0 or self.at_least:  # also in what was stored before this was so
            object.__setattr__(self, "at_least", True)
            object.__setattr__(self, "high", 1.0)

    def bias(self, formula: Formula, cells: Mapping[str, Column], size: int) -> tuple[Bias | None, ...]:
        """The bias of each cell of a column that a formula makes; None where the share says nothing of it.

        A sum of columns that each keep 1 − ρ is (1 − ρ) times the truth: its bias is −value · ρ / (1 − ρ). A mean m in
        [l, u] is off by ρ · (m − what was cut off has as its mean), which lies between ρ · (m − u) and ρ · (m − l).
        """
        if not formula.names <= {*self.columns, *self.whole}:
            return (None,) * size
        if isinstance(formula, Ratio):
            return self._of_ratio(formula, cells, size)
        form = formula.linear()
        if form is None:
            return (None,) * size
        lost = np.zeros(size)
        with np.errstate(all="ignore"):
            for name, factor in form.terms:
                if name in self.columns:
                    lost = lost + nearest(factor) * cells[name]
        return tuple(self._of_sum(value) for value in np.broadcast_to(lost, size).tolist())

    def _of_sum(self, kept: float) -> Bias | None:
        if not math.isfinite(kept):
            return None
        one, other = (_times(-kept, _odds(share)) for share in (self.low, self.high))
        estimate, unsure = _times(-kept, _odds(self.share)), self.at_least and kept != 0
        return Bias(estimate, min(one, other), max(one, other), unsure)

    def _of_ratio(self, formula: Ratio, cells: Mapping[str, Column], size: int) -> tuple[Bias | None, ...]:
        values = np.broadcast_to(formula.value(cells), size).tolist()
        touched = bool(formula.names & set(self.columns))
        most = self.high if touched else 0.0
        low, high = nearest(formula.low), nearest(formula.high)
        return tuple(
            None if not math.isfinite(v) else Bias(0.0, min(0.0, most * (v - high)), max(0.0, most * (v - low)))
            for v in values
        )

    def to_dict(self) -> dict[str, Any]:
        """As JSON holds it."""
        return {
            "shares": [self.low, self.share, self.high],
            "at_least": self.at_least,
            "columns": list(self.columns),
            "whole": list(self.whole),
            "unseen": [self.unseen, self.beyond],
        }

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> "CutOff":
        """The inverse of `to_dict`."""
        columns, whole = tuple(stored["columns"]), tuple(stored["whole"])
        low, share, high = stored["shares"]
        return cls(low, share, high, stored["at_least"], columns, whole, *stored["unseen"])

    def __str__(self) -> str:
        low, share, high = (f"{100 * part:.3g}" for part in (self.low, self.share, self.high))
        reach = "" if low == high else f", from {low} to {high} %"
        if self.at_least:  # a number's bias is computed from the share: it is told beside its least
            sentence = f"bounding cuts off at least {low} % of the rows{'' if share == low else f', about {share} %'}"
            sentence += " (estimated)"
        else:
            sentence = f"bounding cuts off about {share} % of the rows (estimated{reach})"
        if not self.unseen:
            return sentence
        some = "a person owns" if self.unseen == 1 else f"some of at most {counted_people(self.unseen)} own"
        return f"{sentence}; more if {some} more than {counted_rows(self.beyond)}"


def _odds(share: float) -> float:
    return share / (1 - share) if share < 1 else math.inf


def _times(value: float, odds: float) -> float:
    return 0.0 if value == 0 or odds == 0 else value * odds


def _signed(value: float) -> str:
    if math.isinf(value):
        return "−∞" if value < 0 else "+∞"
    return f"{value:+.4g}".replace("-", "−") if value else "0"
