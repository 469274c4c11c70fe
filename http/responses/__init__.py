"""The Responses surface: requests in, items out, and one fold of a run's events from which every answer is made.

`request.py` and `given.py` read a request; `admission.py` finds what it goes on from and admits it. `composition.py` folds events
into items and steps, which look as `items.py` and `voices.py` say; `envelope.py` is the object around the items, `stream.py`
numbers the steps and writes the frames, `reading.py` takes it all from the store again.
"""
