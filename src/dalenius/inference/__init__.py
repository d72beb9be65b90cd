"""Valid statements about populations from private output: intervals and tests that know the noise."""

from dalenius.inference.black_box import test_any
from dalenius.inference.bootstrap import bootstrap
from dalenius.inference.combine import Combined, combine, least_squares, project
from dalenius.inference.compare import compare, compare_releases
from dalenius.inference.density import DensityEstimate, density
from dalenius.inference.group_means import test_means
from dalenius.inference.heavy_tailed_mean import heavy_tailed_mean
from dalenius.inference.mean import mean
from dalenius.inference.normal_mean import normal_mean, plan_normal_mean
from dalenius.inference.planning import CostOfPrivacy, Requirement, cost_of_privacy, local_cost_of_privacy, plan
from dalenius.inference.population import Population, population
from dalenius.inference.posterior import Posterior, posterior
from dalenius.inference.proportion import proportion
from dalenius.inference.quantile import quantile
from dalenius.inference.quantile_value import Density, quantile_value
from dalenius.inference.rate import rate
from dalenius.inference.regression import regression
from dalenius.inference.repro import repro_samples
from dalenius.inference.response import local_mean, randomized_response
from dalenius.inference.result import Estimate, HypothesisTest
from dalenius.inference.tables import test_fit, test_independence, test_ranks
from dalenius.inference.tulap import power_of_proportion, test_proportion
from dalenius.inference.variance import variance

__all__ = [
    "Combined",
    "CostOfPrivacy",
    "Density",
    "DensityEstimate",
    "Estimate",
    "HypothesisTest",
    "Population",
    "Posterior",
    "Requirement",
    "bootstrap",
    "combine",
    "compare",
    "compare_releases",
    "cost_of_privacy",
    "density",
    "heavy_tailed_mean",
    "least_squares",
    "local_cost_of_privacy",
    "local_mean",
    "mean",
    "normal_mean",
    "plan",
    "plan_normal_mean",
    "population",
    "posterior",
    "power_of_proportion",
    "project",
    "proportion",
    "quantile",
    "quantile_value",
    "randomized_response",
    "rate",
    "regression",
    "repro_samples",
    "test_any",
    "test_fit",
    "test_independence",
    "test_means",
    "test_proportion",
    "test_ranks",
    "variance",
]
