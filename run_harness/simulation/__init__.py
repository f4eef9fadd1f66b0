"""The simulated caller, and what watches over a conversation with it."""
