"""`python -m understudy.cli`."""

from understudy.cli._main import main

main()
