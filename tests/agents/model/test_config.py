"""The settings of models, tools and servers, from the environment and from a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from placet.actors.agents import McpServer
from placet.actors.protocol.errors import StartRefused
from placet.http.config import Config, load_config

FILE = """
turn_steps = 7
tools = ["builtin", "my_tools"]

[[model]]
name = "small"
base_url = "http://127.0.0.1:11434/v1"
context_tokens = 8000

[[model]]
name = "large"
base_url = "https://api.example.org/v1"
api_key = "sk-in-the-file"
model = "provider/large-2"

[[mcp]]
name = "files"
command = ["mcp-files", "--root", "."]
"""
URL = "http://127.0.0.1:1/v1"


def load(tmp_path: Path, text: str = "", **environ: str) -> Config:
    file = tmp_path / "placet.toml"
    file.write_text(text)
    variables = {f"PLACET_{name.upper()}": value for name, value in environ.items()}
    return load_config({"workspace": tmp_path}, {"HOME": str(tmp_path), **variables}, file)


def test_one_model_from_the_environment(tmp_path: Path) -> None:
    config = load(tmp_path, model_base_url=URL, model="fake", model_api_key="sk-in-the-environment")
    (model,) = config.agent_settings.models
    assert (model.name, model.base_url, model.api_key, model.model) == (
        "fake",
        URL,
        "sk-in-the-environment",
        None,
    )
    assert "sk-in-the-environment" not in f"{config!r} {model!r}"


def test_several_models_from_a_file(tmp_path: Path) -> None:
    settings = load(tmp_path, FILE).agent_settings
    assert [(model.name, model.model, model.context_tokens) for model in settings.models] == [
        ("small", None, 8000),
        ("large", "provider/large-2", 100_000),
    ]
    assert settings.tools == ("builtin", "my_tools")
    assert settings.turn_steps == 7
    assert settings.mcp == (McpServer(name="files", command=("mcp-files", "--root", ".")),)
    assert "sk-in-the-file" not in repr(load(tmp_path, FILE))


def test_the_environment_chooses_among_the_models_of_the_file(tmp_path: Path) -> None:
    assert [model.name for model in load(tmp_path, FILE, model="large").agent_settings.models] == [
        "large",
        "small",
    ]


def test_a_model_of_the_environment_goes_first(tmp_path: Path) -> None:
    config = load(tmp_path, FILE, model="fake", model_base_url=URL)
    assert [model.name for model in config.agent_settings.models] == ["fake", "small", "large"]


def test_tools_may_be_named_in_the_environment(tmp_path: Path) -> None:
    assert load(tmp_path, tools="builtin, my_tools").tools == ("builtin", "my_tools")


@pytest.mark.parametrize(
    ("text", "environ", "setting"),
    [
        ("", {"model": "fake"}, "PLACET_MODEL"),
        ("", {"model_base_url": URL}, "PLACET_MODEL_BASE_URL"),
        ("", {"model_base_url": "ftp://x", "model": "fake"}, "PLACET_MODEL_BASE_URL"),
        (FILE + FILE.partition("\n\n")[2], {}, "model in"),
        (FILE, {"model": "small", "model_base_url": URL}, "model in"),
        ("[[model]]\nname = 'x'", {}, "model in"),
        ("[[mcp]]\nname = 'not a name'", {}, "mcp in"),
        ("[[mcp]]\nname = 'x'", {}, "mcp in"),
        ("[[mcp]]\nname = 'x'\nurl = 'http://x'\ncommand = ['y']", {}, "mcp in"),
        ("[[mcp]]\nname = 'x'\ncommand = ['y']\n[[mcp]]\nname = 'x'\ncommand = ['z']", {}, "mcp in"),
        ("", {"sandbox": "tight"}, "PLACET_SANDBOX"),
        ("", {"turn_steps": "0"}, "PLACET_TURN_STEPS"),
    ],
)
def test_what_cannot_be_is_refused_where_it_stands(
    tmp_path: Path, text: str, environ: dict[str, str], setting: str
) -> None:
    with pytest.raises(StartRefused) as refused:
        load(tmp_path, text, **environ)
    assert refused.value.code == "invalid_config"
    assert setting in refused.value.message


def test_a_sandbox_needs_bubblewrap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(StartRefused, match="bubblewrap"):
        load(tmp_path, sandbox="workspace")
