"""What every handler needs at hand: the sessions, the settings, and who asks."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from quart import Response, request

from placet.actors.protocol.errors import Draining, NotAllowed, NotFound
from placet.actors.session import RunPlace
from placet.http.auth import Keyring, Principal, authorization_of
from placet.http.body import read_body
from placet.http.hooks.hooks import Hooks
from placet.http.hooks.links import Links
from placet.http.identity import SESSION_HEADERS, SESSION_KEY_HEADER, session_key_of
from placet.http.requests.declared import Body, read, read_query
from placet.http.signin import Seal, SignedIn, require_own_page
from placet.http.strict_json import dump_ascii, parse_object

if TYPE_CHECKING:
    from placet.actors.protocol.records import RunRecord, SessionSnapshot
    from placet.actors.session import Sessions
    from placet.http.config import Config

_B = TypeVar("_B", bound=Body)


class Desk:
    """The application's own objects, handed to each route file. It holds no state of a request.

    Args:
        sessions: the door to all sessions.
        config: the settings.
        keyring: who holds which key.

    Attributes:
        seal: makes and reads the sign-ins of the console.
        links: makes and reads the links by which people answer who are not signed in.
        hooks: tells the outside world, once it is run.
    """

    def __init__(self, sessions: Sessions, config: Config, keyring: Keyring) -> None:
        self.sessions = sessions
        self.config = config
        self.keyring = keyring
        self.seal = Seal(sessions.store.digest_key, keyring.principals, sessions.services.now)
        self.links = Links(sessions.store.digest_key, config, sessions.services.now)
        self.hooks = Hooks(sessions.services, config, self.links)

    def principal(self) -> Principal:
        """Who sends this request: whose key it carries, else who signed in to the console that sends it.

        Raises:
            NotAuthenticated: nobody known.
            NotAllowed: `origin_not_allowed`; a sign-in counts for the console's own page only.
        """
        signed_in = self.signed_in()
        return (
            self.keyring.authenticate(authorization_of(request.headers))
            if signed_in is None
            else signed_in.principal
        )

    def signed_in(self) -> SignedIn | None:
        """The sign-in that this request carries; `None` if it has none, or carries a key, which counts before it.

        Raises:
            NotAuthenticated: it does not hold.
            NotAllowed: as for `principal`.
        """
        if self.config.no_auth or "Authorization" in request.headers:
            return None
        token = request.cookies.get(self.seal.cookie)
        if token is None:
            return None
        require_own_page(request.headers)
        return self.seal.read(token)

    def submitter(self) -> Principal:
        """Who sends this request for work, if the server takes work. Asked before anything of the request is looked at.

        Raises:
            NotAuthenticated: nobody known.
            Draining: the server is shutting down.
            InvalidInput: the session key that the answer must echo is none; said before anything is admitted.
        """
        principal = self.principal()
        if self.sessions.services.draining:
            raise Draining("The server is shutting down. Try again in a moment.", retry_after_s=1.0)
        session_key_of(request.headers, no_auth=self.config.no_auth)
        return principal

    async def body(self, kind: type[_B]) -> _B:
        """This request's body.

        Args:
            kind: what it must be.

        Raises:
            InvalidInput: it is no JSON object, or not as its class declares it.
            TooLarge: it has more bytes than the settings allow.
        """
        return read(kind, parse_object(await read_body(request, self.config.body_bytes)))

    def query(self, kind: type[_B]) -> _B:
        """This request's query.

        Args:
            kind: what it must be.

        Raises:
            InvalidInput: it is not as its class declares it.
        """
        return read_query(kind, request.args)

    async def run(self, run_id: str, principal: Principal) -> RunRecord:
        """A run that the principal may see.

        Raises:
            NotFound: `run_not_found`: there is none, or the principal may not know of it.
        """
        record = await self.sessions.store.run(run_id)
        if record is None or not principal.may_see(record.admission.principal):
            raise NotFound("There is no run of that id.", code="run_not_found")
        return record

    async def run_place(self, run_id: str, principal: Principal) -> RunPlace:
        """Where a run is that the principal may see, to tell its session something. Of most that have not ended no disk is asked.

        Raises:
            NotFound: as for `run`.
        """
        place = self.sessions.services.underway.find(run_id)
        if place is None:
            admission = (await self.run(run_id, principal)).admission
            return RunPlace(admission.session_id, admission.admission_id, admission.principal)
        if not principal.may_see(place.principal):
            raise NotFound("There is no run of that id.", code="run_not_found")
        return place

    async def session(self, session_id: str, principal: Principal) -> SessionSnapshot:
        """A session that the principal may see, with what is not settled in it.

        Raises:
            NotFound: `session_not_found`: there is none, or the principal may not know of it.
        """
        snapshot = await self.sessions.store.session(session_id)
        if snapshot is None or not principal.may_see(snapshot.session.principal):
            raise NotFound("There is no session of that id.", code="session_not_found")
        return snapshot

    async def own_session(self, session_id: str, principal: Principal) -> SessionSnapshot:
        """A session that the principal may change: its own, or any for an operator.

        Raises:
            NotFound: as for `session`.
            NotAllowed: `role_required`.
        """
        snapshot = await self.session(session_id, principal)
        if snapshot.session.principal != principal.name and not principal.is_operator:
            raise NotAllowed("Only its owner, or an operator, may change a session.", code="role_required")
        return snapshot

    def id_headers(self, session_id: str, *, replayed: bool = False) -> dict[str, str]:
        """The headers that say which session answered, and whether an earlier request had done the work."""
        headers = dict.fromkeys(SESSION_HEADERS, session_id)
        session_key = session_key_of(request.headers, no_auth=self.config.no_auth)
        if session_key is not None:
            headers[SESSION_KEY_HEADER] = session_key
        if replayed:
            headers["Idempotency-Replayed"] = "true"
        return headers

    @property
    def origin(self) -> str:
        """From where this request comes, for the audit."""
        return f"http {request.remote_addr or 'unknown'}"


def json_response(value: object, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """A JSON response."""
    return Response(dump_ascii(value), status=status, content_type="application/json", headers=headers)
