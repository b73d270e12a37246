"""What all tests share: an engine that is compiled once, before parallel workers would each compile it."""

import os

import pytest

from rummy_env import Game

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")  # windows without a display


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    if not hasattr(session.config, "workerinput"):
        game = Game()
        game.observation(0)
        game.apply(game.legal_actions()[0])
        game.deal_rewards()
        game.determinize(0, seed=0)
