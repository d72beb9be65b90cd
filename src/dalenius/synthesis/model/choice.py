"""Settings of a fit: a rule by how much the tables show, then a choice by thinning the release itself."""

from dataclasses import replace

from dalenius.synthesis.model.evidence import NoisyTables
from dalenius.synthesis.model.mixture import Evidence, Mixture, MixtureSettings, Shape, fitted, misfit, misfit_error
from dalenius.synthesis.model.public_coins import PublicCoins

_USUAL = 0.00126
"""The noise of a cell, as a share of the rows, at which a mixture of 150 components is fitted."""
_LEAST, _MOST = 0.25, 32.0
"""How far the priors are tried, as factors of the usual ones."""
_MORE = 0.05
"""How much more of what independent columns leave open other priors must explain."""
_LONG = 6e10
"""Multiplications above which a trial of settings is shortened."""


def chosen_mixture(tables: NoisyTables, coins: PublicCoins) -> tuple[Mixture, MixtureSettings]:
    """The mixture fitted to released tables, with settings that these tables chose: no data is read, nothing paid."""
    settings = chosen_settings(tables, coins)
    return fitted(tables.evidence(), tables.shape, settings, coins), settings


def usual_settings(noise: float) -> MixtureSettings:
    """More noise: fewer components, stronger priors, more fits to average.

    >>> usual_settings(0.00126).components
    150
    """
    ratio = min(max(noise / _USUAL, 1e-3), 1e3)
    return MixtureSettings(
        components=int(min(max(150 * ratio ** (-0.5 if ratio > 1 else -0.35), 30), 350)),
        fits=8 if ratio > 4 else 3 if ratio > 0.5 else 2,
        steps=int(min(max(600 * ratio**-0.3, 300), 900)),
        pull=0.1 * ratio**0.6,
        smooth=min(max(ratio**0.5, 0.1), 4.0),
        rate=0.15 if ratio < 4 else 0.1,
    )


def chosen_settings(tables: NoisyTables, coins: PublicCoins) -> MixtureSettings:
    """The usual settings, unless the tables themselves speak for other ones.

    The tables are thinned in two with independent noise; each trial is fitted to the first and scored on the second.
    Independent columns are taken where nothing foretells better than they do by a standard error. Stronger and weaker
    priors are tried outward from the usual ones while they gain, and taken where they explain a twentieth more, and
    more than two standard errors.
    """
    usual = usual_settings(tables.noise)
    if len(tables.shape.sizes) < 2:
        return usual
    first, second = tables.thinned(coins)
    trials = _Trials(first.evidence(), second.evidence(), tables.shape, _trial_steps(usual, tables), coins)
    trials.score(_alone(usual))
    trials.score(usual)
    for step in (2.0, 0.5):
        factor, last = step, trials.scores[1]
        while _LEAST <= factor <= _MOST:
            now = trials.score(replace(usual, pull=usual.pull * factor, smooth=usual.smooth * factor))
            if now >= last:
                break
            factor, last = factor * step, now
        if factor != step:
            break
    return trials.choice()


def _alone(usual: MixtureSettings) -> MixtureSettings:
    """One component: independent columns, with what all tables say of each."""
    return replace(usual, components=1, fits=1, pull=0.0, smooth=0.0)


def _trial_steps(usual: MixtureSettings, tables: NoisyTables) -> int:
    """A third of the steps; a sixth where tables show so much that priors hardly matter; fewer for large tables."""
    work = 4.0 * usual.components * tables.shape.total**2 * tables.labels
    return int(max(min(usual.steps // (3 if usual.fits > 2 else 6), _LONG / work), 100))


class _Trials:
    """Fits to one part of the tables, and how well each foretells the other."""

    __slots__ = ("_coins", "_fit", "_models", "_shape", "_steps", "_test", "scores", "settings")

    def __init__(self, fit: Evidence, test: Evidence, shape: Shape, steps: int, coins: PublicCoins) -> None:
        self._fit, self._test, self._shape, self._steps, self._coins = fit, test, shape, steps, coins
        self.settings, self.scores, self._models = list[MixtureSettings](), list[float](), list[Mixture]()

    def score(self, settings: MixtureSettings) -> float:
        """Fit in short, and keep the misfit."""
        model = fitted(self._fit, self._shape, replace(settings, fits=1, steps=self._steps), self._coins)
        self.settings.append(settings)
        self._models.append(model)
        self.scores.append(misfit(model, self._test))
        return self.scores[-1]

    def choice(self) -> MixtureSettings:
        """Of trials that begin with independent columns and the usual settings, the one that is spoken for."""
        alone, usual, best = self.scores[0], self.scores[1], self.scores.index(min(self.scores))
        if alone - self.scores[best] <= misfit_error(self._models[0], self._models[best], self._test):
            return self.settings[0]
        error = misfit_error(self._models[1], self._models[best], self._test)
        gained = usual - self.scores[best] > max(_MORE * (alone - self.scores[best]), 2 * error)
        return self.settings[best if gained else 1]
