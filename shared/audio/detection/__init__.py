"""Speech detectors: PCM in, voiced spans out."""
