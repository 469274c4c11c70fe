"""A prompt as a person reads it: what would run, where, why, what to beware of, and what an answer would leave behind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from placet.http.cli.text import Said, Tone, one_line, words_wrapped, wrapped

if TYPE_CHECKING:
    from placet.http.client.records import Prompt

_HEADS: Final = {
    "approval": "May this run?",
    "outcome_unknown": "This had begun when the server stopped, and nobody knows what it did. Run it once more?",
    "clarify": "The agent asks:",
}
_LABEL = 10
_BAR = "  │ "


def show_prompt(prompt: Prompt, width: int, *, with_session: bool = False) -> list[Said]:
    """The whole prompt, nothing cut off: every line of what would run stands behind a bar, so that it cannot pose as ours.

    Args:
        prompt: what is asked.
        width: of the terminal, in cells.
        with_session: whether to say in which session it is asked.
    """
    said = [Said(_head(prompt, width), Tone.ASK)]
    body = prompt.question if prompt.is_question else prompt.display
    said += [Said(f"{_BAR}{line}", Tone.STRONG) for line in wrapped(body, width - len(_BAR))]
    if with_session:
        said.append(_fact("asked in", prompt.session_id, width))
    if prompt.is_question:
        return said + [_fact(str(number), text, width) for number, text in enumerate(prompt.choices, 1)]
    facts = {"in": prompt.directory, "why": prompt.description}
    said += [_fact(label, text, width) for label, text in facts.items() if text]
    said += [_fact("beware", warning, width, Tone.WARN) for warning in prompt.warnings]
    return said + [
        _fact(choice, prompt.rules[choice], width) for choice in prompt.choices if choice in prompt.rules
    ]


def how_to_decide(prompt: Prompt) -> str:
    """How to answer from elsewhere, for where nobody is asked in place: lines to copy."""
    answers = ("answer {} TEXT",) if prompt.is_question else ("approve {}", "deny {}")
    lines = [f"  placet approvals {answer.format(prompt.request_id)}" for answer in answers]
    return "\n".join(["It waits. To answer it:", *lines])


def summary(prompt: Prompt, width: int) -> str:
    """A prompt on one line."""
    return one_line(prompt.question if prompt.is_question else prompt.display, width)


def _head(prompt: Prompt, width: int) -> str:
    head = _HEADS.get(prompt.kind, _HEADS["approval"])
    who = [] if prompt.path in ("", "root") else [f"asked by {prompt.path.removeprefix('root/')}"]
    tool = [prompt.tool] if prompt.tool and not prompt.is_question else []
    return "\n".join(words_wrapped(" · ".join([f"? {head}", *tool, *who]), width))


def _fact(label: str, text: str, width: int, tone: Tone = Tone.DIM) -> Said:
    first, *more = words_wrapped(text, width - _LABEL - 2)
    lines = [f"  {label:<{_LABEL}}{first}", *(f"  {'':<{_LABEL}}{line}" for line in more)]
    return Said("\n".join(lines), tone)
