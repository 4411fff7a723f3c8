"""Wire protocols: bytes to gateway calls and back."""
