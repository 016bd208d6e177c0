"""Hostile clients of a relay, and the checks that it survives them."""
