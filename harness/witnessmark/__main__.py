"""``python -m witnessmark``: the command line."""

from witnessmark.cli.main import main

main()
