"""The operator's rules, and the rule that an answer creates."""

import pytest

from placet.actors.guard import Policy, Verdict, judge
from placet.actors.guard.rules import parse_rule
from placet.actors.protocol.errors import InvalidInput

WORK = "/work"


def verdict(command: str, directory: str = WORK, **rules: list[str]) -> Verdict:
    return judge(command, directory, Policy(**rules)).verdict  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "command",
    [
        "sudo id", "/usr/bin/sudo id", "'sudo' id", "su\\do id", "env sudo id", "A=1 sudo id", "nohup sudo id &", "exec sudo id",
        "sh -c 'sudo id'", "eval sudo id", "$(command -v sudo) id", "`which sudo` id", "X=sudo; $X id", "find . -exec sudo id \\;",
        "ls | xargs sudo", "echo $(sudo id)", "f() { sudo id; }; f", "cat <<E\n$(sudo id)\nE", "time -p sudo id",
        "timeout 5 sudo id", "ssh host sudo id", "docker exec c sudo id", "bash <<< 'sudo id'", "bash <<'E'\nsudo id\nE",
        "systemd-run -p A=B sudo id", "./sudo id", "tmp/sudo id", "sud{o,} id", "watch sudo id", "git -c core.pager='sudo id' log",
        "sort --compress-program='sudo x' y", "trap 'sudo id' EXIT", "if sudo id; then ls; fi",
    ],
)  # fmt: skip
def test_a_denied_program_is_refused_behind_anything(command: str) -> None:
    """No path, quote, wrapper or substitution gets past a deny rule, and no choice is offered."""
    judgement = judge(command, WORK, Policy(deny=["sudo"], allow=["sudo id", "sudo *"]))

    assert judgement.verdict is Verdict.DENY
    assert judgement.choices == ()
    assert judgement.rule is None


@pytest.mark.parametrize(
    "command", ["echo sudo", "grep sudo x", "git commit -m 'sudo id'", "ls # sudo id", "cat sudo.txt"]
)
def test_a_denied_name_is_only_a_word(command: str) -> None:
    """Words that name a denied program are words."""
    assert verdict(command, deny=["sudo"]) is Verdict.RUN


def test_deny_with_arguments_wants_all_of_them_in_any_form() -> None:
    """`rm -r` covers `-rf` and `-fr`, and no other `rm`."""
    assert verdict("rm -fr x", deny=["rm -r"]) is Verdict.DENY
    assert verdict("rm x", deny=["rm -r"]) is Verdict.ASK
    assert verdict("git -C . push origin main", deny=["git push"]) is Verdict.DENY
    assert verdict("git push --force-with-lease=x", deny=["git push --force-with-lease"]) is Verdict.DENY
    assert verdict("git log", deny=["git push"]) is Verdict.RUN


def test_what_may_be_denied_asks() -> None:
    """Where an argument is known only later, a deny rule that could match asks."""
    assert verdict('cat "$X"') is Verdict.RUN
    assert verdict('cat "$X"', deny=["cat /secret"]) is Verdict.ASK


def test_ask_beats_allow_and_deny_beats_ask() -> None:
    """The order of the three kinds, not of the rules, decides."""
    assert verdict("ls", ask=["ls"]) is Verdict.ASK
    assert verdict("npm test", ask=["npm"], allow=["npm test"]) is Verdict.ASK
    assert verdict("npm test", deny=["npm"], ask=["npm"], allow=["npm test"]) is Verdict.DENY


def test_allow_is_exact() -> None:
    """An allow rule covers these arguments and no more, unless it says so."""
    assert verdict("npm test", allow=["npm test"]) is Verdict.RUN
    assert verdict("npm test -- -u", allow=["npm test"]) is Verdict.ASK
    assert verdict("npm run x", allow=["npm test"]) is Verdict.ASK
    assert verdict("npm test -- -u", allow=["npm test *"]) is Verdict.RUN
    assert verdict("pytest tests/a.py", allow=["pytest tests/*"]) is Verdict.RUN
    assert verdict("pytest src/a.py", allow=["pytest tests/*"]) is Verdict.ASK
    assert verdict("pytest $X", allow=["pytest *"]) is Verdict.ASK


def test_allow_does_not_cover_what_surrounds_the_program() -> None:
    """Wrappers, redirections, other programs, other directories and steering variables are judged by themselves."""
    allow = ["make test"]
    assert verdict("make test && ls", allow=allow) is Verdict.RUN
    assert verdict("make test > /etc/x", allow=allow) is Verdict.ASK
    assert verdict("sudo make test", allow=allow) is Verdict.ASK
    assert verdict("cd /other && make test", allow=allow) is Verdict.ASK
    assert verdict("LD_PRELOAD=./x make test", allow=allow) is Verdict.ASK
    assert verdict("make test; rm x", allow=allow) is Verdict.ASK
    assert verdict('make test "$(rm x)"', allow=["make test *"]) is Verdict.ASK


def test_a_rule_for_a_line_covers_no_part_of_it() -> None:
    """A compound rule is about the line that is written exactly so."""
    allow = ["git status && rm -rf ./victim"]
    assert verdict("git status && rm -rf ./victim", allow=allow) is Verdict.RUN
    assert verdict("rm -rf ./victim", allow=allow) is Verdict.ASK
    assert verdict("git status && rm -rf ./other", allow=allow) is Verdict.ASK
    assert verdict("ls | sh", deny=["ls | sh"]) is Verdict.DENY
    assert verdict("ls; ls", ask=["ls; ls"]) is Verdict.ASK


def test_an_allowed_line_stays_under_deny_and_ask() -> None:
    """Allowing a line does not lift the other rules."""
    assert verdict("ls && rm x", allow=["ls && rm x"], deny=["rm"]) is Verdict.DENY
    assert verdict("ls && rm x", allow=["ls && rm x"], ask=["rm"]) is Verdict.ASK


@pytest.mark.parametrize("rule", ["", "   ", "'", "$X y", "*", "rm $(x)", "if then", "# x"])
def test_a_rule_that_cannot_be_read_is_named(rule: str) -> None:
    """A bad rule stops the start and its message says which it is."""
    with pytest.raises(InvalidInput) as raised:
        Policy(deny=["sudo", rule])

    assert repr(rule) in raised.value.message


@pytest.mark.parametrize(
    ("action", "text", "meaning"),
    [
        ("deny", "sudo", "deny the program 'sudo' under any path, behind any wrapper, in any substitution"),
        ("allow", "npm test", "allow 'npm test' and nothing more"),
        ("allow", "npm run *", "allow 'npm run' with any arguments"),
        ("ask", "ls; id", "ask the line 'ls; id', written exactly so"),
    ],
)
def test_a_rule_says_what_it_means(action: str, text: str, meaning: str) -> None:
    """The meaning of each rule can be printed."""
    assert parse_rule(text, action).meaning == meaning


def test_an_answer_creates_an_exact_rule() -> None:
    """`always` covers this command in this directory: not its class, not its parts, not another directory."""
    rule = judge("git status && rm -rf ./victim", WORK).rule

    assert rule is not None
    assert rule.matches("git status && rm -rf ./victim", WORK)
    assert not rule.matches("git status && rm -rf ./victim", "/work/sub")
    assert not rule.matches("git status && rm -rf ./other", WORK)
    assert not rule.matches("rm -rf ./victim", WORK)
    assert rule.meaning == "allow exactly 'git status && rm -rf ./victim' in exactly '/work'"
