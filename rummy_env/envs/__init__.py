"""The faces that reinforcement-learning libraries know, all thin over `rummy_env.game` and `rummy_env.engine`."""

AEC_ENVS = {
    "rummy/contract_rummy-v0": "rummy_env.contract_rummy_v0",
    "rummy/basic_rummy-v0": "rummy_env.basic_rummy_v0",
}
"""PettingZoo id → module that offers `env` and `raw_env`."""


def register() -> None:
    """Enter `AEC_ENVS` into PettingZoo's registry, where the installed PettingZoo has one (1.27 and later).

    Entry points are strings: no environment is imported before somebody makes one. Calling it again is harmless.
    """
    import pettingzoo  # type: ignore[import-untyped]

    if not hasattr(pettingzoo, "aec_registry"):
        return
    for env_id, module in AEC_ENVS.items():
        if env_id not in pettingzoo.aec_registry:
            pettingzoo.register("aec", env_id, entry_point=f"{module}:env")
