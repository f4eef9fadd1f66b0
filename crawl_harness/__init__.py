"""CRAWL: one synthesized spoken request."""
