"""The library: values, nouns, verbs and doors. It knows no vendor and no suite."""
