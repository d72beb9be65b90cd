import sys

import pytest

from dalenius.learning.torch import MissingTorch
from dalenius.learning.torch.library import torch as lazy

pytestmark = pytest.mark.torch


def test_the_library_is_the_library():
    import torch

    assert lazy.nn is torch.nn


def test_without_it_the_remedy_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingTorch, match=r"dalenius\[torch\]"):
        lazy.nn  # noqa: B018
