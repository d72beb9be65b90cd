import numpy as np
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    PolynomialFeatures,
    StandardScaler,
)

from dalenius.errors import UnprovenClaim
from dalenius.learning import PCA, LogisticRegression, Pipeline, Scaler, check

MODEL = LogisticRegression(1, bounds=(-1, 1), classes=[0, 1])
X = np.random.default_rng(0).uniform(-1, 1, (60, 2))
Y = (X[:, 0] > 0).astype(int)

SOUND = [
    MODEL,
    make_pipeline(Scaler(bounds=(0, 1)), MODEL),
    make_pipeline(Normalizer(), FunctionTransformer(), PolynomialFeatures(2), "passthrough", MODEL),
    make_pipeline(PCA(1, 1, bounds=(-1, 1)), MODEL),
    make_pipeline(ColumnTransformer([("a", OneHotEncoder(categories=[[0, 1]]), [0]), ("b", "drop", [1])]), MODEL),
    make_pipeline(FeatureUnion([("a", Scaler(bounds=(0, 1))), ("b", "passthrough")]), MODEL),
]
LEAKING = [
    make_pipeline(StandardScaler(), MODEL),
    make_pipeline(Scaler(bounds=(0, 1)), MinMaxScaler(), MODEL),
    make_pipeline(ColumnTransformer([("a", OneHotEncoder(), [0])]), MODEL),
    make_pipeline(FeatureUnion([("a", StandardScaler())]), MODEL),
    GridSearchCV(MODEL, {"epsilon": [1, 2]}),
    RandomizedSearchCV(make_pipeline(Scaler(bounds=(0, 1)), MODEL), {}),
    make_pipeline(make_pipeline(StandardScaler()), MODEL),
    object(),
]


@pytest.mark.parametrize("model", SOUND, ids=range(len(SOUND)))
def test_what_learns_nothing_exactly_passes(model):
    check(model)


@pytest.mark.parametrize("model", LEAKING, ids=range(len(LEAKING)))
def test_what_reads_rows_exactly_is_refused_with_a_remedy(model):
    with pytest.raises(UnprovenClaim, match=r"use learning\.(Scaler|PrivateSearch)"):
        check(model)


def test_a_pipeline_of_this_package_refuses_before_it_reads():
    for method in ("fit", "fit_transform", "fit_predict"):
        with pytest.raises(UnprovenClaim, match="StandardScaler"):
            getattr(Pipeline([("a", StandardScaler()), ("b", MODEL)]), method)(X, Y)
    sound = Pipeline([("a", Scaler(bounds=(-1, 1))), ("b", MODEL)]).fit(X, Y)
    assert sound.predict(X).shape == (60,)


def test_a_fit_inside_of_what_leaks_warns():
    with pytest.warns(UserWarning, match="StandardScaler is fitted to private rows exactly"):
        make_pipeline(StandardScaler(), MODEL).fit(X, Y)
    with pytest.warns(UserWarning, match="exact scores"):
        GridSearchCV(MODEL, {"epsilon": [1]}, cv=2).fit(X, Y)


def test_a_fit_says_whether_it_was_charged():
    assert MODEL.fit(X, Y).charged_to_.startswith("no ledger")
