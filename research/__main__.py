"""`python -m research`: the papers' experiments from a clone."""

from research._cli import main

main()
