# ruff: noqa: E501 - a case is a line
"""Mechanisms that are less private than they claim."""

import math
from typing import Any

import numpy as np

from dalenius.guarantees import GDP, ZCDP, ApproxDP, PureDP
from dalenius.neighbors import Relation
from tests.audit.corpus.case import Case, gaussian_masses, laplace_cells, laplace_masses, rounded

Rng = np.random.Generator


def laplace(scale: float) -> Any:
    return lambda rng, data, n: rounded(data + rng.laplace(0, scale, n))


def gaussian(sigma: float) -> Any:
    return lambda rng, data, n: rounded(np.asarray(data) + rng.normal(0, sigma, (n, np.size(data))))


def mean_with_half_the_sensitivity(rng: Rng, data: Any, n: int) -> Any:
    return rounded(100 * (np.mean(data) + rng.laplace(0, 1 / (2 * len(data)), n)))


def mean_with_private_n(rng: Rng, data: Any, n: int) -> Any:
    """L §5.1 as printed: sensitivity M/n although n itself is private."""
    return rounded(np.mean(data) + rng.laplace(0, 1 / len(data), n))


def noisy_max_with_its_value(rng: Rng, data: Any, n: int) -> Any:
    return rounded(np.max(np.asarray(data) + rng.laplace(0, 1, (n, len(data))), axis=1))


def float_laplace(rng: Rng, data: Any, n: int) -> Any:
    return data + rng.laplace(0, 1, n)


def float_gaussian(rng: Rng, data: Any, n: int) -> Any:
    return data + rng.normal(0, 1, n)


def sticky(rng: Rng, data: Any, n: int) -> Any:
    """The noise of a data set is drawn once and kept."""
    seed = sum((k + 1) * 7919 * value for k, value in enumerate(data))
    return np.full(n, rounded(sum(data) + np.random.default_rng(seed).laplace(0, 1)))


def suppressed(rng: Rng, data: Any, n: int) -> Any:
    return [None if data < 5 else value for value in rounded(data + rng.laplace(0, 1, n)).tolist()]


def truncated(rng: Rng, data: Any, n: int) -> Any:
    """Noise above 4 is drawn again, so the support ends where the data says."""
    noise = rng.laplace(0, 1, 2 * n + 50)
    return rounded(data + noise[np.abs(noise) <= 4][:n])


def truncated_masses() -> Any:
    edges = np.arange(-5, 6, 1 / 64)
    inside = 1 - math.exp(-4)

    def cells(center: float) -> Any:
        cdf = np.clip((laplace_cells(edges, center, 1).cumsum()[:-1] - math.exp(-4) / 2) / inside, 0, 1)
        return np.diff(np.concatenate([[0.0], cdf, [1.0]]))

    return cells(0), cells(1)


def sampled_count(rate: float, scale: float) -> Any:
    def law(rng: Rng, data: Any, n: int) -> Any:
        return rounded(rng.binomial(data, rate, n) + rng.laplace(0, scale, n))

    return law


def sampled_masses(rate: float, scale: float) -> Any:
    one, none = laplace_masses(scale, 1, 0)
    return rate * one + (1 - rate) * none, none


def twice(rng: Rng, data: Any, n: int) -> Any:
    return rounded(data + rng.laplace(0, 1, (n, 2)))


def many_times(rng: Rng, data: Any, n: int) -> Any:
    """Eight releases of 1/4 each, claimed to be 1 in all."""
    return rounded(data + rng.laplace(0, 4, (n, 8)))


def wrong_direction(rng: Rng, data: Any, n: int) -> Any:
    """A Thm 14.3 as printed: with the person (sampled at 1/2) Bern(.5) or Bern(.1), without Bern(.1)."""
    chance = np.where(rng.random(n) < 0.5, 0.5, 0.1) if data else 0.1
    return (rng.random(n) < chance).astype(int)


def printed_quantile(rng: Rng, data: Any, n: int) -> Any:
    """A Alg. 4 as printed: weight exp(−ε|i − αk|) without the half."""
    z = np.sort(np.clip(data, 0, 1))
    edges = np.concatenate([[0.0], z, [1.0]])
    weights = np.diff(edges) * np.exp(-np.abs(np.arange(len(z) + 1) - 0.5 * len(z)))
    cell = rng.choice(len(weights), n, p=weights / weights.sum())
    return rounded(edges[cell] + rng.random(n) * np.diff(edges)[cell])


