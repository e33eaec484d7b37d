"""Hostile input of every kind, from seeds: whatever comes in ends in a result or in one sentence.

`python -m tests.fuzz --kind schema --seed 123` runs one case again and shows what it was.
"""
