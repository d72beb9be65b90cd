"""Features scaled by declared bounds."""

from typing import Any, Self

from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin

from dalenius.learning.data.box import Box
from dalenius.learning.data.rows import Matrix
from dalenius.learning.estimators.fitted import features_of


class Scaler(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Features moved into their declared bounds, and those mapped to [−1, 1]; NaN is 0.

    It learns nothing from rows, so it costs nothing; scikit-learn's scalers take means and extremes of private data.

    >>> Scaler(bounds=(0, 100)).fit([[30]]).transform([[50], [1000]]).ravel().tolist()
    [0.0, 1.0]
    """

    def __init__(self, bounds: Any = None) -> None:
        self.bounds = bounds

    def fit(self, X: Any, y: Any = None) -> Self:
        """Note the number and names of features; rows are not looked at."""
        self._features(X, reset=True)
        Box.declare(self.bounds, self.n_features_in_)
        return self

    def transform(self, X: Any) -> Matrix:
        """Each feature in [−1, 1]."""
        return Box.declare(self.bounds, self.n_features_in_).scaled(self._features(X, reset=False))

    def inverse_transform(self, X: Any) -> Matrix:
        """Features in their own units again."""
        features = self._features(X, reset=False)
        box = Box.declare(self.bounds, self.n_features_in_)
        held: Matrix = features * box.half + box.middle
        return held

    def _features(self, X: Any, reset: bool) -> Matrix:
        return features_of(self, X, reset)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.requires_fit = True
        return tags
