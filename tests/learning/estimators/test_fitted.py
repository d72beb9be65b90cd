import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from dalenius.errors import DaleniusError, InvalidParameter
from dalenius.learning import LinearRegression
from dalenius.learning.estimators.fitted import NotFitted, check_fitted, features_of

X = np.linspace(-1, 1, 20).reshape(10, 2)


def model():
    return LinearRegression(epsilon=1, bounds=(-1, 1), target_bounds=(0, 1))


def test_before_the_fit_it_is_an_error_of_ours_and_of_scikit_learn():
    for kind in (DaleniusError, NotFittedError, NotFitted):
        with pytest.raises(kind, match=r"call fit\(…\) first"):
            check_fitted(model())
    check_fitted(model().fit(X, X[:, 0]))


def test_features_of_another_number_are_refused_and_their_values_not_shown():
    fitted = model().fit(X, X[:, 0])
    assert features_of(fitted, X, reset=False).shape == X.shape
    with pytest.raises(InvalidParameter, match=r"(?s)is expecting 2 features.*fitted on") as refusal:
        features_of(fitted, np.full((3, 1), 86420.0), reset=False)
    assert "86420" not in str(refusal.value)
    with pytest.raises(InvalidParameter, match="0 feature"):
        features_of(model(), np.zeros((3, 0)), reset=True)
