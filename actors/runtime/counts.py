"""What the runtime counts, for the metrics page."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Counts:
    """Totals since the registry was opened. They only rise.

    Attributes:
        activations: actors started.
        passivations: quiet actors put to rest.
        crashes: activations ended by an exception.
        refusals: messages refused because their actor is in quarantine.
        skipped: asks never handled because their asker had gone or their deadline had passed.
        late_answers: answers that came when nobody waited for them any more.
        dead_letters: notices that no handler took before their actor ended.
    """

    activations: int = 0
    passivations: int = 0
    crashes: int = 0
    refusals: int = 0
    skipped: int = 0
    late_answers: int = 0
    dead_letters: int = 0
