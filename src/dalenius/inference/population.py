"""What a whole answer says of the population: every share and every mean at once."""

from dataclasses import dataclass
from typing import Any

from dalenius.calls import named_arguments
from dalenius.curator import Release, key_text
from dalenius.curator.formula import Cell
from dalenius.errors import DaleniusError, UnprovenClaim
from dalenius.escape import escaped
from dalenius.inference.arguments import check_not_picked, key_words, privacy_of
from dalenius.inference.cells import ReleasedCells, cells_of
from dalenius.inference.mean import mean_estimate, score_ends
from dalenius.inference.pairs import pair_estimates
from dalenius.inference.private_size import share_ends
from dalenius.inference.result import Estimate, checked_level
from dalenius.inference.sampling import check_one_draw, person_question
from dalenius.inference.summary import bare_counts, labelled_rows, mean_columns, stated_contributions, summaries
from dalenius.inference.variance import is_variance, variance
from dalenius.numerics import Number


@dataclass(frozen=True, slots=True)
class Population:
    """An estimate for each column and key of an answer; and why, where there is none."""

    level: float
    joint: bool
    estimates: dict[str, dict[Any, Estimate]]
    refused: dict[str, str]

    def __getitem__(self, column: str) -> dict[Any, Estimate]:
        return self.estimates[column]

    @escaped
    def __str__(self) -> str:
        lines = []
        for column, by_key in self.estimates.items():
            for key, one in by_key.items():
                lines.append(f"{column}{'' if len(by_key) == 1 and key is None else f' {key_text(key)}'}: {one}")
        lines += [f"{column}: none, {why}" for column, why in self.refused.items()]
        return "\n".join([*lines, *(["all at once"] if self.joint else [])])


@named_arguments
def population(release: Release, level: Number = 0.95, joint: bool = False) -> Population:
    """Intervals about the population for every share and every mean of an answer.

    release: an answer in SQL, or a release of `statistics`.
    level: how often each interval holds what it is about; all of them at once, if `joint`.
    joint: whether the level is that of all intervals together (each fails with its part of what may fail).

    A column of counts over public keys, or COUNT_IF(…)/COUNT(*), gives shares, guaranteed; a mean that of the
    population with its values held in their bounds, AVG(a)/AVG(b) and AVG(a) − AVG(b) the ratio and the difference of
    two, asymptotic. What has no sampling model is left out, and `refused` says why.
    """
    check_not_picked(release)
    wanted = float(checked_level(level))
    counts, means = [item.name for item in bare_counts(release)], [item.name for item in mean_columns(release)]
    cells = max(1, len(release.outcome.rows()))
    each = 1 - (1 - wanted) / (cells * max(1, len(release.outcome.numbers))) if joint else wanted
    estimates: dict[str, dict[Any, Estimate]] = {}
    refused: dict[str, str] = {}
    for item in release.outcome.numbers:
        try:
            if item.name in means:
                estimates[item.name] = _means(release, item.name, each)
            elif item.name in counts and isinstance(item.formula, Cell):
                estimates[item.name] = _shares(release, item.formula.name, each)
            elif (pairs := pair_estimates(release, item.formula, each)) is not None:
                estimates[item.name] = pairs
            elif is_variance(item.formula):
                estimates[item.name] = {
                    key: variance(release, each, column=item.name, key=(None,) if key is None else key)
                    for key, _ in labelled_rows(release)
                }
            else:
                refused[item.name] = (
                    "no sampling model is known for it: ask for AVG, for COUNT(*) with GROUP BY over public keys, for "
                    "COUNT_IF(…)/COUNT(*), or for AVG(a)/AVG(b)"
                )
        except DaleniusError as refusal:
            refused[item.name] = str(refusal)
    if not estimates:
        raise UnprovenClaim("; ".join(f"{name}: {why}" for name, why in refused.items()) or "the answer has no numbers")
    return Population(wanted, joint, estimates, refused)


def _means(release: Release, column: str, level: float) -> dict[Any, Estimate]:
    privacy = privacy_of(release)
    by_key = summaries(release, column, "a mean")
    estimates = {key: mean_estimate(one, score_ends(one, level), level, privacy, False) for key, one in by_key.items()}
    most = stated_contributions(release)
    return (
        estimates
        if most == 1
        else {key: one.with_remark(person_question(release, most)) for key, one in estimates.items()}
    )


def _shares(release: Release, part: str, level: float) -> dict[Any, Estimate]:
    if release.outcome.keys is None:
        raise UnprovenClaim("a single count has no share; inference.rate takes it as a Poisson number")
    remark, privacy = check_one_draw(release), privacy_of(release)
    first = cells_of(release, None, column=part)
    numbers = (first.one, *first.others)
    keys = [release.outcome.keys.rows[row] for row in release.outcome.rows().tolist()]
    estimates = {}
    for place, key in enumerate(keys):
        label = key[0] if len(key) == 1 else key
        cells = ReleasedCells(numbers[place], (*numbers[:place], *numbers[place + 1 :]), label)
        estimates[label] = Estimate(
            estimate=cells.share,
            interval=share_ends(cells, level),
            level=level,
            method="exact inversion over the cells, Berger–Boos set for n",
            coverage="guaranteed",
            target="population",
            quantity=f"proportion of {key_words(label)}",
            rows=max(0.0, cells.total),
            privacy=privacy,
            limits=(0.0, 1.0),
            remark=remark,
        )
    return estimates
