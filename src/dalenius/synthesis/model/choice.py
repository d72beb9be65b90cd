"""Settings of a fit: a rule by how much the tables show, then a choice by thinning the release itself."""

from dataclasses import replace

from dalenius.synthesis.model.evidence import NoisyTables
from dalenius.synthesis.model.mixture import Mixture, Settings, fitted, misfit
from dalenius.synthesis.model.public_coins import PublicCoins

_USUAL = 0.00126
"""The noise of a cell, as a share of the rows, at which a mixture of 150 components is fitted."""
_LONG = 6e10
"""Multiplications above which a trial of settings is shortened."""


def chosen_mixture(tables: NoisyTables, coins: PublicCoins) -> tuple[Mixture, Settings]:
    """The mixture fitted to released tables, with settings that these tables chose: no data is read, nothing paid."""
    settings = chosen_settings(tables, coins)
    return fitted(tables.evidence(), tables.shape, settings, coins), settings


def usual_settings(noise: float) -> Settings:
    """More noise: fewer components, stronger priors, more fits to average.

    >>> usual_settings(0.00126).components
    150
    """
    ratio = min(max(noise / _USUAL, 1e-3), 1e3)
    return Settings(
        components=int(min(max(150 * ratio ** (-0.5 if ratio > 1 else -0.35), 30), 350)),
        fits=8 if ratio > 4 else 3 if ratio > 0.5 else 2,
        steps=int(min(max(600 * ratio**-0.3, 300), 900)),
        pull=0.1 * ratio**0.6,
        smooth=min(max(ratio**0.5, 0.1), 4.0),
        rate=0.15 if ratio < 4 else 0.1,
    )


def chosen_settings(tables: NoisyTables, coins: PublicCoins) -> Settings:
    """Of the usual settings, and ones with weaker and stronger priors, those that foretell the other half best."""
    usual = usual_settings(tables.noise)
    if len(tables.shape.sizes) < 2:
        return usual
    first, second = tables.thinned(coins)
    evidence, other = first.evidence(), second.evidence()
    work = 4.0 * usual.components * tables.shape.total**2 * tables.labels
    steps = int(max(min(usual.steps // 3, _LONG / work), 100))
    trials = [replace(usual, pull=usual.pull * factor, smooth=usual.smooth * factor) for factor in (0.5, 1.0, 2.0)]
    scores = [
        misfit(fitted(evidence, tables.shape, replace(trial, fits=1, steps=steps), coins), other) for trial in trials
    ]
    return trials[scores.index(min(scores))]
