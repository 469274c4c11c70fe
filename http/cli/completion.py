"""`placet completion`: what makes a shell complete the words of `placet`."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from placet.http.cli.group import main


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the script that makes SHELL complete commands and options.

    \b
    Examples:
        placet completion bash >> ~/.bashrc
        placet completion zsh >> ~/.zshrc
        placet completion fish > ~/.config/fish/completions/placet.fish
    """
    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind(main, {}, "placet", "_PLACET_COMPLETE").source())
