"""Dialects: they implement the ports of the library."""
