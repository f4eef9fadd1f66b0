"""Provider-managed delegation."""
