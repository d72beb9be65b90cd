"""Altair charts of privacy curves and answers, one definition for notebook, page and PNG."""

from dalenius.charts.accuracy import accuracy_by_epsilon
from dalenius.charts.answer import answer, is_drawable
from dalenius.charts.attack import reconstruction, reconstruction_threshold
from dalenius.charts.burn_down import burn_down
from dalenius.charts.profile import privacy_profile
from dalenius.charts.rates import error_by_rows
from dalenius.charts.save import save, svg_text
from dalenius.charts.steps import epsilon_by_steps
from dalenius.charts.synthetic import copy_distance, copy_marginal, copy_quality
from dalenius.charts.tradeoff import trade_off
from dalenius.charts.training import training
from dalenius.charts.views import three_views

__all__ = [
    "accuracy_by_epsilon",
    "answer",
    "burn_down",
    "copy_distance",
    "copy_marginal",
    "copy_quality",
    "epsilon_by_steps",
    "error_by_rows",
    "is_drawable",
    "privacy_profile",
    "reconstruction",
    "reconstruction_threshold",
    "save",
    "svg_text",
    "three_views",
    "trade_off",
    "training",
]
