"""The bounds of the runtime, each with its reason."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RegistryLimits:
    """Sizes and times of a registry; every time is in seconds."""

    # Two screens of waiting messages: past that the actor is stuck, and its senders should hear of it. Never 0: a sender
    # would wait for the handler before it.
    mailbox_size: int = 64
    # Long enough for a slow disk, and shorter than the 60 s after which proxies hang up and nobody reads the answer.
    ask_timeout_s: float = 30.0
    # A person who went for coffee finds the session warm; one who went home does not hold memory.
    idle_after_s: float = 900.0
    # A sweep costs about a microsecond an actor, so it may be frequent; being late by half a minute hurts nobody.
    sweep_every_s: float = 30.0
    # About 100 MiB at 10 KiB an idle actor. A soft bound: busy actors are never put to rest for it.
    max_active: int = 10_000
    # One crash is an accident and two a coincidence; three within a minute will go on.
    restart_intensity: int = 3
    restart_window_s: float = 60.0
    # The first quarantine is as short as a patient client's retry; each further one doubles, up to five minutes, so that an
    # actor whose stored state kills it costs next to nothing and still comes back unaided once the cause is gone.
    quarantine_base_s: float = 5.0
    quarantine_max_s: float = 300.0
    # At close, the time for handlers to finish the message in hand: one slow disk write.
    close_grace_s: float = 5.0
