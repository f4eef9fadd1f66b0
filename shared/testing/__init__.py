"""Both ends of a dialect joined in memory."""
