"""Checks and the one verdict."""