def real_response(rng: Rng, data: Any, n: int) -> Any:
    """A Ex 4.2(1) as printed: a real value is published as it is with probability e/(1 + e)."""
    stay = rng.random(n) < math.e / (1 + math.e)
    return np.where(stay, data, 1 - data)


def mean_of_nothing(rng: Rng, data: Any, n: int) -> Any:
    if not data:
        return np.full(n, np.nan)
    return rounded(np.mean(data) + rng.laplace(0, 1, n))


def noisy_rows(rng: Rng, data: Any, n: int) -> Any:
    return [rounded(np.asarray(data) + rng.laplace(0, 1, len(data))).tolist() for _ in range(n)]


def integer_noise_on_reals(rng: Rng, data: Any, n: int) -> Any:
    return data + np.round(rng.laplace(0, 1, n))


class Outlier(Exception):
    pass


def raises(rng: Rng, data: Any, n: int) -> Any:
    if n > 1:
        raise Outlier("one at a time")
    if max(data) > 10 and rng.random() < 0.2:
        raise Outlier("value out of range")
    return [float(rounded(np.clip(data, 0, 1).sum() + rng.laplace(0, 1)))]


def keys_that_exist(rng: Rng, data: Any, n: int) -> Any:
    noise = rounded(rng.laplace(0, 1, (n, len(data)))).tolist()
    return [{key: count + z for (key, count), z in zip(data.items(), row, strict=True)} for row in noise]


def sampled_set(rng: Rng, data: Any, n: int) -> Any:
    """Each item is shown with probability 1/2: what was not there never shows."""
    items = sorted(data)
    shown = rng.random((n, len(items))) < 0.5
    return [frozenset(item for item, keep in zip(items, row, strict=True) if keep) for row in shown.tolist()]


def shared_noise(rng: Rng, data: Any, n: int) -> Any:
    return rounded(np.asarray(data) + rng.laplace(0, 2, (n, 1)))


def leaks_rarely(rng: Rng, data: Any, n: int) -> Any:
    values = rounded(data + rng.laplace(0, 1, n))
    return np.where(rng.random(n) < 0.02, 1000.0 + data, values)


def exponential_without_the_half(rng: Rng, data: Any, n: int) -> Any:
    weights = np.exp(np.asarray(data, float))
    return rng.choice(len(data), n, p=weights / weights.sum())


def exponential_masses(x: Any, x2: Any, epsilon: float) -> Any:
    return tuple(np.exp(epsilon * np.asarray(u)) / np.exp(epsilon * np.asarray(u)).sum() for u in (x, x2))


def local_sensitivity(rng: Rng, data: Any, n: int) -> Any:
    """Noise in proportion to the largest value that is there."""
    return rounded(sum(data) + rng.laplace(0, 1, n) * max(data, default=0.1))


def geometric(ratio: float) -> Any:
    def law(rng: Rng, data: Any, n: int) -> Any:
        return data + rng.geometric(1 - ratio, n) - rng.geometric(1 - ratio, n)

    return law


def geometric_masses(ratio: float, x: int, x2: int) -> Any:
    at = np.arange(-80, 81)
    return tuple((1 - ratio) / (1 + ratio) * ratio ** np.abs(at - center) for center in (x, x2))


def frame(rng: Rng, data: Any, n: int) -> Any:
    """A frame with a row for each group that has people in it."""
    import polars

    noise = rounded(rng.laplace(0, 1, (n, len(data)))).tolist()
    return [polars.DataFrame({"group": list(data), "count": row}) for row in noise]


def rounded_to_data(rng: Rng, data: Any, n: int) -> Any:
    """Snaps the noisy answer to the data point next to it."""
    points = np.asarray(sorted(data), float)
    noisy = np.mean(data) + rng.laplace(0, 1, n)
    return points[np.abs(noisy[:, None] - points).argmin(axis=1)]


