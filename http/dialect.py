"""How a stream shows what is no text: prompts and the progress of tools."""

from __future__ import annotations

from enum import Enum


class Dialect(Enum):
    """The form that prompts and tool progress take in a chat stream.

    `EVENT`: a named event of its own. `CHUNK`: an ordinary completion chunk with a `placet` field, for clients that parse every
    `data:` line as a chunk. `NONE`: not shown; decide through the inbox.
    """

    EVENT = "event"
    CHUNK = "chunk"
    NONE = "none"
