"""What the documents say is so: links lead somewhere, settings are taken, flags, routes, headers and variables exist."""

from __future__ import annotations

import base64
import re
from typing import TYPE_CHECKING

import click
import pytest

from placet.http.cli import main
from placet.http.config import load_config, unknown_variables
from placet.http.config_reference import COMMAND, reference
from placet.http.openapi.table import OPERATIONS
from tests.docs.pages import PAGES, ROOT, Page, command_lines

if TYPE_CHECKING:
    from pathlib import Path

each_page = pytest.mark.parametrize("page", PAGES, ids=repr)

FOR_OTHERS = {"PLACET_URL", "PLACET_CONFIG", "PLACET_LONG", "PLACET_"}
"""Variables of the commands, of the application under another server, of the tests; and the prefix itself."""

ANN = f"""
[[principal]]
name = "ann"
key_sha256 = "{"a" * 64}"
role = "approver"
"""
"""Whom the pages know from elsewhere."""

OUR_FOLDERS = ("actors/", "http/", "tests/", "docs/", "deploy/", "benchmarks/", "changelog.d/", "placet/")


@each_page
def test_every_link_leads_somewhere(page: Page) -> None:
    here = (ROOT / page.path).parent
    for link in page.links:
        if link.startswith(("http://", "https://")):
            continue
        path, _, anchor = link.partition("#")
        target = (here / path).resolve() if path else ROOT / page.path
        assert target.exists(), link
        if anchor:
            assert anchor in Page(str(target.relative_to(ROOT))).anchors, link


@each_page
def test_every_path_of_the_repository_is_there(page: Page) -> None:
    for word in page.code:
        if word.startswith(OUR_FOLDERS) and re.fullmatch(r"[\w./-]+", word):
            assert (ROOT / word).exists(), word
        if "::" in word:
            file, _, name = word.partition("::")
            assert re.search(rf"def {re.escape(name)}\b", (ROOT / file).read_text()), word


@pytest.mark.parametrize("block", [block for page in PAGES for block in page.blocks("toml")])
def test_settings_are_taken(tmp_path: Path, block: tuple[str, str, str]) -> None:
    file = tmp_path / "placet.toml"
    file.write_text(block[2] + ("" if "[[principal]]" in block[2] else ANN))
    secret = "whsec_" + base64.b64encode(bytes(32)).decode()
    load_config({}, dict.fromkeys(re.findall(r'secret_env = "(\w+)"', block[2]), secret), file)


@pytest.mark.parametrize("block", [block for page in PAGES for block in page.blocks("python")])
def test_python_compiles(block: tuple[str, str, str]) -> None:
    compile(block[2], block[0], "exec")


@each_page
def test_commands_and_their_flags_exist(page: Page) -> None:
    for words in command_lines(page):
        command: click.Command = main
        for word in words:
            if isinstance(command, click.Group) and not word.startswith("-"):
                named = command.get_command(click.Context(command), word)
                assert named is not None, words
                command = named
            elif word.startswith("-") and word != "-":
                known = {flag for option in command.params for flag in option.opts} | {"--help", "-h"}
                assert word.partition("=")[0] in known, words


@each_page
def test_a_checkout_is_run_as_a_module(page: Page) -> None:
    """`make serve` installs what Placet needs, and not Placet: then there is no such program."""
    assert ".venv/bin/placet" not in page.text


@each_page
def test_make_targets_exist(page: Page) -> None:
    makefile = (ROOT / "Makefile").read_text()
    for text in (*page.code, *(block.text for block in page.blocks("sh"))):
        for target in re.findall(r"(?:^|\n)make ([\w-]+)", text):
            assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


@each_page
def test_routes_exist(page: Page) -> None:
    known = [
        (each.method, re.compile(re.sub(r"\\\{\w+\\\}", r"[^/]+", re.escape(each.path))))
        for each in OPERATIONS
    ]
    for word in page.code:
        named = re.fullmatch(r"(GET|POST|PATCH|DELETE) (/\S*)", word)
        if named:
            assert any(named[1] == method and path.fullmatch(named[2]) for method, path in known), word


@each_page
def test_headers_are_read_or_sent(page: Page) -> None:
    source = "\n".join(path.read_text() for path in (ROOT / "http").rglob("*.py")).lower()
    for header in set(re.findall(r"\bX-[A-Z][A-Za-z-]+", page.text)):
        assert header.lower() in source, header


@each_page
def test_variables_are_settings(page: Page) -> None:
    named = set(re.findall(r"\bPLACET_[A-Z_]*", page.text)) - FOR_OTHERS
    assert unknown_variables(dict.fromkeys(named, "")) == ()


def test_the_reference_of_the_settings_is_what_the_types_say() -> None:
    assert (ROOT / "docs/configuration.md").read_text() == reference(), f"it is stale: {COMMAND}"


def test_the_reference_knows_what_each_setting_is() -> None:
    page = reference()
    assert "| `approval_timeout_s` | seconds, 0 or more | `3600` | `PLACET_APPROVAL_TIMEOUT_S` |" in page
    assert "| `port` | whole number, 0 to 65535 | `8642` | `--port`, `PLACET_PORT` |" in page
    assert "## `[[principal]]`" in page
    assert "## `[guard]`" in page
