"""From a word to the arguments that it may become."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING

from placet.actors.guard.arguments import UNKNOWN, Arg
from placet.actors.guard.scope import LENGTH_LIMIT, NUMBER
from placet.actors.guard.syntax import Arithmetic, Compound, Kind, Simple, Substitution, Text, Variable, Word

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from placet.actors.guard.scope import Scope
    from placet.actors.guard.syntax import Part

CHOICES_LIMIT = (
    16  # combinations of the variables' values that are judged one by one; beyond, they count as unknown
)
BRACES_LIMIT = 64  # words that one word's braces may become
_SPECIAL = re.compile(r"[{~*?\[]")
_GLOB = re.compile(r"[*?]|\[.")
_RANGE = re.compile(r"(-?[0-9]{1,4})\.\.(-?[0-9]{1,4})\Z|([a-z])\.\.([a-z])\Z")
_NAMES_A_PROGRAM = {("command", "-v"), ("type", "-p"), ("type", "-P"), ("which",)}


def choices(words: Sequence[Word], scope: Scope) -> Iterator[dict[str, Arg]]:
    """Every combination of the values of the variables that the words use, one dictionary each.

    Args:
        words: the words of one command.
        scope: what is known.
    """
    names = dict.fromkeys(name for word in words for name in _variables(word.parts))
    known = {name: scope.value(name) for name in names}
    count = 1
    for name, values in known.items():
        count *= len(values)
        if count > CHOICES_LIMIT:
            known[name] = (UNKNOWN,)
            count //= len(values)
    for combination in itertools.product(*known.values()):
        yield dict(zip(known, combination, strict=True))


def _variables(parts: Sequence[Part]) -> Iterator[str]:
    for part in parts:
        if isinstance(part, Variable):
            yield part.name


def expand(word: Word, scope: Scope, chosen: Mapping[str, Arg]) -> list[Arg]:
    """The arguments that a word becomes.

    Args:
        word: the word.
        scope: what is known.
        chosen: the value of each variable that the word uses.
    """
    only = word.parts[0] if len(word.parts) == 1 else None
    if isinstance(only, Text) and (only.quoted or not _SPECIAL.search(only.text)):
        return [Arg(only.text, source=word.source)]  # what nearly every word is
    variants = _braces(word.parts)
    if variants is None:
        return [Arg("", exact=False, many=True, source=word.source)]
    return [arg for parts in variants for arg in _fields(parts, word.source, scope, chosen)]


def assigned_values(word: Word, scope: Scope) -> tuple[Arg, ...]:
    """The values that a variable may get from a word, which is not split.

    Args:
        word: the right side of an assignment, or an item of a loop.
        scope: what is known.
    """
    values: list[Arg] = []
    for chosen in choices([word], scope):
        args = expand(word, scope, chosen)
        values += args if args else [Arg("")]
    return tuple(Arg(a.text, a.exact, a.glob) if a.exact or a.text else UNKNOWN for a in values)


class _Field:
    """A field under construction."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.texts: list[str] = []
        self.open = True
        self.glob = False
        self.many = False
        self.started = False

    def add(self, text: str, *, glob: bool = False) -> None:
        self.started = True
        if self.open:
            self.texts.append(text)
            self.glob = self.glob or glob

    def end_unknown(self, *, many: bool) -> None:
        self.started = True
        self.open = False
        self.many = self.many or many

    def arg(self) -> Arg:
        text = "".join(self.texts)
        if len(text) > LENGTH_LIMIT and not self.source:
            return UNKNOWN
        return Arg(text, self.open, self.glob, self.many, self.source or text)


def _fields(parts: Sequence[Part], source: str, scope: Scope, chosen: Mapping[str, Arg]) -> list[Arg]:
    fields = [_Field(source)]
    for index, part in enumerate(parts):
        current = fields[-1]
        if isinstance(part, Text):
            text = part.text
            if index == 0 and not part.quoted and text[:1] == "~" and ("/" in text or len(parts) == 1):
                text = _tilde(text, scope, current)
            current.add(text, glob=not part.quoted and _GLOB.search(text) is not None)
        elif isinstance(part, Arithmetic):
            current.add(NUMBER.text, glob=True)
        elif isinstance(part, Substitution):
            _substitution(part, current, scope)
        else:
            _variable(part, fields, chosen.get(part.name, UNKNOWN), source)
    return [field.arg() for field in fields if field.started]


def _tilde(text: str, scope: Scope, current: _Field) -> str:
    user, slash, rest = text.partition("/")
    if user == "~":
        return scope.home + slash + rest
    if user == "~+" and scope.directories is not None and len(scope.directories) == 1:
        return scope.directories[0] + slash + rest
    current.add("/~")  # another user's home: no place that is known, but an absolute one
    return text[1:]


def _substitution(part: Substitution, current: _Field, scope: Scope) -> None:
    text = None if part.process else _known_output(part, scope)
    if not part.process and counts(part):
        current.add(NUMBER.text, glob=True)
        return
    if part.process:
        current.add("/dev/fd/")
        current.end_unknown(many=False)
    elif text is None or (not part.quoted and len(text.split()) != 1):
        current.end_unknown(many=not part.quoted)
    else:
        current.add(text)


