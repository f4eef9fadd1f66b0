"""The GPT Live dialect."""
