"""What every suite of these assistants has in common: settings, a plan, a run, a report's head."""
