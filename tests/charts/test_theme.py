import builtins

import pytest

from dalenius.charts.theme import PALETTE, MissingCharts, altair, colors
from dalenius.errors import DaleniusError


def test_without_altair_the_remedy_is_named(monkeypatch):
    real = builtins.__import__

    def missing(name, *rest):
        if name == "altair":
            raise ImportError
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(MissingCharts, match=r"dalenius\[charts\]"):
        altair()
    assert issubclass(MissingCharts, DaleniusError)


def test_names_get_colors_in_their_order():
    scale = colors(["x", "y"]).to_dict()["scale"]
    assert scale == {"domain": ["x", "y"], "range": list(PALETTE[:2])}
