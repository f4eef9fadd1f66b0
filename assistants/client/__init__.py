"""Delegation managed by the application: its own backend does the work a session hands over."""
