"""Settings: where they come from, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from placet.actors.protocol.errors import StartRefused
from placet.actors.protocol.limits import Limits
from placet.http.config import (
    Config,
    GuardConfig,
    PrincipalConfig,
    Role,
    default_data_dir,
    load_config,
    unknown_variables,
)
from placet.http.dialect import Dialect

KEY = "a-key-of-some-length-0123"
HASH = "ab" * 32


def refusal(
    flags: dict[str, Any] | None = None, environ: dict[str, str] | None = None, file: Path | None = None
) -> str:
    with pytest.raises(StartRefused) as caught:
        load_config(flags or {}, environ or {}, file)
    assert caught.value.code == "invalid_config"
    return caught.value.message


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "placet.toml"


def test_the_defaults() -> None:
    config = load_config({}, {"HOME": "/home/x"}, None)
    assert (config.host, config.port, config.agent, config.recovery) == ("127.0.0.1", 8642, "demo", "resume")
    assert config.data_dir == Path("/home/x/.local/share/placet")
    assert config.workspace == Path.cwd()
    assert (config.no_auth, config.api_key, config.cors_origins, config.principal) == (False, None, (), ())
    assert config.body_bytes == 10_000_000
    assert config.limits == Limits()


def test_flags_over_variables_over_file(file: Path) -> None:
    file.write_text('port = 1\nhost = "::1"\nrunning_turns = 2\nagent = "openai"\n')
    environ = {"PLACET_PORT": "3", "PLACET_HOST": "127.0.0.2", "PLACET_AGENT": ""}
    config = load_config({"port": 0, "host": None}, environ, file)
    assert (config.port, config.host, config.running_turns, config.agent) == (0, "127.0.0.2", 2, "openai")


@pytest.mark.parametrize("field", msgspec.structs.fields(Limits), ids=lambda field: field.name)
def test_every_limit_is_a_setting(field: msgspec.structs.FieldInfo) -> None:
    config = load_config({}, {f"PLACET_{field.name.upper()}": "7"}, None)
    assert getattr(config.limits, field.name) == 7
    assert config.limits == msgspec.structs.replace(Limits(), **{field.name: 7})


@pytest.mark.parametrize(("word", "value"), [("true", True), ("1", True), ("FALSE", False), ("0", False)])
def test_booleans_in_the_environment(word: str, value: bool) -> None:
    assert load_config({}, {"PLACET_NO_AUTH": word}, None).no_auth is value


def test_lists_in_the_environment_are_comma_separated() -> None:
    config = load_config({}, {"PLACET_CORS_ORIGINS": "https://a.example, http://localhost:3000,"}, None)
    assert config.cors_origins == ("https://a.example", "http://localhost:3000")


def test_principals_and_rules_come_from_the_file(file: Path) -> None:
    file.write_text(
        f'[[principal]]\nname = "web"\nkey_sha256 = "{HASH}"\nrole = "approver"\napprovals = "chunk"\n'
        '[guard]\ndeny = ["rm"]\n'
    )
    config = load_config({}, {}, file)
    assert config.principal == (PrincipalConfig("web", HASH, Role.APPROVER, Dialect.CHUNK),)
    assert config.guard == GuardConfig(deny=("rm",))


def test_paths_are_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    config = load_config({"workspace": "link", "data_dir": Path("data")}, {}, None)
    assert (config.workspace, config.data_dir) == (tmp_path / "real", tmp_path / "data")
    assert load_config({}, {"PLACET_DATA_DIR": "~/d"}, None).data_dir == tmp_path / "home" / "d"


@pytest.mark.parametrize(
    ("environ", "path"),
    [
        ({"XDG_DATA_HOME": "/data", "HOME": "/h"}, "/data/placet"),
        ({"XDG_DATA_HOME": "not/absolute", "HOME": "/h"}, "/h/.local/share/placet"),
        ({"XDG_DATA_HOME": "", "HOME": "/h"}, "/h/.local/share/placet"),
    ],
)
def test_the_default_data_directory(environ: dict[str, str], path: str) -> None:
    assert default_data_dir(environ) == Path(path)


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("PLACET_PORT", "x"),
        ("PLACET_PORT", "65536"),
        ("PLACET_PORT", "-1"),
        ("PLACET_NO_AUTH", "yes"),
        ("PLACET_RECOVERY", "never"),
        ("PLACET_HEARTBEAT_S", "0"),
        ("PLACET_HEARTBEAT_S", "inf"),
        ("PLACET_APPROVAL_TIMEOUT_S", "nan"),
        ("PLACET_RUNNING_TURNS", "0"),
        ("PLACET_RUNNING_TURNS", "1.5"),
        ("PLACET_AGENT", "some thing"),
        ("PLACET_AGENT", "module"),
        ("PLACET_API_KEY", "short"),
        ("PLACET_CORS_ORIGINS", "example.org"),
        ("PLACET_CORS_ORIGINS", "https://example.org/path"),
        ("PLACET_WORKSPACE", "/no/such/directory"),
    ],
)
def test_a_bad_variable_is_named(variable: str, value: str) -> None:
    assert f"variable {variable}" in refusal(environ={variable: value})


def test_a_refused_key_is_not_repeated(file: Path) -> None:
    for key in ("hunter2", "x" * 20, "two words of some length"):
        assert key not in refusal(environ={"PLACET_API_KEY": key})
    file.write_text("api_key = hunter2")
    assert "hunter2" not in refusal(file=file)
    file.write_text('[[principal]]\nname = "web"\nkey_sha256 = "hunter2"\n')
    assert "hunter2" not in refusal(file=file)


def test_a_bad_flag_is_named() -> None:
    assert "flag --running-turns" in refusal({"running_turns": 0})
    assert "flag --port" in refusal({"port": True})


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('host = "::1"\nport = "x"\n', "port in {file}, line 2: Expected `int`, got `str` - at `port`"),
        ('host = "::1"\nprot = 1\n', "prot in {file}, line 2: Object contains unknown field `prot`"),
        (
            f'port = 1\n\n[[principal]]\nname = "a"\nkey_sha256 = "{HASH}"\nrole = "boss"\n',
            "principal in {file}, line 3: Invalid enum value 'boss' - at `principal[0].role`",
        ),
        (
            '[guard]\nprompt = ["ls"]\n',
            "guard in {file}, line 1: Object contains unknown field `prompt` - at `guard`",
        ),
        ("heartbeat_s = inf\n", "heartbeat_s in {file}, line 1: Expected a finite number"),
        ("port = \n", "line 1"),
    ],
)
def test_a_bad_line_is_named_with_the_path_of_the_field(file: Path, text: str, says: str) -> None:
    file.write_text(text)
    assert says.format(file=file) in refusal(file=file)


def test_a_file_that_cannot_be_read(file: Path) -> None:
    assert "No such file" in refusal(file=file)
    file.write_bytes(b"\xff")
    assert "UTF-8" in refusal(file=file)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9", "::1", "localhost"])
def test_no_keys_on_loopback(host: str) -> None:
    assert load_config({"no_auth": True, "host": host}, {}, None).no_auth


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.0.1", "example.org", "localhost.example.org"])
def test_no_keys_nowhere_else(host: str) -> None:
    assert "flag --no-auth" in refusal({"no_auth": True, "host": host})


@pytest.mark.parametrize(
    ("name", "digest", "why"),
    [("api", HASH, "taken"), ("web", "cd" * 32, "once"), ("other", HASH.upper(), "same key")],
)
def test_principals_are_told_apart(file: Path, name: str, digest: str, why: str) -> None:
    entries = [("web", HASH), (name, digest)]
    file.write_text("".join(f'[[principal]]\nname = "{n}"\nkey_sha256 = "{d}"\n' for n, d in entries))
    assert why in refusal(file=file)


def test_a_misspelt_variable_is_found() -> None:
    environ = {
        "PLACET_PROT": "1",
        "PLACET_PORT": "1",
        "PLACET_GUARD": "x",
        "PLACET_CRASH_AT": "",
        "PATH": "/bin",
    }
    assert unknown_variables(environ) == ("PLACET_GUARD", "PLACET_PROT")


def test_the_key_is_never_shown() -> None:
    config = load_config({}, {"PLACET_API_KEY": KEY}, None)
    assert config.api_key == KEY
    assert KEY not in repr(config) + str(config)
    assert "port=8642" in repr(config)


def test_a_config_can_be_made_without_loading() -> None:
    assert Config(port=0).workspace == Path.cwd()
