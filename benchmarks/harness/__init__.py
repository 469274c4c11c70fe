"""What every benchmark needs: processes and their gauges, a client, a model, rounds, findings, and how they are shown."""