def runs(rng: Rng, answers: Any, n: int, threshold: float, query: float, cutoff: int | None) -> list[list[bool]]:
    rho = rng.laplace(0, threshold, (n, 1))
    nu = rng.laplace(0, query, (n, len(answers))) if query else np.zeros((n, len(answers)))
    above = (np.asarray(answers) + nu >= rho).tolist()
    if cutoff is None:
        return above
    out = []
    for row in above:
        seen, run = 0, []
        for said in row:
            run.append(said)
            seen += said
            if seen == cutoff:
                break
        out.append(run)
    return out


def sparse_showing_answers(rng: Rng, answers: Any, n: int) -> Any:
    """Roth 2011: the noisy answer that passed leaves too."""
    rho, nu = rng.laplace(0, 2, (n, 1)), rng.laplace(0, 2, (n, len(answers)))
    noisy = rounded(np.asarray(answers) + nu)
    passed = noisy >= rho
    first = np.where(passed.any(axis=1), passed.argmax(axis=1), -1).tolist()
    return [(k, row[k]) if k >= 0 else (k, None) for k, row in zip(first, noisy.tolist(), strict=True)]


def showing_masses(x: Any, x2: Any) -> Any:
    """Cells of width 1/8 of the answer shown, at each place: the noisy threshold is summed over its own cells."""
    edges = np.arange(-40, 44, 1 / 8)
    rho = laplace_cells(edges, 0, 2)[:-1]
    told = []
    for answers in (x, x2):
        alive, masses = rho.copy(), []
        for answer in answers:
            nu = laplace_cells(edges, answer, 2)[:-1]
            masses.append(nu * np.cumsum(alive))
            alive = alive * (np.cumsum(nu) - nu)
        told.append(np.append(np.concatenate(masses), alive.sum()))
    return tuple(told)


FALL, RISE = [0] * 10 + [0] * 10, [1] * 10 + [-1] * 10
CHANGE = Relation.CHANGE_ONE

