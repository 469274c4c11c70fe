"""Servers that are measured: each says how its process is started, and nothing more."""

from benchmarks.contestants.contestant import Command, Contestant, Place, Unavailable
from benchmarks.contestants.limits import Minimal, RawAsgi
from benchmarks.contestants.peer import Peer
from benchmarks.contestants.placet import Placet

__all__ = ["Command", "Contestant", "Minimal", "Peer", "Place", "Placet", "RawAsgi", "Unavailable"]
