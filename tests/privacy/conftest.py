"""Lets the tests of this room import the helpers that all rooms share."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
