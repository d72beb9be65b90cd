"""Private training of networks (extra `torch`): any module that does not mix examples, priced before data is read."""

from dalenius.learning.torch.library import MissingTorch
from dalenius.learning.torch.sgd import DPSGD
from dalenius.learning.torch.training import Step

__all__ = ["DPSGD", "MissingTorch", "Step"]
