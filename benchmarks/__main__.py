"""`python -m benchmarks [NAME ...] [--quick]`: runs benchmarks and prints a table of what they found."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from benchmarks import guard, idle, store

BENCHMARKS = {"guard": guard.run, "store": store.run, "idle": idle.run}
RESULTS = Path(__file__).parent / "results"


def main() -> None:
    """Run what was asked for, or all."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"any of: {', '.join(BENCHMARKS)}")
    parser.add_argument(
        "--quick", action="store_true", help="small numbers: shows that they run, not how fast"
    )
    asked = parser.parse_args()
    unknown = set(asked.names) - set(BENCHMARKS)
    if unknown:
        parser.error(f"no benchmark is called {min(unknown)}")
    RESULTS.mkdir(exist_ok=True)
    for name in asked.names or BENCHMARKS:
        print(f"{name}: running", flush=True)
        found: dict[str, Any] = BENCHMARKS[name](quick=asked.quick)
        (RESULTS / f"{name}.json").write_text(json.dumps(found, indent=2) + "\n")
        for key, value in found.items():
            print(f"  {key:24} {value}")


if __name__ == "__main__":
    main()
