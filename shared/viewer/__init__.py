"""The page of a saved run: a view is taken from its files, and from the view a page is made."""
