"""A wall around the terminal: bubblewrap, with the workspace as the only place that a command can change."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from placet.actors.agents.turn import Surroundings

SAID = {
    True: "It would run confined: it can change the workspace and nothing else, and has no network",
    False: "It would not be confined: it can do whatever the server's own account can",
}
"""What a prompt says of a command that would run behind the wall, or not."""

_HIDDEN = ("/home", "/root", "/tmp", "/var/tmp", "/run")
"""Empty inside: other people's files, keys, sockets."""

_VARIABLES = ("PATH", "LANG", "LC_ALL", "TERM", "TZ")
"""What a command behind the wall knows of the server's environment; keys are among the rest."""


def confined(command: str, surroundings: Surroundings) -> str:
    """A command line that runs `command` behind the wall. If the wall cannot be put up, nothing runs.

    Args:
        command: what bash runs. It ends with its process group; bubblewrap's own way to end with its parent would mean the thread
            that started it, which trio lets go after some seconds.
        surroundings: whose workspace is open, and whose protected places are hidden even inside it.
    """
    workspace = os.path.realpath(surroundings.workspace)
    words = ["exec", "bwrap", "--unshare-all", "--cap-drop", "ALL"]
    words += ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
    for place in filter(os.path.isdir, _HIDDEN):
        words += ["--tmpfs", os.path.realpath(place)]
    words += ["--bind", workspace, workspace]
    for place in filter(os.path.isdir, surroundings.policy.protected):
        words += ["--tmpfs", os.path.realpath(place)]
    words += ["--clearenv", "--setenv", "HOME", workspace, "--chdir", workspace]
    for name in _VARIABLES:
        if name in os.environ:
            words += ["--setenv", name, os.environ[name]]
    return shlex.join([*words, "--", "bash", "--norc", "-c", "--", command])
