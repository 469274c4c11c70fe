"""Where reading and writing matter."""

import pytest

from placet.actors.guard import Policy, Verdict, judge
from placet.actors.protocol.errors import InvalidInput

HOME = "/home/dev"
DATA = "/home/dev/.local/share/placet"


def verdict(command: str, directory: str = "/work") -> Verdict:
    return judge(command, directory, Policy(home=HOME, protected=[DATA])).verdict


@pytest.mark.parametrize(
    ("target", "directory"),
    [
        ("out.txt", "/work"), ("sub/deep/x", "/work"), ("./a/../b", "/work"), ("/work/x", "/work"), ("/tmp/x", "/work"),
        ("/dev/null", "/work"), ("x", "/home/dev/project"), ("~/project/x", "/home/dev/project"), ("x", "/opt/app"),
        ("notes.txt", HOME), ("gitconfig", "/work"), ("x.git", "/work"), ("etc/hosts", "/work"), ("x", "/tmp/build"),
    ],
)  # fmt: skip
def test_plain_files_of_the_workspace_are_written(target: str, directory: str) -> None:
    """Ordinary files in the working directory and temporary files run."""
    assert verdict(f"echo x > {target}", directory) is Verdict.RUN


@pytest.mark.parametrize(
    ("target", "directory"),
    [
        ("/etc/hosts", "/work"), ("../x", "/work"), ("a/../../x", "/work"), ("~/x", "/work"), ("~/.bashrc", "/work"),
        ("$HOME/.profile", "/work"), ("~root/x", "/work"), (".git/config", "/work"), (".GIT/config", "/work"),
        ("sub/.git/hooks/x", "/work"), (".git*/hooks/x", "/work"), (".husky/pre-commit", "/work"), (".envrc", "/work"),
        ("hosts", "/etc"), ("x", "/"), ("config", "/work/.git"), ("authorized_keys", "/home/dev/.ssh"), (".bashrc", HOME),
        ("/dev/sda", "/work"), ("/dev/tcp/h/1", "/work"), ("/proc/sys/x", "/work"), ("/tmp/../etc/x", "/work"), ("/tmp", "/work"),
        ("$UNKNOWN", "/work"), ('"$UNKNOWN/x"', "/work"), ("$(pick)", "/work"), ("json.py", "/work"),
        ("rust-toolchain.toml", "/work"), ("/var/spool/cron/root", "/work"), ("/usr/local/bin/x", "/work"), ("~/.config/x", HOME),
    ],
)  # fmt: skip
def test_writing_where_it_matters_asks(target: str, directory: str) -> None:
    """System files, start-up files, git's own files, other directories and unknown targets ask."""
    assert verdict(f"echo x > {target}", directory) is Verdict.ASK


@pytest.mark.parametrize(
    "command",
    [
        "cd /etc && echo x > hosts", "cd /etc; cd nowhere; echo x > hosts", "cd ~ && echo x >> .bashrc",
        "cd .git && tee config", "(cd .git/hooks; cp ../../x pre-commit)", "pushd /etc; touch x", "cd -; touch x",
        "cd $X; touch x", "D=/etc; echo x > $D/hosts", "for d in a /etc; do touch $d/x; done", "cd sub/../.. && touch x",
        "D=.; D=/etc; touch $D/x", "git -C /etc mv a b", "tee {a,/etc/b}",
    ],
)  # fmt: skip
def test_directories_and_variables_are_followed(command: str) -> None:
    """A relative path means what it means after `cd`, and a variable has every value that the line gives it."""
    assert verdict(command) is Verdict.ASK


@pytest.mark.parametrize(
    "command",
    ["cd sub && touch x", "(cd sub); touch x", "D=out; mkdir $D && touch $D/x", "cd /work/sub && touch ../x"],
)
def test_moving_inside_the_workspace_runs(command: str) -> None:
    """Following `cd` and variables raises no alarm inside the workspace."""
    assert verdict(command) is Verdict.RUN


@pytest.mark.parametrize(
    "command",
    [
        f"cat {DATA}/api_key", "cat ~/.local/share/placet/placet.db", "cd ~/.local/share/placet && cat api_key",
        f"sqlite3 {DATA}/placet.db 'select 1'", f"ls {DATA}", f"echo x > {DATA}/placet.db", f"rm -rf {DATA}",
        f"python3 -c 'open(\"{DATA}/api_key\")'", f"unknown --file={DATA}/x", "cat ~/.local/share/p*/api_key",
        "cat /home/dev/./.local/../.local/share/placet/api_key", f"tar cf x {DATA}", f"D={DATA}; cat $D/api_key",
        "cat ~/.local/share/[p]lacet/api_key", f"cat < {DATA}/api_key", f"cp {DATA}/api_key .",
    ],
)  # fmt: skip
def test_placets_own_data_is_refused(command: str) -> None:
    """No command may touch the data directory, and no choice is offered."""
    judgement = judge(command, "/work", Policy(home=HOME, protected=[DATA]))

    assert judgement.verdict is Verdict.DENY
    assert judgement.choices == ()


