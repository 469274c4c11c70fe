"""What Placet costs, measured side by side. `make bench` runs all; `make bench ARGS="idle"` runs one."""
