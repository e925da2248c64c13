"""`python -m relmap` is the command."""

from relmap.cli import main

main()