def counts(part: Substitution) -> bool:
    """Whether a substitution prints a number and nothing else.

    Args:
        part: the substitution.
    """
    node = part.body.nodes[-1] if part.body.nodes else None
    if isinstance(node, Compound) and node.kind is Kind.PIPELINE:
        node = node.bodies[-1].nodes[0]
    if len(part.body.nodes) != 1 or not isinstance(node, Simple):
        return False
    words = [word.literal() or "" for word in node.words]
    if words == ["date", "+%s"]:
        return True
    return words[:1] == ["nproc"] or (
        words[:1] == ["wc"] and len(words) == 2 and words[1] in {"-l", "-w", "-c", "-m"}
    )


def _known_output(part: Substitution, scope: Scope) -> str | None:
    """What a substitution prints, for the few commands that print what they are given."""
    nodes = part.body.nodes
    if len(nodes) != 1 or not isinstance(nodes[0], Simple) or nodes[0].assignments or nodes[0].redirects:
        return None
    words = [word.literal() for word in nodes[0].words]
    texts = [word for word in words if word is not None]
    if len(texts) != len(words) or not texts:
        return None
    if tuple(texts[:-1]) in _NAMES_A_PROGRAM:
        return texts[-1]
    if texts[0] == "echo" and not texts[-1].startswith("-"):
        return " ".join(texts[1:])
    if texts[0] == "printf" and len(texts) == 2 and not set("%\\").intersection(texts[1]):
        return texts[1]
    if texts == ["pwd"] and scope.directories is not None and len(scope.directories) == 1:
        return scope.directories[0]
    return None


def _variable(part: Variable, fields: list[_Field], value: Arg, source: str) -> None:
    current = fields[-1]
    array = part.name in "@*" or "[" in part.operator
    if part.operator == "#":
        current.add(NUMBER.text, glob=True)
    elif part.operator.startswith("%") and value.exact and "/" not in value.text:
        current.add("*", glob=True)  # a name without its ending is still a name in the same place
    elif part.operator or not value.exact:
        if not part.operator and value.text:
            current.add(value.text, glob=value.glob)
        current.end_unknown(many=not part.quoted or array)
    elif part.quoted:
        current.add(value.text, glob=value.glob)
    else:
        _split(value, fields, source)


def _split(value: Arg, fields: list[_Field], source: str) -> None:
    """Add an unquoted value, which blanks cut into several fields."""
    glob = value.glob or _GLOB.search(value.text) is not None
    pieces = re.split(r"[ \t\n]+", value.text)
    for index, piece in enumerate(pieces):
        if index and (fields[-1].started or piece):
            fields.append(_Field(source))
        if piece:
            fields[-1].add(piece, glob=glob)


def _braces(parts: Sequence[Part]) -> list[list[Part]] | None:
    """The words that braces make of one, None if there are too many or they are not understood."""
    items: list[Part] = []
    for part in parts:
        if isinstance(part, Text) and not part.quoted:
            items += [Text(piece) for piece in re.split(r"([{},])", part.text) if piece]
        else:
            items.append(part)
    if Text("{") not in items:
        return [list(parts)]
    variants = _brace_variants(items)
    if variants is None or len(variants) > BRACES_LIMIT:
        return None
    return [_joined(variant) for variant in variants]


def _brace_variants(items: list[Part]) -> list[list[Part]] | None:
    """Expand the first brace of the items, and the rest by recursion."""
    if Text("{") not in items:
        return [items]
    start = items.index(Text("{"))
    level, commas, end = 0, [start], None
    for index in range(start, len(items)):
        if items[index] == Text("{"):
            level += 1
        elif items[index] == Text("}"):
            level -= 1
            if level == 0:
                end = index
                break
        elif items[index] == Text(",") and level == 1:
            commas.append(index)
    if end is None or level > 4 or len(items) > 4 * BRACES_LIMIT:
        return None if end is not None else [items]
    return _combined(items, start, end, commas)


def _combined(items: list[Part], start: int, end: int, commas: list[int]) -> list[list[Part]] | None:
    inner = items[start + 1 : end]
    tails = _brace_variants(items[end + 1 :])
    if len(commas) > 1:
        bounds = [*commas, end]
        options = [_brace_variants(items[a + 1 : b]) for a, b in itertools.pairwise(bounds)]
    else:
        options = [_range(inner)]
    if tails is None or None in options:
        return None
    heads = [head for option in options if option is not None for head in option]
    if len(heads) * len(tails) > BRACES_LIMIT:
        return None
    return [[*items[:start], *head, *tail] for head in heads for tail in tails]


def _range(inner: list[Part]) -> list[list[Part]] | None:
    """`1..3` or `a..c` as its items; anything else stays as it was written."""
    if len(inner) != 1 or not isinstance(inner[0], Text) or ".." not in inner[0].text:
        return [[Text("{"), *inner, Text("}")]]
    match = _RANGE.match(inner[0].text)
    if match is None:
        return None
    letters = match.group(3) is not None
    first, last = (ord(match.group(n)) for n in (3, 4)) if letters else (int(match.group(n)) for n in (1, 2))
    step = 1 if last >= first else -1
    if abs(last - first) >= BRACES_LIMIT:
        return None
    return [[Text(chr(item) if letters else str(item))] for item in range(first, last + step, step)]


def _joined(parts: list[Part]) -> list[Part]:
    from placet.actors.guard.scan import merged

    return list(merged(parts))
