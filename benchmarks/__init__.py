"""Measurements of speed, run as modules from the root of the repository."""
