"""The command line: one file a command, each loaded when it is named.

The group loads a command's file only when that command is named, so that `placet --version`, the help and the completion of
commands never wait for the libraries of a server or a client. What is shown, and when, is decided in plain functions and in
`dialogue`; `live` and `terminal` do what these say.
"""

from placet.http.cli.group import main

__all__ = ["main"]
