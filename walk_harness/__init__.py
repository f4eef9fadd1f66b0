"""WALK: one recorded spoken request."""
