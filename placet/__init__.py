"""Placet: AI-agent sessions with a human in the loop."""
