"""Where a network computes, and in which precision."""

import torch

from rummy_env.errors import ArgumentError


def find_device(name: str) -> torch.device:
    """The device of a name; ``"auto"`` is a GPU where there is one; `ArgumentError` if PyTorch knows none of it."""
    try:
        return torch.device(("cuda" if torch.cuda.is_available() else "cpu") if name == "auto" else name)
    except RuntimeError as error:
        raise ArgumentError(f"device={name!r}: expected 'cpu', 'cuda' or 'auto'") from error


def computes_in_bf16(choice: str, device: torch.device) -> bool:
    """Whether layers compute in bfloat16: ``"yes"``, ``"no"``, or ``"auto"`` where the processor is faster at it.

    Raises:
        ArgumentError: It is none of the three.
    """
    if choice not in ("yes", "no", "auto"):
        raise ArgumentError(f"bf16={choice!r}: expected 'yes', 'no' or 'auto'")
    if choice != "auto":
        return choice == "yes"
    if device.type == "cuda":
        return torch.cuda.is_bf16_supported()
    return bool(getattr(torch.cpu, "_is_avx512_bf16_supported", lambda: False)())
