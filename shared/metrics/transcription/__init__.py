"""What the service made of the caller's words, against what the caller said."""
