"""Reaching people who do not sit at a screen: signed webhooks, and links that open the one card.

`settings.py` is what an operator says of a webhook. `notices.py` finds in the log what it is to hear of, `follower.py` goes along
the log with it, `compose.py` and `texts.py` put it into words, `signature.py` signs it, `outcome.py` says what an answer means,
`sending.py` makes the request and `delivery.py` makes it until there is an end. `hooks.py` is the service. `links.py` makes and
reads the links; the route that they lead to is `routes/answer.py`.
"""
