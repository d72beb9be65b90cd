"""What an estimator must have been before it predicts: fitted, on features like these."""

from typing import Any

from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted, validate_data

from dalenius.errors import InvalidParameter
from dalenius.learning.data.rows import Matrix, matrix


class NotFitted(InvalidParameter, NotFittedError):  # type: ignore[misc]
    """It was asked before it was fitted; scikit-learn knows this error as its own."""


def check_fitted(estimator: Any) -> None:
    """Refuse an estimator that has not been fitted."""
    try:
        check_is_fitted(estimator)
    except NotFittedError:
        name = type(estimator).__name__
        refusal = NotFitted(f"this {name} is not fitted yet: call fit(…) first, and use what it returns")
    else:
        return
    raise refusal


def features_of(estimator: Any, X: Any, reset: bool) -> Matrix:
    """The features as floats; their names and number are noted, or compared with those of the fit."""
    features = matrix(X)
    if not reset:
        check_fitted(estimator)
    try:
        validate_data(estimator, X if hasattr(X, "columns") else features, reset=reset, skip_check_array=True)
    except ValueError as wrong:  # it holds names and numbers of features, which are public, and no row
        refusal = InvalidParameter(f"{wrong}".rstrip() + "\nGive the columns that it was fitted on, in their order.")
    else:
        if features.shape[1] == 0:
            raise InvalidParameter(f"0 feature(s) (shape={features.shape}) while a minimum of 1 is required.")
        return features
    raise refusal
