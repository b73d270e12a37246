"""The faces that reinforcement-learning libraries know, all thin over `rummy_env.game` and `rummy_env.engine`."""

AEC_ENVS = {
    "rummy/contract_rummy-v0": "rummy_env.contract_rummy_v0",
    "rummy/basic_rummy-v0": "rummy_env.basic_rummy_v0",
}
"""PettingZoo id → module that offers `env` and `raw_env`."""

SEAT_ENVS = {
    "rummy/ContractRummy-v0": "contract_rummy",
    "rummy/BasicRummy-v0": "basic_rummy",
}
"""Gymnasium id → preset of its rules."""


def register() -> None:
    """Enter `SEAT_ENVS` into Gymnasium's registry, and `AEC_ENVS` into PettingZoo's where it has one (from 1.27 on).

    Entry points are strings: no environment is imported before somebody makes one. Calling it again is harmless.
    """
    import gymnasium
    import pettingzoo  # type: ignore[import-untyped]

    for env_id, variant in SEAT_ENVS.items():
        if env_id not in gymnasium.registry:
            gymnasium.register(
                id=env_id,
                entry_point="rummy_env.envs.single:SeatEnv",
                vector_entry_point="rummy_env.envs.vector:SeatVectorEnv",
                kwargs={"variant": variant},
            )
    if not hasattr(pettingzoo, "aec_registry"):
        return
    for env_id, module in AEC_ENVS.items():
        if env_id not in pettingzoo.aec_registry:
            pettingzoo.register("aec", env_id, entry_point=f"{module}:env")
