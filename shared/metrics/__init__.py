"""Pure functions from a timeline to numbers. Contract v2."""