@pytest.mark.parametrize(
    "command", ["grep -r key ~/.local", "cp -r ~/.local x", "find ~ -name x -exec cat {} +", "rg key ~"]
)
def test_reading_everything_around_placets_data_asks(command: str) -> None:
    """Reading a whole tree in which the data directory lies would read it too."""
    assert verdict(command) is Verdict.ASK


@pytest.mark.parametrize(
    "command", ["ls ~", "ls -la ~/.local/share", "echo placet", "cat ~/project/x", "find ~ -name x"]
)
def test_looking_around_placets_data_runs(command: str) -> None:
    """Listing what lies around it reads nothing of it."""
    assert verdict(command) is Verdict.RUN


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("cat ~/.ssh/id_ed25519", Verdict.ASK), ("cat ~/.ssh/id_ed25519.pub", Verdict.RUN), ("cat ~/.aws/credentials", Verdict.ASK),
        ("cat < ~/.netrc", Verdict.ASK), ("base64 /etc/shadow", Verdict.ASK), ("cat /etc/passwd", Verdict.RUN),
        ("ls -la ~/.ssh", Verdict.RUN), ("cat /proc/self/environ", Verdict.ASK), ("cp ~/.ssh/id_rsa key", Verdict.ASK),
        ("cat ~/.ssh/known_hosts", Verdict.RUN), ("grep -n /etc/shadow notes", Verdict.RUN),
    ],
)  # fmt: skip
def test_secrets_are_read_only_with_consent(command: str, expected: Verdict) -> None:
    """What a tool prints goes to the model and out: key files ask, public ones run."""
    assert verdict(command) is expected


def test_links_are_followed_as_the_caller_says() -> None:
    """With a resolver, a harmless name that leads elsewhere is judged by where it leads."""
    links = {"/work/link/hosts": "/etc/hosts", "/work/data/key": f"{DATA}/key"}
    policy = Policy(home=HOME, protected=[DATA], resolve=lambda path: links.get(path, path))

    assert judge("echo x > link/hosts", "/work", policy).verdict is Verdict.ASK
    assert judge("echo x > data/key", "/work", policy).verdict is Verdict.DENY
    assert judge("cat data/key", "/work", policy).verdict is Verdict.DENY
    assert judge("echo x > plain", "/work", policy).verdict is Verdict.RUN
    assert judge("echo x > link/hosts", "/work", Policy(home=HOME)).verdict is Verdict.RUN


def test_a_resolver_that_fails_asks() -> None:
    """A path of which the system cannot say where it leads is not written unasked."""

    def refuse(path: str) -> str:
        if path == "/work/loop":
            raise OSError("too many levels of symbolic links")
        return path

    assert judge("echo x > loop", "/work", Policy(home=HOME, resolve=refuse)).verdict is Verdict.ASK


@pytest.mark.parametrize(
    ("command", "files"),
    [
        ("sh ./s.sh && rm -rf ./victim", ("s.sh",)),
        ("bash -e build.sh x", ("build.sh",)),
        ("cd sub && sh x.sh", ("sub/x.sh",)),
        ("cd sub; sh x.sh", ("x.sh", "sub/x.sh")),
        ("python3 run.py", ("run.py",)),
        ("python3 < run.py", ("run.py",)),
        ("cat a.sh b.sh | sh", ("a.sh", "b.sh")),
        ("make -C sub -f m.mk", ("sub/m.mk",)),
        ("make", ("GNUmakefile", "makefile", "Makefile")),
        (". ~/env.sh", ("/home/dev/env.sh",)),
        ("./run.sh", ("run.sh",)),
        ("npm run build", ("package.json",)),
        ("sed -f x.sed y", ("x.sed",)),
        ("awk -f x.awk y", ("x.awk",)),
        ("find . -exec ./p.sh {} +", ("p.sh",)),
        ("rm x", ()),
    ],
)
def test_files_that_decide_are_listed(command: str, files: tuple[str, ...]) -> None:
    """The files whose content decides what runs, so that a change of theirs can void a decision."""
    assert judge(command, "/work", Policy(home=HOME)).files == files


@pytest.mark.parametrize("path", ["data", "", "./x"])
def test_places_must_be_absolute(path: str) -> None:
    """A relative protected path would protect something else in each directory."""
    with pytest.raises(InvalidInput):
        Policy(protected=[path])
