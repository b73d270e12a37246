"""Training of players on the batch engine: ``python -m training.ppo --config configs/train/basic_2p.yaml``."""
