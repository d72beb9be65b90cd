import pytest

import dalenius.learning.torch as package

pytestmark = pytest.mark.torch


def test_what_is_exported_is_there():
    assert set(package.__all__) == {"DPSGD", "MissingTorch", "Step"}
    assert all(hasattr(package, name) for name in package.__all__)
