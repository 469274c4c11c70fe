"""What the server says about its own wire: every operation described, and the OpenAPI document made of that.

`operations` has one file per surface, with the types of what is sent and received; `document` turns them into OpenAPI 3.2.
"""

from placet.http.openapi.document import build_document
from placet.http.openapi.routing import Route, routes_of
from placet.http.openapi.table import OPERATIONS

__all__ = ["OPERATIONS", "Route", "build_document", "routes_of"]
