import inspect
import re
from dataclasses import fields

import pytest
from sklearn.base import clone

from dalenius import learning
from dalenius.learning.estimators.parameters import ChargedParameters, LinearParameters, PerturbedParameters

ESTIMATORS = [
    made
    for made in map(learning.__dict__.get, learning.__all__)
    if inspect.isclass(made) and issubclass(made, ChargedParameters)
]


def test_all_estimators_share_them():
    assert len(ESTIMATORS) >= 14


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_every_parameter_is_explained_and_kept_as_it_is_given(kind):
    """In the estimator's own docstring, in one that it points to, or where the parameter is shared."""
    pages = [base.__doc__ or "" for base in kind.__mro__ if base.__module__.startswith("dalenius.learning")]
    pages += [each.__doc__ for each in (learning.LogisticRegression, learning.LinearRegression, LinearParameters)]
    for name in inspect.signature(kind).parameters:
        assert name == "epsilon" or any(re.search(rf"\b{name}\b", page) for page in pages), name
        marked = object()
        made = kind(**{name: marked})
        assert made.get_params(deep=False)[name] is marked
        if name in ("ledger", "curator", "bits"):
            assert clone(made).get_params(deep=False)[name] is marked


def test_a_shared_parameter_is_stated_once():
    stated = {field.name for field in fields(PerturbedParameters)}
    own = [name for kind in ESTIMATORS for name in inspect.get_annotations(kind) if name in stated]
    assert set(own) <= {"delta", "fit_intercept", "n_public"}  # those without the rest of a linear model's
