"""Finding keys, tokens and passwords in a command, to mask them in what is shown."""

from __future__ import annotations

import re

MASK = "***"
_SECRET_NAME = (
    r"(?:[\w.-]*(?:pass(?:word|wd|phrase)?|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credential|auth(?!or|ent))"
    r"[\w-]*)"
)

# Each pattern has one group, which is what gets masked.
_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(?:bearer|basic|token|digest)\s+([A-Za-z0-9._~+/=-]{8,})",
        r"\b(?:proxy-)?authorization:\s*(?!bearer |basic |token |digest )([^\s'\"]{6,})",
        r"\b(?:x-)?(?:api-key|auth-token|access-token|csrf-token|amz-security-token|goog-api-key|private-token|job-token)\s*:\s*([^\s'\"]+)",
        r"\b(?:set-)?cookie:\s*([^'\"\n]+)",
        r"\b[a-z][a-z0-9+.-]*://[^\s/:@'\"]*:([^\s/@'\"]+)@",
        r"\b[a-z][a-z0-9+.-]*://([A-Za-z0-9_-]{16,})@",
        rf"[?&;]{_SECRET_NAME}=([^\s&'\"#]+)",
        rf"(?<![\w-])-{{1,2}}{_SECRET_NAME}[=\s]\s*(?!-)['\"]?([^\s'\"]+)",
        rf"\b{_SECRET_NAME}\s*[=:]\s*['\"]?(?!(?:bearer|basic|token|digest)\s)([^\s'\"$;&|]{{4,}})",
        r"\b(?:curl|wget|http)\b[^\n;|&]*?\s(?:-u|--user)[=\s]\s*['\"]?[^\s:'\"]+:([^\s'\"]+)",
        r"\b(?:mysql|mysqldump|mariadb|mysqladmin)\b[^\n;|&]*?\s-p([^\s'\"-][^\s'\"]*)",
        r"\bsshpass\s+-p\s*['\"]?([^\s'\"]+)",
        r"\bredis-cli\b[^\n;|&]*?\s-a\s*['\"]?([^\s'\"]+)",
        r"\b((?:sk|pk|rk)[-_](?:live|test|proj|ant|or)[-_A-Za-z0-9]{8,}|sk-[A-Za-z0-9_-]{16,})",
        r"\b((?:ghp|gho|ghu|ghs|ghr)_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,})",
        r"\b((?:AKIA|ASIA|AGPA|AIDA|AROA)[A-Z0-9]{12,})",
        r"\b(xox[abeoprs]-[A-Za-z0-9-]{10,}|xapp-[A-Za-z0-9-]{10,})",
        r"\b(AIza[A-Za-z0-9_-]{30,}|ya29\.[A-Za-z0-9_-]{20,})",
        r"\b(npm_[A-Za-z0-9]{30,}|pypi-[A-Za-z0-9_-]{30,}|hf_[A-Za-z0-9]{20,}|dop_v1_[a-f0-9]{40,}|SG\.[\w-]{16,}\.[\w-]{16,})",
        r"\b(eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*)",
        r"-----BEGIN [A-Z ]*PRIVATE KEY-----([\s\S]+?)(?:-----END|\Z)",
    )
)


def secret_spans(text: str) -> list[tuple[int, int]]:
    """Where secrets stand in a text, in order and without overlaps.

    Args:
        text: a command or a part of one.
    """
    spans = sorted(match.span(1) for pattern in _PATTERNS for match in pattern.finditer(text))
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
