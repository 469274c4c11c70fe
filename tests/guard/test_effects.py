"""The corpus says the truth: every line that claims an effect on files has it, and every harmless one has none."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import msgspec
import pytest
import trio

from tests.guard import effects

AT_ONCE = 3
"""Lines that run side by side: they wait for processes more than they compute."""

BATCH = 20
"""Harmless lines that share a sandbox. None is expected to change anything, so one snapshot serves them all."""

KINDS = sorted(path.stem for path in effects.CORPUS.glob("*.jsonl"))


@pytest.fixture(scope="session")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> list[effects.World]:
    """Scratch worlds to run lines in; skips, saying why, where bubblewrap cannot work."""
    reason = trio.run(effects.why_unavailable)
    if reason:
        pytest.skip(reason)
    return [trio.run(effects.build_world, tmp_path_factory.mktemp("world")) for _ in range(AT_ONCE)]


async def faults(lines: Iterable[effects.Line], worlds: list[effects.World]) -> list[str]:
    """Run `lines` and return one sentence for each that does not do what the corpus says."""
    found: list[str] = []
    queue = iter(batches(lines))

    async def work(world: effects.World) -> None:
        for batch in queue:
            found.extend(await batch_faults(batch, world))

    async with trio.open_nursery() as nursery:
        for world in worlds:
            nursery.start_soon(work, world)
    return sorted(found)


def batches(lines: Iterable[effects.Line]) -> list[list[effects.Line]]:
    """Put harmless lines of one directory together; a line with an effect stays alone, since it spoils the world."""
    result: list[list[effects.Line]] = []
    harmless: dict[str, list[effects.Line]] = {}
    for line in lines:
        if line.verify == "effect":
            result.append([line])
            continue
        batch = harmless.setdefault(line.directory, [])
        batch.append(line)
        if len(batch) == BATCH:
            result.append(harmless.pop(line.directory))
    return result + list(harmless.values())


async def batch_faults(batch: list[effects.Line], world: effects.World) -> list[str]:
    """Run `batch` in one sandbox; where something is wrong, run its lines one by one to say which it is."""
    try:
        change = await world.observe(*(line.command for line in batch), directory=batch[0].directory)
    except effects.DidNotEnd:
        found = [f"{batch[0].command!r} did not end"]
    else:
        found = fault(batch, change)
    if not found or len(batch) == 1:
        return found
    return [each for line in batch for each in await batch_faults([line], world)]


def fault(batch: list[effects.Line], change: effects.Change) -> list[str]:
    """Compare what `batch` did with what the corpus says of it."""
    line = batch[0]
    if line.verify == "effect" and line.effect and not effects.happened(line.effect, change):
        return [f"{line.command!r} should have this effect and has not: {line.effect}. {change.complaint}"]
    if line.verify == "none" and (touched := effects.harm(batch, change)):
        return [f"{line.command!r} should touch nothing and touched {touched}. {change.complaint}"]
    return []


@pytest.mark.slow
@pytest.mark.thread
@pytest.mark.parametrize("kind", KINDS)
async def test_lines_do_what_the_corpus_says(kind: str, worlds: list[effects.World]) -> None:
    """Every verified line of the kind whose programs are here has its effect, or none, when bash runs it."""
    lines = [line for line in effects.corpus() if line.kind == kind and line.verify != "no" and line.runnable]

    assert await faults(lines, worlds) == []


@pytest.mark.thread
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (effects.Line("k", "ask", "echo rm -rf victim", effect="deletes victim", verify="effect"), "has not"),
        (effects.Line("k", "ask", "cat /etc/hosts", effect="writes /etc/hosts", verify="effect"), "has not"),
        (effects.Line("k", "run", "rm -rf victim", verify="none"), "work/victim/f"),
        (effects.Line("k", "run", "echo x > a.txt", verify="none"), "work/a.txt"),
        (effects.Line("k", "run", "echo x > ~/.new", verify="none"), "home/.new"),
        (effects.Line("k", "run", "git branch -D topic", verify="none"), "work/.git/refs/heads/topic"),
        (effects.Line("k", "run", "(sleep 0.2; rm -r victim) &", verify="none"), "work/victim"),
    ],
    ids=lambda value: value.command if isinstance(value, effects.Line) else "",
)
async def test_a_false_line_is_found(line: effects.Line, expected: str, worlds: list[effects.World]) -> None:
    """The check itself can fail: a line that lies about its effect is named."""
    [complaint] = await faults([line], worlds)

    assert expected in complaint


@pytest.mark.thread
async def test_the_world_is_mended(worlds: list[effects.World]) -> None:
    """The next line comes to the same world, whatever the one before it did."""
    await worlds[0].observe(
        "rm -rf ..?* .[!.]* * ~/.[!.]*; mkdir a.txt; echo x >/etc/hosts; chmod 700 /etc/ssh; ln -s x y"
    )

    assert await worlds[0].observe("true") == effects.Change(frozenset(), frozenset(), frozenset())


@pytest.mark.thread
async def test_the_sandbox_holds(worlds: list[effects.World], tmp_path: Path) -> None:
    """A line sees no file of the real machine's home or /etc, and cannot write outside its copy."""
    real = tmp_path / "real"
    real.write_text("kept")
    command = f"rm -f {real} /usr/bin/env; ls -a /root {tmp_path} && touch found; test -x /usr/bin/env && touch held"

    change = await worlds[0].observe(command)

    assert real.read_text() == "kept"
    assert change.created == {"work/held"}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("victim", "work/victim"),
        ("~/.ssh/x", "home/.ssh/x"),
        ("/etc/hosts", "etc/hosts"),
        ("../etc/x", "etc/x"),
    ],
)
def test_paths_of_effects(name: str, expected: str) -> None:
    """An effect names its path as the line would."""
    assert effects.scratch_path(name) == expected


@pytest.mark.parametrize("kind", KINDS)
def test_every_line_is_whole(kind: str) -> None:
    """A line names its file's kind and a verdict, and what is verified of it fits the verdict."""
    fitting = {"run": ("none", "no"), "ask": ("effect", "no"), "deny": ("no",)}
    for line in msgspec.json.Decoder(effects.Line).decode_lines(
        (effects.CORPUS / f"{kind}.jsonl").read_bytes()
    ):
        assert line.kind == kind, line
        assert line.verify in fitting[line.verdict], line
        assert line.effect or line.verify != "effect", line
        assert line.rules.keys() & {"deny", "protected"} or line.verdict != "deny", line
        assert line.effect is None or line.effect.startswith(("deletes ", "writes ")), line


def test_no_line_stands_twice() -> None:
    """A line counts once: the figures below are of different lines."""
    counts = Counter((line.command, line.directory, repr(line.rules)) for line in effects.corpus())

    assert [command for (command, _, _), count in counts.items() if count > 1] == []


def test_the_corpus_is_large_enough() -> None:
    """The figures that `corpus/README.md` promises."""
    lines = effects.corpus()
    verified = Counter(line.verify for line in lines)

    assert len(lines) >= 8500
    assert sum(line.kind == "everyday" for line in lines) >= 600
    assert verified["effect"] >= 2000
    assert verified["none"] >= 1500
