"""Everything that releases is audited: mechanisms always, statistics, SQL and estimators in the long run.

A public name that is neither audited nor said to release nothing fails here, so new code has its audit from the start.
"""

import inspect
from dataclasses import replace

import pytest

from dalenius import audit, learning, local, statistics
from dalenius.audit.bound import draws_missing
from dalenius.mechanisms import CATALOG, MonotoneSparseVector, SparseVector
from tests.contracts.audited import learning as estimators
from tests.contracts.audited import local as protocols
from tests.contracts.audited import sql
from tests.contracts.audited import statistics as stats
from tests.contracts.audited import synthesis as copies

ALPHA = 1e-9
"""Of one audit: a sound suite of a hundred of them fails with probability 1e-7."""
DRAWS = 240


def answers(entry):
    """What a catalog's mechanism is released on: a vector of answers, or the one utility that some take."""
    if entry.mechanism.name in ("exponential on an interval", "quantile", "quantiles"):
        return tuple(answer[0] for answer in entry.neighbors)
    return entry.neighbors


@pytest.mark.parametrize("entry", CATALOG, ids=lambda entry: entry.label)
def test_every_mechanism_of_the_catalog_keeps_its_claim(entry):
    claim = entry.mechanism.guarantee(entry.sensitivity, entry.relation)
    assert draws_missing(claim, DRAWS, ALPHA) is None
    report = audit.lower_bound(entry.mechanism, *answers(entry), claim=claim, draws=DRAWS, alpha=ALPHA, trees=False)
    assert not report.notes
    assert not report.rejects, report


def audit_passes(case):
    assert draws_missing(case.claim, case.draws, ALPHA) is None
    report = audit.lower_bound(case.run, case.x, case.x2, claim=case.claim, draws=case.draws, alpha=ALPHA, trees=False)
    assert not report.notes, report
    assert not report.rejects, report


@pytest.mark.long
@pytest.mark.parametrize("case", stats.STATISTICS, ids=lambda case: case.name)
def test_every_statistic_keeps_its_claim(case):
    audit_passes(case)


@pytest.mark.long
@pytest.mark.parametrize("name", sql.QUESTIONS)
def test_every_kind_of_question_keeps_its_claim(name, tmp_path):
    audit_passes(sql.audited(tmp_path, name))


@pytest.mark.long
@pytest.mark.parametrize("name", [*estimators.FITTED, *estimators.VARIANTS, *estimators.OF_PEOPLE, *estimators.ALSO])
def test_every_estimator_keeps_its_claim(name):
    audit_passes(estimators.audited(name))


@pytest.mark.long
@pytest.mark.parametrize("case", copies.SYNTHESIS, ids=lambda case: case.name)
def test_everything_that_synthesis_releases_keeps_its_claim(case):
    audit_passes(case)


@pytest.mark.long
def test_multiplicative_weights_whose_counts_are_free_are_caught():
    """A run that pays for a fiftieth of what it says."""
    loud = copies.conjunctions.multiplicative_weights(copies.UNIVERSE, epsilon=50, updates=2, threshold="0.2")
    case = next(case for case in copies.SYNTHESIS if case.name == "multiplicative weights")
    with pytest.raises(AssertionError):
        audit_passes(replace(case, run=lambda data: copies.weights(loud, data), draws=2000))


@pytest.mark.parametrize("name", protocols.PROTOCOLS)
def test_every_local_protocol_keeps_its_claim(name):
    audit_passes(protocols.audited(name, 240))


def test_a_local_protocol_with_a_louder_coin_is_caught():
    case = protocols.audited("Frequency", 4000)
    loud = local.Frequency(5, 3)
    with pytest.raises(AssertionError):
        audit_passes(replace(case, run=lambda value: list(loud.randomize(loud.encode(value), protocols.BITS))))


def test_no_local_protocol_lacks_an_audit():
    assert set(local.__all__) == set(protocols.PROTOCOLS) | protocols.NOT_A_REPORT
    reporting = {name for name in local.__all__ if hasattr(getattr(local, name), "randomize_many")}
    assert reporting - {"Client", "Protocol"} == set(protocols.PROTOCOLS)


def test_no_statistic_lacks_an_audit():
    assert set(statistics.__all__) == set(stats.PLANS) | stats.NOT_A_RELEASE


def test_no_estimator_lacks_an_audit():
    audited = set(estimators.FITTED) | estimators.ALSO
    assert audited.isdisjoint(estimators.NOT_FITTED)
    assert set(learning.__all__) == audited | estimators.NOT_FITTED
    fitting = {name for name in learning.__all__ if hasattr(getattr(learning, name), "fit")}
    assert fitting - {"Scaler", "Pipeline"} <= audited


def test_a_name_without_an_audit_would_be_seen(monkeypatch):
    monkeypatch.setattr(statistics, "__all__", [*statistics.__all__, "skewness"])
    with pytest.raises(AssertionError):
        test_no_statistic_lacks_an_audit()


def test_a_statistic_that_pays_for_half_is_caught():
    case = next(case for case in stats.STATISTICS if case.name == "count")
    cheap = replace(case, claim=stats.statistics.count(epsilon="0.3").guarantee, draws=4000)
    with pytest.raises(AssertionError):
        audit_passes(cheap)


def test_the_audits_run_what_a_caller_runs():
    assert inspect.signature(stats.PLANS["count"].run).parameters.keys() == {"view", "bits"}
    assert {SparseVector, MonotoneSparseVector} <= {type(entry.mechanism) for entry in CATALOG}
