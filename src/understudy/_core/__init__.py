"""What every room may use: errors and randomness. Imports nothing of ours."""
