"""Signing in to the console: a page cannot set headers on everything it opens, and should not keep a key, so it gets a cookie.

`seal.py` makes and reads what the cookie holds, `own_page.py` says which requests may use it, `attempts.py` slows those who guess.
"""

from placet.http.signin.attempts import Attempts
from placet.http.signin.own_page import CONSOLE_HEADER, require_own_page
from placet.http.signin.seal import Seal, SignedIn

__all__ = ["CONSOLE_HEADER", "Attempts", "Seal", "SignedIn", "require_own_page"]
