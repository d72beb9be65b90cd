"""The calls that outside checks rely on keep their names and parameters."""

import importlib
import inspect
from typing import Any

import pytest

# call -> names of its parameters: "*" before keyword-only ones, "=" after those with a default
PINNED: dict[str, str] = {
    "dalenius.audit.lower_bound": (
        "mechanism, x, x2, *, claim=, draws=, alpha=, delta=, relation=, seconds=, trees=, bits=, progress="
    ),
    "dalenius.connect": (
        "data=, *, policy=, ledger, analyst=, unit=, budget=, bounds=, keys=, null_keys=, contributions=, "
        "columns=, table=, fill=, "
        "version=, dataset=, settings=, tables=, public=, references=, attributes=, bounding_share=, rowwise_view=, "
        "rows_per_unit=, formats=, most_rows=, limits=, units=, sample=, as_of=, weight=, key=, certificates=, "
        "allow_http=, patience="
    ),
    "dalenius.curator.Curator": (
        "data, *, unit, ledger, dataset, analyst=, bits=, table=, version=, bounds=, keys=, contributions=, rows="
    ),
    "dalenius.curator.Curator.release": "self, plan, key=, *, fresh=, text=, purpose=, label=",
    "dalenius.curator.Release.accuracy": "self, beta",
    "dalenius.curator.Release.interval": "self, level, joint=",
    "dalenius.guarantees.GDP": "mu, relation=",
    "dalenius.guarantees.GDP.amplify": "self, sampling",
    "dalenius.guarantees.GDP.epsilon_interval": "self, delta, rtol=",
    "dalenius.guarantees.PoissonSampling": "rate",
    "dalenius.guarantees.PureDP": "epsilon, relation=",
    "dalenius.guarantees.PureDP.delta": "self, epsilon",
    "dalenius.guarantees.PureDP.epsilon": "self, delta=",
    "dalenius.guarantees.PureDP.repeat": "self, times",
    "dalenius.learning.LogisticRegression": (
        "epsilon=, *, relation=, ledger=, dataset=, curator=, bits=, bounds=, delta=, fit_intercept=, n_public=, "
        "largest_weight=, row_norm=, method=, classes=, C=, class_weight=, l1_ratio=, standard_errors=, coef_bounds="
    ),
    "dalenius.ledger.Ledger.create": "self, name, epsilon, delta=, *, unit, relation=, filter=, sample=",
    "dalenius.ledger.Ledger.entries": "self, name",
    "dalenius.ledger.Ledger.open": "path, encryption_key=",
    "dalenius.ledger.Ledger.remaining": "self, name, analyst=",
    "dalenius.ledger.Ledger.reserve": (
        "self, guarantee, *, dataset, unit, analyst=, blocks=, key=, fingerprint=, label=, interactive=, fresh=, "
        "text=, purpose="
    ),
    "dalenius.ledger.Ledger.verify": "self, head=",
    "dalenius.mechanisms.CATALOG": "a tuple",
    "dalenius.mechanisms.Gaussian": "scale, lattice=",
    "dalenius.mechanisms.calibrate": "mechanism, sensitivity, *, epsilon=, delta=, rho=, mu=, error=, beta=",
    "dalenius.neighbors.Sensitivity": "value, metric",
    "dalenius.noise.Bits": "",
    "dalenius.noise.DiscreteLaplace": "scale",
    "dalenius.noise.DiscreteLaplace.sample": "self, bits, size",
    "dalenius.sql.Session.sql": (
        "self, query, *, epsilon=, delta=, groups=, min_units=, key=, prepared=, within=, of=, confidence=, "
        "max_epsilon=, purpose=, fresh=, profile="
    ),
}


def find(call: str) -> Any:
    """The object that a dotted name means, or None."""
    parts = call.split(".")
    for cut in range(len(parts) - 1, 0, -1):
        try:
            found: Any = importlib.import_module(".".join(parts[:cut]))
        except ModuleNotFoundError:
            continue
        for name in parts[cut:]:
            found = getattr(found, name, None)
        return found
    return None


def shape(thing: Any) -> str:
    """Names, kinds and defaults of the parameters; types and the values of defaults may change."""
    if isinstance(thing, tuple):
        return "a tuple"
    words: list[str] = []
    keyword_only = False
    for parameter in inspect.signature(thing).parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and not keyword_only:
            keyword_only = True
            words.append("*")
        stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
        keyword_only = keyword_only or stars == "*"
        words.append(stars + parameter.name + ("=" if parameter.default is not parameter.empty else ""))
    return ", ".join(words)


@pytest.mark.parametrize("call", sorted(PINNED))
def test_call_has_the_pinned_parameters(call):
    found = find(call)
    assert found is not None, f"{call} is gone"
    assert shape(found) == PINNED[call]


def test_a_changed_signature_is_seen():
    def release(self, plan, *, key=None): ...

    assert shape(release) != PINNED["dalenius.curator.Curator.release"]
    assert find("dalenius.no_such_package.thing") is None
    assert find("dalenius.guarantees.PureDP.no_such_method") is None