BROKEN: tuple[Case, ...] = (
    Case("half the noise", laplace(0.5), 0, 1, PureDP(1), laplace_masses(0.5, 0, 1), epsilon=2),
    Case("noise at 0.9", laplace(0.9), 0, 1, PureDP(1), laplace_masses(0.9, 0, 1), epsilon=1 / 0.9),
    Case("geometric at 1.3", geometric(math.exp(-1.3)), 0, 1, PureDP(1), geometric_masses(math.exp(-1.3), 0, 1), epsilon=1.3),
    Case("Gaussian at 0.85", gaussian(0.85), [0], [1], GDP(1), gaussian_masses(0.85, 0, 1)),
    Case("Gaussian of twice the rho", gaussian(0.5), [0], [1], ZCDP("0.5"), gaussian_masses(0.5, 0, 1)),
    Case("mean with half the sensitivity", mean_with_half_the_sensitivity, [1.0] * 9 + [0], [1.0] * 10, PureDP(1, CHANGE), laplace_masses(5, 90, 100), epsilon=2),
    Case("mean with private n", mean_with_private_n, [0.0] * 4, [0.0] * 2, PureDP(2), laplace_masses(0.25, 0, 0, 0.5)),
    Case("noisy max with its value", noisy_max_with_its_value, [0] * 5, [1] * 5, PureDP(1), tuple(np.diff(np.concatenate([[0], laplace_cells(np.arange(-20, 20, 1 / 64), c, 1).cumsum() ** 5])) for c in (0, 1))),
    Case("float Laplace", float_laplace, 0.0, 1.0, PureDP(1)),
    Case("float Gaussian", float_gaussian, 0.0, 1.0, GDP(1)),
    Case("sticky noise", sticky, [1, 0, 1], [1, 0, 0], PureDP(1, CHANGE), ([1, 0], [0, 1])),
    Case("suppression of small counts", suppressed, 5, 4, PureDP(1), ([0, 1], [1, 0])),
    Case("truncated noise", truncated, 0, 1, PureDP(1), truncated_masses()),
    Case("wrong amplification", sampled_count(0.5, 0.5), 1, 0, PureDP(1), sampled_masses(0.5, 0.5), epsilon=math.log(1 + 0.5 * (math.e**2 - 1))),
    Case("amplification by q·ε", sampled_count(0.1, 0.5), 1, 0, PureDP("0.2"), sampled_masses(0.1, 0.5)),
    Case("two releases for one", twice, 0, 1, PureDP("1.4")),
    Case("eight releases for four", many_times, 0, 1, PureDP(1)),
    Case("classic Gaussian at large ε", gaussian(math.sqrt(2 * math.log(1.25 / 0.6)) / 5), [0], [1], ApproxDP(5, "0.6"), gaussian_masses(math.sqrt(2 * math.log(1.25 / 0.6)) / 5, 0, 1)),
    Case("wrong direction of Thm 14.3", wrong_direction, True, False, PureDP("0.405"), ([0.3, 0.7], [0.1, 0.9]), epsilon=math.log(3)),
    Case("printed Alg. 4", printed_quantile, [0.0, 0.0, 0.9, 1.0], [0.0, 0.9, 1.0, 1.0], PureDP(1, CHANGE), tuple(np.array(w) / sum(w) for w in ([0.9, 0.1 / math.e], [0.9 / math.e, 0.1]))),
    Case("sparse vector shows answers", sparse_showing_answers, [0] * 3 + [4], [4] * 3 + [4], PureDP("0.5"), showing_masses([0] * 3 + [4], [4] * 3 + [4])),
    Case("sparse vector without cutoff in its noise", lambda r, d, n: runs(r, d, n, 4, 4 / 3, None), FALL, RISE, PureDP(1)),
    Case("sparse vector without answers' noise", lambda r, d, n: runs(r, d, n, 2, 0, None), [0, 1], [1, 0], PureDP(1)),
    Case("sparse vector without an end", lambda r, d, n: runs(r, d, n, 2, 2, None), FALL, RISE, PureDP(1)),
    Case("private threshold testing", lambda r, d, n: runs(r, d, n, 3, 1.5, None), FALL, RISE, PureDP(1)),
    Case("real randomized response", real_response, 0.25, 0.5, PureDP(1, CHANGE), ([math.e / (1 + math.e), 1 / (1 + math.e), 0], [0, 0, 1])),
    Case("mean of nothing", mean_of_nothing, [1.0], [], PureDP(1), ([1, 0], [0, 1])),
    Case("a noisy row each", noisy_rows, [0, 0, 0], [0, 0], PureDP(1), ([1, 0], [0, 1])),
    Case("integer noise on reals", integer_noise_on_reals, 0.25, 1.0, PureDP(1), ([1, 0], [0, 1])),
    Case("an error that depends on data", raises, [1.0, 50.0], [1.0, 5.0], PureDP(1, CHANGE), ([0.2, 0.8], [0, 1])),
    Case("only keys that exist", keys_that_exist, {"a": 3, "b": 1}, {"a": 3}, PureDP(1), ([1, 0], [0, 1])),
    Case("a frame of groups that exist", frame, ["a", "b"], ["a"], PureDP(1), ([1, 0], [0, 1])),
    Case("a sampled set", sampled_set, {"a", "b", "c"}, {"a", "b"}, PureDP(1), ([0.5, 0.5], [0, 1])),
    Case("one noise for two cells", shared_noise, [1, 0], [0, 1], PureDP(1), ([1, 0], [0, 1])),
    Case("leaks one time in fifty", leaks_rarely, 0, 1, ApproxDP(1, "1e-3"), ([0.02, 0.98, 0], [0, 0.98, 0.02])),
    Case("exponential without the half", exponential_without_the_half, [0, 1, 1], [1, 0, 0], PureDP(1), exponential_masses([0, 1, 1], [1, 0, 0], 1)),
    Case("noise of local sensitivity", local_sensitivity, [1.0, 3.0], [1.0], PureDP(1), laplace_masses(3, 4, 1, 1)),
    Case("Gaussian with the wrong norm", gaussian(1), [0] * 4, [1] * 4, GDP("1.6"), gaussian_masses(1, 0, 2)),
    Case("snapped to the data", rounded_to_data, [0.0, 1.0, 2.0], [0.0, 1.0, 1.5], PureDP(1, CHANGE)),
)  # fmt: skip
