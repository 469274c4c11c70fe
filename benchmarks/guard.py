"""How fast the guard judges: the corpus line by line, a line of 100 kB, and the worst that a line was found to cost."""

from __future__ import annotations

import json
import time
from pathlib import Path

from placet.actors.guard import Policy, judge

CORPUS = Path(__file__).parent.parent / "tests" / "guard" / "corpus"
LONG = 100_000  # characters
POLICY = Policy(home="/home/dev", protected=["/home/dev/.local/share/placet"])


def run(*, quick: bool = False) -> dict[str, float]:
    """Measure.

    Args:
        quick: whether to judge only a part of the corpus.

    Returns:
        Verdicts per second over the corpus, its slowest verdict in milliseconds, and milliseconds for long lines.
    """
    commands = [
        json.loads(line)["command"]
        for path in sorted(CORPUS.glob("*.jsonl"))
        for line in path.read_text().strip("\n").split("\n")
    ]
    if quick:
        commands = commands[::20]
    judge("ls", "/work", POLICY)
    times = [_seconds(command) for command in commands]
    return {
        "corpus_lines": len(commands),
        "verdicts_per_s": round(len(times) / sum(times)),
        "slowest_ms": round(max(times) * 1_000, 2),
        "p50_ms": round(sorted(times)[len(times) // 2] * 1_000, 3),
        "long_word_ms": round(_seconds("echo " + "x" * LONG) * 1_000, 1),
        "long_list_ms": round(_seconds("git status --short; " * (LONG // 20)) * 1_000, 1),
        "long_pipeline_ms": round(_seconds("cat a.txt" + " | sort -u" * (LONG // 10)) * 1_000, 1),
        "long_script_ms": round(
            _seconds("cat > notes.md <<'EOT'\n" + "some text here\n" * (LONG // 15) + "EOT\n") * 1_000, 1
        ),
    }


def _seconds(command: str) -> float:
    started = time.perf_counter()
    judge(command, "/work", POLICY)
    return time.perf_counter() - started
