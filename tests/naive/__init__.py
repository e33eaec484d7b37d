"""Slow twins: the same answers by the plainest means, sharing no code with what they check."""
