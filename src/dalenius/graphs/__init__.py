"""Tables whose rows belong to two people: calls, contacts, messages. Edge privacy and node privacy  [A Ex 4.1]."""

from dalenius.graphs.plans import degree_histogram, edge_count, edge_mean, edge_sum
from dalenius.neighbors import Nodes

__all__ = ["Nodes", "degree_histogram", "edge_count", "edge_mean", "edge_sum"]
