"""One spoken request to one participant."""
