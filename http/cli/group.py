"""`placet`: the group of commands."""

from __future__ import annotations

from importlib import import_module
from typing import Final

import click
from click.shell_completion import CompletionItem

from placet import __version__

_COMMANDS: Final = {
    "serve": "Start the server and serve until SIGTERM or Ctrl-C.",
    "chat": "Talk to a server, and decide its prompts in place.",
    "approvals": "List, watch and answer what waits for a person.",
    "sessions": "List, read and delete sessions.",
    "runs": "List, read, stop and settle runs.",
    "rules": "List and revoke remembered approvals.",
    "doctor": "Check a data directory and its server.",
    "backup": "Copy the database while the server runs.",
    "guard": "Say what the guard thinks of a command.",
    "completion": "Print the shell's completion script.",
}
"""Each lies in the module of its name, under its name."""


class _Commands(click.Group):
    """Commands that are loaded when they are named; the help of the group needs none of them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the order of the help."""
        return [*super().list_commands(ctx), *_COMMANDS]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """A command by its name."""
        if cmd_name not in _COMMANDS:
            return super().get_command(ctx, cmd_name)
        command = getattr(import_module(f"placet.http.cli.{cmd_name}"), cmd_name)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """The list of commands in the help."""
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The commands that begin so, or the options."""
        if incomplete.startswith("-"):
            return click.Command.shell_complete(self, ctx, incomplete)
        return [
            CompletionItem(name, help=text) for name, text in _COMMANDS.items() if name.startswith(incomplete)
        ]


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="placet")
def main() -> None:
    """Run AI agents behind an OpenAI-compatible API, and ask a person before anything dangerous happens.

    \b
    Start a server with the demo agent, and talk to it from a second terminal:
        placet serve
        placet chat
    Start it with your own agent, in its own data directory:
        placet serve --agent my_package.my_module:agent --data-dir ./data
    Complete words in bash, also in later shells:
        placet completion bash >> ~/.bashrc

    Exit status, where a command says nothing else: 0 done, 1 refused by the server, 2 wrong usage, 3 the run did not complete,
    69 no server answered, 78 the settings or the data directory must be looked at, 130 left by Ctrl-C.
    """
