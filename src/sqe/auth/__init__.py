"""From a credential to an identity."""
