"""Private learning as scikit-learn estimators: each fit is a plan, priced before data is read."""

from dalenius.learning.calibrated import Calibrated
from dalenius.learning.exponential_erm import ExponentialERM
from dalenius.learning.gaussian_objective import GaussianObjective
from dalenius.learning.huber import HuberRegression
from dalenius.learning.kmeans import KMeans
from dalenius.learning.knorm_gradient import KNormGradient
from dalenius.learning.linear import LinearRegression
from dalenius.learning.logistic import LogisticRegression
from dalenius.learning.naive_bayes import NaiveBayes
from dalenius.learning.objective import ObjectivePerturbation
from dalenius.learning.pca import PCA
from dalenius.learning.poisson import PoissonRegression
from dalenius.learning.scaler import Scaler
from dalenius.learning.search import PrivateSearch
from dalenius.learning.selection import PrivateSelection
from dalenius.learning.sgd import DPSGD
from dalenius.learning.stated import StatedLoss
from dalenius.learning.subsample_aggregate import SubsampleAggregate
from dalenius.learning.validation import CrossValidation, cross_validate

__all__ = [
    "DPSGD",
    "PCA",
    "Calibrated",
    "CrossValidation",
    "ExponentialERM",
    "GaussianObjective",
    "HuberRegression",
    "KMeans",
    "KNormGradient",
    "LinearRegression",
    "LogisticRegression",
    "NaiveBayes",
    "ObjectivePerturbation",
    "PoissonRegression",
    "PrivateSearch",
    "PrivateSelection",
    "Scaler",
    "StatedLoss",
    "SubsampleAggregate",
    "cross_validate",
]
