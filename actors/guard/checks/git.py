"""Git's subcommands whose effect depends on what their operands are."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from placet.actors.guard.arguments import Arg

if TYPE_CHECKING:
    from placet.actors.guard.call import Call, Judge

_HARMLESS_KEY = re.compile(
    r"(color|column|advice|log|diff\.(renames|algorithm|noprefix|context|mnemonicprefix)|status|i18n|user\.(name|email)"
    r"|core\.(quotepath|autocrlf|abbrev|filemode|ignorecase|precomposeunicode)|init\.defaultbranch|commit\.gpgsign|tag\.gpgsign"
    r"|pull\.(ff|rebase)|push\.default|merge\.(ff|conflictstyle)|format\.pretty|blame\.\w+|grep\.(linenumber|patterntype)"
    r"|gc\.auto|maintenance\.auto|safe\.directory|branch\.sort|tag\.sort|rerere\.enabled|fetch\.prune|http\.version"
    r"|protocol\.version|pack\.threads|index\.version|feature\.\w+|help\.autocorrect0)(\.[\w.-]+)?",
    re.IGNORECASE,
)
_PAGER_KEY = re.compile(r"(core\.pager|pager\.\w+|core\.editor|sequence\.editor)", re.IGNORECASE)
_HARMLESS_VALUE = frozenset({"", "cat", "true", "false", ":", "less", "less -FRX", "less -R"})
# Names that are branches or commits by convention. Another word may be a file, whose changes `checkout` throws away.
_REVISION = re.compile(
    r"(main|master|develop|development|dev|trunk|staging|production|next|stable|gh-pages|-|HEAD([~^][0-9~^]*)?|@([~^][0-9~^]*)?"
    r"|(feature|feat|fix|bugfix|hotfix|release|chore|docs|refactor|test|tests|topic|user|dependabot|origin|upstream)/[\w./-]*[\w-]"
    r"|[0-9a-f]{7,40}|v[0-9]+(\.[0-9]+)+)"
)
_REMOTE = re.compile(r"[\w][\w./-]*|(https?|git|ssh|git\+ssh)://[\w][^\s]*|[\w][\w.-]*@[\w][\w.-]*:[\w./~-]+")


def globals_(judge: Judge, call: Call) -> None:
    """Options before the subcommand: settings for one call, and another repository's directory."""
    for value in call.sorted.values("-c"):
        key, _, setting = value.text.partition("=")
        pager = _PAGER_KEY.fullmatch(key) and value.exact and setting in _HARMLESS_VALUE
        if not value.exact or not (pager or _HARMLESS_KEY.fullmatch(key)):
            judge.ask("git_config", f"git -c {value.source}", call.source)
            if value.exact and setting:
                judge.shell(
                    Arg(setting.removeprefix("!"), source=value.source), call.scope.fork(), call.source
                )
    for value in call.sorted.values("--git-dir"):
        if not value.exact or value.text.rstrip("/") not in {".git", "./.git"}:
            judge.ask("git_config", f"git --git-dir={value.text}", call.source)
    for value in call.sorted.values("--work-tree"):
        judge.write(Arg(value.text + "/x", value.exact, source=value.source), call.scope)


def checkout(judge: Judge, call: Call) -> None:
    """`git checkout`: a new branch or a well-known one; anything else may be a file whose changes are lost."""
    operands = call.sorted.operands
    if call.sorted.has("-b", "--help", "-h") and call.sorted.ended is None:
        return
    sure = len(operands) == 1 and operands[0].known and _REVISION.fullmatch(operands[0].text)
    if not sure or call.sorted.ended is not None:
        judge.ask("discards", call.title, call.source)


def restore(judge: Judge, call: Call) -> None:
    """`git restore`: only the index (`--staged`) can be restored without losing changes."""
    if not call.sorted.has("--staged", "-S") or call.sorted.has("--worktree", "-W"):
        judge.ask("discards", call.title, call.source)


def reset(judge: Judge, call: Call) -> None:
    """`git reset`: taking files out of the index is harmless, moving the branch is not."""
    operands = call.sorted.operands
    first = operands[0] if operands else None
    plain = first is None or call.sorted.ended == 0 or (first.known and first.text == "HEAD")
    if not plain:
        judge.ask("rewrites", call.title, call.source)


def config(judge: Judge, call: Call) -> None:
    """`git config`: one operand reads, two write."""
    operands = call.sorted.operands
    if len(operands) < 2 and not (operands and operands[0].many):
        return
    harmless = (
        len(operands) == 2 and operands[0].known and operands[0].text.lower() in {"user.name", "user.email"}
    )
    if not harmless or call.sorted.has("--global", "--system", "-f", "--file"):
        judge.ask("git_config", call.title, call.source)


def url(judge: Judge, call: Call) -> None:
    """Fetching: from a remote's name or an ordinary address, and no forced update of a branch."""
    for index, operand in enumerate(call.sorted.operands):
        if index == 0 and not (operand.known and _REMOTE.fullmatch(operand.text)):
            judge.ask("runs", f"{call.title} {operand.source}", call.source)
        elif index and (not operand.known or operand.text.startswith("+")):
            judge.ask("rewrites", f"{call.title} {operand.source}", call.source)


def symbolic_ref(judge: Judge, call: Call) -> None:
    """`git symbolic-ref NAME` reads; with a second name it moves a reference."""
    if len(call.sorted.operands) > 1 or any(operand.many for operand in call.sorted.operands):
        judge.ask("rewrites", call.title, call.source)


def clone(judge: Judge, call: Call) -> None:
    """`git clone`: an ordinary address into the working directory."""
    operands = call.sorted.operands
    for operand in operands[:1]:
        if not (operand.known and _REMOTE.fullmatch(operand.text)):
            judge.ask("runs", f"{call.title} {operand.source}", call.source)
    for operand in operands[1:2]:
        judge.write(operand, call.scope)


def stash(judge: Judge, call: Call) -> None:
    """`git stash` alone puts changes aside."""
    if not call.sorted.operands:
        judge.ask("discards", call.title, call.source)
