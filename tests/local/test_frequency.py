import json
from fractions import Fraction

import numpy as np
import pytest

from dalenius.errors import DaleniusError
from dalenius.guarantees import PureDP
from dalenius.local import Frequency
from dalenius.local.oracles import KAryResponse
from dalenius.neighbors import Relation


def test_the_best_oracle_is_taken_unless_one_is_named():
    assert Frequency(1024, 1).oracle.name == "projective geometry response"
    assert Frequency(1024, 1, "local hashing").oracle.name == "local hashing"
    assert Frequency(1024, 1, KAryResponse).oracle == KAryResponse(1024, 1)


@pytest.mark.theorem("A Rem 4.4", "A Ex 4.2")
def test_a_local_guarantee_is_a_central_one_for_change_one():
    assert Frequency(3, 0.7).guarantee() == PureDP(0.7, Relation.CHANGE_ONE)
    assert Frequency(3, 0.7).guarantee(4) == PureDP(2.8, Relation.CHANGE_ONE)
    bit = Frequency(2, 1)  # e^ε/(1 + e^ε) of the truth, over a set of two values: nothing between is accepted
    assert float(bit.oracle.own) == pytest.approx(0.7310585786300049, rel=1e-14)
    pair = KAryResponse(2, Fraction(1))
    assert (float(pair.own), float(pair.other)) == pytest.approx((0.7310585786300049, 0.2689414213699951), rel=1e-14)
    with pytest.raises(DaleniusError):
        bit.client().randomize(0.3)


def test_a_simulation_estimates_the_shares():
    values = np.arange(100_000) % 10
    for kind in ("k-ary response", "hadamard response"):
        estimate = Frequency(10, 2, kind).simulate(values)
        assert np.abs(estimate.shares - 0.1).max() < 7 * estimate.standard_error.max()


def test_facts_are_plain_and_name_the_protocol():
    facts = Frequency(["a", "b", "c"], 1).facts()
    assert json.loads(json.dumps(facts)) == facts
    assert facts["domain"] == ["a", "b", "c"]
    tags = {Frequency(domain, epsilon, kind).format.tag
            for domain in (["a", "b"], ["a", "c"], 2)
            for epsilon in (1, 1.5)
            for kind in ("k-ary response", "hadamard response")}  # fmt: skip
    assert len(tags) == 12


@pytest.mark.parametrize(
    "bad", [("x", 1), (3, 0), (3, -1), (3, float("nan")), (3, 1, "no such"), (3, 1, int), (3, 1, 7)]
)
def test_bad_protocols_are_refused(bad):
    with pytest.raises(DaleniusError):
        Frequency(*bad)
