import numpy as np
import pytest

import dalenius
from dalenius import graphs, statistics
from dalenius.curator import Curator, Release
from dalenius.errors import DaleniusError, InvalidParameter, LedgerMismatch, MixedRelations, UnprovenClaim
from dalenius.ledger import Ledger
from dalenius.neighbors import Nodes, Unit
from dalenius.noise import Bits
from dalenius.queries import Table

ENDS = ("caller", "callee")


def calls(people=60, rows=300):
    rng = np.random.default_rng(3)
    return {
        "caller": rng.integers(0, people, rows),
        "callee": rng.integers(0, people, rows),
        "minutes": rng.uniform(0, 10, rows),
    }


@pytest.fixture
def curator(tmp_path):
    ledger = Ledger.open(tmp_path / "x.ledger")
    ledger.create("calls", epsilon=10**4, unit=ENDS)
    return Curator(calls(), unit=ENDS, ledger=ledger, dataset="calls")


@pytest.mark.theorem("A Ex 4.1")
def test_every_plan_is_released_for_nodes_and_comes_back_from_the_ledger(curator):
    plans = [
        graphs.edge_count(curator, 40, epsilon=100),
        graphs.degree_histogram(curator, 12, epsilon=100),
        graphs.edge_sum(curator, "minutes", 10, 40, epsilon=100),
        graphs.edge_mean(curator, "minutes", 10, 40, epsilon=100),
    ]
    for plan in plans:
        assert plan.guarantee.sum_form == (100, 0)
        assert "each node, by caller or callee" in str(plan.explain())
        release = curator.release(plan)
        assert release.unit == Nodes(*ENDS)
        again = Release.from_dict(release.to_dict())
        assert (again.value, again.unit) == (release.value, release.unit)
        assert curator.release(plan).value == release.value


def test_the_interval_of_a_mean_holds_the_mean_of_the_edges():
    """Sum and number of edges have one statement together; 60 releases, of which at most 5 % may miss: 16 at 1e-9."""
    data = calls()
    apart = data["caller"] != data["callee"]
    plan = graphs.edge_mean(ENDS, "minutes", 10, 40, epsilon=5)
    truth, missed, widths = float(np.floor(data["minutes"][apart]).mean()), 0, []
    for _ in range(60):
        outcome = plan.run(Table.of(data), Bits())
        ((low, high),) = outcome.interval(outcome.numbers[0], 0.95)
        missed += not low <= truth <= high
        widths.append(high - low)
    assert missed <= 16
    assert np.median(widths) < 9


def test_what_has_no_rule_for_nodes_is_refused_before_anything_is_paid(curator, tmp_path):
    left = curator.budget.epsilon
    asked = [
        lambda: statistics.count(epsilon=1, about=curator),
        lambda: statistics.mean("minutes", (0, 10), epsilon=1, about=curator),
        lambda: statistics.median("minutes", (0, 10), epsilon=1, about=curator),
        lambda: statistics.mode("caller", [1, 2], epsilon=1, about=curator),
        lambda: statistics.count(epsilon=1, unit=ENDS, contributions=3),
        lambda: statistics.subsample_and_aggregate(len, ["minutes"], 3, (0, 1), epsilon=1, version="v", about=curator),
        lambda: statistics.choose([1], len, ["minutes"], 1, epsilon=1, version="v", about=curator),
    ]
    for ask in asked:
        with pytest.raises(UnprovenClaim, match=r"dalenius\.graphs"):
            ask()
    for plan in (statistics.count(epsilon=1), statistics.count(epsilon=1, unit="caller", contributions=1)):
        with pytest.raises(MixedRelations, match="node, by caller or callee"):
            curator.release(plan)
    assert curator.budget.epsilon == left
    with pytest.raises(UnprovenClaim, match=r"SQL has no rule .* dalenius\.graphs"):
        dalenius.connect(_frame(), table="calls", unit=ENDS, budget={"epsilon": 1}, ledger=str(tmp_path / "y.ledger"))


def _frame():
    import pyarrow as pa

    return pa.table(calls())


def test_edges_and_nodes_do_not_share_a_budget(tmp_path):
    ledger = Ledger.open(tmp_path / "z.ledger")
    ledger.create("calls", epsilon=1, unit=Unit.row())
    with pytest.raises(LedgerMismatch):
        ledger.create("calls", epsilon=1, unit=ENDS)
    edges = Curator(calls(), unit="row", ledger=ledger, dataset="calls")
    with pytest.raises(MixedRelations):
        edges.release(graphs.edge_count(ENDS, 3, epsilon=1))
    with pytest.raises(InvalidParameter, match="protects nodes"):
        graphs.edge_count(edges, 3, epsilon=1)
    assert edges.release(statistics.count(epsilon=1, about=edges)).guarantee.sum_form == (1, 0)  # edge privacy: the row
    nodes = Curator(calls(), unit=ENDS, ledger=ledger, dataset="calls")
    with pytest.raises(DaleniusError):
        nodes.release(graphs.edge_count(ENDS, 3, epsilon=1))


@pytest.mark.theorem("A Ex 4.1")
def test_node_privacy_is_far_noisier_than_edge_privacy():
    node = graphs.edge_count(ENDS, 50, epsilon=1).explain().error
    edge = statistics.count(epsilon=1).explain().error
    assert node > 45 * edge
