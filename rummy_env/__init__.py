"""Reinforcement-learning environments of the rummy card-game family."""

from rummy_env.actions import Action, ActionLayout
from rummy_env.envs import register
from rummy_env.game import DealSummary, Game
from rummy_env.observation import ObservationLayout
from rummy_env.rules import RuleSet

__all__ = ["Action", "ActionLayout", "DealSummary", "Game", "ObservationLayout", "RuleSet"]

register()
