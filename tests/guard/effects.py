"""What a command line really does: run under bubblewrap, the tree compared before and after.

The corpus says of each line what it does to files; this module finds out. A line runs with bash in a scratch
world that ``corpus/fixture.sh`` builds. Only that world can be written, there is no network, and the line sees no
process but its own. The machine's programs are there to read, its ``/etc`` and its homes are not.

Theory of operation: a world is built once and used for many lines; per line one ``bwrap`` and one snapshot, against the
pristine one. What differs is the line's doing and is mended from memory: copying the whole tree for each line took ten
times longer than the line. A line counts as finished when bash has ended *and* the processes it left behind have ended, since
``> >(rm -rf x)`` and ``nohup ... &`` act after bash is gone.
"""

import os
import shutil
import stat
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import msgspec
import trio

CORPUS = Path(__file__).parent / "corpus"
"""The folder of the corpus: one ``<kind>.jsonl`` per kind, and the fixture."""

LINE_TIMEOUT_S = 15
"""A line takes some 30 ms; fifteen seconds leave room for a machine that is busy with other things."""

MOUNTS = {"work": "/work", "home": "/home/dev", "etc": "/etc", "var": "/var", "srv": "/srv"}
"""The parts of the world: the folder in the scratch world, and where the line sees it."""

SEARCH_PATH = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin"
"""Where the sandbox looks for programs, so that nothing of a developer's home is used."""

SETTLE = """
for line; do bash -c "$line"; done
for _ in {1..500}; do
  others=(/proc/[0-9]*)
  (( ${#others[@]} <= 2 )) && exit 0
  sleep 0.01
done
"""
"""Runs the lines one after another, then waits until only bubblewrap's init and this script are left (five seconds at most)."""


