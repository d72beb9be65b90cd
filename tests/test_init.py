import pytest

import dalenius
from dalenius.sql import connect


def test_connect_is_loaded_when_it_is_asked_for():
    assert dalenius.connect is connect


def test_no_other_name_appears():
    with pytest.raises(AttributeError, match="conect"):
        _ = dalenius.conect
