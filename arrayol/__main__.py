"""`python -m arrayol`: the command `arrayol` of this interpreter, where its scripts are not on the path."""

from __future__ import annotations

from arrayol.cli.main import main

if __name__ == "__main__":
    main()
