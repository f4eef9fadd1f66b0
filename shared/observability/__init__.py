"""What happened: observations, evidence, timeline, trace."""
