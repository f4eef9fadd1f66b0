"""Audio as samples: frames, pacing, placement, recordings and speech detection."""
