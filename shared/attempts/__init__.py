"""Everything attempts of all tiers have in common, from scenario to row."""
