"""Where a setting was made: on the command line, in the environment, in the file."""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING, Any

import msgspec

from placet.actors.protocol.errors import StartRefused

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


class Setting(msgspec.Struct, frozen=True):
    """One value as someone wrote it.

    Attributes:
        name: the setting.
        value: what was written, not yet checked.
        origin: the flag, variable or line.
        textual: whether it was written as plain text and must be read as what it stands for.
    """

    name: str
    value: Any
    origin: str
    textual: bool = False

    def refused(self, why: str) -> StartRefused:
        """The error that refuses it; `why` is a sentence without its full stop and without a secret."""
        return StartRefused(f"{self.origin}: {why}.", code="invalid_config", param=self.name)


def from_flags(flags: Mapping[str, Any]) -> dict[str, Setting]:
    """The flags that were given; `None` stands for one that was not."""
    return {
        name: Setting(name, value, f"flag --{name.replace('_', '-')}")
        for name, value in flags.items()
        if value is not None
    }


def from_environment(environ: Mapping[str, str], variables: Mapping[str, str]) -> dict[str, Setting]:
    """The variables that are set and not empty.

    Args:
        environ: the environment.
        variables: the setting's name by its variable's name.
    """
    return {
        name: Setting(name, environ[variable], f"variable {variable}", textual=True)
        for variable, name in variables.items()
        if environ.get(variable)
    }


def from_file(file: Path | None) -> dict[str, Setting]:
    """The settings of a TOML file; none if there is no file.

    Raises:
        StartRefused: the file cannot be read or is no TOML.
    """
    if file is None:
        return {}
    try:
        text = file.read_bytes().decode()
        values = tomllib.loads(text)
    except OSError as error:
        raise _unreadable(file, error.strerror or "it cannot be read") from None
    except UnicodeDecodeError:
        raise _unreadable(file, "it is not UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise _unreadable(file, str(error)) from None
    return {name: Setting(name, value, _line(file, text, name)) for name, value in values.items()}


def _unreadable(file: Path, why: str) -> StartRefused:
    return StartRefused(f"Configuration file {file}: {why}.", code="invalid_config")


def _line(file: Path, text: str, name: str) -> str:
    """`name in file, line n`, the first that sets the name or opens a table of it. TOML readers keep no lines."""
    first = re.compile(rf"\s*\[*\s*[\"']?{re.escape(name)}[\"']?\s*[]=.]")
    numbers = (number for number, line in enumerate(text.splitlines(), 1) if first.match(line))
    return f"{name} in {file}, line {next(numbers, 1)}"
