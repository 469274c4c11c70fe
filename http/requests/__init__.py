"""What a client may ask: each request is declared once, as the class that it is read into and that the document shows."""
