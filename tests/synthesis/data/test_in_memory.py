import pytest

from dalenius.errors import InvalidParameter
from dalenius.noise import Bits
from dalenius.queries import Table, View
from dalenius.statistics import count
from dalenius.synthesis.data.in_memory import InMemory, table_of


class Engine(View):
    def table(self, names):
        return Table.of({name: [1, 2, 3] for name in names})


def test_columns_come_from_a_table_or_from_an_engine():
    held = Table.of({"a": [1]})
    assert table_of(held, ["a"]) is held
    assert table_of(Engine(), ["a", "a", "b"]).column("b").tolist() == [1, 2, 3]
    with pytest.raises(InvalidParameter):
        table_of(View(), ["a"])


def test_a_plan_costs_the_same_in_memory():
    plan = count(epsilon=9)
    held = InMemory(plan, ("a",))
    assert held.guarantee == plan.guarantee
    assert held.fingerprint != plan.fingerprint
    assert abs(held.run(Engine(), Bits()).columns[0].cells[0] - 3) < 20
