"""A program's arguments, sorted by its row: which are options, which their values, which operands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from placet.actors.guard.programs import Flag

if TYPE_CHECKING:
    from collections.abc import Sequence

    from placet.actors.guard.programs import Program

_WORD = Flag()


class Arg(Struct, frozen=True):
    """One word after expansion, as far as it is known.

    Args:
        text: the word; its known beginning if it is not exact.
        exact: whether `text` is the whole word.
        glob: whether `text` holds an unquoted pattern, so that it stands for file names.
        many: whether it may become no word or several.
        source: the word as it was written.
    """

    text: str
    exact: bool = True
    glob: bool = False
    many: bool = False
    source: str = ""

    @property
    def known(self) -> bool:
        """Whether the word is this text and no other."""
        return self.exact and not self.glob

    @property
    def may_be_option(self) -> bool:
        """Whether the word could turn out to begin with a dash, though it is not known to."""
        if self.many:
            return True
        if not self.exact:
            return self.text[:1] in {"", "-"}
        return self.glob and self.text[:1] in {"*", "?", "["} and "." not in self.text


UNKNOWN = Arg("", exact=False, many=True)


class Option(Struct, frozen=True):
    """An option that was given.

    Args:
        name: the option as the row knows it.
        flag: what it does; None if the row does not list it.
        value: its value, if it takes one.
        source: the argument that it comes from.
        after: whether it stands behind an operand.
    """

    name: str
    flag: Flag | None
    value: Arg | None
    source: str
    after: bool = False


class Arguments(Struct):
    """Sorted arguments.

    Args:
        options: the options, in order.
        operands: the operands, in order.
        unclear: words that may become options.
        ended: how many operands stand before `--`; None if there is none.
    """

    options: list[Option] = []
    operands: list[Arg] = []
    unclear: list[Arg] = []
    ended: int | None = None

    def has(self, *names: str) -> bool:
        """Whether one of these options was given.

        Args:
            names: options with their dashes.
        """
        return any(option.name in names for option in self.options)

    def values(self, *names: str) -> list[Arg]:
        """The values given to these options.

        Args:
            names: options with their dashes.
        """
        return [option.value for option in self.options if option.name in names and option.value is not None]


def sort_arguments(program: Program, args: Sequence[Arg]) -> Arguments:
    """Sort a program's arguments.

    Args:
        program: its row.
        args: the words after its name.
    """
    result = Arguments()
    queue = list(reversed(args))
    while queue:
        arg = queue.pop()
        if arg.may_be_option:
            result.unclear.append(arg)
        if (
            not arg.text.startswith(("-", "+"))
            or arg.text in {"-", "+"}
            or arg.glob
            or not _option_like(program, arg)
        ):
            result.operands.append(arg)
            if program.stop:
                result.operands += reversed(queue)
                break
        elif arg.text == "--" and arg.exact:
            result.ended = len(result.operands)
            result.operands += reversed(queue)
            break
        else:
            _option(program, arg, queue, result)
    return result


def _option_like(program: Program, arg: Arg) -> bool:
    return arg.text.startswith("-") or any(
        arg.text.startswith(name) for name in program.flags if name[0] == "+"
    )


def _option(program: Program, arg: Arg, queue: list[Arg], result: Arguments) -> None:
    name, equals, rest = arg.text.partition("=")
    whole = arg.text.startswith("--") or arg.text.startswith("+") or program.long or name in program.flags
    if whole and (len(name) != 2 or name in program.flags):
        name, flag = _long(program, name)
        value = Arg(rest, arg.exact, source=arg.source) if equals else None
        if value is None and flag and flag.takes_value:
            value = _next(queue, result)
        result.options.append(Option(name, flag, value, arg.source, bool(result.operands)))
    else:
        _cluster(program, arg, queue, result)


def _long(program: Program, name: str) -> tuple[str, Flag | None]:
    """The option that a long name means: itself, or, as GNU programs allow, one that it abbreviates."""
    if name in program.flags:
        return name, program.flags[name]
    if len(name) > 2 and not program.long:
        for full, flag in program.flags.items():
            if full.startswith(name) and (flag.mark or flag.code) and flag.mark != "~":
                return full, flag
    return name, None


def _cluster(program: Program, arg: Arg, queue: list[Arg], result: Arguments) -> None:
    letters = arg.text[1:]
    for index, letter in enumerate(letters):
        flag = program.flags.get("-" + letter)
        value = None
        if flag and flag.takes_value:
            rest = letters[index + 1 :]
            value = Arg(rest, arg.exact, source=arg.source) if rest or not arg.exact else _next(queue, result)
        elif flag and flag.mark == "?":
            value = Arg(letters[index + 1 :], arg.exact, source=arg.source)
        result.options.append(Option("-" + letter, flag, value, arg.source, bool(result.operands)))
        if value is not None:
            return
    if not arg.exact:
        result.unclear.append(arg)


def _next(queue: list[Arg], result: Arguments) -> Arg | None:
    if not queue:
        return None
    value = queue.pop()
    if value.many:
        result.unclear.append(value)
    return value
