"""The routes, one file per surface. A handler reads the request, asks once, and responds."""
