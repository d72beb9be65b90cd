"""Private learning as scikit-learn estimators: each fit is a plan, priced before data is read."""

from dalenius.learning.calibrated import Calibrated
from dalenius.learning.linear import LinearRegression
from dalenius.learning.logistic import LogisticRegression
from dalenius.learning.objective import ObjectivePerturbation
from dalenius.learning.stated import StatedLoss

__all__ = ["Calibrated", "LinearRegression", "LogisticRegression", "ObjectivePerturbation", "StatedLoss"]
