"""Aggregates that no sum over rows answers, so that each has a statement of its own."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from dalenius.sql.catalog import MeasuredBy
from dalenius.sql.rows import Typed

_TOGETHER = 3
"""Quantiles of one value that are drawn together: halving takes as many rounds for two as there are."""


@dataclass(frozen=True, slots=True)
class SeparateScan:
    """One such aggregate: what is measured of which value, and the part that holds its answer."""

    question: str
    measured: MeasuredBy
    part: str
    value: Typed
    level: Fraction | None = None
    """That of a quantile."""

    @property
    def column(self) -> str:
        """What the engine calls the value."""
        return f"of_{self.part}"


def bundles(apart: Iterable[SeparateScan]) -> tuple[tuple[SeparateScan, ...], ...]:
    """What is drawn together: three and more quantiles inside (0, 1) of one value, by growing level, or one."""
    inside: dict[str, list[SeparateScan]] = {}
    for one in apart:
        alone = one.level is None or one.level in (0, 1)
        inside.setdefault(f"{one.part} alone" if alone else one.value.text, []).append(one)
    drawn_together: list[tuple[SeparateScan, ...]] = []
    for several in inside.values():
        grown = tuple(sorted(several, key=lambda one: one.level or 0))
        drawn_together += [grown] if len(grown) >= _TOGETHER else [(one,) for one in grown]
    return tuple(drawn_together)


def rounds(bundle: tuple[SeparateScan, ...]) -> int:
    """How many shares of ε a bundle takes: by halving, m quantiles take ⌈log₂(m + 1)⌉ rounds  [KSS22]."""
    return len(bundle).bit_length()
