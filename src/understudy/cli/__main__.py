"""`python -m understudy.cli`."""

from understudy.cli._start import main

main()
