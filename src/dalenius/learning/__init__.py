"""Private learning as scikit-learn estimators: each fit is a plan, priced before data is read."""

from dalenius.learning.data.training_data import TrainingData, from_frame, from_sql
from dalenius.learning.estimators.check import Pipeline, check
from dalenius.learning.estimators.exponential_erm import ExponentialERM
from dalenius.learning.estimators.huber import HuberRegression
from dalenius.learning.estimators.huber_svm import HuberSVM
from dalenius.learning.estimators.kmeans import KMeans
from dalenius.learning.estimators.knorm_gradient import KNormGradient
from dalenius.learning.estimators.knorm_logistic import KNormLogistic
from dalenius.learning.estimators.linear import LinearRegression
from dalenius.learning.estimators.logistic import LogisticRegression
from dalenius.learning.estimators.naive_bayes import NaiveBayes
from dalenius.learning.estimators.pca import PCA
from dalenius.learning.estimators.poisson import PoissonRegression
from dalenius.learning.estimators.scaler import Scaler
from dalenius.learning.estimators.search import PrivateSearch
from dalenius.learning.estimators.selection import PrivateSelection
from dalenius.learning.estimators.sgd import DPSGD
from dalenius.learning.estimators.subsample_aggregate import SubsampleAggregate
from dalenius.learning.estimators.validation import CrossValidation, cross_validate
from dalenius.learning.plans.calibrated import Calibrated
from dalenius.learning.plans.gaussian_objective import GaussianObjective
from dalenius.learning.plans.objective import ObjectivePerturbation
from dalenius.learning.sums.loss_bounds import StatedLoss

__all__ = [
    "DPSGD",
    "PCA",
    "Calibrated",
    "CrossValidation",
    "ExponentialERM",
    "GaussianObjective",
    "HuberRegression",
    "HuberSVM",
    "KMeans",
    "KNormGradient",
    "KNormLogistic",
    "LinearRegression",
    "LogisticRegression",
    "NaiveBayes",
    "ObjectivePerturbation",
    "Pipeline",
    "PoissonRegression",
    "PrivateSearch",
    "PrivateSelection",
    "Scaler",
    "StatedLoss",
    "SubsampleAggregate",
    "TrainingData",
    "check",
    "cross_validate",
    "from_frame",
    "from_sql",
]
