"""Adapters for libraries that need more than a recipe (see `docs/integrations`)."""
