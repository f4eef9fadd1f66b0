"""What a caller's voice meets on its way to the assistant: one module per effect, and the chain."""
