"""``walk-generate-audio``: what to make, from which speech, and the files of it."""
