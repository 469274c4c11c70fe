"""The guard's one question: may this command run?"""

from __future__ import annotations

from msgspec import structs

from placet.actors.guard.display import shown
from placet.actors.guard.parse import parse
from placet.actors.guard.paths import Places, absolute
from placet.actors.guard.policy import Policy
from placet.actors.guard.reasons import SENTENCES
from placet.actors.guard.scan import Unparsed
from placet.actors.guard.scope import Scope
from placet.actors.guard.secrets import masked, secrets_of
from placet.actors.guard.verdict import CHOICES, ExactRule, Judgement, Reason, Verdict
from placet.actors.guard.walk import TooMuch, Walker

LENGTH_LIMIT = 131_071  # bytes: Linux passes no longer argument to `bash -c`
_DEFAULT = Policy()


def judge(command: str, directory: str, policy: Policy = _DEFAULT) -> Judgement:
    """Judge a command line. Never raises, whatever the command is; time is linear in its length.

    Args:
        command: the line, as it would be passed to `bash -c`.
        directory: the absolute directory in which it would start.
        policy: the operator's rules and Placet's own places.
    """
    directory = absolute(directory, "/")
    reasons, files = _reasons(command, directory, policy)
    picture = shown(command)
    if picture.warnings:
        reasons.append(Reason("hidden", SENTENCES["hidden"], "; ".join(picture.warnings[:3])))
    verdict = Verdict.RUN
    for reason in reasons:
        verdict = verdict.stricter(reason.verdict)
    asks = verdict is Verdict.ASK
    return Judgement(
        verdict=verdict,
        reasons=tuple(reasons),
        display=picture.display,
        masked=picture.masked,
        warnings=picture.warnings,
        files=files,
        choices=CHOICES if asks else (),
        rule=ExactRule(command, directory) if asks else None,
    )


def _reasons(command: str, directory: str, policy: Policy) -> tuple[list[Reason], tuple[str, ...]]:
    for rule in policy.deny:
        if rule.covers_line(command):
            return _of_rule(rule.meaning, command, Verdict.DENY), ()
    walker = Walker(policy, Places(policy.home, directory, policy.protected, policy.resolve), directory)
    for rule in policy.ask:
        if rule.covers_line(command):
            walker.ask("rule", rule.meaning, command)
    _walk(walker, command, Scope(policy.home, (directory,)))
    reasons = walker.reasons()
    if any(rule.covers_line(command) for rule in policy.allow):
        reasons = [reason for reason in reasons if reason.verdict is Verdict.DENY or reason.code == "rule"]
    return _without_secrets(reasons, command), tuple(walker.files)


def _walk(walker: Walker, command: str, scope: Scope) -> None:
    try:
        if len(command.encode("utf-8", "surrogatepass")) > LENGTH_LIMIT:
            _unread(walker, command, "long", "")
            return
        script = parse(command)
        scope.learn(script)
        walker.walk(script, scope)
    except Unparsed as error:
        _unread(walker, command, "syntax", str(error))
    except TooMuch:
        _unread(walker, command, "depth", "")


def _unread(walker: Walker, command: str, code: str, what: str) -> None:
    """Ask about a command that could not be followed; refuse it if it so much as names one of Placet's own places."""
    walker.ask(code, what, "")
    for place in walker.places.protected:
        if place in command:
            walker.ask("protected", place, place, Verdict.DENY)


def _of_rule(meaning: str, command: str, verdict: Verdict) -> list[Reason]:
    return _without_secrets(
        [Reason("rule", SENTENCES["rule"].format(what=meaning), command, verdict)], command
    )


def _without_secrets(reasons: list[Reason], command: str) -> list[Reason]:
    """The reasons as they may be shown. A secret is recognised by what stands around it, so it is looked for in the command."""
    known = secrets_of(command)
    return [structs.replace(r, text=masked(r.text, known), part=masked(r.part, known)) for r in reasons]
