from pathlib import Path

import pytest

from dalenius.errors import InvalidParameter
from dalenius.ledger import Ledger
from dalenius.ledger.place import open_store


def test_a_path_and_its_url_are_the_same_ledger(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Ledger.open("x.ledger").create("people", epsilon=1, unit="row")
    for place in ("sqlite:///x.ledger", f"sqlite:///{tmp_path}/x.ledger", tmp_path / "x.ledger"):
        assert Ledger.open(place).datasets() == ["people"]
    assert [file.name for file in tmp_path.iterdir() if file.suffix == ".ledger"] == ["x.ledger"]


def test_another_store_is_refused_by_name_without_its_password():
    with pytest.raises(InvalidParameter, match=r"postgresql://.*sqlite:///path") as refusal:
        open_store("postgresql://owner:secret@host/ledger")
    assert "secret" not in str(refusal.value)


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///", "sqlite://host/x.ledger", "sqlite:///x.ledger?mode=memory"])
def test_a_url_without_a_path_is_refused(url):
    with pytest.raises(InvalidParameter, match="sqlite:///path"):
        open_store(url)


@pytest.mark.parametrize("place", [":memory:", Path(":memory:"), "sqlite:///:memory:", "sqlite://:memory:", ":MEMORY:"])
def test_a_ledger_in_memory_is_refused_with_what_to_give(tmp_path, monkeypatch, place):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidParameter, match=r'would forget what was spent: give the path .* "people\.ledger"'):
        open_store(place)
    assert list(tmp_path.iterdir()) == []
