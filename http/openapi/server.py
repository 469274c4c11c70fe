"""What the server says of itself, described."""

from __future__ import annotations

from typing import Any, Final, Literal

import msgspec

from placet.http.openapi.operation import Answer, Operation
from placet.http.record import Record

TAG: Final = "Server"


class Health(Record, frozen=True, kw_only=True):
    """Whether the server takes work."""

    status: Literal["ok", "degraded"]
    platform: Literal["placet"]
    version: str


class HealthDetails(Health, frozen=True, kw_only=True):
    """How the server is. What stands under the further fields may grow."""

    readiness: dict[str, Any]
    store: dict[str, Any]
    turns: dict[str, Any]
    approvals: dict[str, Any]
    actors: dict[str, Any]
    webhooks: list[dict[str, Any]]
    loop_lag_s: dict[str, Any]


class Model(Record, frozen=True, kw_only=True):
    """A name that a request can give as its model."""

    id: str
    object: Literal["model"]
    created: int
    owned_by: str
    permission: list[Any]
    root: str
    parent: str | None


class ModelList(Record, frozen=True, kw_only=True):
    """Every such name."""

    object: Literal["list"]
    data: list[Model]


class Endpoint(Record, frozen=True, kw_only=True):
    """Where something is."""

    method: str
    path: str


class Auth(Record, frozen=True, kw_only=True):
    """How a client shows who it is."""

    type: Literal["bearer"]
    required: bool


class Runtime(Record, frozen=True, kw_only=True):
    """Where things run."""

    mode: Literal["server_agent"]
    tool_execution: Literal["server"]
    split_runtime: bool
    description: str


class ServerName(Record, frozen=True, kw_only=True):
    """Which program this is, whatever contract it keeps."""

    name: Literal["placet"]
    version: str


class Capabilities(Record, frozen=True, kw_only=True):
    """What this server can do as it runs now.

    Attributes:
        object: the contract's own word, by which its clients know it.
        platform: the same.
        model: what a request that names no model is answered as.
        features: what is on; mostly booleans.
        endpoints: where it is found, by name. What is off is not here.
    """

    object: Literal["hermes.api_server.capabilities"]
    platform: Literal["hermes-agent"]
    server: ServerName
    model: str
    auth: Auth
    runtime: Runtime
    features: dict[str, Any]
    endpoints: dict[str, Endpoint]


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """An OpenAPI document."""

    openapi: str
    info: dict[str, Any]
    paths: dict[str, Any]
    components: dict[str, Any]


_HEALTH: Final = Answer(description="`degraded` if it takes no work.", body=Health)

OPERATIONS: Final = (
    Operation(
        name="health",
        method="GET",
        path="/health",
        tag=TAG,
        summary="Say whether the server takes work.",
        answers=(_HEALTH,),
        public=True,
    ),
    Operation(
        name="health_v1",
        method="GET",
        path="/v1/health",
        tag=TAG,
        summary="The same, beside the other routes.",
        answers=(_HEALTH,),
        public=True,
    ),
    Operation(
        name="health_detailed",
        method="GET",
        path="/health/detailed",
        tag=TAG,
        summary="Say how the server is.",
        answers=(Answer(description="It answers also when it takes no work.", body=HealthDetails),),
    ),
    Operation(
        name="models",
        method="GET",
        path="/v1/models",
        tag=TAG,
        summary="List the names that can be given as a model.",
        answers=(Answer(description="The list.", body=ModelList),),
    ),
    Operation(
        name="capabilities",
        method="GET",
        path="/v1/capabilities",
        tag=TAG,
        summary="Say what this server can do.",
        answers=(Answer(description="What is on, and where.", body=Capabilities),),
    ),
    Operation(
        name="openapi",
        method="GET",
        path="/openapi.json",
        tag=TAG,
        summary="This document.",
        answers=(Answer(description="The document.", body=Document),),
        public=True,
    ),
    Operation(
        name="docs",
        method="GET",
        path="/docs",
        tag=TAG,
        summary="This document, as a page to read.",
        answers=(Answer(description="The page.", media="text/html"),),
        public=True,
    ),
    Operation(
        name="docs_script",
        method="GET",
        path="/docs/docs.js",
        tag=TAG,
        summary="The script of that page.",
        answers=(Answer(description="The script.", media="text/javascript"),),
        public=True,
    ),
    Operation(
        name="docs_style",
        method="GET",
        path="/docs/docs.css",
        tag=TAG,
        summary="The style of that page.",
        answers=(Answer(description="The style.", media="text/css"),),
        public=True,
    ),
)
