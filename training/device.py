"""Where a network computes, and in which precision."""

import torch


def find_device(name: str) -> torch.device:
    """The device of a name; ``"auto"`` is a GPU where there is one."""
    return torch.device(("cuda" if torch.cuda.is_available() else "cpu") if name == "auto" else name)


def computes_in_bf16(choice: str, device: torch.device) -> bool:
    """Whether layers compute in bfloat16: ``"yes"``, ``"no"``, or ``"auto"`` where the processor is faster at it."""
    if choice != "auto":
        return choice == "yes"
    if device.type == "cuda":
        return torch.cuda.is_bf16_supported()
    return bool(getattr(torch.cpu, "_is_avx512_bf16_supported", lambda: False)())
