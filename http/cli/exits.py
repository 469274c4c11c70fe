"""What the commands end with."""

from __future__ import annotations

from enum import IntEnum


class Exit(IntEnum):
    """The exit statuses, the same for every command that says nothing else; from 64 up they are those of sysexits.h.

    `OK`: done. `REFUSED`: the server said no. `USAGE`: the command line makes no sense; click's own. `NOT_COMPLETED`: the run has
    ended otherwise than well, or nobody knows how. `NOT_REACHED`: no server answered. `CONFIG`: the settings or the data
    directory must be looked at; starting again will not help. `LEFT`: by Ctrl-C or Ctrl-D, while something went on.
    """

    OK = 0
    REFUSED = 1
    USAGE = 2
    NOT_COMPLETED = 3
    NOT_REACHED = 69
    CONFIG = 78
    LEFT = 130
