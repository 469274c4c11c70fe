"""What is going on: a snapshot of every actor, and the tree of all tasks."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING

import trio

if TYPE_CHECKING:
    from placet.actors.runtime.activation import Activation
    from placet.actors.runtime.registry import Registry


@dataclass(frozen=True, slots=True)
class ActorSnapshot:
    """One running actor at one moment.

    Attributes:
        key: its key.
        state: `recovering`, `parked` (waiting for a message), `handling <message type>`, `serving` (about to) or `ending`.
        inbox_depth: messages that wait.
        open_replies: asks that it has taken and not answered.
        children: child tasks that run.
        age_s: seconds since it was activated.
        idle_s: seconds since it last took a message.
        task_name: its name in the task tree.
    """

    key: str
    state: str
    inbox_depth: int
    open_replies: int
    children: int
    age_s: float
    idle_s: float
    task_name: str


def snapshot(registry: Registry) -> list[ActorSnapshot]:
    """Describe every running actor, ordered by key. Synchronous, so the picture is of one moment."""
    now = trio.current_time()
    activations = sorted(registry.activations(), key=lambda activation: activation.key)
    return [
        ActorSnapshot(
            key=activation.key,
            state=_state(activation),
            inbox_depth=activation.inbox_depth,
            open_replies=activation.open_replies,
            children=activation.child_count,
            age_s=now - activation.started_at,
            idle_s=now - activation.last_active_at,
            task_name=activation.task_name,
        )
        for activation in activations
    ]


def _state(activation: Activation) -> str:
    if activation.in_hand is not None:
        return f"handling {type(activation.in_hand).__name__}"
    return "parked" if activation.is_parked else activation.phase.value


def task_tree(root: trio.lowlevel.Task | None = None) -> str:
    """Draw a task and all below it, one a line, indented, each with the place where it waits.

    Args:
        root: the topmost task to show; trio's own root, and so everything, if not given.

    Returns:
        Lines such as `actor s-1  [mailbox.py:149 _park]`. File names only, no paths.
    """
    top = root or trio.lowlevel.current_root_task()
    lines: list[str] = []
    todo = [(top, 0)] if top else []
    while todo:
        task, depth = todo.pop()
        lines.append(f"{'  ' * depth}{task.name}  [{_waits_at(task)}]")
        children = [child for nursery in task.child_nurseries for child in nursery.child_tasks]
        todo.extend(
            (child, depth + 1) for child in sorted(children, key=lambda child: child.name, reverse=True)
        )
    return "\n".join(lines)


def _waits_at(task: trio.lowlevel.Task) -> str:
    """The innermost frame of ours: trio's own frames say only that it waits."""
    where = "running"
    for frame, line in task.iter_await_frames():
        code = frame.f_code
        path = PurePath(code.co_filename)
        if "trio" not in path.parts:
            where = f"{path.name}:{line} {code.co_name}"
    return where
