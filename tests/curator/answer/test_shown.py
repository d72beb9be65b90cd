import json

import pytest

from dalenius.curator import Arrangement, Order, Shown, ShownKey
from dalenius.curator.answer.shown import item_of
from dalenius.curator.formula import Cell, Compare, Number
from dalenius.errors import InvalidParameter

N = Shown("n", Cell("n"))


@pytest.mark.parametrize("item", [N, ShownKey("k", 1)])
def test_a_column_of_an_answer_comes_back_from_json(item):
    assert item_of(json.loads(json.dumps(item.to_dict()))) == item


def test_an_arrangement_comes_back_from_json():
    arranged = Arrangement(Compare(">", Cell("n"), Number(3)), (Order(N, True, True), Order(ShownKey("k", 0))), 5, 2)
    assert Arrangement.from_dict(json.loads(json.dumps(arranged.to_dict()))) == arranged


@pytest.mark.parametrize("bad", [-1, 1.5, True])
def test_a_limit_is_a_whole_number(bad):
    with pytest.raises(InvalidParameter):
        Arrangement(limit=bad)


def test_rows_may_be_named_one_by_one_and_then_by_nothing_else():
    named = Arrangement(rows=(2, 0))
    assert Arrangement.from_dict(json.loads(json.dumps(named.to_dict()))) == named
    assert "rows" not in Arrangement(limit=3).to_dict()  # what was stored before reads as it did
    for other in ({"limit": 1}, {"offset": 1}, {"order": (Order(N),)}, {"having": Cell("n")}):
        with pytest.raises(InvalidParameter, match="one by one"):
            Arrangement(rows=(1,), **other)
