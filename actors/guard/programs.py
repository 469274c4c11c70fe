"""Rows of knowledge about programs, and the small language in which the tables write them.

A row names programs, says how their operands are used, and lists the flags that matter, separated by `|`.

    sort          | reads        | -k: -t: -o> --output> --compress-program$

Names that share a row are separated by commas; a subcommand follows its program: `git log, git show`. A `*` in a
name stands for any one word.

How operands are used:

    run           words: harmless whatever they are
    none          there may be none
    reads         paths that are read
    lists         paths of which only names and attributes are shown
    pattern       a pattern first (unless `-e` or `-f` gives it), then paths that are read
    writes        paths that are made or changed
    copies        the last is written, the others are read
    moves         all are written (what is moved is gone from where it was)
    menu          like `sub`, but alone it prints a list or its help
    sub           the first names a subcommand, which has a row of its own
    enters        the first is the directory in which the rest of the line runs
    wrap N        after N further words comes a command, which is judged in its place; `wrap N CODE` asks besides, and
                  `wrap N elsewhere` means another machine or a container
    shell         together they are a line for a shell
    as NAME       another name of that program
    ask CODE      whatever they are, a person is asked, for the reason CODE
    check NAME    code decides: the function of that name in `checks`; with `check stop NAME` options end at the first operand.
                  Behind `ask CODE`, `menu` or `sub` it looks for further reasons

A flag is followed by a mark that says what its value is:

    -a            a switch; it is listed only if the row is closed
    -a:           takes a word            -a<   takes a path that is read      -a>   takes a path that is written
    -a$           takes a command line    -a%   takes a directory in which the rest is done
    -a?           may have a value, in the same word only
    -a!CODE       a person is asked, for the reason CODE (`flag` if none is given); with a value, `-a:!CODE`
    -a~           turns an asking row into a harmless one, such as a list or a dry run, if it stands before the operands and
                  all other options are listed
    -a=           is harmless alone, as the only argument

`--help` and `--version` need no listing as such; where a program does not know them they are listed as what they are.

The word `closed` among the flags says that any flag that is not listed asks; without it, the flags that are not listed are
known to be harmless switches. The word `long` says that options with one dash are whole words; the word `shared`, that the
flags may also stand behind subcommands, whose rows need not repeat them. A fourth column names files
whose content decides what the program does; `@` stands for the operands.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct, structs

_FLAG = re.compile(r"(--?[^:<>$%!~?=]*|\+[^:<>$%!~?=]*)([:<>$%~?=])?(!([a-z_]*))?\Z")
TAKES_VALUE = frozenset(":<>$%")
_STOPPING = frozenset({"sub", "menu", "wrap", "shell"})


def words(text: str) -> frozenset[str]:
    """The words of a text, for sets that are easier to read as prose.

    Args:
        text: words between blanks.
    """
    return frozenset(text.split())


class Flag(Struct, frozen=True):
    """What one option does.

    Args:
        mark: one of `:<>$%~?=`, or empty for a switch.
        code: the reason's code if it asks, or empty.
    """

    mark: str = ""
    code: str = ""

    @property
    def takes_value(self) -> bool:
        """Whether the option is followed by a value."""
        return self.mark in TAKES_VALUE and self.mark != ""

    @property
    def matters(self) -> bool:
        """Whether a word that may turn out to be this option has to be asked about."""
        return self.code != "" or self.mark in {">", "$", "%"}


class Program(Struct, frozen=True):
    """One row.

    Args:
        mode: how operands are used.
        argument: the mode's argument: a reason's code, a name or a count.
        check: the name of the function that decides, or looks for further reasons; empty if there is none.
        stop: whether options end at the first operand.
        flags: the options that matter, by name with dashes.
        closed: whether an option that is not listed asks.
        long: whether options with one dash are whole words.
        shared: whether the flags may also stand behind subcommands.
        files: files whose content decides what the program does.
    """

    mode: str
    argument: str = ""
    check: str = ""
    stop: bool = False
    flags: Mapping[str, Flag] = {}
    closed: bool = False
    long: bool = False
    shared: bool = False
    files: tuple[str, ...] = ()

    @property
    def guarded(self) -> bool:
        """Whether a word that may turn out to be an option has to be asked about."""
        return self.closed or any(flag.matters for flag in self.flags.values())


def rows(text: str) -> dict[tuple[str, ...], Program]:
    """Read a table.

    Args:
        text: rows; a line that begins with a blank continues the one above, `#` begins a comment.

    Raises:
        ValueError: a line is no row.
    """
    table: dict[tuple[str, ...], Program] = {}
    for line in _joined(text):
        names, _, rest = line.partition("|")
        program = _program(rest)
        for name in names.split(","):
            if tuple(name.split()) in table:
                raise ValueError(f"two rows for {name}")
            table[tuple(name.split())] = program
    return table


def _joined(text: str) -> Iterator[str]:
    """The rows, each on one line."""
    row = ""
    for line in text.splitlines():
        if line.startswith(" "):
            row += line
        elif not line.startswith("#"):
            if row:
                yield row
            row = line
    if row:
        yield row


def _program(text: str) -> Program:
    columns = [column.strip() for column in text.split("|")] + ["", ""]
    how, _, check = columns[0].partition("check ")
    mode, _, argument = " ".join(how.split()).partition(" ")
    stop = check.split()[:1] == ["stop"] or mode in _STOPPING
    words = columns[1].split()
    flags: dict[str, Flag] = {}
    for word in words:
        match = _FLAG.match(word)
        if match:
            flags[match[1]] = Flag(match[2] or "", (match[4] or "flag") if match[3] else "")
        elif word not in {"closed", "long", "shared"}:
            raise ValueError(f"{word!r} is no flag")
    return Program(
        mode=mode or "check",
        argument=argument,
        check=check.split()[-1] if check else "",
        stop=stop,
        flags=flags,
        closed="closed" in words,
        long="long" in words,
        shared="shared" in words,
        files=tuple(columns[2].split()),
    )


class Catalogue:
    """All rows, to be looked up by name.

    Args:
        tables: the tables, none of which may repeat another's row.
    """

    def __init__(self, tables: Iterable[Mapping[tuple[str, ...], Program]]) -> None:
        self.rows: dict[tuple[str, ...], Program] = {}
        self._patterns: dict[str, list[tuple[tuple[str, ...], Program]]] = {}
        for table in tables:
            for name, program in table.items():
                if name in self.rows:
                    raise ValueError(f"two rows for {' '.join(name)}")
                self.rows[name] = program
        for name, program in self.rows.items():
            self.rows[name] = program = self._with_shared(name, program)
            if any("*" in word for word in name):
                self._patterns.setdefault(name[0], []).append((name, program))

    def _with_shared(self, name: tuple[str, ...], program: Program) -> Program:
        """A row with the flags that the rows above it share."""
        flags: dict[str, Flag] = {}
        for length in range(1, len(name)):
            above = self.rows.get(name[:length])
            if above is not None and above.shared:
                flags |= above.flags
        return structs.replace(program, flags=flags | dict(program.flags)) if flags else program

    def find(self, name: tuple[str, ...]) -> Program | None:
        """The row of a program or subcommand, None if there is none.

        Args:
            name: the program's name, then its subcommands.
        """
        if row := self.rows.get(name):
            return row
        for pattern, program in self._patterns.get(name[0], ()):
            if len(pattern) == len(name) and all(map(fnmatch.fnmatchcase, name, pattern)):
                return program
        return None
