"""Parameters that many estimators share, each stated and explained once.

An estimator is a dataclass whose fields are its parameters: the generated `__init__` keeps each as it is given and has
them all in its signature, which is what scikit-learn reads.
"""

from dataclasses import dataclass
from typing import Any

from dalenius.neighbors import Relation


@dataclass(eq=False, repr=False, kw_only=True)
class ChargedParameters:
    """Who is protected, and what every fit is charged to.

    relation           "add-remove", or "change-one", which makes the number of rows public
    ledger, dataset    the durable budget that every fit, also of clones, is charged to, and its data set's name
    curator            what is charged instead of a ledger: a session, or a curator
    bits               the source of randomness; left out, the secure one
    """

    relation: Relation | str = "add-remove"
    ledger: Any = None
    dataset: str | None = None
    curator: Any = None
    bits: Any = None


@dataclass(eq=False, repr=False, kw_only=True)
class BoundedParameters(ChargedParameters):
    """Also where the features lie.

    bounds   (lower, upper) of the features, numbers or one for each; from public knowledge
    """

    bounds: Any = None


@dataclass(eq=False, repr=False, kw_only=True)
class LinearParameters(BoundedParameters):
    """Also what models of linear predictors take.

    delta           0, or the δ of (ε, δ), with which Gaussian noise is drawn
    fit_intercept   whether there is a constant beside the features
    n_public        the number of rows, if it is public; left out, a private count takes a fiftieth of the budget
    largest_weight  of `sample_weight`, declared: larger weights count as it
    """

    delta: float = 0.0
    fit_intercept: bool = True
    n_public: int | None = None
    largest_weight: float = 1.0


@dataclass(eq=False, repr=False, kw_only=True)
class PerturbedParameters(LinearParameters):
    """Also what fits by objective perturbation take.

    row_norm   the largest length of a row whose features are mapped to [−1, 1]; longer rows are shrunk, in `fit` and in
               `predict`. Left out, it follows from the bounds
    method     "auto"; "objective"; or "descent", few steps of held slopes while rows are few, which needs a delta
    """

    row_norm: float | None = None
    method: str = "auto"
