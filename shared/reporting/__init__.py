"""The portable report and what the terminal says."""
