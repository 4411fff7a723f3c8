"""Logins in which a person talks to the issuer, and SQE gets what that was worth."""
