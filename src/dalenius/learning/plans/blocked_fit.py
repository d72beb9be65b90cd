"""A model fitted on each of many random blocks, and the private mean of what was fitted."""

import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import check_random_state
from threadpoolctl import threadpool_limits

from dalenius.curator import Outcome, Then
from dalenius.curator.plans.blocked import unheard
from dalenius.curator.plans.fingerprint import fingerprint_of
from dalenius.guarantees import ApproxDP
from dalenius.learning.data.box import Box
from dalenius.learning.data.rows import Matrix, Rows, numbers
from dalenius.learning.data.targets import Encoder
from dalenius.learning.plans.blocked_range import RANGE_SHARE, RangeSearch
from dalenius.learning.plans.budget import FitBudget
from dalenius.learning.plans.calibrated import Calibrated
from dalenius.learning.plans.fit_plan import FitPlan
from dalenius.neighbors import Relation, Unit
from dalenius.noise import Bits, UniformInteger
from dalenius.queries import Bounds, Table
from dalenius.statistics.quantile import CELLS
from dalenius.statistics.winsorized_mean import WinsorizedPart, widened

BlockRows = tuple[Matrix, NDArray[Any]]
_ANSWER = Unit.row(Relation.CHANGE_ONE)


@dataclass(frozen=True, slots=True)
class Fitted:
    """What a fitted model is told by: attributes of public shapes, with public bounds and a stand-in for a failure."""

    attributes: tuple[str, ...]
    shapes: tuple[tuple[int, ...], ...]
    bounds: tuple[tuple[Fraction, Fraction], ...]
    default: tuple[Fraction, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """One for each number."""
        return tuple(
            f"{name}{list(at)}"
            for name, shape in zip(self.attributes, self.shapes, strict=True)
            for at in np.ndindex(*shape)
        )

    @property
    def each(self) -> list[tuple[Fraction, Fraction, Fraction]]:
        """(lower, upper, default) of each number."""
        attributes = zip(self.shapes, self.bounds, self.default, strict=True)
        return [(*ends, default) for shape, ends, default in attributes for _ in np.ndindex(*shape)]

    def numbers(self, model: Any) -> Matrix | None:
        """Those of a fitted model, or None if it has others."""
        parts = []
        for name, shape in zip(self.attributes, self.shapes, strict=True):
            values = np.asarray(getattr(model, name), np.float64)
            if values.shape != shape:
                return None
            parts.append(values.ravel())
        return np.concatenate(parts)

    def held(self, numbers: Matrix | None) -> Matrix:
        """Within the bounds, the default for what is no number."""
        lower, upper, default = (np.array([float(part) for part in column]) for column in zip(*self.each, strict=True))
        if numbers is None:
            return default
        with np.errstate(all="ignore"):
            return np.where(np.isfinite(numbers), np.minimum(np.maximum(numbers, lower), upper), default)

    def parts(self, numbers: Matrix) -> dict[str, Any]:
        """The attributes, from their numbers."""
        values_by_name, start = {}, 0
        for name, shape in zip(self.attributes, self.shapes, strict=True):
            size = int(np.prod(shape, dtype=np.int64))
            values = numbers[start : start + size].reshape(shape)
            values_by_name[name] = values if shape else float(values)
            start += size
        return values_by_name

    def facts(self) -> dict[str, Any]:
        """As JSON holds it."""
        return {
            "attributes": list(self.attributes),
            "shapes": [list(shape) for shape in self.shapes],
            "bounds": [[str(end) for end in ends] for ends in self.bounds],
            "default": [str(each) for each in self.default],
        }


@dataclass(frozen=True, slots=True)
class BlockedFit(FitPlan):
    """The noisy widened winsorized mean of what `estimator` learns on each of k random blocks  [A Alg 1, A Alg 2].

    Each row draws its own block, uniformly and independently of all others; k is public. So neighbors, of either
    relation, can be given the same blocks but for one row, and differ in one block's answer: given the blocks they are
    within ε, and so is their mixture. An answer is held in public bounds, and any failure of the estimator (an error, a
    warning, another shape, no number) is the declared default, so nothing that a row does to it comes out. Every block
    has its own clone, with a random state of its own where the estimator has none, and global generators of its own.
    """

    box: Box
    encoder: Encoder
    budget: FitBudget
    public: tuple[str, ...]
    estimator: Any = field(repr=False)
    labels: tuple[Any, ...] | None
    fitted: Fitted
    parts: int
    jobs: int | None
    search: RangeSearch | None = None
    """Finds the ranges of the numbers first, where `fitted` holds none but those of floats."""

    @property
    def guarantee(self) -> Calibrated:
        """ε alone; with a search for ranges its (ε, δ) besides  [A Thm 3.3, A Rem 8.3]."""
        if self.search is None:
            return self.budget.guarantee(self.public)
        whole = ApproxDP(self.search.epsilon + self._epsilon, self.search.delta, self.budget.relation)
        return Calibrated(whole, self.budget.epsilon, self.budget.delta, self.public)

    @property
    def _epsilon(self) -> Fraction:
        return self.budget.epsilon * (1 if self.search is None else 1 - RANGE_SHARE)

    def facts(self) -> dict[str, Any]:
        """All that the law of the outcome depends on but the data."""
        return {
            "method": "subsample and aggregate",
            "box": self.box.facts(),
            "encoder": self.encoder.facts(),
            "estimator": repr(self.estimator),
            "kind": f"{type(self.estimator).__module__}.{type(self.estimator).__qualname__}",
            "fitted": self.fitted.facts(),
            "blocks": self.parts,
            "aggregate": fingerprint_of("aggregate", {"of": self.aggregate().fingerprint}),
        } | ({} if self.search is None else self.search.facts())

    def aggregate(self, ranges: Sequence[tuple[Fraction, Fraction]] | None = None) -> Then[Table]:
        """The mean over one row for each block, ε shared evenly  [A Alg 1, A Alg 2]; `ranges` as they were found."""
        within = [ends[:2] for ends in self.fitted.each] if ranges is None else ranges
        parts = [
            WinsorizedPart(name, Bounds(name, (low, high), min(max(default, low), high)), name)
            for name, (low, high), (*_, default) in zip(self.fitted.names, within, self.fitted.each, strict=True)
        ]
        return widened(parts, _ANSWER, None, self._epsilon, self.parts, CELLS)

    def run(self, view: Rows, bits: Bits) -> Outcome:
        """Draw the blocks, fit each, aggregate; neither blocks nor their models leave."""
        blocks = UniformInteger(self.parts).sample(bits, len(view))
        seeds = bits.words(np.uint32, self.parts).tolist()
        block_answers = answers(self.estimator, list(self.divided(view, blocks)), seeds, self.fitted, self.jobs)
        ranges = None if self.search is None else self.search.ranges(block_answers, bits)
        table = Table({name: block_answers[:, at] for at, name in enumerate(self.fitted.names)})
        outcome = self.aggregate(ranges).run(table, bits)
        numbers = [float(outcome.column(item)[0]) for item in outcome.numbers]  # type: ignore[arg-type]
        intervals = None if ranges is None else [[float(low), float(high)] for low, high in ranges]
        return Outcome((), notes={"numbers": numbers, "ranges": intervals})

    def divided(self, view: Rows, blocks: NDArray[np.int64]) -> Iterator[BlockRows]:
        """(features, target) of each block: inside their bounds, rows without a target left out."""
        codes = self.encoder.codes(view.target)
        target = codes if self.labels is None else self._labelled(codes)
        with np.errstate(all="ignore"):
            features = self.box.scaled(view.features) * self.box.half + self.box.middle
        present = np.isfinite(codes)
        for block in range(self.parts):
            mine = present & (blocks == block)
            yield features[mine], target[mine]

    def _labelled(self, codes: Matrix) -> NDArray[Any]:
        assert self.labels is not None
        labelled: NDArray[Any] = np.array(self.labels)[np.nan_to_num(codes).astype(np.int64)]
        return labelled


@dataclass(frozen=True, slots=True)
class Numbers:
    """A target that is any number: no bounds are needed where only the answer of a block is held in some."""

    def codes(self, target: NDArray[Any]) -> Matrix:
        """The numbers, NaN for what is none, or none that a float holds."""
        values = numbers(target)
        return np.where(np.isfinite(values), values, np.nan)

    def facts(self) -> dict[str, Any]:
        """Nothing."""
        return {"numbers": "any"}


def answers(estimator: Any, blocks: list[BlockRows], seeds: list[int], fitted: Fitted, jobs: int | None) -> Matrix:
    """One row for each block; in processes where jobs are asked for, since warnings are not safe among threads."""
    asked = [(estimator, x, y, seed, fitted) for (x, y), seed in zip(blocks, seeds, strict=True)]
    if jobs in (None, 1):
        with threadpool_limits(1):  # blocks are small: threads of a linear algebra library would only wait
            return np.vstack([answer(*each) for each in asked])
    from joblib import Parallel, delayed

    # no memory maps: they would leave private rows in files
    return np.vstack(Parallel(n_jobs=jobs, max_nbytes=None)(delayed(answer)(*each) for each in asked))


def answer(estimator: Any, features: Matrix, target: NDArray[Any], seed: int, fitted: Fitted) -> Matrix:
    """What one block says; whatever goes wrong, its default."""
    learned: Matrix | None = None
    # even SystemExit and an interrupt: how the estimator fails may be the doing of a row
    with unheard(), own_generators(seed), suppress(BaseException):
        warnings.simplefilter("error")
        learned = fitted.numbers(seeded(estimator, seed).fit(features, target))
    return fitted.held(learned)


@contextmanager
def own_generators(seed: int) -> Iterator[None]:
    """The global generators of numpy and Python begin anew for a block, and are put back as they were.

    How many numbers an estimator takes from them is the doing of its rows: under a seed that somebody set, the next
    block would get others, and so would whoever draws after the fit.
    """
    shared, plain = check_random_state(None), sys.modules.get("random")
    before, state = shared.get_state(), None if plain is None else plain.getstate()
    shared.seed(seed)
    if plain is not None:
        plain.seed(seed)
    try:
        yield
    finally:
        shared.set_state(before)
        if plain is not None:
            plain.setstate(state)


def seeded(estimator: Any, seed: int) -> Any:
    """A clone whose unset random states are seeds: a shared generator would carry a row from one block to the next."""
    made = clone(estimator)
    for name, value in made.get_params().items():
        if name.split("__")[-1] == "random_state" and not isinstance(value, int | np.integer):
            made.set_params(**{name: seed})
    return made
