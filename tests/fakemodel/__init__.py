"""A model without a model: an OpenAI-compatible server that answers from a script, well or badly.

In a test: `async with fake_model(says("hello")) as model`, with `model.url` as the base URL and `model.requests` afterwards.
By hand: `python -m tests.fakemodel --port 0 SCRIPT`.
"""

from tests.fakemodel.script import Reply, calls, says
from tests.fakemodel.server import FakeModel, fake_model

__all__ = ["FakeModel", "Reply", "calls", "fake_model", "says"]
