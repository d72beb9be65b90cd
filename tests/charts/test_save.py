import pytest

from dalenius.charts import save, trade_off
from dalenius.errors import InvalidParameter
from dalenius.guarantees import PureDP


def test_one_definition_becomes_every_kind_of_file(tmp_path):
    chart = trade_off(PureDP(1))
    starts = {".png": b"\x89PNG", ".svg": b"<svg", ".html": b"<!DOCTYPE", ".json": b"{"}
    for kind, start in starts.items():
        assert save(chart, tmp_path / f"chart{kind}").read_bytes()[: len(start)] == start


def test_other_endings_are_refused(tmp_path):
    with pytest.raises(InvalidParameter, match="saved as"):
        save(trade_off(PureDP(1)), tmp_path / "chart.bmp")
