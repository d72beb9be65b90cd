"""What a mechanism can say at all: things no count is needed for, each a leak or the sign of one.

An output that one neighbor can give and the other cannot breaks pure privacy at every ε [A Def 3.3]. These checks look
for the usual reasons: floats that are finer on one side, values that repeat, errors, None, shapes.
"""

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalenius.audit.draw import Raised, as_callable, draw_pair
from dalenius.audit.encode import OutcomeEncoder, Outputs
from dalenius.audit.features import granularity
from dalenius.audit.parts import canonical
from dalenius.calls import named_arguments
from dalenius.errors import InvalidParameter
from dalenius.escape import escaped
from dalenius.noise import Bits

_FEW = 3
"""How often something must be seen on one side, and never on the other, to be told: once is what rare outputs do."""


@dataclass(frozen=True, slots=True)
class Side:
    """What the outputs on one data set look like."""

    draws: int
    distinct: int
    raised: dict[str, int]
    missing: int
    not_finite: int
    types: dict[str, int]
    lengths: tuple[int, ...]
    finest_bit: int | None
    """The lowest exponent of a set bit among float outputs; None if there are no floats."""

    @property
    def deterministic(self) -> bool:
        """Whether every draw was the same."""
        return self.distinct == 1


@dataclass(frozen=True, slots=True)
class Support:
    """What x and x2 were seen to give, and where they differ; `findings` is empty when nothing was seen."""

    x: Side
    x2: Side
    findings: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.findings)

    @escaped
    def __str__(self) -> str:
        return "\n".join(self.findings) or "nothing seen that one data set gives and the other does not"


@named_arguments
def support(
    mechanism: Any, x: Any, x2: Any, *, draws: int = 2_000, seconds: float | None = None, bits: Bits | None = None
) -> Support:
    """Float granularity, atoms, determinism, errors, None and shapes of the outputs on two neighbors.

    A finding is something seen, not a test: `lower_bound` says what it proves.

    >>> print(support(lambda data: None if len(data) < 3 else 1.0, [1, 2, 3], [1, 2], draws=50))
    the output on x never varies: no noise, or noise that is kept
    the output on x2 never varies: no noise, or noise that is kept
    None is returned on x2 only (50 of 50 draws)
    types differ: float on x, NoneType on x2
    """
    if isinstance(draws, bool) or not isinstance(draws, int) or draws < 10:
        raise InvalidParameter(f"draws must be a whole number ≥ 10, got {draws!r}")
    run = as_callable(mechanism, bits)
    outputs = draw_pair(run, x, x2, draws, seconds=seconds, bits=bits)
    sides = [_side(each) for each in outputs]
    findings = (*_constancy(*sides), *_odd(*sides), *_shapes(*sides), *_floats(*sides), *_atoms(*outputs))
    return Support(sides[0], sides[1], findings)


def _side(outputs: Any) -> Side:
    listed = list(outputs)
    seen = Counter(canonical(each) for each in listed)
    numbers = Outputs.read(outputs)
    table = OutcomeEncoder.fit(numbers, numbers)(numbers)
    values = np.concatenate(list(table.numbers.values())) if table.numbers else np.zeros(0)
    bits = granularity(values[np.isfinite(values)]) if any(_is_float(each) for each in listed[:50]) else np.zeros(0)
    bits = bits[np.isfinite(bits)]
    return Side(
        draws=len(listed),
        distinct=len(seen),
        raised=dict(Counter(each.kind for each in listed if isinstance(each, Raised))),
        missing=sum(each is None for each in listed),
        not_finite=sum(_not_finite(each) for each in listed),
        types=dict(Counter(type(each).__name__ for each in listed if not isinstance(each, Raised))),
        lengths=tuple(sorted({len(each) for each in listed if hasattr(each, "__len__")})),
        finest_bit=int(bits.min()) if len(bits) else None,
    )


def _constancy(x: Side, x2: Side) -> list[str]:
    return [
        f"the output on {name} never varies: no noise, or noise that is kept"
        for name, side in (("x", x), ("x2", x2))
        if side.deterministic
    ]


def _odd(x: Side, x2: Side) -> list[str]:
    differences = []
    for kind in sorted(x.raised.keys() | x2.raised.keys()):
        here, there = x.raised.get(kind, 0), x2.raised.get(kind, 0)
        differences += _only(f"{kind} is raised", here, x.draws, there, x2.draws)
    differences += _only("None is returned", x.missing, x.draws, x2.missing, x2.draws)
    differences += _only("NaN or infinity is returned", x.not_finite, x.draws, x2.not_finite, x2.draws)
    return differences


def _shapes(x: Side, x2: Side) -> list[str]:
    differences = []
    if x.types.keys() != x2.types.keys():
        differences.append(f"types differ: {_names(x.types)} on x, {_names(x2.types)} on x2")
    if x.lengths != x2.lengths:
        differences.append(f"lengths differ: {_some(x.lengths)} on x, {_some(x2.lengths)} on x2")
    return differences


def _floats(x: Side, x2: Side) -> list[str]:
    """Noise on a lattice has the same finest bit whatever the answer; float noise has what the answer left it."""
    if x.finest_bit is None or x2.finest_bit is None:
        return []
    differences = []
    if abs(x.finest_bit - x2.finest_bit) > 1:
        differences.append(f"floats are finer on one side: lowest bit 2^{x.finest_bit} on x, 2^{x2.finest_bit} on x2")
    if min(x.finest_bit, x2.finest_bit) < -40:
        differences.append(
            "outputs are floats with bits below 2^-40: noise drawn as a float, not on a lattice, can be undone"
        )
    return differences


def _atoms(first: Any, second: Any) -> list[str]:
    here, there = (Counter(canonical(each) for each in side) for side in (first, second))
    differences = []
    for name, one, other in (("x", here, there), ("x2", there, here)):
        only = [(count, value) for value, count in one.items() if count >= _FEW and value not in other]
        if only and len(one) > 1:
            count, _ = max(only, key=lambda each: each[0])
            differences.append(
                f"{len(only)} values are seen at least {_FEW} times on {name} only, one of them {count} times"
            )
    return differences


def _only(what: str, here: int, draws: int, there: int, others: int) -> list[str]:
    if here and not there:
        return [f"{what} on x only ({here} of {draws} draws)"]
    if there and not here:
        return [f"{what} on x2 only ({there} of {others} draws)"]
    return []


def _is_float(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return bool(value.dtype.kind == "f")
    if isinstance(value, list | tuple):
        return any(isinstance(each, float) for each in value)
    return isinstance(value, float)


def _not_finite(value: Any) -> bool:
    if isinstance(value, float | np.ndarray):
        array = np.asarray(value)
        return bool(array.dtype.kind == "f") and not bool(np.isfinite(array).all())
    return False


def _names(types: dict[str, int]) -> str:
    return " and ".join(sorted(types)) or "nothing"


def _some(lengths: tuple[int, ...]) -> str:
    return f"{lengths[0]} to {lengths[-1]}" if len(lengths) > 1 else str(lengths[0]) if lengths else "none"
