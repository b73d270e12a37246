"""Pictures of a game, from what `Game.to_dict` tells and nothing else."""
