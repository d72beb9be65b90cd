import pyarrow as pa

from dalenius.sql.plans.cell_weights import weights_by_cell


def test_every_cell_has_its_places_in_whatever_order_they_come():
    found = pa.table({"cell": [2, 0, 2], "place": [5, 1, 0], "weight": [7, 8, 9]})
    told = [(places.tolist(), weights.tolist()) for places, weights in weights_by_cell(found, 4)]
    assert told == [([1], [8]), ([], []), ([5, 0], [7, 9]), ([], [])]


def test_no_rows_and_no_cells_are_nothing():
    none = pa.table({name: pa.array([], pa.int64()) for name in ("cell", "place", "weight")})
    assert list(weights_by_cell(none, 0)) == []
    assert len(list(weights_by_cell(none, 3))) == 3
