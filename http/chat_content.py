"""The content of a message, as the several clients write it."""

from __future__ import annotations

import re
from typing import Any, cast

from placet.actors.protocol.conversation import Part
from placet.actors.protocol.errors import InvalidInput
from placet.http.requests.declared import Form
from placet.http.requests.shapes import PARTS_MAX, Parts, Text

# tuples, not sets: a client may send what cannot be hashed
_TEXT_TYPES = ("text", "input_text", "output_text")
_IMAGE_TYPES = ("image_url", "input_image")
_DETAILS = ("auto", "low", "high", "original")
_IMAGE_URL = re.compile(r"https?://[^\s/?#][^\s]*|data:image/[^\s,]+,\S+", re.IGNORECASE)
_OTHER_DATA = re.compile("data:(?!image/)", re.IGNORECASE)


class Content(Form[tuple[Part, ...]]):
    """The content of a message that a person writes: text, or parts."""

    shows = Text | Parts

    @staticmethod
    def parse(value: object, param: str) -> tuple[Part, ...]:
        """The parts of the content, which say something."""
        content = parse_content(value, param)
        require_visible(content, param)
        return content


def parse_content(value: object, param: str) -> tuple[Part, ...]:
    """The parts of a content field: a string, or a list of text parts, image parts and plain strings, all kept in order.

    Text parts are of type `text`, `input_text` or `output_text`; image parts of type `image_url` or `input_image`, whose
    `image_url` is a string or `{url, detail}`. Empty text is no part.

    Args:
        value: the field.
        param: where it stands in the request, such as `messages[0].content`.

    Raises:
        InvalidInput: `unsupported_content_type` for a type that is not known, such as a file; `invalid_image_url` for an address
            that is neither `http(s):` nor `data:image/`; `invalid_content_part` for any other wrong shape. `param` names the
            part.
    """
    if isinstance(value, str):
        return _text(value)
    if not isinstance(value, list):
        raise InvalidInput(
            "Content must be a string or a list of parts.", code="invalid_content_part", param=param
        )
    items = cast("list[object]", value)
    if len(items) > PARTS_MAX:
        raise InvalidInput(
            f"Content has more than {PARTS_MAX} parts.", code="invalid_content_part", param=param
        )
    return tuple(part for index, item in enumerate(items) for part in _part(item, f"{param}[{index}]"))


def require_visible(content: tuple[Part, ...], param: str) -> None:
    """Refuse a user's message that says nothing: no image, and no text but white space.

    Raises:
        InvalidInput: `no_user_message`.
    """
    if not any(part.type == "image" or part.text.strip() for part in content):
        raise InvalidInput("The user's message is empty.", code="no_user_message", param=param)


def _text(text: str) -> tuple[Part, ...]:
    return (Part("text", text=text),) if text else ()


def _part(item: object, param: str) -> tuple[Part, ...]:
    if isinstance(item, str):
        return _text(item)
    if not isinstance(item, dict):
        raise _odd("A part must be an object or a string.", param)
    part = cast("dict[str, Any]", item)
    kind = part.get("type")
    if kind in _TEXT_TYPES:
        if not isinstance(part.get("text"), str):
            raise _odd("A text part needs a string as `text`.", f"{param}.text")
        return _text(part["text"])
    if kind in _IMAGE_TYPES:
        return (_image(part, param),)
    raise InvalidInput(
        "Only text and image parts are supported.", code="unsupported_content_type", param=f"{param}.type"
    )


def _image(part: dict[str, Any], param: str) -> Part:
    image = part.get("image_url")
    described = cast("dict[str, Any]", image) if isinstance(image, dict) else {**part, "url": image}
    detail = described.get("detail")
    if detail is not None and detail not in _DETAILS:
        raise _odd(f"The detail of an image is one of {', '.join(_DETAILS)}.", f"{param}.detail")
    return Part("image", url=_image_url(described.get("url"), f"{param}.image_url"), detail=detail)


def _image_url(url: object, param: str) -> str:
    if isinstance(url, str) and _IMAGE_URL.fullmatch(url):
        return url
    if isinstance(url, str) and _OTHER_DATA.match(url):
        raise InvalidInput("Only images may come as data.", code="unsupported_content_type", param=param)
    raise InvalidInput(
        "An image needs an address that begins with http:, https: or data:image/.",
        code="invalid_image_url",
        param=param,
    )


def _odd(message: str, param: str) -> InvalidInput:
    return InvalidInput(message, code="invalid_content_part", param=param)
