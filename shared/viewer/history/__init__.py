"""The course of an attempt from the files that older and foreign runs left behind."""
