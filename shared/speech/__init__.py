"""Callers' voices: text in, 24 kHz speech with its known truth out."""
