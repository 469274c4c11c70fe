"""Finding keys, tokens and passwords in a command, to mask them in what is shown."""

from __future__ import annotations

import re

MASK = "***"
_KEYWORD = (
    r"(?:pass(?:word|wd|phrase)?|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credential|auth(?!or|ent))"
    r"[\w-]{0,40}"
)
_KEYWORDS = "pass secret token key credential auth"
_HEADER = r"(?:api-key|auth-token|access-token|csrf-token|security-token|private-token|job-token)"
_NEAR = r"[^\n;|&]{0,200}?"
_SCHEME = r"(?:bearer|basic|token|digest)"

# Each pattern has one group, which is what gets masked, and words of which one must be in the text (in lower case), since that
# is quicker to see than a match. Every repetition that can begin anywhere is bounded, so that searching takes time linear in
# the text, whatever the text is.
_PATTERNS = tuple(
    (hints.split(), re.compile(pattern, re.IGNORECASE))
    for hints, pattern in (
        # headers
        ("bearer basic token digest", rf"\b{_SCHEME}\s{{1,8}}([A-Za-z0-9._~+/=-]{{8,}})"),
        ("authorization:", rf"\bauthorization:\s{{0,8}}(?!{_SCHEME}\s)([^\s'\"]{{6,}})"),
        ("-key -token", rf"\b{_HEADER}\s{{0,8}}:\s{{0,8}}([^\s'\"]+)"),
        ("cookie:", r"\bcookie:\s{0,8}([^'\"\n]+)"),
        # addresses
        ("://", r"://[^\s/:@'\"]{0,100}:([^\s/@'\"]{1,500})@"),
        ("://", r"://([A-Za-z0-9_-]{16,500})@"),
        # options, variables, fields
        (_KEYWORDS, rf"[?&;][\w.-]{{0,40}}{_KEYWORD}=([^\s&'\"#]+)"),
        (_KEYWORDS, rf"(?<![\w-])--?[\w.-]{{0,40}}{_KEYWORD}[=\s]\s{{0,8}}(?!-)['\"]?([^\s'\"]+)"),
        (_KEYWORDS, rf"{_KEYWORD}\s{{0,8}}[=:]\s{{0,8}}['\"]?(?!{_SCHEME}\s)([^\s'\"$;&|]{{4,}})"),
        # programs that take a password in an option of one letter
        (
            "curl wget http",
            rf"\b(?:curl|wget|http)\b{_NEAR}\s(?:-u|--user)[=\s]\s{{0,8}}['\"]?[^\s:'\"]{{1,100}}:([^\s'\"]+)",
        ),
        ("mysql mariadb", rf"\b(?:mysql|mysqldump|mariadb|mysqladmin)\b{_NEAR}\s-p([^\s'\"-][^\s'\"]*)"),
        ("sshpass", r"\bsshpass\s{1,8}-p\s{0,8}['\"]?([^\s'\"]+)"),
        ("redis-cli", rf"\bredis-cli\b{_NEAR}\s-a\s{{0,8}}['\"]?([^\s'\"]+)"),
        # tokens that are known by their beginning
        (
            "sk- sk_ pk- pk_ rk- rk_",
            r"(?<![\w-])((?:sk|pk|rk)[-_](?:live|test|proj|ant|or)[-_\w]{8,}|sk-[\w-]{16,})",
        ),
        (
            "ghp_ gho_ ghu_ ghs_ ghr_ github_ glpat",
            r"(?<![\w-])(gh[pousr]_\w{16,}|github_pat_\w{20,}|glpat-[\w-]{16,})",
        ),
        ("akia asia agpa aida aroa", r"(?<![\w-])((?:AKIA|ASIA|AGPA|AIDA|AROA)[A-Z0-9]{12,})"),
        ("xox xapp", r"(?<![\w-])(xox[abeoprs]-[A-Za-z0-9-]{10,}|xapp-[A-Za-z0-9-]{10,})"),
        ("aiza ya29", r"(?<![\w-])(AIza[\w-]{30,}|ya29\.[\w-]{20,})"),
        (
            "npm_ pypi- hf_ dop_v1_",
            r"(?<![\w-])(npm_\w{30,}|pypi-[\w-]{30,}|hf_\w{20,}|dop_v1_[a-f0-9]{40,})",
        ),
        ("sg. eyj", r"(?<![\w-])(SG\.[\w-]{16,}\.[\w-]{16,}|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*)"),
        ("private key", r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----([\s\S]+?)(?:-----END|\Z)"),
    )
)


def secret_spans(text: str) -> list[tuple[int, int]]:
    """Where secrets stand in a text, in order and without overlaps.

    Args:
        text: a command or a part of one.
    """
    lowered = text.lower()
    searched = [pattern for hints, pattern in _PATTERNS if any(hint in lowered for hint in hints)]
    spans = sorted(match.span(1) for pattern in searched for match in pattern.finditer(text))
    merged: list[tuple[int, int]] = []
    for start, end in spans:
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def holds_secret(text: str) -> bool:
    """Whether a text holds a secret.

    Args:
        text: a command or a part of one.
    """
    return bool(secret_spans(text))


def secrets_of(text: str) -> frozenset[str]:
    """The secrets in a text.

    Args:
        text: a command.
    """
    return frozenset(text[start:end] for start, end in secret_spans(text))


def masked(text: str, known: frozenset[str] = frozenset()) -> str:
    """The text with its secrets replaced by `***`.

    Args:
        text: a command or a part of one.
        known: secrets that were found where more of the command could be seen.
    """
    for secret in sorted(known, key=len, reverse=True):
        text = text.replace(secret, MASK)
    pieces: list[str] = []
    at = 0
    for start, end in secret_spans(text):
        pieces += [text[at:start], MASK]
        at = end
    return "".join([*pieces, text[at:]])
