"""The session: a pure core that decides, an actor that moves messages, and the turn that an agent runs.

`state.py` and its tables say which moves there are; `core.py`, `admissions.py` and `prompts.py` decide; `actor.py` carries it out;
`turn.py` is what an agent sees; `sessions.py` is the door for the wire.
"""

from placet.actors.session.bell import Bell
from placet.actors.session.executor import DELETED, DRAINED
from placet.actors.session.prompts import check_decision
from placet.actors.session.services import Services
from placet.actors.session.sessions import Sessions, open_sessions
from placet.actors.session.underway import RunPlace

__all__ = [
    "DELETED",
    "DRAINED",
    "Bell",
    "RunPlace",
    "Services",
    "Sessions",
    "check_decision",
    "open_sessions",
]
