"""The client side: finding a server, asking it, following its streams over every break of the connection.

Nothing here knows a terminal. What goes wrong is one of the errors of `placet.http.client.errors`.
"""

from placet.http.client.answering import answer, decide
from placet.http.client.client import Client, path_word
from placet.http.client.errors import NotReached, Refused
from placet.http.client.following import Arrived, Following
from placet.http.client.records import Prompt, Rule, Run, Session
from placet.http.client.settling import settle
from placet.http.client.target import Target, default_data_dir, find_target

__all__ = [
    "Arrived",
    "Client",
    "Following",
    "NotReached",
    "Prompt",
    "Refused",
    "Rule",
    "Run",
    "Session",
    "Target",
    "answer",
    "decide",
    "default_data_dir",
    "find_target",
    "path_word",
    "settle",
]
