"""Which modules may be trained: those that cannot mix examples, on the processor, in whole floats."""

from typing import Any

from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.learning.torch.library import torch


def admit(module: Any) -> None:
    """Refuse, by name and with the remedy, what no proof covers.

    Everything else is called under `torch.vmap`, one example at a time: code under it has no way to another example's
    numbers, so a module of one's own needs no list to be on.
    """
    if not isinstance(module, torch.nn.Module):
        raise InvalidParameter(f"module must be a torch.nn.Module, got {type(module).__name__}")
    for path, part in module.named_modules():
        _refuse(path or "the module itself", part)
    kinds = {(p.device.type, p.dtype) for p in module.parameters() if _filled(p)}
    if not kinds:
        raise InvalidParameter("the module has no parameters to train")
    if len(kinds) > 1 or next(iter(kinds)) not in (("cpu", torch.float32), ("cpu", torch.float64)):
        raise UnprovenClaim("all parameters must be on the CPU, in float32 or all in float64: module.cpu().float()")
    if not any(p.requires_grad for p in module.parameters()):
        raise InvalidParameter("no parameter of the module requires a gradient")


def check_arithmetic() -> None:
    """Refuse settings under which a product of matrices errs by more than float32's own rounding."""
    if torch.get_float32_matmul_precision() != "highest":
        raise UnprovenClaim(
            "products of matrices are set to less than float32: torch.set_float32_matmul_precision('highest')"
        )
    for place in (torch.backends.mkldnn, torch.backends.mkldnn.matmul):
        if getattr(place, "fp32_precision", "none") not in ("none", "ieee"):
            raise UnprovenClaim("torch.backends.mkldnn.fp32_precision must be 'ieee': bf16 and tf32 are not covered")


def _refuse(path: str, part: Any) -> None:
    nn = torch.nn
    name = type(part).__name__
    if isinstance(part, nn.modules.batchnorm._BatchNorm):
        raise UnprovenClaim(
            f"{path} is a {name}, which mixes the examples of a batch: no clip of one example's gradient bounds what "
            "that example does to the others. Use torch.nn.GroupNorm or LayerNorm"
        )
    if getattr(part, "track_running_stats", False):
        raise UnprovenClaim(
            f"{path} is a {name} that keeps running statistics of private rows, which no noise covers. "
            "Use track_running_stats=False"
        )
    if isinstance(part, nn.utils.parametrizations._SpectralNorm):
        raise UnprovenClaim(f"{path} is a {name}, which changes buffers as it runs. Remove it, or freeze the weight")


def _filled(parameter: Any) -> bool:
    if isinstance(parameter, torch.nn.parameter.UninitializedParameter):
        raise InvalidParameter("a lazy module has no sizes yet: call it once on public rows")
    return True
