"""Where PyTorch is not installed its tests are not collected: `make test-torch` runs them."""

import importlib.util

collect_ignore_glob = [] if importlib.util.find_spec("torch") else ["test_*.py"]

if importlib.util.find_spec("torch"):
    import torch

    torch.set_num_threads(1)
