"""Scripted players, one file each, from random to search: opponents to train against and rungs to measure on.

Each decides on a view of what its seat may see (see `rummy_env.engine.policies`). `rummy_env.load_agent` finds them by
name: ``"greedy"``, ``"planner:outs=0.5"``.
"""
