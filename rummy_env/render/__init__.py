"""Pictures of a game, for people."""
