"""RUN: a simulated caller and an assistant in a continuous conversation."""
