"""What a person sees: nothing hidden, nothing secret, nothing cut."""

import pytest

from placet.actors.guard import Verdict, judge, shown

PADDING = " " * 120


@pytest.mark.parametrize(
    ("command", "escape"),
    [
        ("rm -rf ./victim\u200b", "\\u200b"),
        ("rm -rf ./\u202egnp.a\u202c", "\\u202e"),
        ("ls\x1b[2K\rrm -rf ./victim", "\\x1b[2K\\x0d"),
        ("ls\u2028rm -rf ./victim", "\\u2028"),
        ("rm -rf ./victim\u00ad", "\\xad"),
        ("ls ./a\u00a0b", "\\xa0"),
        ("ls \U000e0041", "\\U000e0041"),
        ("ls \ud800", "\\ud800"),
        ("l\uff53 a", "\\uff53"),
        ("ls \u2800", "\\u2800"),
    ],
)
def test_hidden_characters_are_shown_and_ask(command: str, escape: str) -> None:
    """What a terminal would not show is visible as an escape, and the command asks."""
    judgement = judge(command, "/work")

    assert judgement.verdict is Verdict.ASK
    assert escape in judgement.display
    assert judgement.warnings
    assert judgement.rule is not None
    assert judgement.rule.command == command


def test_padding_does_not_push_out_of_sight() -> None:
    """Long runs of blanks shrink to their number; what stands behind them stays."""
    judgement = judge(f"ls ./a{PADDING}; rm -rf ./victim", "/work")

    assert judgement.display == "ls ./a ⟨120 spaces⟩ ; rm -rf ./victim"
    assert judgement.verdict is Verdict.ASK


def test_padding_alone_asks() -> None:
    """Also a harmless line that hides behind blanks asks: a person must see that they were there."""
    assert judge(f"ls{PADDING}-l", "/work").verdict is Verdict.ASK


def test_mixed_scripts_are_named() -> None:
    """A Cyrillic letter inside a Latin word is a disguise."""
    picture = shown("ls ./p\u0430yload")

    assert picture.warnings == ("letters of several scripts in one word: 'p\\u0430yload'",)


@pytest.mark.parametrize(
    "command",
    [
        "git commit -m 'Исправить ошибку'",
        "echo 'äöü ß 漢字'",
        "echo '✔️ done 👩‍👩‍👧'",
        "echo 'a\tb'",
        "echo a\necho b",
    ],
)
def test_other_languages_are_no_disguise(command: str) -> None:
    """Text in one script, emoji, tabs and line ends are shown as they are, without a warning."""
    picture = shown(command)

    assert (picture.display, picture.warnings) == (command, ())
    assert judge(command, "/work").verdict is Verdict.RUN


@pytest.mark.parametrize(
    ("command", "secret"),
    [
        (
            "curl -H 'Authorization: Bearer sk-live-0123456789abcdef' https://h/ -o x && rm -rf ./victim",
            "0123456789abcdef",
        ),
        ("curl -H 'X-Api-Key: hunter2hunter2' http://h", "hunter2hunter2"),
        ("curl -u me:hunter2 http://h", "hunter2"),
        ("git clone https://me:hunter2@host/r.git", "hunter2"),
        ("git push https://ghp_abcdefghijklmnopqrstuvwxyz0123@host/r", "ghp_abcdefghijklmnopqrstuvwxyz0123"),
        ("mysql -u root -phunter2 db", "hunter2"),
        ("PGPASSWORD=hunter2 psql", "hunter2"),
        ("export AWS_SECRET_ACCESS_KEY=abcd1234efgh", "abcd1234efgh"),
        ("echo AKIAIOSFODNN7EXAMPLE", "IOSFODNN7EXAMPLE"),
        ("tool --token abcdefgh123", "abcdefgh123"),
        ("tool --password=hunter2", "hunter2"),
        ("curl 'http://h/?api_key=abcdef123&x=1'", "abcdef123"),
        ("sshpass -p hunter2 ssh h", "hunter2"),
        ("echo eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.abcdefgh", "eyJzdWIiOiIxMjM0"),
        ("redis-cli -a hunter2 ping", "hunter2"),
        ("curl -b 'session=abcdef; id=5' -H 'Cookie: session=abcdef' http://h", "Cookie: session=abcdef"),
    ],
)
def test_secrets_are_masked_everywhere_but_in_the_rule(command: str, secret: str) -> None:
    """No field that is shown or logged holds the secret; the rule, which must match what runs, does."""
    judgement = judge(command, "/work")

    told = [
        judgement.display,
        judgement.masked,
        *judgement.warnings,
        *(r.text + r.part for r in judgement.reasons),
    ]
    assert not [text for text in told if secret in text]
    assert "***" in judgement.masked
    if judgement.rule is not None:
        assert judgement.rule.command == command
        assert secret not in judgement.rule.meaning


def test_masking_hides_no_danger() -> None:
    """What follows a secret stays visible."""
    judgement = judge(
        "curl -H 'Authorization: Bearer sk-live-0123456789abcdef' https://h/ -o x && rm -rf ./victim", "/"
    )

    assert judgement.display == "curl -H 'Authorization: Bearer ***' https://h/ -o x && rm -rf ./victim"


@pytest.mark.parametrize(
    "command", ["grep -rn password src", "cat token.py", "git log --author=me", "echo authentication"]
)
def test_words_about_secrets_are_no_secrets(command: str) -> None:
    """A word such as `password` alone masks nothing."""
    assert shown(command).masked == command


def test_nothing_is_cut() -> None:
    """A long command is shown whole."""
    command = "echo " + "x" * 100_000 + "; rm -rf ./victim"

    assert judge(command, "/work").display == command