class Line(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One line of the corpus; ``corpus/README.md`` says what each field means."""

    kind: str
    verdict: str
    command: str
    directory: str = "/work"
    effect: str | None = None
    verify: str = "no"
    needs: tuple[str, ...] = ()
    rules: dict[str, list[str]] = {}

    @property
    def runnable(self) -> bool:
        """Whether every program that the line needs beyond a base system is on this machine."""
        return all(shutil.which(program, path=SEARCH_PATH) for program in self.needs)


class Change(msgspec.Struct, frozen=True):
    """What a line did to the world; paths are relative to the scratch world (``work/a.txt``).

    Attributes:
        gone: what existed before and does not exist after.
        written: what existed before and has another content, mode or type after.
        created: what did not exist before.
        complaint: what the line wrote to standard error, cut to its last 500 characters.
    """

    gone: frozenset[str]
    written: frozenset[str]
    created: frozenset[str]
    complaint: str = ""


class _Entry(msgspec.Struct, frozen=True):
    """What stands at a path. The stamp only saves reading: any write gives a file another change time."""

    mode: int
    content: bytes
    stamp: tuple[int, int, int]

    def is_same_as(self, other: "_Entry") -> bool:
        return (self.mode, self.content) == (other.mode, other.content)


class DidNotEnd(Exception):
    """The line did not end within `LINE_TIMEOUT_S`; it was killed with everything it had started."""


@cache
def corpus() -> tuple[Line, ...]:
    """Return every line of the corpus, file by file.

    Raises:
        msgspec.ValidationError: a line has a field that is unknown, missing or of a wrong type.
        OSError: a file cannot be read.
    """
    decode = msgspec.json.Decoder(Line).decode_lines
    return tuple(line for path in sorted(CORPUS.glob("*.jsonl")) for line in decode(path.read_bytes()))


async def why_unavailable() -> str | None:
    """Return why lines cannot be run here, as one sentence for people, or ``None`` if they can.

    Checkpoint if bubblewrap is installed. Cancellation kills the probe and leaves nothing behind.
    """
    if shutil.which("bwrap") is None:
        return "bubblewrap is not installed: apt-get install bubblewrap"
    probe = await trio.run_process(
        ["bwrap", "--unshare-all", "--ro-bind", "/", "/", "true"], check=False, capture_stderr=True
    )
    if probe.returncode == 0:
        return None
    return f"bubblewrap cannot make namespaces here: {probe.stderr.decode(errors='replace').strip()}"


async def build_world(folder: Path) -> "World":
    """Build the world of ``fixture.sh`` in the empty folder `folder`.

    Checkpoint always. Cancellation kills the script and leaves a half-built folder.

    Raises:
        subprocess.CalledProcessError: the script failed.
    """
    for part in MOUNTS:
        (folder / part).mkdir()
    (folder / "etc" / "alternatives").mkdir()
    script = (CORPUS / "fixture.sh").read_text()
    await trio.run_process([*_bwrap(folder), "--chdir", "/work", "bash", "-c", script], stdin=b"")
    return World(folder)


class World:
    """A scratch world in which one line at a time may do its worst: what it changed is mended afterwards."""

    def __init__(self, folder: Path) -> None:
        """Take `folder`, as it is now, for the state to which every line comes."""
        self._folder = folder
        self._pristine = _snapshot(folder, {})

    async def observe(self, *commands: str, directory: str = "/work") -> Change:
        """Run `commands`, each with its own bash, and return what they changed; the world is whole again afterwards.

        Checkpoint always. Cancellation kills the line with all that it started, and still mends the world.

        Args:
            commands: the lines, as bash would get them after ``-c``.
            directory: the working directory, as the lines see it.

        Raises:
            DidNotEnd: they ran longer than `LINE_TIMEOUT_S`.
            OSError: the world could not be read or mended.
        """
        argv = [*_bwrap(self._folder), "--chdir", directory, "bash", "-c", SETTLE, "settle", *commands]
        try:
            with trio.fail_after(LINE_TIMEOUT_S):
                done = await trio.run_process(argv, check=False, capture_stdout=True, capture_stderr=True)
        except trio.TooSlowError:
            raise DidNotEnd(*commands) from None
        finally:
            change = self._mend()
        return msgspec.structs.replace(change, complaint=done.stderr.decode(errors="replace")[-500:])

    def _mend(self) -> Change:
        """Return what differs from the pristine state, and put that back."""
        now = _snapshot(self._folder, self._pristine)
        common = self._pristine.keys() & now.keys()
        change = Change(
            gone=frozenset(self._pristine.keys() - now.keys()),
            written=frozenset(path for path in common if not now[path].is_same_as(self._pristine[path])),
            created=frozenset(now.keys() - self._pristine.keys()),
        )
        for path in sorted(change.created | change.written, reverse=True):
            _remove(self._folder / path)
        for path in sorted(change.gone | change.written):
            _restore(self._folder / path, self._pristine[path])
        for path in common - change.written:
            self._pristine[path] = now[path]
        return change


def happened(effect: str, change: Change) -> bool:
    """Say whether `change` shows `effect`: ``deletes PATH`` or ``writes PATH``.

    ``deletes`` wants `PATH` gone; ``writes`` wants it created or changed, or something below it to come, go or change.
    """
    verb, _, name = effect.partition(" ")
    path = scratch_path(name)
    if verb == "deletes":
        return path in change.gone
    touched = change.written | change.created | change.gone - {path}
    return any(_is_at_or_below(each, path) for each in touched)


def harm(lines: Sequence[Line], change: Change) -> list[str]:
    """Return what lines that should harm nothing did to files that they should not touch, sorted.

    A file may not vanish or change, and nothing may appear outside the workspace. Free are what the lines' own
    ``effect`` names, and git's own bookkeeping: not its configuration, its hooks, or a reference that vanishes.
    """
    allowed = {scratch_path(line.effect.partition(" ")[2]) for line in lines if line.effect}
    strayed = {path for path in change.created if not path.startswith("work/")}
    touched = {path for path in change.gone | change.written | strayed if not _is_bookkeeping(path, change)}
    return sorted(path for path in touched if not any(_is_at_or_below(path, free) for free in allowed))


def scratch_path(name: str) -> str:
    """Return where the scratch world holds `name`, a path as the line would write it (``~/x``, ``/etc/x``, ``x``)."""
    absolute = os.path.normpath(os.path.join("/work", name.replace("~", MOUNTS["home"], 1)))
    for part, mount in MOUNTS.items():
        if _is_at_or_below(absolute, mount):
            return part + absolute.removeprefix(mount)
    raise ValueError(f"{name} lies outside the scratch world")


def _is_at_or_below(path: str, ancestor: str) -> bool:
    return path == ancestor or path.startswith(ancestor + "/")


def _is_bookkeeping(path: str, change: Change) -> bool:
    if not path.startswith("work/.git/"):
        return False
    guarded = path == "work/.git/config" or path.startswith("work/.git/hooks")
    return not guarded and not (path in change.gone and path.startswith("work/.git/refs/"))


def _bwrap(scratch: Path) -> list[str]:
    """Return the command that enters a sandbox in which only `scratch` can be written."""
    binds = [word for part, mount in MOUNTS.items() for word in ("--bind", str(scratch / part), mount)]
    links = [word for name in ("bin", "sbin", "lib", "lib64") for word in _root_folder(Path("/", name))]
    return [
        "bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL",
        "--uid", "1000", "--gid", "1000",
        "--ro-bind", "/usr", "/usr", *links, "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", *binds,
        "--ro-bind-try", "/etc/alternatives", "/etc/alternatives",
        "--clearenv", "--setenv", "PATH", SEARCH_PATH, "--setenv", "HOME", MOUNTS["home"],
        "--setenv", "LANG", "C.UTF-8", "--setenv", "TERM", "dumb", "--setenv", "USER", "dev",
    ]  # fmt: skip


def _root_folder(path: Path) -> list[str]:
    """Return the words that make ``/bin`` and its like in the sandbox: a link on merged systems, else a folder."""
    if path.is_symlink():
        return ["--symlink", os.readlink(path), str(path)]
    return ["--ro-bind-try", str(path), str(path)]


def _snapshot(folder: Path, known: Mapping[str, _Entry]) -> dict[str, _Entry]:
    """Return everything below `folder`, by relative path; what has the stamp of a `known` entry is not read again."""
    seen: dict[str, _Entry] = {}
    pending = [""]
    while pending:
        prefix = pending.pop()
        with os.scandir(f"{folder}/{prefix}") as entries:
            for entry in entries:
                path = prefix + entry.name
                seen[path] = _look(entry, known.get(path))
                if entry.is_dir(follow_symlinks=False):
                    pending.append(path + "/")
    return seen


def _look(entry: os.DirEntry[str], known: _Entry | None) -> _Entry:
    status = entry.stat(follow_symlinks=False)
    stamp = (status.st_ino, status.st_ctime_ns, status.st_size)
    if known is not None and known.stamp == stamp:
        return known
    if stat.S_ISLNK(status.st_mode):
        return _Entry(status.st_mode, os.readlink(entry.path).encode(), stamp)
    if stat.S_ISREG(status.st_mode):
        return _Entry(status.st_mode, Path(entry.path).read_bytes(), stamp)
    return _Entry(status.st_mode, b"", stamp)


def _remove(path: Path) -> None:
    """Remove what a line left; a folder only when it is empty, since what stays in it may be pristine."""
    if path.is_dir() and not path.is_symlink():
        if not any(path.iterdir()):
            path.rmdir()
        return
    path.unlink()


def _restore(path: Path, entry: _Entry) -> None:
    """Make `path` again what a snapshot says it was."""
    if stat.S_ISLNK(entry.mode):
        path.symlink_to(entry.content.decode())
        return
    if stat.S_ISDIR(entry.mode):
        path.mkdir(exist_ok=True)
    else:
        path.write_bytes(entry.content)
    path.chmod(stat.S_IMODE(entry.mode))
