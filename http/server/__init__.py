"""Hypercorn on trio, made safe to put before strangers.

Everything here works around faults of the plain stack. Each has a test in `tests/system/plain` that shows both the
fault and the repair, so that a new upstream version tells at once what may be taken out again.
"""
