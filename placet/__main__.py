"""`python -m placet` is the `placet` command."""

from placet.http.cli import main

if __name__ == "__main__":
    main()
