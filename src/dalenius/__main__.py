"""`python -m dalenius` is the command line."""

from dalenius.cli import main

main()
